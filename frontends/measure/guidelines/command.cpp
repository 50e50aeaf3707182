// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include "analysis/guidelines/guidelines.hpp"
#include "analysis/runs/states.hpp"
#include "guidelines/report.hpp"
#include "page/markdown.hpp"
#include "shared/destination.hpp"
#include "shared/filter.hpp"
#include "shared/inputs.hpp"
#include "shared/plain_text.hpp"
#include "shared/sources.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <utility>

namespace measure::tool {

namespace {

enum class GuidelinesFormat { text, markdown, json };

struct GuidelinesOptions {
    GuidelineRules rules{};
    std::vector<Condition> conditions{};
    bool all = false;
    bool strict = false;
    GuidelinesFormat format = GuidelinesFormat::text;
    std::string output = "-";
    std::string json{};
    std::vector<std::string> files{};
};

std::vector<Launch> all_launches(std::vector<Source> sources) {
    std::vector<Launch> launches;
    for (auto& source : sources)
        for (auto& launch : source.launches)
            launches.push_back(std::move(launch));
    return launches;
}

/// Whether calls follow each other without synchronisation, so that a process may enter the next call early.
bool is_loop(OperationSet const& set) { return set.suite == "mpbench" || set.start == "loop" || set.start == "nosync"; }

void warn_of_sets(OperationPoints const& points, program::Session& session) {
    for (auto const& set : points.sets) {
        if (is_loop(set))
            session.warn(
                fmt::format("{}: calls in a loop overlap, so Bcast, Reduce and Gather seem faster than separate "
                            "calls; sums of two calls are too small",
                            set.label));
        if (set.launches < 2)
            session.warn(fmt::format(
                "{}: only one launch of each point, and so no verdicts, because launches of the same program "
                "differ by more than their errors (use measure launches to make several launches)",
                set.label));
    }
}

void warn_of_points(std::span<Launch const> launches, OperationPoints const& points, GuidelineResult const& result,
                    program::Session& session) {
    warn_of_crowd(launches, session);
    auto const joined = static_cast<std::size_t>(std::count_if(launches.begin(), launches.end(), is_joined));
    if (joined > 0 && joined < launches.size())
        session.warn(
            "there are merged records and records of single launches; launches that are in both count twice, and the "
            "errors are too small");
    if (points.unknown > 0)
        session.warn(
            fmt::format("{} points are ignored, because they are not of an MPI operation with a size, as measured by "
                        "mpiperf, PMB-MPI1, skampi and mpbench",
                        points.unknown));
    if (points.without_value > 0)
        session.warn(fmt::format("{} points have no time", points.without_value));
    auto const blind = std::count_if(result.checks.begin(), result.checks.end(),
                                     [](auto const& check) { return check.launches >= 2 && !check.p; });
    if (blind > 0)
        session.warn(fmt::format(
            "{} checks stay unclear, because their times are equal in all launches: the clock is too coarse", blind));
}

std::string guidelines_text(GuidelinesReport const& report, GuidelinesFormat format) {
    if (format == GuidelinesFormat::json)
        return measure::json_text(guidelines_json(report)) + "\n";
    auto const document = guidelines_document(report);
    return format == GuidelinesFormat::markdown ? page::markdown_text(document) : plain_text(document);
}

void run_guidelines(GuidelinesOptions const& options, program::Session& session) {
    auto sources = read_sources(options.files, session);
    filter(sources, options.conditions);
    auto const all = each_once(all_launches(std::move(sources)), session);
    warn_of_gaps(all, session);
    auto const launches = in_main_state(all);
    if (launches.size() < all.size())
        session.warn(fmt::format("{} ignored, because the machine was in a less frequent state, or changed its state",
                                 counted(all.size() - launches.size(), "launch is", "launches are")));
    GuidelinesReport report{.points = operation_points(launches), .rules = options.rules, .all = options.all};
    report.result = check_guidelines(report.points, options.rules);
    warn_of_points(launches, report.points, report.result, session);
    if (report.result.checks.empty())
        throw measure::UsageError("nothing to check: no MPI operation was measured at two sizes, with two numbers of "
                                  "ranks, or together with operations that can replace it");
    Destination output{"-o", options.output, session};
    Destination json{"--json", options.json, session};
    warn_of_sets(report.points, session);
    for (auto const& launch : launches)
        report.launches.push_back(launch.name);
    report.warnings = session.warnings();
    report.command = session.command();
    if (!options.json.empty())
        json.write(measure::json_text(guidelines_json(report)) + "\n", std::cout);
    output.write(guidelines_text(report, options.format), options.json == "-" ? std::cerr : session.text());
    if (options.strict && counts(report.result)[GuidelineVerdict::violated] > 0)
        session.check_failed();
}

void check_files(GuidelinesOptions const& options) { check_sources(options.files); }

void declare_guidelines(program::Parser& parser, GuidelinesOptions& options) {
    parser.option("--threshold", "PCT", "ignore operations that are slower by less than PCT per cent",
                  options.rules.threshold, program::as::Percentage{.high = 1000});
    parser.option("--alpha", "P", "limit the probability of any false alarm among all checks to P", options.rules.alpha,
                  program::as::Number{.low = 0.0001, .high = 0.5});
    parser.list("--filter", "CONDITION", filter_help, options.conditions, filter_from);
    parser.flag("--all", "list all checks, not only violations", options.all);
    parser.flag("--strict", "exit with 3 if a guideline is violated", options.strict);
    parser.option("--format", "NAME", "choose the format: text, markdown (md) or json", options.format,
                  program::as::Choice<GuidelinesFormat>{{{"text", GuidelinesFormat::text},
                                                         {"markdown", GuidelinesFormat::markdown},
                                                         {"md", GuidelinesFormat::markdown},
                                                         {"json", GuidelinesFormat::json}}});
    parser.option("-o,--output", "FILE", "write to this file; - is stdout", options.output, program::as::Text{});
    parser.option("--json", "FILE", "also write the checks as JSON; with -, JSON goes to stdout and the text to stderr",
                  options.json, program::as::Text{});
    parser.arguments("FILE...", "record files (--json) of mpiperf, PMB-MPI1, skampi, mpbench; - is standard input",
                     options.files);
}

}  // namespace

program::Suite guidelines_command() {
    return local_suite("measure guidelines",
                       "Checks measured times for self-consistency. An MPI operation should not be slower than other "
                       "operations with the same effect, or than the same operation with more data or more ranks.",
                       program::prepared<GuidelinesOptions>(declare_guidelines, run_guidelines,
                                                            checked_by<GuidelinesOptions>(check_files)));
}

}  // namespace measure::tool
