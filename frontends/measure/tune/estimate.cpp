// SPDX-License-Identifier: BSD-3-Clause
#include "tune/estimate.hpp"

#include "tune/phases/screening.hpp"
#include "tune/segments.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <set>

namespace measure::tool::tune {

namespace {

constexpr double clearly_slower = 1.25;
constexpr int all_canary_launches = 9;  // three launches to confirm a slow algorithm, three of each side

/// The cost of an algorithm at a size between the smallest and the largest. \param share  position between them
std::optional<BlockCost> cost_at(PlaceCost const& place, std::size_t algorithm, double share) {
    auto const& low = place.low[algorithm];
    auto const& high = place.high[algorithm];
    if (!low || !high)
        return low ? low : high;
    auto const between = [&](double a, double b) { return a + share * (b - a); };
    return BlockCost{.median = between(low->median, high->median),
                     .block = between(low->block, high->block),
                     .check = between(low->check, high->check)};
}

std::optional<std::size_t> quickest(std::vector<std::optional<BlockCost>> const& costs) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < costs.size(); ++i)
        if (costs[i] && (!best || costs[i]->median < costs[*best]->median))
            best = i;
    return best;
}

/// Seconds at one size of one place.
struct SizeCost {
    double screen = 0;
    double decide = 0;   ///< for one launch, or for one round of launches
    double prove = 0;    ///< for one launch
    bool gains = false;  ///< the fastest algorithm gains more than `gain`
};

SizeCost at_size(PlaceCost const& place, double share, double gain, int most_blocks, int blocks) {
    std::vector<std::optional<BlockCost>> costs;
    for (std::size_t i = 0; i < place.low.size(); ++i)
        costs.push_back(cost_at(place, i, share));
    SizeCost result;
    auto const best = quickest(costs);
    if (!best || !costs.front())
        return result;
    auto const k = static_cast<double>(std::count_if(costs.begin(), costs.end(), [](auto const& c) { return !!c; }));
    auto const is_dropped = [&](std::size_t i) {
        return i > 0 && costs[i]->median > clearly_slower * costs[*best]->median;
    };
    // The fewest blocks after which the e-value of a pair can be large enough.
    int const least = std::min(
        most_blocks,
        static_cast<int>(std::ceil(std::log(std::max(1.0, k * (k - 1)) / ScreenRules{}.alpha) / std::log(1.9))));
    int left = 0;
    for (std::size_t i = 0; i < costs.size(); ++i)
        left += costs[i] && !is_dropped(i) ? 1 : 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        if (!costs[i])
            continue;
        bool const is_short = left == 1 || is_dropped(i);
        result.screen += costs[i]->block * (1 + (is_short ? least : most_blocks)) + 2 * costs[i]->check;
        // The default is measured twice, under two names.
        if (left > 1 && !is_dropped(i))
            result.decide += (i == 0 ? 2 : 1) * (costs[i]->block * (1 + blocks) + 2 * costs[i]->check);
    }
    result.prove = costs.front()->block * (1 + blocks);
    result.gains = costs.front()->median > (1 + gain) * costs[*best]->median;
    return result;
}

}  // namespace

Estimate estimate(std::span<PlaceCost const> places, TuneOptions const& options, Via via, int blocks, double start) {
    bool const is_one = via == Via::mpi_t;
    SizeCost all;
    int forced = 0;  // algorithms other than the default
    for (auto const& place : places) {
        if (place.sizes.empty() || place.low.size() < 2)
            continue;
        forced += static_cast<int>(place.low.size()) - 1;
        double its_proof = 0;
        bool gains = false;
        auto const low = static_cast<double>(place.sizes.front());
        auto const high = static_cast<double>(place.sizes.back());
        auto const add = [&](double bytes) {
            auto const one = at_size(place, high > low ? (bytes - low) / (high - low) : 0, options.gain,
                                     is_one ? options.blocks : blocks, blocks);
            all.screen += one.screen;
            all.decide += one.decide;
            its_proof += one.prove;
            gains = gains || one.gains;
        };
        for (auto const bytes : place.sizes)
            add(static_cast<double>(bytes));
        if (place.is_sized && place.sizes.size() > 1 && quickest(place.low) != quickest(place.high)) {
            double const halvings =
                std::ceil(std::log2(std::max(1.0, std::log(options.sizes.factor) / std::log(narrow_bracket))));
            for (int i = 0; i < static_cast<int>(halvings); ++i)
                add(std::sqrt(std::max(1.0, low) * high));
        }
        if (gains)
            all.prove += its_proof;
    }
    if (forced == 0)
        return {};
    // With Via::environment each algorithm has its own launch, and so has each name of the default.
    int const screens = is_one ? 1 : 1 + forced;
    int const decisions = options.launches * (is_one ? 1 : 2 + forced);
    int const proofs = all.prove > 0 ? 2 * options.proof + all_canary_launches : 0;
    Estimate result{.launches = screens + (all.decide > 0 ? decisions : 0) + proofs};
    result.seconds =
        start * result.launches + all.screen + options.launches * all.decide + 2 * options.proof * all.prove;
    return result;
}

PlaceCost up_to(PlaceCost place, measure::Bytes largest) {
    if (place.sizes.empty() || place.sizes.back() <= largest)
        return place;
    auto const low = static_cast<double>(place.sizes.front());
    auto const high = static_cast<double>(place.sizes.back());
    std::erase_if(place.sizes, [&](auto const bytes) { return !place.is_sized || bytes > largest; });
    if (place.sizes.empty())
        return {.is_sized = place.is_sized};
    double const share = (static_cast<double>(place.sizes.back()) - low) / (high - low);
    auto const whole = place;
    for (std::size_t i = 0; i < place.high.size(); ++i)
        place.high[i] = cost_at(whole, i, share);
    return place;
}

std::optional<measure::Bytes> largest_within(double seconds, std::vector<PlaceCost> const& places,
                                             std::function<double(std::vector<PlaceCost> const&)> const& seconds_of) {
    if (seconds_of(places) <= seconds)
        return std::nullopt;
    std::set<measure::Bytes> sizes;
    for (auto const& place : places)
        sizes.insert(place.sizes.begin(), place.sizes.end());
    sizes.erase(0);  // collectives without sizes are always kept
    if (sizes.size() < 2)
        return std::nullopt;
    for (auto size = std::next(sizes.rbegin()); size != sizes.rend(); ++size) {
        std::vector<PlaceCost> kept;
        for (auto const& place : places)
            kept.push_back(up_to(place, *size));
        if (seconds_of(kept) <= seconds)
            return *size;
    }
    return *sizes.begin();
}

}  // namespace measure::tool::tune
