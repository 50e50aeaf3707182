// SPDX-License-Identifier: BSD-3-Clause
/// Control: stops a measurement from outside and reports its progress.
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

/// Data of one sample, as known to one rank.
struct SampleReport {
    seconds mine{0};                              ///< this rank's duration per iteration, s
    InvalidReason invalid = InvalidReason::none;  ///< fault on any rank (on the root) or on this rank (on the others)
    std::optional<seconds> time{};                ///< time joined over ranks (Combine), s; root only, not for warm-up
};

/// Data of a finished stage, as known to one rank.
struct StageReport {
    int stage = 0;                        ///< number of the stage, 1, 2, ..; 0: warm-up
    std::int64_t first_sample = 0;        ///< number of attempts in this epoch before the stage
    std::optional<seconds> slot{};        ///< length of the slots, s; empty for other starts and for the warm-up
    std::vector<SampleReport> samples{};  ///< samples of the stage, in the order taken
};

/// Pointer to a std::atomic<int> that is set elsewhere, for example by a signal handler. May be null.
class StopFlag {
public:
    StopFlag() noexcept = default;  ///< null: no flag
    /// Null: no flag.
    StopFlag(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): as a pointer
    /// \param flag  a std::atomic<int> that must outlive this object; may be null
    template <class Atomic>
    requires requires(Atomic const& a) {
        { a.load() } -> std::convertible_to<int>;
    }
    StopFlag(Atomic const* flag) noexcept  // NOLINT(google-explicit-constructor)
        : flag_{flag}, load_{[](void const* f) -> int { return static_cast<Atomic const*>(f)->load(); }} {}

    [[nodiscard]] explicit operator bool() const noexcept { return flag_ != nullptr; }  ///< whether it refers to a flag
    [[nodiscard]] int load() const { return flag_ != nullptr ? load_(flag_) : 0; }  ///< value of the flag; 0 if null
    [[nodiscard]] StopFlag const* operator->() const noexcept { return this; }      ///< as for a pointer
    friend bool operator==(StopFlag const& s, std::nullptr_t) noexcept { return s.flag_ == nullptr; }  ///< is null

private:
    void const* flag_ = nullptr;
    int (*load_)(void const*) = nullptr;
};

/// Stop flag, hooks and deadline of a measurement. The library installs no signal handler, timer or thread. Between
/// stages, outside of timed regions, it reads the flag and the deadline and calls the hooks.
struct Control {
    /// If the flag is not 0 on any rank after a stage, `run` throws Interrupted on all ranks with the largest value of
    /// the flag. A signal handler may set it.
    StopFlag stop = nullptr;
    /// Called on every rank at each decision point: before each stage and after the last stage.
    Callback<void()> decision{};
    /// Called on every rank with true before the samples of a stage, and with false after them.
    Callback<void(bool)> in_body{};
    /// Called on every rank at the beginning of an epoch, with its clock and with the time that the root allows for its
    /// broadcast (0 for starts that are not scheduled). This hook, `stage` and `in_sample` are not used for the empty
    /// samples of `correction`.
    Callback<void(GlobalClock const& clock, seconds broadcast_bound)> epoch{};
    /// Called on every rank after each stage. The next stage waits for the hook, so the hook should take at most about
    /// 1 us.
    Callback<void(StageReport&&)> stage{};
    /// Set to 1 before the opening stamp of a sample and to 0 after its closing stamp, for profiling libraries that
    /// must distinguish samples from other calls. The cost of the store is not part of the sample.
    int* in_sample = nullptr;
    /// No new stage begins after this time by the root's clock; empty: no deadline. A point interrupted by the deadline
    /// is reported as exhausted with reason "budget".
    std::optional<std::chrono::steady_clock::time_point> deadline{};
};

}  // namespace measure
#pragma GCC visibility pop
