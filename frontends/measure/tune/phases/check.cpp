// SPDX-License-Identifier: BSD-3-Clause
#include "tune/phases/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace measure::tool::tune {

namespace {

BlockCost block_cost(measure::Record const& point) {
    return {.median = point.derived.number({"block_median"}).value_or(0),
            .block = point.derived.number({"block_elapsed"}).value_or(0),
            .check = point.elapsed.count()};
}

/// The time of a launch without its checks and blocks, in s.
double idle_time(Launched const& launched) {
    double time = launched.seconds;
    for (auto const& point : launched.record.points) {
        auto const cost = block_cost(point);
        time -= cost.check + 2 * cost.block;
    }
    return std::max(time, 0.0);
}

/// Checks the pending items in one launch. An item that ends a launch is excluded, and another launch checks the rest.
void check(Context& c, std::vector<Item> pending) {
    while (!pending.empty()) {
        c.next("check of all algorithms");
        WorkerPlan plan{.phase = Phase::check, .via = c.out.via};
        for (auto const& item : pending) {
            if (plan.points.empty() || plan.points.back().place != item.place || plan.points.back().bytes != item.bytes)
                plan.points.push_back({.place = item.place, .bytes = item.bytes});
            plan.points.back().algorithms.push_back(item.algorithm);
        }
        auto const& launched = c.run(plan);
        auto const& points = launched.record.points;
        c.start = std::min(c.start, idle_time(launched));
        std::set<std::pair<Place, std::string>> gone;
        for (std::size_t i = 0; i < points.size() && i < pending.size(); ++i) {
            if (is_excluded(points[i])) {
                c.exclude(pending[i], points[i]);
                if (points[i].status != measure::PointStatus::skipped)
                    gone.emplace(pending[i].place, pending[i].algorithm);
            } else {
                c.costs[{pending[i].place, pending[i].bytes, pending[i].algorithm}] = block_cost(points[i]);
            }
        }
        if (!launched.failure.empty() && points.size() < pending.size()) {
            auto const& item = pending[points.size()];
            c.exclude(item, fmt::format("the ranks did not survive it{}: a launch {}",
                                        item.bytes == 0 ? "" : " at" + size_text(item.bytes), launched.failure));
            gone.emplace(item.place, item.algorithm);
        }
        auto const done = std::min(pending.size(), points.size());
        pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(done));
        std::erase_if(pending, [&](Item const& item) { return gone.contains({item.place, item.algorithm}); });
    }
}

}  // namespace

void check(Context& c) {
    std::vector<Item> pending;
    for (auto const& [place, sizes] : c.places)
        for (auto const bytes : std::set{sizes.front(), sizes.back()})
            for (auto const& algorithm : usable(c.out, place))
                pending.push_back({place, bytes, algorithm});
    if (c.out.via == Via::mpi_t) {
        check(c, pending);
    } else {
        std::map<std::pair<std::string, std::string>, std::vector<Item>> groups;
        for (auto const& item : pending)
            groups[{is_default(item.algorithm) ? "" : item.place.collective, item.algorithm}].push_back(item);
        for (auto const& [key, items] : groups)
            check(c, items);
    }
    // An algorithm that cannot be used at the smallest and the largest size is not tried in between.
    for (auto const& item : pending) {
        auto const is_it = [&](auto const& one) { return one.place == item.place && one.algorithm == item.algorithm; };
        auto& excluded = c.out.excluded;
        auto const first = std::find_if(excluded.begin(), excluded.end(), is_it);
        if (first == excluded.end() || !first->bytes ||
            std::count_if(excluded.begin(), excluded.end(), is_it) !=
                std::count_if(pending.begin(), pending.end(), is_it))
            continue;
        auto whole = *first;
        whole.bytes.reset();
        std::erase_if(excluded, is_it);
        excluded.push_back(std::move(whole));
    }
}

}  // namespace measure::tool::tune
