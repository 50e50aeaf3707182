// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/runs/merged.hpp"

#include "analysis/core/text.hpp"
#include "analysis/runs/meaning.hpp"

#include <measure/launches.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>

namespace measure {

namespace {

constexpr char const* missing_flag = "missing_launches";

/// A test as given on a command line: "Bcast:8,64". Without counts the program chooses them.
struct TestWord {
    std::string name{};
    std::vector<std::string> counts{};
};

std::vector<TestWord> tests_of(Environment const& run) {
    std::vector<TestWord> tests;
    if (auto const* const words = run.options.get<Value::Array>("tests"))
        for (auto const& word : *words)
            if (auto const* const text = std::get_if<std::string>(&word.data())) {
                auto const colon = text->find(':');
                tests.push_back({.name = text->substr(0, colon)});
                if (colon != std::string::npos)
                    tests.back().counts = detail::split(std::string_view{*text}.substr(colon + 1), ',');
            }
    return tests;
}

/// Counts that are not plain numbers match any point.
bool asks_for(TestWord const& test, Record const& point) {
    auto const is_number = [](std::string const& text) {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    };
    auto const& counts = test.counts;
    auto const count = std::to_string(integer_at(point.at, "count").value_or(1));
    return detail::lower(test.name) == detail::lower(point.benchmark) &&
           (counts.empty() || !std::all_of(counts.begin(), counts.end(), is_number) ||
            std::find(counts.begin(), counts.end(), count) != counts.end());
}

bool has_point(Launch const& launch, Record const& point) {
    auto const& own = launch.record.points;
    return std::any_of(own.begin(), own.end(), [&](Record const& other) {
        return other.benchmark == point.benchmark && other.quantity == point.quantity && other.at == point.at;
    });
}

/// Launches in another state of the machine than the value are ignored.
bool counts_for_value(MachineStates const& states, std::size_t launch) {
    return !states.are_several() || states.of_launch[launch] == std::size_t{0};
}

void forgive_left_out(Record& merged, std::span<Launch const> launches, MachineStates const& states) {
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

Value states_value(MachineStates const& states) {
    Value::Array names;
    for (auto const& control : states.controls)
        names.emplace_back(control);
    Value::Array list;
    for (auto const& state : states.states) {
        Value::Array centres;
        for (double const centre : state.centres)
            centres.emplace_back(centre);
        list.push_back(
            Value::Object{{"centres", std::move(centres)}, {"launches", static_cast<std::int64_t>(state.launches)}});
    }
    return Value::Object{
        {"controls", std::move(names)},
        {"states", std::move(list)},
        {"rule", Value::Object{{"least_share", least_share_of_state},
                               {"fewest_launches", static_cast<std::int64_t>(fewest_launches_of_state)},
                               {"least_distance", least_distance_of_states},
                               {"least_separation", least_separation_of_states},
                               {"least_posterior", least_posterior_of_state}}}};
}

}  // namespace

void sort_points(std::vector<Record>& points, Environment const& run) {
    if (!is_shuffled(run))
        return;
    auto const tests = tests_of(run);
    auto const place = [&](Record const& point) {
        return std::find_if(tests.begin(), tests.end(), [&](auto const& test) {
            return detail::lower(test.name) == detail::lower(point.benchmark);
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

std::vector<Record> merged_launches(std::span<Launch const> launches, MachineStates const& states, double confidence) {
    std::vector<std::vector<Record>> points;
    for (auto const& launch : launches)
        points.push_back(launch.record.points);
    auto merged = merge_launches(points, states, confidence);
    for (auto& point : merged)
        forgive_left_out(point, launches, states);
    sort_points(merged, launches.front().record.run);
    return merged;
}

Environment merged_run(std::span<Launch const> launches, MachineStates const& states,
                       std::vector<std::string> command) {
    Environment run = launches.front().record.run;
    Value::Array list;
    for (std::size_t i = 0; i < launches.size(); ++i) {
        auto const& [name, record, file] = launches[i];
        auto const* const seed = record.run.options.find("seed");
        Value::Object entry{{"name", name},
                            {"program", record.run.program},
                            {"started", record.run.started.empty() ? Value{} : Value{record.run.started}},
                            {"seed", seed != nullptr ? *seed : Value{}},
                            {"campaign", record.run.campaign ? Value{record.run.campaign->id} : Value{}},
                            {"exit_code", record.end ? Value{record.end->exit_code} : Value{}}};
        if (states.are_several())
            entry.emplace_back("state", states.of_launch[i] ? Value{static_cast<std::int64_t>(*states.of_launch[i] + 1)}
                                                            : Value{});
        list.push_back(std::move(entry));
        for (auto const& warning : record.run.warnings)
            detail::add_once(run.warnings, warning);
    }
    run.program = "measure";
    run.version = version();
    command.insert(command.begin(), "measure");
    run.command = std::move(command);
    run.options["launches"] = std::move(list);
    if (states.are_several())
        run.more.emplace_back("machine_states", states_value(states));
    // A merged record is not a launch itself.
    run.campaign.reset();
    return run;
}

}  // namespace measure
