// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/runs/overlap.hpp"

#include "analysis/runs/meaning.hpp"
#include "analysis/runs/swept_point.hpp"

#include <measure/record.hpp>
#include <measure/statistics.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace measure {

namespace {

constexpr std::string_view coordinate = "compute";
constexpr std::string_view overlap_key = "overlap";

bool has_computing(Record const& record) { return computes(record.benchmark) && record.at.has(coordinate); }

Point without_computing(Point const& at) {
    Point rest;
    for (auto const& [name, value] : at.coordinates())
        if (name != coordinate)
            rest.set(name, value);
    return rest;
}

}  // namespace

bool computes(std::string_view test) noexcept {
    return test.size() > 1 && test[0] == 'I' && test[1] >= 'a' && test[1] <= 'z';
}

void join_computing(Launch& start) {
    auto& points = start.record.points;
    auto const computing = std::stable_partition(points.begin(), points.end(), [](Record const& record) {
        return !has_computing(record) || record.at.number(coordinate) == 0;
    });
    // Points that failed lack the coordinate, but belong to the same operation.
    for (auto still = points.begin(); still != computing; ++still)
        if (has_computing(*still)) {
            still->at = without_computing(still->at);
            still->derived[overlap_key] = Value{};
        }
    std::map<SweptPoint, Record const*> longest;
    for (auto each = computing; each != points.end(); ++each) {
        auto const still = std::find_if(points.begin(), computing,
                                        [&](Record const& record) { return point_of(record) == point_of(*each); });
        if (still == computing)
            continue;
        still->elapsed += each->elapsed;
        auto& found = longest[point_of(*each)];
        if (found != nullptr && found->at.number(coordinate) > each->at.number(coordinate))
            continue;
        found = &*each;
        auto const* const share = each->derived.find(overlap_key);
        still->derived[overlap_key] = share != nullptr ? *share : Value{};
    }
    points.erase(computing, points.end());
}

std::vector<AnswerOverlap> overlaps_of(std::span<Launch const> starts) {
    std::vector<AnswerOverlap> overlaps;
    std::vector<std::vector<double>> shares;
    for (auto const& start : starts)
        for (auto const& record : start.record.points) {
            auto const share = record.derived.number({overlap_key, "mean"});
            if (!share)
                continue;
            auto const bytes = integer_at(record.at, "bytes").value_or(0);
            auto const known = std::find_if(overlaps.begin(), overlaps.end(), [&](AnswerOverlap const& each) {
                return each.operation == record.benchmark && each.bytes == bytes;
            });
            auto const place = static_cast<std::size_t>(known - overlaps.begin());
            if (known == overlaps.end()) {
                overlaps.push_back({.operation = record.benchmark, .bytes = bytes});
                shares.emplace_back();
            }
            shares[place].push_back(*share);
        }
    for (std::size_t i = 0; i < overlaps.size(); ++i) {
        overlaps[i].share = median(shares[i]);
        if (auto const interval = batched_median_interval(shares[i], 0.95))
            overlaps[i].margin = std::max(overlaps[i].share - interval->first, interval->second - overlaps[i].share);
    }
    // Each launch has its own order of measurement.
    std::stable_sort(overlaps.begin(), overlaps.end(), [](AnswerOverlap const& a, AnswerOverlap const& b) {
        return std::pair{std::string_view{a.operation}, a.bytes} < std::pair{std::string_view{b.operation}, b.bytes};
    });
    return overlaps;
}

}  // namespace measure
