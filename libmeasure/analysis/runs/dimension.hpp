// SPDX-License-Identifier: BSD-3-Clause
/// Dimensions: properties that distinguish points: benchmark, coordinates and fields of the run line. Pure, local.
#pragma once

#include <measure/environment_info.hpp>
#include <measure/record.hpp>

#include <optional>
#include <string>

namespace measure {

/// Value of a point in a dimension, as text; empty if neither the point nor its run has it.
///
/// \param name  benchmark or quantity; a coordinate ("bytes", "at.bytes"); a field of the run: suite, program, version,
///     mpi.library, mpi.standard, ranks, hosts, cpu, oversubscribed, kernel, clocksource, governor, compiler, timer; an
///     option ("start", "options.start"), also a member of an object ("options.topology.kind"). Coordinates take
///     precedence over fields of the run, and these over options
[[nodiscard]] std::optional<std::string> dimension_value(std::string const& name, Environment const& run,
                                                         Record const& point);

}  // namespace measure
