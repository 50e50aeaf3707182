// SPDX-License-Identifier: BSD-3-Clause
/// Suites: the programs as the common wrapper runs them.
#pragma once

#include "osu/catalogue.hpp"
#include "program/runtime/main.hpp"

#include <measure/units.hpp>

#include <string>

namespace osu {

/// \param init  the time of MPI_Init; of osu_init only
[[nodiscard]] program::Suite suite(Row const& row, measure::seconds init = {});

/// The program that is started without a program's name: help and list.
[[nodiscard]] program::Suite all_programs(std::string const& path);

}  // namespace osu
