// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/options.hpp"

#include "program/cli/option_table.hpp"

#include <measure/batch.hpp>
#include <measure/clock_sync.hpp>
#include <measure/stopping.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace program {
namespace {

using Table = OptionTable<CommonOptions>;

std::string timer_name(Argument const& argument, std::vector<std::string> const& own) {
    std::string const given = lower(argument.value);
    if (given.starts_with("synthetic:"))
        return given;
    if (given == "wtime")
        return "mpi_wtime";
    std::vector<std::string> known = own;
    for (std::string_view const name : measure::timer_names())
        known.emplace_back(name);
    known.emplace_back("synthetic:...");
    return known[position(argument, known)];
}

/// Converts a text with the library's reader `read`. Errors name the option.
template <class Read>
auto known_by(Read read) {
    return [read](Argument const& argument) {
        try {
            return read(argument.value);
        } catch (measure::UsageError const& error) {
            throw measure::UsageError(argument.option + ": " + error.what());
        }
    };
}

std::string sync_name(std::string const& text) { return std::string{measure::name(measure::sync_from(text))}; }

std::string stop_text(std::string const& text) {
    static_cast<void>(measure::stop_from(text));
    return text;
}

std::string batch_text(std::string const& text) {
    static_cast<void>(measure::batch_from(text));
    return text;
}

std::uint64_t seed(Argument const& argument) { return static_cast<std::uint64_t>(as::Integer{.low = 0}(argument)); }

void add_timer(Table& table, CommonUse const& use) {
    auto const clocks = measure::timer_names();
    std::vector<std::string> timers{clocks.begin(), clocks.end()};
    timers.insert(timers.end(), use.timers.begin(), use.timers.end());
    table
        .option("--timer", "NAME", fmt::format("choose the clock: {}", fmt::join(timers, ", ")), &CommonOptions::timer,
                [own = use.timers](Argument const& argument) { return timer_name(argument, own); })
        .unrecorded();
}

void add_start(Table& table, CommonUse const& use) {
    if (use.sync_alg)
        table.option("--sync-alg", "NAME",
                     fmt::format("choose the clock synchronisation: {}", fmt::join(measure::sync_names(), ", ")),
                     &CommonOptions::sync_alg, known_by(sync_name));
    if (!use.start)
        return;
    as::Name starts{{"free", "barrier", "dissemination", "slot", "roundtime"}};
    if (use.defaults.start == "auto")
        starts.names.insert(starts.names.begin(), use.defaults.start);
    table.option("--start", "NAME",
                 fmt::format("choose how the ranks start a sample: {}", fmt::join(starts.names, ", ")),
                 &CommonOptions::start, starts);
}

/// Whether the suite declares that option itself. \param suite  null: the answer is no
bool has(Parser const* suite, std::string_view option) { return suite != nullptr && suite->knows(option); }

void add_plan(Table& table, CommonUse const& use, Parser const* suite) {
    std::vector<std::string> rules;
    for (auto const& each : measure::stop_names())
        rules.push_back(each.name);
    table
        .option(
            "--stop", "RULE",
            fmt::format("end each point by this rule: {}, each with :VALUE,KEY=VALUE,..; combine rules with any(..), "
                        "all(..), sustained(..), as in \"any(interval:1%,time:5s)\"",
                        fmt::join(rules, ", ")),
            &CommonOptions::stop, known_by(stop_text))
        .unset("set by the program");
    if (!has(suite, "--trim"))
        table
            .option("--trim", "PCT", "drop this percentage of the valid samples at each end before computing the mean",
                    &CommonOptions::trim, as::Percentage{.high = 49})
            .unset("set by the program");
    if (!has(suite, "--confidence"))
        table
            .option("--confidence", "P", "set the confidence level of intervals, 0.5 to 0.9999",
                    &CommonOptions::confidence, as::Number{.low = 0.5, .high = 0.9999})
            .unset("set by the program");
    if (use.batch)
        table
            .option("--batch", "KIND",
                    "set the number of calls between two clock readings: N, auto, time:DURATION (calls that take this "
                    "time), until:DURATION (call until this time is over)",
                    &CommonOptions::batch, known_by(batch_text))
            .unset("set by the program");
}

void add_order(Table& table, CommonUse const& use) {
    if (use.seed)
        table.option("--seed", "N", "seed all random choices", &CommonOptions::seed, seed);
    if (use.strict)
        table.flag("--strict", "exit with code 4 if a measurement misses the requested quality",
                   &CommonOptions::strict);
    if (use.epochs)
        table.option("--epochs", "N", "repeat each point N times, with warm-up and clock sync each time",
                     &CommonOptions::epochs, as::Int{.low = 1});
    if (use.settle) {
        table.option("--settle", "on|off",
                     "extend the warm-up until page faults have ended and times are steady; off = warm up as published",
                     &CommonOptions::settle, as::Choice<bool>{{{"on", true}, {"off", false}}});
        table.option("--retry", "N",
                     "at the end of the test, repeat points without a value, or with less than half of their samples "
                     "valid, up to N times, 0 to 10; repeat points with a trend at most once",
                     &CommonOptions::retry, as::Int{.low = 0, .high = 10});
    }
    if (use.shuffle)
        table.flag("--shuffle", "measure the points in random order", &CommonOptions::shuffle);
    if (use.list)
        table.flag("--list", "list the points without measuring them", &CommonOptions::list).unrecorded();
}

void add_measuring(Table& table, CommonUse const& use, Parser const* suite) {
    table.flag("--raw", "write every sample to the record", &CommonOptions::raw);
    add_timer(table, use);
    add_start(table, use);
    if (use.plan)
        add_plan(table, use, suite);
    add_order(table, use);
    if (use.list && use.ranks && !has(suite, "--ranks"))
        table.option("--ranks", "N", "with --list: assume a world of N ranks", &CommonOptions::ranks, as::Int{.low = 1})
            .unrecorded();
    table.option("--time-budget", "DURATION", "start no further measurement after this time",
                 &CommonOptions::time_budget, as::Duration{.above_zero = true});
    table.option("--watchdog", "DURATION", "abort after this long without progress, 0 = never",
                 &CommonOptions::watchdog, as::Duration{});
    table
        .option(
            "--progress", "WHEN", "report progress: auto, always, never", &CommonOptions::progress,
            as::Choice<ProgressMode>{
                {{"auto", ProgressMode::automatic}, {"always", ProgressMode::always}, {"never", ProgressMode::never}}})
        .unrecorded();
}

/// \param suite  parser with the suite's own options, which take precedence; null: ignored
Table table_of(CommonUse const& use, Parser const* suite) {
    Table table;
    table.heading("Common options");
    if (use.record)
        table
            .option("--json", "FILE",
                    "write the record as JSON Lines; with -, it goes to stdout and the text to stderr",
                    &CommonOptions::json, as::Text{})
            .unrecorded();
    if (use.measures)
        add_measuring(table, use, suite);
    if (use.config)
        table
            .option("--config", "FILE",
                    "read options that are not given here from FILE: lines 'long-name = value', comments '# ...'",
                    &CommonOptions::config, as::Text{})
            .unrecorded();
    table
        .flag("--quiet",
              use.measures ? "suppress progress, remarks and warnings; results and errors remain" : "suppress warnings",
              &CommonOptions::quiet)
        .unrecorded();
    table.flag("--version", "print name and version", &CommonOptions::version).unrecorded();
    table.flag(has(suite, "-h") ? "--help" : "-h,--help", "print this help", &CommonOptions::help).unrecorded();
    return table;
}

}  // namespace

void change(measure::Plan& plan, CommonOptions const& options) {
    if (options.stop)
        plan.stop = measure::stop_from(*options.stop);
    if (options.trim)
        plan.estimate.trim = *options.trim;
    if (options.confidence)
        plan.estimate.confidence = *options.confidence;
    if (options.batch)
        plan.batch = measure::batch_from(*options.batch);
}

void declare(Parser& parser, CommonUse const& use, CommonOptions& options) {
    table_of(use, &parser).declare(parser, options);
    for (auto const& [option, name] : use.aliases)
        parser.alias(option, name);
}

void describe(CommonOptions const& options, CommonUse const& use, measure::Value& record) {
    table_of(use, nullptr).describe(options, record);
}

}  // namespace program
