// SPDX-License-Identifier: BSD-3-Clause
/// Curve: one measurement from its first to its last point.
#pragma once

#include "program/runtime/session.hpp"
#include "skampi/output/output.hpp"
#include "skampi/run/hooks.hpp"
#include "skampi/run/point_runner.hpp"
#include "skampi/run/teams.hpp"
#include "skampi/setup.hpp"

#include <measure/units.hpp>

#include <cstdint>
#include <functional>
#include <optional>

namespace skampi {

/// The objects that all measurements share.
struct Context {
    program::Session& session;
    Hooks const& hooks;
    Teams& teams;
    PointRunner& runner;
    std::int64_t other_points = 0;  ///< points of the run's other measurements, for the progress display
    measure::Bytes room = 0;        ///< number of bytes that a process may allocate
};

/// Measures all points of a task. Checks its messages first, then measures the initial arguments and those of
/// refinement. Each point is recorded as soon as it is known. Collective over the world.
/// \param limit     time limit in addition to the task's own; the root's value is used
/// \param measured  called on the root after each point
/// \returns the block of the output file, on the root
/// \throws the exceptions of measure::run and Session::meet. If MPI reports an error, the session is told to fail, and
///         the next meeting throws.
[[nodiscard]] Block measure_curve(Context const& context, Task const& task, std::optional<measure::seconds> limit,
                                  std::function<void(Row const&)> const& measured);

/// Returns the block of a measurement that was not made. \param status  "skipped" or "abandoned"
[[nodiscard]] Block empty_block(Task const& task, char const* status, std::string const& reason);

/// Number of initial points of a measurement.
[[nodiscard]] std::int64_t initial_points(Task const& task);

}  // namespace skampi
