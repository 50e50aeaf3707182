// SPDX-License-Identifier: BSD-3-Clause
#include "shared/merged.hpp"

#include "program/cli/values.hpp"
#include "shared/meaning.hpp"

#include <measure/launches.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>

namespace measure::tool {

namespace {

using measure::Record;
using measure::Value;

constexpr char const* missing_flag = "missing_launches";

/// "Bcast:8,64": the name, and the counts that are asked for. Without counts the program chooses them.
struct TestWord {
    std::string name{};
    std::vector<std::string> counts{};
};

std::vector<TestWord> tests_of(measure::Environment const& run) {
    std::vector<TestWord> tests;
    if (auto const* const words = run.options.get<Value::Array>("tests"))
        for (auto const& word : *words)
            if (auto const* const text = std::get_if<std::string>(&word.data())) {
                auto const colon = text->find(':');
                tests.push_back({.name = text->substr(0, colon)});
                if (colon != std::string::npos)
                    tests.back().counts = program::split(std::string_view{*text}.substr(colon + 1), ',');
            }
    return tests;
}

/// Counts that are not plain numbers may be any.
bool asks_for(TestWord const& test, Record const& point) {
    auto const is_number = [](std::string const& text) {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    };
    auto const& counts = test.counts;
    auto const count = std::to_string(integer_at(point.at, "count").value_or(1));
    return program::lower(test.name) == program::lower(point.benchmark) &&
           (counts.empty() || !std::all_of(counts.begin(), counts.end(), is_number) ||
            std::find(counts.begin(), counts.end(), count) != counts.end());
}

bool has_point(Launch const& launch, Record const& point) {
    auto const& own = launch.record.points;
    return std::any_of(own.begin(), own.end(), [&](Record const& other) {
        return other.benchmark == point.benchmark && other.quantity == point.quantity && other.at == point.at;
    });
}

/// Starts in another state of the machine than the value do not count at all.
bool counts_for_value(measure::MachineStates const& states, std::size_t launch) {
    return !states.are_several() || states.of_launch[launch] == std::size_t{0};
}

void forgive_left_out(Record& merged, std::span<Launch const> launches, measure::MachineStates const& states) {
    auto const* const values = merged.derived.get<Value::Array>("launches");
    if (!merged.has_flag(missing_flag) || values == nullptr || values->size() != launches.size())
        return;
    std::size_t planned = 0;
    std::size_t missing = 0;
    for (std::size_t i = 0; i < launches.size(); ++i) {
        bool const has_value = !std::holds_alternative<std::nullptr_t>((*values)[i].data());
        if (!counts_for_value(states, i) || (!has_value && is_left_out(launches[i], merged)))
            continue;
        ++planned;
        missing += has_value ? 0U : 1U;
    }
    merged.message = missing > 0 ? fmt::format("no value from {} of {} launches", missing, planned) : std::string{};
    if (missing == 0)
        std::erase(merged.flags, missing_flag);
}

}  // namespace

void sort_points(std::vector<Record>& points, measure::Environment const& run) {
    if (!is_shuffled(run))
        return;
    auto const tests = tests_of(run);
    auto const place = [&](Record const& point) {
        return std::find_if(tests.begin(), tests.end(), [&](auto const& test) {
            return program::lower(test.name) == program::lower(point.benchmark);
        });
    };
    std::stable_sort(points.begin(), points.end(), [&](Record const& a, Record const& b) {
        return std::tuple{place(a), std::string_view{a.benchmark}, a.at.coordinates()} <
               std::tuple{place(b), std::string_view{b.benchmark}, b.at.coordinates()};
    });
}

bool is_left_out(Launch const& launch, Record const& point) {
    auto const tests = tests_of(launch.record.run);
    bool const is_complete = launch.record.end && launch.record.end->status == "complete";
    return is_complete && !tests.empty() && !has_point(launch, point) &&
           std::none_of(tests.begin(), tests.end(), [&](TestWord const& test) { return asks_for(test, point); });
}

std::vector<Record> merged_starts(std::span<Launch const> launches, measure::MachineStates const& states,
                                  double confidence) {
    std::vector<std::vector<Record>> points;
    for (auto const& launch : launches)
        points.push_back(launch.record.points);
    auto merged = measure::merge_launches(points, states, confidence);
    for (auto& point : merged)
        forgive_left_out(point, launches, states);
    sort_points(merged, launches.front().record.run);
    return merged;
}

}  // namespace measure::tool
