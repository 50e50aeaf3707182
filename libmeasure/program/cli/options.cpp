// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/options.hpp"

#include <measure/clock_sync.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>

namespace program {
namespace {

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

/// The library knows which algorithms there are.
std::string sync_name(Argument const& argument) {
    try {
        return std::string{measure::name(measure::sync_from(argument.value))};
    } catch (measure::UsageError const& error) {
        throw measure::UsageError(argument.option + ": " + error.what());
    }
}

void declare_optional(Parser& parser, CommonUse const& use, CommonOptions& options) {
    if (use.sync_alg)
        parser.option("--sync-alg", "NAME",
                      "clock synchronisation: none, linear, ring, tree, jk, hca3, hier, auto (default " +
                          options.sync_alg + ")",
                      options.sync_alg, sync_name);
    if (use.start) {
        as::Name starts{{"free", "barrier", "dissemination", "slot", "roundtime"}};
        if (options.start == "auto")
            starts.names.insert(starts.names.begin(), options.start);
        parser.option(
            "--start", "NAME",
            fmt::format("how ranks start together: {} (default {})", fmt::join(starts.names, ", "), options.start),
            options.start, starts);
    }
    if (use.seed)
        parser.option("--seed", "N", "seed of everything random (default 1)", options.seed,
                      [](Argument const& a) { return static_cast<std::uint64_t>(as::Integer{.low = 0}(a)); });
    if (use.strict)
        parser.flag("--strict", "less than the asked quality ends with exit code 4", options.strict);
    if (use.epochs)
        parser.option("--epochs", "N", "measure every point N times from nothing (default 1)", options.epochs,
                      as::Int{.low = 1});
    if (use.settle) {
        parser.option(
            "--settle", "on|off",
            fmt::format("go on warming up until page faults have ended and times stand still; off: as published "
                        "(default {})",
                        options.settle ? "on" : "off"),
            options.settle, as::Choice<bool>{{{"on", true}, {"off", false}}});
        parser.option(
            "--retry", "N",
            fmt::format("measure points without a number, with less than half of their samples valid, or with "
                        "a trend again at the end of the test, up to N times, 0 to 10 (default {})",
                        options.retry),
            options.retry, as::Int{.low = 0, .high = 10});
    }
    if (use.shuffle)
        parser.flag("--shuffle", "measure the points in random order", options.shuffle);
    if (use.list) {
        parser.flag("--list", "print what would be measured, and measure nothing", options.list);
        if (!parser.knows("--ranks"))
            parser.option("--ranks", "N", "with --list: for a world of N ranks", options.ranks, as::Int{.low = 1});
    }
}

void declare_measuring(Parser& parser, CommonUse const& use, CommonOptions& options) {
    parser.flag("--raw", "put every sample into the record", options.raw);
    auto const clocks = measure::timer_names();
    std::vector<std::string> timers{clocks.begin(), clocks.end()};
    timers.insert(timers.end(), use.timers.begin(), use.timers.end());
    parser.option("--timer", "NAME",
                  fmt::format("clock to measure with: {} (default {})", fmt::join(timers, ", "), options.timer),
                  options.timer, [own = use.timers](Argument const& argument) { return timer_name(argument, own); });
    declare_optional(parser, use, options);
    parser.option("--time-budget", "DURATION", "begin no measurement after this time", options.time_budget,
                  as::Duration{.above_zero = true});
    parser.option("--watchdog", "DURATION",
                  "give up without progress for so long; 0: never (default " + duration_text(options.watchdog) + ")",
                  options.watchdog, as::Duration{});
    parser.option(
        "--progress", "WHEN", "report progress: auto, always, never (default auto)", options.progress,
        as::Choice<ProgressMode>{
            {{"auto", ProgressMode::automatic}, {"always", ProgressMode::always}, {"never", ProgressMode::never}}});
}

}  // namespace

void declare(Parser& parser, CommonUse const& use, CommonOptions& options) {
    parser.heading("Common options");
    if (use.record)
        parser.option("--json", "FILE", "write the record as JSON Lines; - is stdout, the text then goes to stderr",
                      options.json, as::Text{});
    if (use.measures)
        declare_measuring(parser, use, options);
    if (use.config)
        parser.option("--config", "FILE",
                      "options that are not given here: lines 'long-name = value', comments '# ...'", options.config,
                      as::Text{});
    parser.flag("--quiet", use.measures ? "no progress and no warnings; results and errors stay" : "no warnings",
                options.quiet);
    parser.flag("--version", "print name and version", options.version);
    parser.flag(parser.knows("-h") ? "--help" : "-h,--help", "print this text", options.help);
    for (auto const& [option, name] : use.aliases)
        parser.alias(option, name);
}

void describe(CommonOptions const& options, CommonUse const& use, measure::Value& record) {
    auto const add = [&](bool used, char const* name, measure::Value value) {
        if (used && record.find(name) == nullptr)
            record[name] = std::move(value);
    };
    add(use.sync_alg, "sync_alg", options.sync_alg);
    add(use.start, "start", options.start);
    add(use.seed, "seed", options.seed);
    add(use.strict, "strict", options.strict);
    add(use.epochs, "epochs", options.epochs);
    add(use.settle, "settle", options.settle);
    add(use.settle, "retry", options.retry);
    add(use.shuffle, "shuffle", options.shuffle);
    add(use.measures, "time_budget", options.time_budget);
    add(use.measures, "watchdog", options.watchdog);
    add(use.measures, "raw", options.raw);
}

}  // namespace program
