// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include "analysis/compare/compare.hpp"
#include "analysis/compare/programs.hpp"
#include "analysis/compare/sides.hpp"
#include "analysis/runs/dimension.hpp"
#include "compare/fail_on.hpp"
#include "compare/report.hpp"
#include "page/html.hpp"
#include "page/markdown.hpp"
#include "program/runtime/files.hpp"
#include "shared/compare_suite.hpp"
#include "shared/destination.hpp"
#include "shared/inputs.hpp"
#include "shared/plain_text.hpp"
#include "shared/sources.hpp"

#include <measure/report.hpp>
#include <measure/two_samples.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace measure::tool {

namespace {

enum class CompareFormat { text, markdown, json, html };

struct CompareOptions {
    CompareRules rules{};
    std::string between{};
    std::vector<std::string> noise{};
    bool mixed = false;
    bool join = false;
    CompareFormat format = CompareFormat::text;
    std::string output = "-";
    std::string json{};
    bool all_points = false;
    std::vector<FailOn> fail_on{};
    std::vector<std::string> files{};
    CompareInput input{};
};

/// The launches of the files; what is wrong with some is added to the faults.
std::vector<Launch> launches_in(CompareInput const& input, std::vector<std::string> const& files,
                                std::vector<program::ParseError>& faults, program::Session& session) {
    std::vector<Launch> launches;
    for (auto const& file : files)
        program::gather(faults, [&] {
            for (auto& launch : launches_of(input.text_of(file), name_of_source(file)))
                launches.push_back(std::move(launch));
        });
    return each_once(std::move(launches), session);
}

/// A run on both sides is nothing to compare, and seems to be evidence that they are the same.
void warn_of_shared(Split const& sides, program::Session& session) {
    for (auto const& a : sides.a)
        for (auto const& b : sides.b)
            if (is_same_run(a, b)) {
                session.warn(fmt::format("'{}' and '{}' are the same run, on both sides: they are compared as if they "
                                         "were two",
                                         a.name, b.name));
                return;
            }
}

/// Everything that is read. Faults of all files are told at once.
struct Inputs {
    Split sides{};
    std::vector<Launch> noise{};
};

bool has_ranks(Launch const& launch) {
    auto const& points = launch.record.points;
    return std::all_of(points.begin(), points.end(), [](auto const& point) { return point.at.has("ranks"); });
}

/// Whether a field is told apart by a dimension: mpi by mpi.library, options.start by start.
bool is_dimension(std::string const& field, std::string const& dimension) {
    return dimension == field || "options." + dimension == field || dimension.starts_with(field + ".");
}

/// Launches by what their points have in a dimension: each value has its own start.
std::vector<std::vector<Launch>> by_value(std::span<Launch const> launches, std::string const& dimension) {
    std::map<std::set<std::string>, std::vector<Launch>> groups;
    for (auto const& launch : launches) {
        std::set<std::string> values;
        if (!dimension.empty())
            for (auto const& point : launch.record.points)
                values.insert(dimension_value(dimension, launch.record.run, point).value_or(""));
        groups[values].push_back({launch.name, {.run = launch.record.run}, launch.file});
    }
    std::vector<std::vector<Launch>> result;
    for (auto& [values, group] : groups)
        result.push_back(std::move(group));
    return result;
}

/// Launches of one side are to be of one thing, as far as its points are not told apart.
void check_side(std::span<Launch const> launches, CompareOptions const& options, program::Session& session) {
    if (!options.join)
        for (auto const& group : by_value(launches, options.rules.by))
            if (auto const sides = two_sides_text(group))
                throw measure::UsageError(fmt::format("'{}': {}", launches.front().file, *sides));
    bool const tells_ranks = std::all_of(launches.begin(), launches.end(), has_ranks);
    auto const refuse_or_warn = [&](Difference const& difference, std::string_view way_out) {
        if (difference.serious && !options.mixed)
            throw measure::UsageError(fmt::format("{} ({})", difference.text, way_out));
        session.warn(difference.text);
    };
    // Where a setting names files, what they hold differs with it, but not among launches with the same name.
    auto const content = options.rules.by + " (content)";
    for (auto const& difference : differences(launches))
        if (difference.field != joined_launches && difference.field != content &&
            !is_dimension(difference.field, options.rules.by) && !(difference.field == "ranks" && tells_ranks))
            refuse_or_warn(difference, "--mixed takes them for launches of one thing, --by tells them apart");
    if (!options.rules.by.empty())
        for (auto const& group : by_value(launches, options.rules.by))
            for (auto const& difference : differences(group))
                if (difference.field == content)
                    refuse_or_warn(difference, "--mixed takes them for launches of one thing");
    warn_of_gaps(launches, session);
    if (options.join)
        return;
    for (auto const& group : by_value(launches, options.rules.by))
        if (auto const why = why_apart(group, !options.mixed))
            throw measure::UsageError(*why + " (--join takes them for launches of one side all the same)");
}

void check_by(std::string const& by, std::span<Launch const> launches) {
    bool const is_known = std::any_of(launches.begin(), launches.end(), [&](Launch const& launch) {
        auto const& points = launch.record.points;
        return std::any_of(points.begin(), points.end(), [&](auto const& point) {
            return dimension_value(by, launch.record.run, point).has_value();
        });
    });
    if (!is_known)
        throw measure::UsageError(
            fmt::format("--by: no point has '{}': it is benchmark, a coordinate (bytes), a field of "
                        "the run line (mpi.library, hosts) or an option (options.start)",
                        by));
}

/// Whether all launches of a side were started before all of the other.
bool is_before(std::span<Launch const> side, std::span<Launch const> other) {
    auto const is_earlier = [](Launch const& a, Launch const& b) {
        return a.record.run.started < b.record.run.started;
    };
    auto const has_time = [](Launch const& launch) { return !launch.record.run.started.empty(); };
    if (!std::all_of(side.begin(), side.end(), has_time) || !std::all_of(other.begin(), other.end(), has_time))
        return false;
    return is_earlier(*std::max_element(side.begin(), side.end(), is_earlier),
                      *std::min_element(other.begin(), other.end(), is_earlier));
}

/// A machine that changes with time makes a difference between sides that were not started alternately.
void warn_of_order(CompareReport const& report, program::Session& session) {
    auto const is_one = [](ComparedPoint const& point) { return is_difference(point.verdict); };
    auto const& operations = report.comparison.operations;
    auto const& points = report.comparison.points;
    bool const differs =
        std::any_of(operations.begin(), operations.end(), is_one) || std::any_of(points.begin(), points.end(), is_one);
    if (differs && report.a.size() > 1 && report.b.size() > 1 &&
        (is_before(report.a, report.b) || is_before(report.b, report.a)))
        session.warn("all launches of one side were started before those of the other: what has changed on the machine "
                     "meanwhile looks like a difference too (start them alternately)");
}

/// Noise launches that differ so much say nothing about the sides.
void warn_of_noise(Comparison const& comparison, CompareRules const& rules, program::Session& session) {
    double largest = 0;
    std::size_t noisy = 0;
    for (auto const& operation : comparison.operations)
        if (operation.floor.value_or(0) > useless_floor) {
            ++noisy;
            largest = std::max(largest, *operation.floor);
        }
    if (noisy == 0)
        return;
    session.warn(fmt::format("{} of no use as a measure of noise: at {} two of them differ by up to {} %",
                             rules.own_noise ? "the launches are" : "the launches of --noise are",
                             counted(noisy, "operation", "operations"), in_percent(largest)));
    session.incomplete();
}

/// What the reader is to know beside the verdicts.
void warn_of_weakness(CompareReport const& report, program::Session& session) {
    auto const& comparison = report.comparison;
    auto const& rules = report.rules;
    warn_of_order(report, session);
    warn_of_noise(comparison, rules, session);
    auto const& points = comparison.points;
    auto const single = std::count_if(points.begin(), points.end(),
                                      [](auto const& point) { return point.verdict == Verdict::one_launch; });
    if (single > 0)
        session.warn(fmt::format("{} a single launch of a side: no test and no verdict, because two starts of one "
                                 "program differ by more than their errors (measure launches starts it several "
                                 "times{})",
                                 counted(static_cast<std::size_t>(single), "point has", "points have"),
                                 rules.single ? "" : "; --single shows what the launches differ by"));
    std::size_t tests = 0;
    double smallest = 1;
    for (auto const& operation : comparison.operations)
        if (operation.p) {
            ++tests;
            smallest = std::min(smallest, measure::smallest_p(operation.n_a, operation.n_b));
        }
    if (tests > 0 && smallest * static_cast<double>(tests) >= rules.alpha)
        session.warn(fmt::format("so few launches cannot show a difference at {}: it takes {} or more of either side",
                                 counted(tests, "operation", "operations"), launches_needed(tests, rules.alpha)));
}

std::string compare_text(CompareReport const& report, CompareFormat format, bool colour) {
    switch (format) {
    case CompareFormat::markdown:
        return page::markdown_text(compare_document(report));
    case CompareFormat::json:
        return measure::json_text(compare_json(report)) + "\n";
    case CompareFormat::html:
        return page::html_text(compare_page(report));
    default:
        return plain_text(compare_document(report), {.columns = 80, .colour = colour, .breaks_rows = true});
    }
}

void check_verdicts(CompareOptions const& options, Comparison const& comparison, program::Session& session) {
    if (!options.fail_on.empty())
        report_gates(gate_results(options.fail_on, comparison, options.rules.threshold), session);
    if (std::any_of(comparison.missing.begin(), comparison.missing.end(), [](auto const& p) { return p.tried; }))
        session.incomplete();
}

/// All but which file is of which side.
void check_files(CompareOptions const& options) {
    if (!options.between.empty() && options.files.empty())
        throw measure::UsageError("no input: name record files");
    auto all = options.files;
    all.insert(all.end(), options.noise.begin(), options.noise.end());
    check_standard_input(all);
}

/// Both sides, from the files or from the values of a dimension.
Inputs read_inputs(CompareOptions const& options, program::Session& session) {
    bool const by_value = !options.between.empty();
    auto const files = by_value ? SideFiles{.a = options.files} : files_by_side(session.command(), options.files);
    std::vector<program::ParseError> faults;
    Inputs inputs{.sides = {.a = launches_in(options.input, files.a, faults, session),
                            .b = launches_in(options.input, files.b, faults, session)},
                  .noise = launches_in(options.input, options.noise, faults, session)};
    program::throw_any(std::move(faults));
    if (by_value)
        inputs.sides = split_by(options.between, inputs.sides.a);
    return inputs;
}

std::string side_label(std::string const& dimension, std::string const& value) {
    return dimension.empty() ? std::string{} : fmt::format("{}={}, ", dimension, value);
}

void run_compare(CompareOptions const& options, program::Session& session) {
    if (options.input.holder)
        program::note_input(options.input.holder());
    auto inputs = read_inputs(options, session);
    auto const& sides = inputs.sides;
    auto const& noise = inputs.noise;
    if (!options.rules.by.empty())
        check_by(options.rules.by, sides.a);
    for (std::span<Launch const> const side : {std::span{sides.a}, std::span{sides.b}, std::span{noise}})
        if (!side.empty())
            check_side(side, options, session);
    if (options.between.empty())
        warn_of_shared(sides, session);
    warn_of_crowd(is_crowded(sides.a) ? sides.a : sides.b, session);
    CompareReport report{.a = sides.a, .b = sides.b, .rules = options.rules, .command = session.command()};
    report.all_points = options.all_points;
    report.label_a = side_label(options.between, sides.value_a);
    report.label_b = side_label(options.between, sides.value_b);
    report.differences = side_differences(sides.a, sides.b);
    if (are_of_several_suites(sides)) {
        std::erase_if(report.differences, is_of_program);
        auto matched = match_operations(inputs.sides, inputs.noise);
        for (auto const& warning : matched.warnings)
            session.warn(warning);
        report.differences.insert(report.differences.begin(), std::move(matched.methods));
    }
    for (auto const& difference : report.differences)
        if (difference.serious && !is_setting(difference) && !is_dimension(difference.field, options.between))
            session.warn(difference.text);
    for (auto const& launch : noise)
        report.noise.push_back(launch.name);
    report.comparison = compare_sides(sides.a, sides.b, options.rules, noise);
    if (report.comparison.points.empty())
        throw measure::UsageError(
            fmt::format("nothing to compare: {} (--between NAME compares points that differ in NAME)",
                        nothing_text(report.comparison)));
    Destination output{"-o", options.output, session};
    Destination json{"--json", options.json, session};
    warn_of_weakness(report, session);
    report.warnings = session.warnings();
    if (!options.json.empty())
        json.write(measure::json_text(compare_json(report)) + "\n", std::cout);
    bool const to_errors = options.json == "-";
    bool const colour = options.output == "-" && shows_colour(to_errors ? STDERR_FILENO : STDOUT_FILENO);
    output.write(compare_text(report, options.format, colour), to_errors ? std::cerr : session.text());
    check_verdicts(options, report.comparison, session);
}

void declare_compare(program::Parser& parser, CompareOptions& options) {
    parser.option("--threshold", "P", "differences below so many per cent do not matter", options.rules.threshold,
                  program::as::Percentage{.high = 1000});
    parser.list("--noise", "FILE",
                "launches of one and the same thing: differences as small as theirs are unclear, not faster or slower",
                options.noise, program::as::Text{});
    parser.flag("--own-noise", "likewise with what the compared launches of one side differ by",
                options.rules.own_noise);
    parser.flag("--single", "show ratios and intervals of single launches, which get no verdict", options.rules.single);
    parser.flag("--all", "show the points of all operations, not only of those that differ", options.all_points);
    parser.option("--alpha", "P", "chance of a false alarm at any of the operations", options.rules.alpha,
                  program::as::Number{.low = 0.0001, .high = 0.5});
    parser.option("--by", "DIMENSION", "group the points: benchmark, bytes, mpi.library, options.start, ...",
                  options.rules.by, program::as::Text{});
    parser.option("--between", "DIMENSION", "sides A and B are the two values of it; all files are inputs",
                  options.between, program::as::Text{});
    parser.flag("--mixed", "a side may have launches with different options and MPI settings", options.mixed);
    parser.flag("--join", join_help, options.join);
    parser.list("--fail-on", "VERDICT[:P]", fail_on_help, options.fail_on, fail_on_from);
    parser.option("--format", "NAME", "text, markdown (md), json, html", options.format,
                  program::as::Choice<CompareFormat>{{{"text", CompareFormat::text},
                                                      {"markdown", CompareFormat::markdown},
                                                      {"md", CompareFormat::markdown},
                                                      {"json", CompareFormat::json},
                                                      {"html", CompareFormat::html}}});
    parser.option("-o,--output", "FILE", "where to write it; - is standard output", options.output,
                  program::as::Text{});
    parser.option("--json", "FILE", "write the comparison as JSON too; - is stdout, the text then goes to stderr",
                  options.json, program::as::Text{});
    parser.arguments(options.input.words, "the two sides: A B, or A... -- B...", options.files);
}

}  // namespace

program::Suite compare_suite(CompareInput input) {
    return local_suite(input.program, input.summary,
                       program::prepared<CompareOptions>(
                           [input](program::Parser& parser, CompareOptions& options) {
                               options.input = input;
                               if (input.declare)
                                   input.declare(parser);
                               declare_compare(parser, options);
                           },
                           run_compare, checked_by<CompareOptions>(check_files)));
}

program::Suite compare_command() {
    return compare_suite({.program = "measure compare",
                          .summary =
                              "Compares records by operation and point: faster, slower, same or unclear. The sides are "
                              "two files, or what stands before and behind --.",
                          .words = "FILE...",
                          .text_of = text_of_source});
}

}  // namespace measure::tool
