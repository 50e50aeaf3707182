// SPDX-License-Identifier: BSD-3-Clause
#include "launching/loop.hpp"
#include "program/cli/values.hpp"
#include "shared/command.hpp"
#include "shared/launched.hpp"
#include "shared/merging.hpp"
#include "shared/plain_text.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace measure::tool {

namespace {

struct Options {
    std::optional<int> launches{};  ///< maximum number of launches
    std::optional<measure::seconds> budget{};
    std::string keep{};
    MergeOptions merge{};
    std::vector<std::string> command{};
};

/// Number of launches if neither a number nor a budget is given.
constexpr int usual_launches = 10;
/// A single launch does not show how launches differ.
constexpr int least_launches = 2;

void check(Options const& options) {
    if (options.command.empty())
        throw measure::UsageError("no command given; example: measure launches -n 10 mpiexec -n 2 mpiperf Bcast");
    check_no_record(options.command);
}

Extent extent_of(Options const& options) {
    return {.least = least_launches,
            .most = options.budget ? options.launches : options.launches.value_or(usual_launches),
            .budget = options.budget};
}

/// Launches the program repeatedly.
class Repetition final : public CommandLoop {
public:
    Repetition(Options const& options, program::Session& session)
        : CommandLoop{session,    1,
                      {},         extent_of(options),
                      "launches", std::span{&options.keep, options.keep.empty() ? 0U : 1U}},
          o_{options} {}

private:
    [[nodiscard]] LaunchOrder order_of(Turn const& /*turn*/) const override {
        return {.command = o_.command, .campaign = campaign()};
    }
    [[nodiscard]] std::string name_of(Turn const& turn) const override {
        return o_.budget ? fmt::format("launch {}", turn.number)
                         : fmt::format("launch {} of {}", turn.number, in_all());
    }
    [[nodiscard]] std::string advice(Started const& started) const override {
        return fmt::format(
            ": {}{}", fmt::join(o_.command, " "),
            started.may_refuse ? " (the program may have rejected --json FILE, which is added to the command)" : "");
    }

    Options const& o_;
};

void run_launches(Options const& options, program::Session& session) {
    if (!is_launched_once(session, "measure launches"))
        return;
    Repetition launches{options, session};
    try {
        launches.run();
    } catch (std::exception const&) {
        if (launches.complete() > 0) {
            session.warn(fmt::format("not all launches are complete; {} merged",
                                     launches.complete() == 1
                                         ? "only one launch is"
                                         : fmt::format("only {} launches are", launches.complete())));
            merge(launches.side(0), options.merge, session);
        }
        throw;
    }
    if (options.budget)
        session.text() << fmt::format("# --budget: {} in {}\n",
                                      counted(static_cast<std::size_t>(launches.complete()), "launch", "launches"),
                                      program::duration_text(measure::seconds{std::round(launches.elapsed().count())}));
    merge(launches.side(0), options.merge, session);
}

void declare_launches(program::Parser& parser, Options& options) {
    parser.option(
        "-n,--launches", "N",
        fmt::format("launch the program N times (default {}; with --budget as often as it fits)", usual_launches),
        options.launches, program::as::Int{.low = 1});
    parser.option("--budget", "DURATION",
                  "launch while a launch of mean duration still fits into this time; make at least two launches",
                  options.budget, program::as::Duration{.above_zero = true});
    parser.option("--keep", "FILE", "write the records of all launches to FILE, replacing an older file", options.keep,
                  program::as::Text{});
    declare_merge(parser, options.merge);
    parser.command("COMMAND...", "command to launch, including mpiexec", options.command);
}

}  // namespace

program::Suite launches_command() {
    return {
        .name = "measure",
        .program = "measure launches",
        .summary =
            "Launches a program several times and merges its records. Adds --json FILE to the command. Replaces {} in "
            "the command by the number of the launch, as in --seed {}. Discards the output of the program.",
        // A launch may take longer than any fixed limit. The program has its own watchdog.
        .common = {.measures = false, .defaults = {.watchdog = measure::seconds{0}}, .aliases = {{"--json", "-o"}}},
        .uses_mpi = false,
        .prepare = program::prepared<Options>(declare_launches, run_launches, checked_by<Options>(check))};
}

}  // namespace measure::tool
