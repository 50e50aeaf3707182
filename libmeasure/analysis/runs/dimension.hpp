// SPDX-License-Identifier: BSD-3-Clause
/// Dimensions: what points can be told apart by: benchmark, coordinates, and what the run line says. Pure, local.
#pragma once

#include <measure/environment_info.hpp>
#include <measure/record.hpp>

#include <optional>
#include <string>

namespace measure {

/// A point's value of a dimension as text; nothing where neither the point nor its run has it.
///
/// \param name  benchmark, quantity; a coordinate ("bytes", "at.bytes"); of the run suite, program, version,
///              mpi.library, mpi.standard, ranks, hosts, cpu, oversubscribed, kernel, clocksource, governor, compiler,
///              timer; an option ("start", "options.start"), also one of an object ("options.topology.kind").
///              A coordinate goes before a field of the run, and that before an option
[[nodiscard]] std::optional<std::string> dimension_value(std::string const& name, Environment const& run,
                                                         Record const& point);

}  // namespace measure
