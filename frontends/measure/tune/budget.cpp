// SPDX-License-Identifier: BSD-3-Clause
#include "tune/budget.hpp"

#include "shared/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace measure::tool::tune {

namespace {

std::vector<PlaceCost> place_costs(Context const& c) {
    std::vector<PlaceCost> all;
    for (auto const& [place, sizes] : c.places) {
        PlaceCost one{.sizes = sizes, .is_sized = is_sized(c.out.facts.family, place.collective)};
        auto const cost = [&, &at = place](measure::Bytes bytes,
                                           std::string const& algorithm) -> std::optional<BlockCost> {
            auto const found = c.costs.find({at, bytes, algorithm});
            return found == c.costs.end() ? std::nullopt : std::optional{found->second};
        };
        for (auto const& algorithm : usable(c.out, place)) {
            one.low.push_back(cost(one.sizes.front(), algorithm));
            one.high.push_back(cost(one.sizes.back(), algorithm));
        }
        all.push_back(std::move(one));
    }
    return all;
}

/// The largest size that fits into the budget; empty if all sizes fit. Sizes that were screened earlier are kept, so
/// that their screen is not repeated.
std::optional<measure::Bytes> largest_size(Context const& c, std::vector<PlaceCost> const& all) {
    auto const screened = c.launches.largest_screened();
    if (screened && !c.options.is_budget_new)
        return screened;
    auto const fitting = largest_within(c.launches.left().count(), all, [&](std::vector<PlaceCost> const& places) {
        return estimate(places, c.options, c.out.via, decision_blocks, c.start).seconds;
    });
    return fitting ? std::max(fitting, screened) : fitting;
}

/// Omits larger sizes, and notes what is not measured.
void leave_out(Context& c, std::vector<PlaceCost> const& kept, measure::Bytes largest) {
    auto const why = fmt::format("the budget of {:g} s is too short", c.options.budget.count());
    bool is_any = false;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        auto& [place, sizes] = c.places[i];
        if (sizes == kept[i].sizes)
            continue;
        sizes = kept[i].sizes;
        if (usable(c.out, place).size() < 2)
            continue;
        is_any = true;
        if (!kept[i].is_sized)
            c.out.missing.push_back(fmt::format("{}: {} for all sizes, which share one choice", text_of(place), why));
    }
    if (!is_any)
        return;
    auto const text = fmt::format("sizes above {}: {}", measure::text_bytes(largest), why);
    c.out.missing.push_back(text + "; use --resume with a longer --budget to measure them");
    c.session.warn(text);
}

}  // namespace

void keep_within_budget(Context& c) {
    bool const has_budget = c.options.budget.count() > 0;
    auto all = place_costs(c);
    if (auto const largest = has_budget ? largest_size(c, all) : std::nullopt) {
        for (auto& one : all)
            one = up_to(std::move(one), *largest);
        leave_out(c, all, *largest);
    }
    c.out.expected = estimate(all, c.options, c.out.via, decision_blocks, c.start);
    auto& text = c.options.json == "-" ? std::cerr : c.session.text();
    text << fmt::format("# expected: {}, {:.0f} s\n",
                        counted(static_cast<std::size_t>(c.out.expected.launches), "launch", "launches"),
                        c.out.expected.seconds)
         << std::flush;
    if (has_budget && c.out.expected.seconds > c.launches.left().count())
        c.session.warn(fmt::format("this exceeds the rest of the budget of {:g} s: the campaign will end before the "
                                   "proof is complete",
                                   c.options.budget.count()));
}

}  // namespace measure::tool::tune
