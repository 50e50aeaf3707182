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

/// What measurements share.
struct Context {
    program::Session& session;
    Hooks const& hooks;
    Teams& teams;
    PointRunner& runner;
    std::int64_t other_points = 0;  ///< of the run's other measurements, for the progress
    measure::Bytes room = 0;        ///< bytes that a process may allocate
};

/// Measures all points of a task: looks at its messages first, then its initial arguments, then those of refinement.
/// Points go to the session's record as they come. Collective over the world.
/// \param limit     of the measurement, beside the task's own; the root's counts
/// \param measured  called on the root after each point
/// \return the block of the output file, on the root
/// \throws what measure::run and Session::meet throw; where MPI reports an error the session is told to fail, and the
///         next meeting throws
[[nodiscard]] Block measure_curve(Context const& context, Task const& task, std::optional<measure::seconds> limit,
                                  std::function<void(Row const&)> const& measured);

/// The block of a measurement that was not made. \param status  "skipped" or "abandoned"
[[nodiscard]] Block empty_block(Task const& task, char const* status, std::string const& reason);

/// How many points a measurement has at first.
[[nodiscard]] std::int64_t initial_points(Task const& task);

}  // namespace skampi
