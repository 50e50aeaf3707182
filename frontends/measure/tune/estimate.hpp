// SPDX-License-Identifier: BSD-3-Clause
/// Estimate: what a campaign will take, from one block of each algorithm. Pure, local.
#pragma once

#include "tune/options.hpp"
#include "tune/plan.hpp"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace measure::tool::tune {

/// What an algorithm took at one size.
struct BlockCost {
    double median = 0;  ///< s, of a call
    double block = 0;   ///< s, of a block with all that belongs to it
    double check = 0;   ///< s, of the check of its data
};

/// The algorithms of a place at its smallest and its largest size, the default first; nothing for what cannot be used
/// there.
struct PlaceCost {
    std::vector<measure::Bytes> sizes{};  ///< that will be screened, ascending
    std::vector<std::optional<BlockCost>> low{};
    std::vector<std::optional<BlockCost>> high{};  ///< of the same algorithms; as `low` where there is one size
    bool is_sized = true;                          ///< sizes in between are added
};

struct Estimate {
    int launches = 0;
    double seconds = 0;
};

/// Of screen, decision, canary and proof; there is a proof of those of which one gains. Between its ends a time is
/// taken to be linear in the size. What is a quarter slower than the quickest is taken to be dropped as soon as can be,
/// and all else to stay; where the quickest differs between the ends, one switch is looked for. \param blocks  of a
/// decision  \param start  s, of a launch that does nothing
[[nodiscard]] Estimate estimate(std::span<PlaceCost const> places, TuneOptions const& options, Via via, int blocks,
                                double start);

/// The same place without sizes above `largest`, whose times at its ends follow. Where one choice holds for all sizes,
/// and some would be left out, all are. Pure.
[[nodiscard]] PlaceCost up_to(PlaceCost place, measure::Bytes largest);

/// Up to which size all is expected to take no longer than so many seconds: the largest ones are left out first, and
/// the smallest one stays. Nothing: all can stay. \param seconds_of  what places are expected to take
[[nodiscard]] std::optional<measure::Bytes>
largest_within(double seconds, std::vector<PlaceCost> const& places,
               std::function<double(std::vector<PlaceCost> const&)> const& seconds_of);

}  // namespace measure::tool::tune
