// SPDX-License-Identifier: BSD-3-Clause
/// Estimate: predicts the time of a campaign from one block of each algorithm. Pure, local.
#pragma once

#include "tune/options.hpp"
#include "tune/plan.hpp"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace measure::tool::tune {

/// Times of an algorithm at one size.
struct BlockCost {
    double median = 0;  ///< median time of a call, in s
    double block = 0;   ///< time of a whole block, in s
    double check = 0;   ///< time of the check of its data, in s
};

/// The algorithms of a place at its smallest and its largest size, the default first. Empty for an algorithm that
/// cannot be used at that size.
struct PlaceCost {
    std::vector<measure::Bytes> sizes{};           ///< sizes to screen, ascending
    std::vector<std::optional<BlockCost>> low{};   ///< [algorithm] at the smallest size
    std::vector<std::optional<BlockCost>> high{};  ///< [algorithm] at the largest size; equals `low` for a single size
    bool is_sized = true;                          ///< the library's file can distinguish sizes
};

/// Expected cost of the rest of a campaign.
struct Estimate {
    int launches = 0;
    double seconds = 0;
};

/// The cost of screen, decision, canary and proof. Assumptions: between the smallest and the largest size, times are
/// linear in the size. An algorithm more than a quarter slower than the fastest is dropped as early as possible, and
/// all others remain. If the fastest algorithm differs between both ends, there is one switch to find. Only places with
/// a gain are proved.
/// \param blocks  blocks of a point in decision and proof  \param start  time of an empty launch, in s
[[nodiscard]] Estimate estimate(std::span<PlaceCost const> places, TuneOptions const& options, Via via, int blocks,
                                double start);

/// The place without sizes above `largest`; the times at its largest size are interpolated. If one choice holds for all
/// sizes, all sizes are omitted together. Pure.
[[nodiscard]] PlaceCost up_to(PlaceCost place, measure::Bytes largest);

/// The largest size up to which the expected time is at most `seconds`. The largest sizes are omitted first; the
/// smallest is always kept. Empty if all sizes fit. \param seconds_of  expected time of places, in s
[[nodiscard]] std::optional<measure::Bytes>
largest_within(double seconds, std::vector<PlaceCost> const& places,
               std::function<double(std::vector<PlaceCost> const&)> const& seconds_of);

}  // namespace measure::tool::tune
