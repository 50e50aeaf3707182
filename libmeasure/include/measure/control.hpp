// SPDX-License-Identifier: BSD-3-Clause
/// Control: how a caller stops a measurement from outside and watches its progress.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>

#pragma GCC visibility push(default)
namespace measure {

/// The library installs no signal handler, timer or thread: it looks at these at its decision points (after each
/// stage), outside every timed region.
struct Control {
    /// Non-zero on any rank: stop. The largest value travels with the stage's values, and `run` throws
    /// Interrupted(value) on all ranks alike. May be set by a signal handler.
    std::atomic<int> const* stop = nullptr;
    /// Called on every rank at each decision point.
    std::function<void()> decision{};
    /// Called on every rank with true before and with false after the samples of a stage.
    std::function<void(bool)> in_body{};
    /// No new stage begins after this moment (by the root's clock); a point that has it strike ends as exhausted with
    /// reason "budget".
    std::optional<std::chrono::steady_clock::time_point> deadline{};
};

}  // namespace measure
#pragma GCC visibility pop
