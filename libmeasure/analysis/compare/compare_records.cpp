// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/compare.hpp"
#include "analysis/runs/launch.hpp"

#include <measure/compare.hpp>
#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace measure {

namespace {

std::vector<Launch> launches_of_side(std::span<RunRecord const> records, std::string_view side) {
    std::vector<Launch> launches;
    for (auto const& record : records)
        launches.push_back({fmt::format("{}:{}", side, launches.size() + 1), record});
    return launches;
}

void check_side(std::span<RunRecord const> records, std::string_view side) {
    if (records.empty())
        throw UsageError(fmt::format("side {} has no launch to compare", side));
}

}  // namespace

Comparison compare_records(std::span<RunRecord const> a, std::span<RunRecord const> b, CompareRules const& rules,
                           std::span<RunRecord const> noise) {
    check_side(a, "A");
    check_side(b, "B");
    if (!(rules.alpha > 0 && rules.alpha < 1))
        throw UsageError(fmt::format("alpha {} is not in (0, 1)", rules.alpha));
    return compare_sides(launches_of_side(a, "A"), launches_of_side(b, "B"), rules, launches_of_side(noise, "noise"));
}

std::vector<std::string> differing_conditions(std::span<RunRecord const> a, std::span<RunRecord const> b) {
    check_side(a, "A");
    check_side(b, "B");
    auto differences = side_differences(launches_of_side(a.first(1), "A"), launches_of_side(b.first(1), "B"));
    std::stable_partition(differences.begin(), differences.end(), [](Difference const& each) { return each.serious; });
    std::vector<std::string> texts;
    for (auto& difference : differences)
        texts.push_back(std::move(difference.text));
    return texts;
}

}  // namespace measure
