// SPDX-License-Identifier: BSD-3-Clause
/// Control: how a caller stops a measurement from outside and watches its progress.
#pragma once

#include "measure/clock_sync.hpp"
#include "measure/sample.hpp"
#include "measure/units.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// What a rank knows of one sample.
struct SampleReport {
    seconds mine{0};                ///< this rank's duration of an iteration
    Fault fault = Fault::none;      ///< root: over all ranks; other ranks: their own
    std::optional<seconds> time{};  ///< over ranks (Combine); root only, and not of the warm-up
};

/// What a rank knows of a stage that has ended.
struct StageReport {
    int stage = 0;                        ///< 1, 2, ..; 0: warm-up
    std::int64_t first_sample = 0;        ///< attempts before it, in this epoch
    std::optional<seconds> slot{};        ///< length of its slots; nothing for other starts and the warm-up
    std::vector<SampleReport> samples{};  ///< [samples of the stage], in the order taken
};

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
    /// Called on every rank when an epoch begins: the clock that it uses, and what the root allows for its word to
    /// arrive (0 where starts are not scheduled). Not for empty samples, and likewise the next two.
    std::function<void(GlobalClock const& clock, seconds broadcast_bound)> epoch{};
    /// Called on every rank after each stage. The next stage waits for it: a microsecond is short enough.
    std::function<void(StageReport&&)> stage{};
    /// Is 1 from before the opening stamp of a sample until after its closing one, otherwise 0: for profiling
    /// libraries that must tell samples from all other calls. What the store costs is in no sample.
    int* in_sample = nullptr;
    /// No new stage begins after this moment (by the root's clock); a point that has it strike ends as exhausted with
    /// reason "budget".
    std::optional<std::chrono::steady_clock::time_point> deadline{};
};

}  // namespace measure
#pragma GCC visibility pop
