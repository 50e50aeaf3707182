// SPDX-License-Identifier: BSD-3-Clause
/// Suites: the programs in the form that the common wrapper runs.
#pragma once

#include "osu/catalogue.hpp"
#include "program/runtime/main.hpp"

#include <measure/units.hpp>

#include <string>

namespace osu {

/// \param init  time of MPI_Init; for osu_init only
[[nodiscard]] program::Suite suite(Row const& row, measure::seconds init = {});

/// The program for calls without a program name: prints help and list.
[[nodiscard]] program::Suite all_programs(std::string const& path);

}  // namespace osu
