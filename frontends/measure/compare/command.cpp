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

/// The launches of the files. Errors are added to the faults.
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

/// Warns if a run is on both sides. It would count as evidence that the sides are equal.
void warn_of_shared(Split const& sides, program::Session& session) {
    for (auto const& a : sides.a)
        for (auto const& b : sides.b)
            if (is_same_run(a, b)) {
                session.warn(fmt::format(
                    "'{}' and '{}' are the same run on both sides; they are compared as if they were two runs", a.name,
                    b.name));
                return;
            }
}

/// All launches that are read.
struct Inputs {
    Split sides{};
    std::vector<Launch> noise{};
};

bool has_ranks(Launch const& launch) {
    auto const& points = launch.record.points;
    return std::all_of(points.begin(), points.end(), [](auto const& point) { return point.at.has("ranks"); });
}

/// Whether a dimension covers a field: mpi.library covers mpi, and start covers options.start.
bool is_dimension(std::string const& field, std::string const& dimension) {
    return dimension == field || "options." + dimension == field || dimension.starts_with(field + ".");
}

/// Groups launches by the values of their points in a dimension, because each value may have its own launches.
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

/// Checks that the launches of a side measure the same setup, except for differences that --by distinguishes.
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
    // If --by is a setting with file names, contents may differ between groups, but not within a group.
    auto const content = options.rules.by + " (content)";
    for (auto const& difference : differences(launches))
        if (difference.field != joined_launches && difference.field != content &&
            !is_dimension(difference.field, options.rules.by) && !(difference.field == "ranks" && tells_ranks))
            refuse_or_warn(difference, "use --mixed to treat them as one setup, or --by to separate them");
    if (!options.rules.by.empty())
        for (auto const& group : by_value(launches, options.rules.by))
            for (auto const& difference : differences(group))
                if (difference.field == content)
                    refuse_or_warn(difference, "use --mixed to treat them as one setup");
    warn_of_gaps(launches, session);
    if (options.join)
        return;
    for (auto const& group : by_value(launches, options.rules.by))
        if (auto const why = why_apart(group, !options.mixed))
            throw measure::UsageError(*why + " (use --join to combine them anyway)");
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
            fmt::format("--by: no point has '{}'; use benchmark, a coordinate (bytes), a field of "
                        "the run line (mpi.library, hosts) or an option (options.start)",
                        by));
}

/// Whether all launches of a side were made before all launches of the other side.
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

/// Warns if the launches of the sides did not alternate. Then a change of the machine looks like a difference.
void warn_of_order(CompareReport const& report, program::Session& session) {
    auto const is_one = [](ComparedPoint const& point) { return is_difference(point.verdict); };
    auto const& operations = report.comparison.operations;
    auto const& points = report.comparison.points;
    bool const differs =
        std::any_of(operations.begin(), operations.end(), is_one) || std::any_of(points.begin(), points.end(), is_one);
    if (differs && report.a.size() > 1 && report.b.size() > 1 &&
        (is_before(report.a, report.b) || is_before(report.b, report.a)))
        session.warn(
            "all launches of one side were made before the launches of the other side; a change of the machine "
            "in between would look like a difference (alternate the sides, as measure ab does)");
}

/// Warns if the noise launches differ too much to say anything about the sides.
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
    session.warn(fmt::format("{} too different to measure noise: at {} two of them differ by up to {} %",
                             rules.own_noise ? "the launches are" : "the launches of --noise are",
                             counted(noisy, "operation", "operations"), in_percent(largest)));
    session.incomplete();
}

/// Warnings that limit how far the verdicts can be trusted.
void warn_of_weakness(CompareReport const& report, program::Session& session) {
    auto const& comparison = report.comparison;
    auto const& rules = report.rules;
    warn_of_order(report, session);
    warn_of_noise(comparison, rules, session);
    auto const& points = comparison.points;
    auto const single = std::count_if(points.begin(), points.end(),
                                      [](auto const& point) { return point.verdict == Verdict::one_launch; });
    if (single > 0)
        session.warn(fmt::format("{} only one launch of a side, and so no verdict, because launches of the same "
                                 "program differ by more than their errors (use measure launches to make several "
                                 "launches{})",
                                 counted(static_cast<std::size_t>(single), "point has", "points have"),
                                 rules.single ? "" : "; --single shows the differences"));
    std::size_t tests = 0;
    double smallest = 1;
    for (auto const& operation : comparison.operations)
        if (operation.p) {
            ++tests;
            smallest = std::min(smallest, measure::smallest_p(operation.n_a, operation.n_b));
        }
    if (tests > 0 && smallest * static_cast<double>(tests) >= rules.alpha)
        session.warn(fmt::format("too few launches to show a difference at {}: at least {} of each side are needed",
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

/// Checks the input files. Their distribution to the sides is checked later.
void check_files(CompareOptions const& options) {
    if (!options.between.empty() && options.files.empty())
        throw measure::UsageError("no input files given");
    auto all = options.files;
    all.insert(all.end(), options.noise.begin(), options.noise.end());
    check_standard_input(all);
}

/// Reads both sides, separated by files or by the values of a dimension. Reports the errors of all files together.
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
            fmt::format("nothing to compare: {} (use --between NAME to compare points that differ in NAME)",
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
    parser.option("--threshold", "PCT", "ignore differences below PCT per cent", options.rules.threshold,
                  program::as::Percentage{.high = 1000});
    parser.list("--noise", "FILE",
                "measure noise from repeated launches of one setup; differences within the noise are unclear",
                options.noise, program::as::Text{});
    parser.flag("--own-noise", "measure noise from the compared launches; the noise of the noisier side counts",
                options.rules.own_noise);
    parser.flag("--single", "show ratios and intervals for single launches, without a verdict", options.rules.single);
    parser.flag("--all", "show the points of all operations, not only of operations that differ", options.all_points);
    parser.option("--alpha", "P", "limit the probability of any false alarm among all operations to P",
                  options.rules.alpha, program::as::Number{.low = 0.0001, .high = 0.5});
    parser.option("--by", "DIMENSION",
                  "compare each value of DIMENSION separately; it is benchmark, bytes, mpi.library, options.start, ...",
                  options.rules.by, program::as::Text{});
    parser.option("--between", "DIMENSION", "use the two values of DIMENSION in all files as sides A and B",
                  options.between, program::as::Text{});
    parser.flag("--mixed", "allow different options, MPI settings and commands among the launches of a side",
                options.mixed);
    parser.flag("--join", join_help, options.join);
    parser.list("--fail-on", "VERDICT[:P]", fail_on_help, options.fail_on, fail_on_from);
    parser.option("--format", "NAME", "choose the format: text, markdown (md), json or html", options.format,
                  program::as::Choice<CompareFormat>{{{"text", CompareFormat::text},
                                                      {"markdown", CompareFormat::markdown},
                                                      {"md", CompareFormat::markdown},
                                                      {"json", CompareFormat::json},
                                                      {"html", CompareFormat::html}}});
    parser.option("-o,--output", "FILE", "write to this file; - is stdout", options.output, program::as::Text{});
    parser.option("--json", "FILE",
                  "also write the comparison as JSON; with -, JSON goes to stdout and the text to stderr", options.json,
                  program::as::Text{});
    parser.arguments(options.input.words, "files of the two sides: A B, or A... -- B...", options.files);
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
                              "two files, or the files before and after --.",
                          .words = "FILE...",
                          .text_of = text_of_source});
}

}  // namespace measure::tool
