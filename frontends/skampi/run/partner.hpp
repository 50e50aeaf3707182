// SPDX-License-Identifier: BSD-3-Clause
/// Partner: selects the process with which rank 0 exchanges messages.
#pragma once

#include <measure/comm.hpp>
#include <measure/timer.hpp>
#include <measure/units.hpp>

#include <span>
#include <string>

namespace skampi {

/// A process and the round-trip time of an empty message to it.
struct Partner {
    int rank = 0;  ///< 0: no partner
    measure::seconds latency{0};
    std::string host{};
};

struct Partners {
    Partner farthest{};
    Partner nearest{};
};

/// Selects partners by the round-trip times to ranks 1, 2, ..: the highest rank with at least 0.95 of the largest time,
/// and the lowest rank with at most 1.05 of the smallest time. Comparing with the extreme value avoids decisions by a
/// chain of near ties.
[[nodiscard]] Partners choose_partners(std::span<measure::seconds const> latencies);

/// Measures the round-trip times pair by pair: the smallest of 20 after 8 for warm-up. Waiting processes sleep, because
/// spinning ones could slow down others. Collective; the result is the same on all ranks.
/// \param late  for tests: delay of this process before each answer
[[nodiscard]] Partners find_partners(measure::Comm const& world, measure::AnyTimer const& timer,
                                     measure::seconds late = measure::seconds{0});

}  // namespace skampi
