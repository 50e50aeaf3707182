// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: measures the tests named on the command line and writes record and report.
#pragma once

#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/options.hpp"
#include "program/runtime/session.hpp"

#include <measure/comm.hpp>

#include <span>
#include <string>
#include <vector>

namespace mpiperf {

/// Measures the tests of the options. Collective over the world. \param own  the tests of plugins
/// \throws measure::UsageError for options that do not fit this world, before the first measurement
void measure_tests(Options const& options, std::span<Test const> own, program::Session& session);

/// Host name of each rank, on the root. Collective.
[[nodiscard]] std::vector<std::string> hostnames(measure::Comm const& world);

}  // namespace mpiperf
