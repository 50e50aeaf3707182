// SPDX-License-Identifier: BSD-3-Clause
/// Wait patterns: operations of known duration, which show what a timer and a synchronisation are worth (MPIPerf
/// paper).
#pragma once

#include <measure/comm.hpp>
#include <measure/units.hpp>

#include <string_view>

namespace mpiperf {

/// What one step of a wait pattern lasts.
inline constexpr measure::seconds wait_step{1e-6};

/// Nothing at all: what is measured is the timer and the start.
struct WaitNull {
    static constexpr std::string_view name = "WaitPatternNull";
    static constexpr std::string_view text = "nothing; expected 0 us";
    static constexpr int steps(int, int) noexcept { return 0; }
};

/// Rank i of n spins (i + 1) us.
struct WaitUp {
    static constexpr std::string_view name = "WaitPatternUp";
    static constexpr std::string_view text = "rank i of n spins (i + 1) us; expected n us";
    static constexpr int steps(int rank, int) noexcept { return rank + 1; }
};

/// Rank i of n spins (n - i) us.
struct WaitDown {
    static constexpr std::string_view name = "WaitPatternDown";
    static constexpr std::string_view text = "rank i of n spins (n - i) us; expected n us";
    static constexpr int steps(int rank, int size) noexcept { return size - rank; }
};

/// The duration of a pattern: the longest wait of any rank.
template <class W>
[[nodiscard]] constexpr measure::seconds expected_wait(int size) noexcept {
    return W::steps(0, 1) == 0 ? measure::seconds{0} : size * wait_step;
}

/// The body: spins by the plan's timer, from after the opening stamp on.
template <class W>
class Wait {
public:
    explicit Wait(measure::Comm const& comm) noexcept : duration_{W::steps(comm.rank(), comm.size()) * wait_step} {}

    void operator()(auto& lap) const noexcept {
        if constexpr (W::steps(0, 1) != 0)
            lap.spin(duration_);
    }

private:
    measure::seconds duration_;
};

}  // namespace mpiperf
