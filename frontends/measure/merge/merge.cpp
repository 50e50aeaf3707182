// SPDX-License-Identifier: BSD-3-Clause
#include "merge/merge.hpp"

#include "shared/command.hpp"
#include "shared/destination.hpp"
#include "shared/merged.hpp"
#include "shared/plain_text.hpp"
#include "shared/sources.hpp"

#include <measure/launches.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace measure::tool {

namespace {

using measure::Record;
using measure::Value;

/// The medians of joined starts are no starts' medians.
void refuse_joined(std::span<Launch const> launches) {
    auto const joined = std::find_if(launches.begin(), launches.end(), is_joined);
    if (joined != launches.end())
        throw measure::UsageError(
            fmt::format("'{}' is of several starts that are joined already: name the records of the "
                        "starts (measure launches --keep)",
                        joined->name));
}

/// What to do with starts that are not of one thing. The sides of `measure run --against` are two things.
std::string way_out(std::span<Launch const> launches, std::string_view option, std::string_view does) {
    if (auto sides = two_sides_text(launches))
        return std::move(*sides);
    return fmt::format("{} {} them all the same", option, does);
}

/// Serious differences end it unless they are wanted; of the others the user is told.
void compare(std::span<Launch const> launches, MergeOptions const& options, program::Session& session) {
    for (auto const& [text, field, serious] : differences(launches))
        if (serious && !options.mixed)
            throw measure::UsageError(fmt::format("{} ({})", text, way_out(launches, "--mixed", "merges")));
        else
            session.warn(text);
    if (auto const why = why_apart(launches, !options.mixed); why && !options.join)
        throw measure::UsageError(fmt::format("{} ({})", *why, way_out(launches, "--join", "joins")));
}

Value states_value(measure::MachineStates const& states) {
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
        {"rule", Value::Object{{"least_share", measure::least_share_of_state},
                               {"fewest_launches", static_cast<std::int64_t>(measure::fewest_launches_of_state)},
                               {"least_distance", measure::least_distance_of_states},
                               {"least_separation", measure::least_separation_of_states},
                               {"least_posterior", measure::least_posterior_of_state}}}};
}

void merge_files(MergeOptions const& options, std::vector<std::string> const& files, program::Session& session) {
    std::vector<Launch> launches;
    for (auto& source : read_sources(files, session))
        std::move(source.launches.begin(), source.launches.end(), std::back_inserter(launches));
    launches = each_once(std::move(launches), session);
    // The names of files may be in another order: start10 before start2.
    std::stable_sort(launches.begin(), launches.end(), [](Launch const& a, Launch const& b) {
        return started_at(a.record.run) < started_at(b.record.run);
    });
    refuse_joined(launches);
    merge(launches, options, session);
}

}  // namespace

void declare_merge(program::Parser& parser, MergeOptions& options) {
    parser.heading("Merging");
    parser.option("--confidence", "P", "confidence level of intervals", options.confidence,
                  program::as::Number{.low = 0.5, .high = 0.9999});
    parser.flag("--mixed", "merge launches with different options and MPI settings too", options.mixed);
    parser.flag("--join", join_help, options.join);
}

measure::Environment merged_run(std::span<Launch const> launches, measure::MachineStates const& states,
                                std::vector<std::string> command) {
    measure::Environment run = launches.front().record.run;
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
            program::add_once(run.warnings, warning);
    }
    run.program = "measure";
    run.version = measure::version();
    command.insert(command.begin(), "measure");
    run.command = std::move(command);
    run.options["launches"] = std::move(list);
    if (states.are_several())
        run.more.emplace_back("machine_states", states_value(states));
    // It is no launch itself.
    run.campaign.reset();
    return run;
}

void merge(std::span<Launch const> launches, MergeOptions const& options, program::Session& session) {
    compare(launches, options, session);
    warn_of_gaps(launches, session);
    auto const states = states_of_starts(launches);
    auto const merged = merged_starts(launches, states, options.confidence);
    session.begin(merged_run(launches, states, session.command()));
    session.text() << fmt::format("# {} of {}\n", counted(launches.size(), "launch", "launches"),
                                  printable(launches.front().record.run.program));
    if (states.are_several())
        session.text() << fmt::format("# machine states: {}; values are for the first\n", states_text(states));
    session.text() << table(merged);
    for (auto const& record : merged) {
        if (record.has_flag("missing_launches"))
            session.incomplete();
        session.point(record);
    }
}

program::Suite merge_command() {
    struct Options {
        MergeOptions merge{};
        std::vector<std::string> files{};
    };
    return {.name = "measure",
            .program = "measure merge",
            .summary = "Joins the records of several starts of a program, point by point: the median of the starts' "
                       "medians, with errors that hold between starts.",
            .common = {.measures = false, .aliases = {{"--json", "-o"}}},
            .uses_mpi = false,
            .prepare = program::prepared<Options>(
                [](program::Parser& parser, Options& options) {
                    declare_merge(parser, options.merge);
                    parser.arguments("FILE...",
                                     "record files (--json) of the starts; one may hold several; - is standard input",
                                     options.files);
                },
                [](Options const& options, program::Session& session) {
                    merge_files(options.merge, options.files, session);
                },
                checked_by<Options>([](Options const& options) { check_sources(options.files); }))};
}

}  // namespace measure::tool
