// SPDX-License-Identifier: BSD-3-Clause
/// Control: how a caller stops a measurement from outside and watches its progress.
#pragma once

#include "measure/callback.hpp"
#include "measure/clock_sync.hpp"
#include "measure/sample.hpp"
#include "measure/units.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// What a rank knows of one sample.
struct SampleReport {
    seconds mine{0};                              ///< this rank's duration of an iteration
    InvalidReason invalid = InvalidReason::none;  ///< root: over all ranks; other ranks: their own
    std::optional<seconds> time{};                ///< over ranks (Combine); root only, and not of the warm-up
};

/// What a rank knows of a stage that has ended.
struct StageReport {
    int stage = 0;                        ///< 1, 2, ..; 0: warm-up
    std::int64_t first_sample = 0;        ///< attempts before it, in this epoch
    std::optional<seconds> slot{};        ///< length of its slots; nothing for other starts and the warm-up
    std::vector<SampleReport> samples{};  ///< [samples of the stage], in the order taken
};

/// A std::atomic<int> that somebody else sets. Holds its address, and is a null pointer where there is none.
class StopFlag {
public:
    StopFlag() noexcept = default;  ///< none
    /// None as well.
    StopFlag(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): it stands for a pointer
    /// \param flag  a std::atomic<int>, which outlives this
    template <class Atomic>
    requires requires(Atomic const& a) {
        { a.load() } -> std::convertible_to<int>;
    }
    StopFlag(Atomic const* flag) noexcept  // NOLINT(google-explicit-constructor)
        : flag_{flag}, load_{[](void const* f) -> int { return static_cast<Atomic const*>(f)->load(); }} {}

    [[nodiscard]] explicit operator bool() const noexcept { return flag_ != nullptr; }  ///< whether there is a flag
    [[nodiscard]] int load() const { return flag_ != nullptr ? load_(flag_) : 0; }      ///< the flag; 0 without one
    [[nodiscard]] StopFlag const* operator->() const noexcept { return this; }          ///< as a pointer has it
    friend bool operator==(StopFlag const& s, std::nullptr_t) noexcept { return s.flag_ == nullptr; }  ///< likewise

private:
    void const* flag_ = nullptr;
    int (*load_)(void const*) = nullptr;
};

/// The library installs no signal handler, timer or thread: it looks at these at its decision points (after each
/// stage), outside every timed region.
struct Control {
    /// Non-zero on any rank: stop. The largest value travels with the stage's values, and `run` throws
    /// Interrupted(value) on all ranks alike. May be set by a signal handler.
    StopFlag stop = nullptr;
    /// Called on every rank at each decision point.
    Callback<void()> decision{};
    /// Called on every rank with true before and with false after the samples of a stage.
    Callback<void(bool)> in_body{};
    /// Called on every rank when an epoch begins: the clock that it uses, and what the root allows for its word to
    /// arrive (0 where starts are not scheduled). Not for empty samples, and likewise the next two.
    Callback<void(GlobalClock const& clock, seconds broadcast_bound)> epoch{};
    /// Called on every rank after each stage. The next stage waits for it: a microsecond is short enough.
    Callback<void(StageReport&&)> stage{};
    /// Is 1 from before the opening stamp of a sample until after its closing one, otherwise 0: for profiling
    /// libraries that must tell samples from all other calls. What the store costs is in no sample.
    int* in_sample = nullptr;
    /// No new stage begins after this moment (by the root's clock); a point that has it strike ends as exhausted with
    /// reason "budget".
    std::optional<std::chrono::steady_clock::time_point> deadline{};
};

}  // namespace measure
#pragma GCC visibility pop
