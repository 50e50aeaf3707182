// SPDX-License-Identifier: BSD-3-Clause
/// Detours: time of a core that the program loses because other code runs on it. A loop only reads the clock. If the
/// gap between two readings is longer than a reading takes, other code ran on the core. Local; all ranks may observe at
/// the same time.
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

/// Duration of an observation, and the threshold for noise.
struct DetourRule {
    seconds duration{1};  ///< duration of the observation, s, > 0
    /// A longer gap between two readings is a detour, s, > 0. Default: 1 us, or ten times the shortest gap if this is
    /// longer.
    std::optional<seconds> threshold{};
};

/// Result of an observation.
struct Detours {
    /// Observed time, s: at least the duration of the rule, unless `detours` was full or the clock went back.
    seconds duration{0};
    seconds threshold{0};           ///< threshold for the gaps, s
    std::int64_t readings = 0;      ///< number of clock readings
    std::vector<double> detours{};  ///< gaps above the threshold, s, in the order observed; at most 65536
};

/// Observes detours for the duration of the rule. Local. \throws UsageError for a rule out of range
[[nodiscard]] Detours observe_detours(AnyTimer const& timer, DetourRule const& rule = {});

/// Summary of observations. Times in seconds. Trivially copyable.
struct DetourSummary {
    double duration = 0;       ///< observed time, sum over the observations
    double threshold = 0;      ///< largest threshold of the observations
    std::int64_t detours = 0;  ///< number of detours
    double lost = 0;           ///< sum of the detours
    double shortest = 0;       ///< shortest detour; 0 without detours
    double median = 0;         ///< median of the detours; 0 without detours
    double longest = 0;        ///< longest detour; 0 without detours
    std::int64_t slices = 0;   ///< number of detours of whole scheduler time slices: multiples of 4 ms, within 0.1 ms
    std::int64_t pauses = 0;   ///< number of detours of 2 ms or more, including slices, which may spoil a sample

    /// Lost time as a share of the duration, in [0, 1].
    [[nodiscard]] double share() const noexcept {
        // With a coarse clock, rounding may make the sum exceed the duration.
        return lost < duration ? lost / duration : duration > 0 ? 1 : 0;
    }
};

/// Summarises successive observations of one core. Pure.
[[nodiscard]] DetourSummary summarise(std::span<Detours const> observations);

/// Warning for users: ranks were interrupted for 2 ms or more, or lose whole time slices to other programs. Pure.
/// \param ranks  [ranks] summary of each rank
/// \return an empty text if there is nothing to warn about
[[nodiscard]] std::string detour_warning(std::span<DetourSummary const> ranks);

}  // namespace measure
#pragma GCC visibility pop
