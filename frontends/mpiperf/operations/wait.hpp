// SPDX-License-Identifier: BSD-3-Clause
/// Wait patterns: operations of known duration, which test a timer and a clock synchronisation (MPIPerf paper).
#pragma once

#include <measure/comm.hpp>
#include <measure/units.hpp>

#include <string_view>

namespace mpiperf {

/// Duration of one step of a wait pattern.
inline constexpr measure::seconds wait_step{1e-6};

/// Does nothing, so that only timer and start are measured.
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

/// The duration of a pattern, which is the longest wait of any rank.
template <class W>
[[nodiscard]] constexpr measure::seconds expected_wait(int size) noexcept {
    return W::steps(0, 1) == 0 ? measure::seconds{0} : size * wait_step;
}

/// The body: spins on the plan's timer, beginning after the opening stamp.
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
