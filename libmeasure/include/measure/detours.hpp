// SPDX-License-Identifier: BSD-3-Clause
/// Detours: how much of a core's time a program does not get, seen by a loop that does nothing but read the clock:
/// where two readings lie further apart than reading takes, something else ran. Local; every rank of a run may look at
/// once.
#pragma once

#include "measure/timer.hpp"
#include "measure/units.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// How long to look, and what counts as noise.
struct DetourRule {
    seconds duration{1};  ///< > 0
    /// A longer gap between two readings is a detour, > 0. By default 1 us, or ten steps of the clock if that is more.
    std::optional<seconds> threshold{};
};

/// What a loop of clock readings saw.
struct Detours {
    /// Observed: at least what the rule asks for, but for a loop that had more detours than fit, or whose clock went
    /// back.
    seconds duration{0};
    seconds threshold{0};           ///< that a gap had to exceed
    std::int64_t readings = 0;      ///< of the clock
    std::vector<double> detours{};  ///< gaps above the threshold in the order seen, s; at most 65536
};

/// Reads the clock for the duration. Local. \throws UsageError for a rule out of range
[[nodiscard]] Detours observe_detours(AnyTimer const& timer, DetourRule const& rule = {});

/// Noise in numbers, trivially copyable. Seconds.
struct DetourSummary {
    double duration = 0;       ///< observed, all observations together
    double threshold = 0;      ///< largest of the observations
    std::int64_t detours = 0;  ///< gaps above the threshold
    double lost = 0;           ///< sum of the detours
    double shortest = 0;       ///< 0 without a detour, as median and longest
    double median = 0;         ///< of the detours
    double longest = 0;        ///< of the detours
    std::int64_t slices = 0;   ///< detours that last whole time slices of the scheduler: k * 4 ms, within 0.1 ms
    std::int64_t pauses = 0;   ///< detours of 2 ms and more, slices among them: long enough to spoil a sample

    /// Lost time as a share of the duration, in [0, 1].
    [[nodiscard]] double share() const noexcept {
        return lost < duration ? lost / duration : duration > 0 ? 1 : 0;  // a coarse clock's sum may round beyond
    }
};

/// Several observations of one core, made one after another, as one.
[[nodiscard]] DetourSummary summarise(std::span<Detours const> observations);

/// What the summaries of the ranks say about the machine, for people: that time slices are lost to other programs, or
/// that ranks were interrupted for long. Empty where there is nothing to warn of. \param ranks  [ranks]
[[nodiscard]] std::string detour_warning(std::span<DetourSummary const> ranks);

}  // namespace measure
#pragma GCC visibility pop
