// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/values.hpp"
#include "shared/command.hpp"
#include "shared/launched.hpp"
#include "shared/merging.hpp"
#include "shared/plain_text.hpp"
#include "starts/loop.hpp"

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
    std::optional<int> launches{};  ///< at most
    std::optional<measure::seconds> budget{};
    std::string keep{};
    MergeOptions merge{};
    std::vector<std::string> command{};
};

/// Without a number and a budget.
constexpr int usual_launches = 10;
/// Fewer say nothing about how starts differ.
constexpr int least_launches = 2;

void check(Options const& options) {
    if (options.command.empty())
        throw measure::UsageError("no command: measure launches [options] mpiexec -n 2 mpiperf Bcast");
    check_no_record(options.command);
}

Extent extent_of(Options const& options) {
    return {.least = least_launches,
            .most = options.budget ? options.launches : options.launches.value_or(usual_launches),
            .budget = options.budget};
}

/// Starts the program again and again.
class Repetition final : public CommandLoop {
public:
    Repetition(Options const& options, program::Session& session)
        : CommandLoop{session,    1,
                      {},         extent_of(options),
                      "launches", std::span{&options.keep, options.keep.empty() ? 0U : 1U}},
          o_{options} {}

private:
    [[nodiscard]] StartOrder order_of(Turn const& /*turn*/) const override {
        return {.command = o_.command, .campaign = campaign()};
    }
    [[nodiscard]] std::string name_of(Turn const& turn) const override {
        return o_.budget ? fmt::format("launch {}", turn.number)
                         : fmt::format("launch {} of {}", turn.number, in_all());
    }
    [[nodiscard]] std::string advice(Started const& started) const override {
        return fmt::format(
            ": {}{}", fmt::join(o_.command, " "),
            started.may_refuse ? " (--json FILE is added to the command, and the program may have refused it)" : "");
    }

    Options const& o_;
};

void run_launches(Options const& options, program::Session& session) {
    if (!is_started_once(session, "measure launches"))
        return;
    Repetition launches{options, session};
    try {
        launches.run();
    } catch (std::exception const&) {
        if (launches.complete() > 0) {
            session.warn(fmt::format("not all launches are complete: {} merged",
                                     launches.complete() == 1
                                         ? "the one that is, is"
                                         : fmt::format("the {} that are, are", launches.complete())));
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
    parser.option("-n,--launches", "N",
                  fmt::format("number of starts (default {}; with --budget as many as fit)", usual_launches),
                  options.launches, program::as::Int{.low = 1});
    parser.option("--budget", "DURATION",
                  "start no more than fit into this time, by what a start has taken so far; two at least",
                  options.budget, program::as::Duration{.above_zero = true});
    parser.option("--keep", "FILE", "keep the records of all starts, one after another; an older FILE is replaced",
                  options.keep, program::as::Text{});
    declare_merge(parser, options.merge);
    parser.command("COMMAND...", "what is started, mpiexec and all", options.command);
}

}  // namespace

program::Suite launches_command() {
    return {.name = "measure",
            .program = "measure launches",
            .summary =
                "Starts a program several times and merges what it records. --json FILE is added to the command; "
                "{} in it becomes the number of the launch (--seed {}). What the program prints is dropped.",
            // A launch may rightly take longer than any limit: the program has its own.
            .common = {.measures = false, .defaults = {.watchdog = measure::seconds{0}}, .aliases = {{"--json", "-o"}}},
            .uses_mpi = false,
            .prepare = program::prepared<Options>(declare_launches, run_launches, checked_by<Options>(check))};
}

}  // namespace measure::tool
