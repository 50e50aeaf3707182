// SPDX-License-Identifier: BSD-3-Clause
/// Partner: with whom rank 0 exchanges messages.
#pragma once

#include <measure/comm.hpp>
#include <measure/timer.hpp>
#include <measure/units.hpp>

#include <span>
#include <string>

namespace skampi {

/// A process and the round trip of an empty message to it.
struct Partner {
    int rank = 0;  ///< 0: there is none
    measure::seconds latency{0};
    std::string host{};
};

struct Partners {
    Partner farthest{};
    Partner nearest{};
};

/// Chooses by the round trips to ranks 1, 2, ..: the highest rank with at least 0.95 of the largest, the lowest rank
/// with at most 1.05 of the smallest one. One threshold against the extreme, so that no chain of near ties decides.
[[nodiscard]] Partners choose_partners(std::span<measure::seconds const> latencies);

/// Measures the round trips: the smallest of 20 after 8 to warm up, pair after pair; who waits sleeps, because
/// spinning processes would decide who is slow. Collective; the same on all ranks.
/// \param late  this process waits so long before each answer; for tests
[[nodiscard]] Partners find_partners(measure::Comm const& world, measure::AnyTimer const& timer,
                                     measure::seconds late = measure::seconds{0});

}  // namespace skampi
