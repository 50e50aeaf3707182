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

/// The text, where `read`, the library's own, can read it.
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
        .option("--timer", "NAME", fmt::format("clock to measure with: {}", fmt::join(timers, ", ")),
                &CommonOptions::timer,
                [own = use.timers](Argument const& argument) { return timer_name(argument, own); })
        .unrecorded();
}

void add_start(Table& table, CommonUse const& use) {
    if (use.sync_alg)
        table.option("--sync-alg", "NAME",
                     fmt::format("clock synchronisation: {}", fmt::join(measure::sync_names(), ", ")),
                     &CommonOptions::sync_alg, known_by(sync_name));
    if (!use.start)
        return;
    as::Name starts{{"free", "barrier", "dissemination", "slot", "roundtime"}};
    if (use.defaults.start == "auto")
        starts.names.insert(starts.names.begin(), use.defaults.start);
    table.option("--start", "NAME", fmt::format("how ranks start together: {}", fmt::join(starts.names, ", ")),
                 &CommonOptions::start, starts);
}

/// Whether the suite has that option itself. \param suite  null: not looked at
bool has(Parser const* suite, std::string_view option) { return suite != nullptr && suite->knows(option); }

void add_plan(Table& table, CommonUse const& use, Parser const* suite) {
    std::vector<std::string> rules;
    for (auto const& each : measure::stop_names())
        rules.push_back(each.name);
    table
        .option("--stop", "RULE",
                fmt::format("when a point is done: {}, each :VALUE,KEY=VALUE,..; any(..), all(..), sustained(..) of "
                            "rules: \"any(interval:1%,time:5s)\"",
                            fmt::join(rules, ", ")),
                &CommonOptions::stop, known_by(stop_text))
        .unset("the program's");
    if (!has(suite, "--trim"))
        table
            .option("--trim", "PCT", "valid samples cut at each end before the mean", &CommonOptions::trim,
                    as::Percentage{.high = 49})
            .unset("the program's");
    if (!has(suite, "--confidence"))
        table
            .option("--confidence", "P", "confidence level of intervals", &CommonOptions::confidence,
                    as::Number{.low = 0.5, .high = 0.9999})
            .unset("the program's");
    if (use.batch)
        table
            .option("--batch", "KIND",
                    "executions between two clock readings: N, auto, time:DURATION of a sample, until:DURATION",
                    &CommonOptions::batch, known_by(batch_text))
            .unset("the program's");
}

void add_order(Table& table, CommonUse const& use) {
    if (use.seed)
        table.option("--seed", "N", "seed of everything random", &CommonOptions::seed, seed);
    if (use.strict)
        table.flag("--strict", "less than the asked quality ends with exit code 4", &CommonOptions::strict);
    if (use.epochs)
        table.option("--epochs", "N", "measure every point N times from nothing", &CommonOptions::epochs,
                     as::Int{.low = 1});
    if (use.settle) {
        table.option("--settle", "on|off",
                     "go on warming up until page faults have ended and times stand still; off: as published",
                     &CommonOptions::settle, as::Choice<bool>{{{"on", true}, {"off", false}}});
        table.option("--retry", "N",
                     "measure points without a number, with less than half of their samples valid, or with a trend "
                     "again at the end of the test, up to N times, 0 to 10",
                     &CommonOptions::retry, as::Int{.low = 0, .high = 10});
    }
    if (use.shuffle)
        table.flag("--shuffle", "measure the points in random order", &CommonOptions::shuffle);
    if (use.list)
        table.flag("--list", "print what would be measured, and measure nothing", &CommonOptions::list).unrecorded();
}

void add_measuring(Table& table, CommonUse const& use, Parser const* suite) {
    table.flag("--raw", "put every sample into the record", &CommonOptions::raw);
    add_timer(table, use);
    add_start(table, use);
    if (use.plan)
        add_plan(table, use, suite);
    add_order(table, use);
    if (use.list && use.ranks && !has(suite, "--ranks"))
        table.option("--ranks", "N", "with --list: for a world of N ranks", &CommonOptions::ranks, as::Int{.low = 1})
            .unrecorded();
    table.option("--time-budget", "DURATION", "begin no measurement after this time", &CommonOptions::time_budget,
                 as::Duration{.above_zero = true});
    table.option("--watchdog", "DURATION", "give up without progress for so long; 0: never", &CommonOptions::watchdog,
                 as::Duration{});
    table
        .option(
            "--progress", "WHEN", "report progress: auto, always, never", &CommonOptions::progress,
            as::Choice<ProgressMode>{
                {{"auto", ProgressMode::automatic}, {"always", ProgressMode::always}, {"never", ProgressMode::never}}})
        .unrecorded();
}

/// \param suite  has declared its own options; null: not looked at
Table table_of(CommonUse const& use, Parser const* suite) {
    Table table;
    table.heading("Common options");
    if (use.record)
        table
            .option("--json", "FILE", "write the record as JSON Lines; - is stdout, the text then goes to stderr",
                    &CommonOptions::json, as::Text{})
            .unrecorded();
    if (use.measures)
        add_measuring(table, use, suite);
    if (use.config)
        table
            .option("--config", "FILE", "options that are not given here: lines 'long-name = value', comments '# ...'",
                    &CommonOptions::config, as::Text{})
            .unrecorded();
    table
        .flag("--quiet", use.measures ? "no progress and no warnings; results and errors stay" : "no warnings",
              &CommonOptions::quiet)
        .unrecorded();
    table.flag("--version", "print name and version", &CommonOptions::version).unrecorded();
    table.flag(has(suite, "-h") ? "--help" : "-h,--help", "print this text", &CommonOptions::help).unrecorded();
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
