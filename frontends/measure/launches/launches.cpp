// SPDX-License-Identifier: BSD-3-Clause
#include "launches/launches.hpp"

#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/temporary_file.hpp"
#include "program/runtime/temporary_folder.hpp"
#include "shared/command.hpp"
#include "shared/launched.hpp"
#include "shared/merging.hpp"
#include "shared/plain_text.hpp"
#include "starts/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

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

std::string in_words(std::vector<std::string> const& command) { return fmt::format("{}", fmt::join(command, " ")); }

void check(Options const& options) {
    if (options.command.empty())
        throw measure::UsageError("no command: measure launches [options] mpiexec -n 2 mpiperf Bcast");
    check_no_record(options.command);
}

/// Starts the program again and again; what it records is read at once and goes to the file that is kept.
class Launcher {
public:
    Launcher(Options const& options, program::Session& session)
        : o_{options}, session_{session}, campaign_{new_campaign()} {
        if (!o_.keep.empty())
            kept_ = program::open_file(session_.world(), o_.keep, "--keep");
    }

    /// Starts as many as are asked for. What is complete is there also where this throws.
    void run() {
        while (starts_ < aim()) {
            session_.plan(aim(), "launches");
            for (auto& launch : one(starts_ + 1))
                launches_.push_back(std::move(launch));
            ++starts_;
            session_.done();
        }
    }

    [[nodiscard]] std::span<Launch const> launches() const noexcept { return launches_; }
    [[nodiscard]] int starts() const noexcept { return starts_; }  ///< that are complete
    [[nodiscard]] measure::seconds elapsed() const noexcept { return measure::SteadyClock::now() - begun_; }

private:
    /// How many starts there will be, as far as it is known.
    [[nodiscard]] int aim() const {
        int const most = o_.launches.value_or(o_.budget ? std::numeric_limits<int>::max() : usual_launches);
        return o_.budget ? std::min(most, launches_in_budget(starts_, elapsed(), *o_.budget)) : most;
    }

    [[nodiscard]] std::string title(int launch) const {
        return o_.budget ? fmt::format("launch {}", launch) : fmt::format("launch {} of {}", launch, aim());
    }

    std::vector<Launch> one(int launch) {
        auto const name = title(launch);
        session_.next(name);
        static_cast<void>(session_.meet());
        auto started =
            start({.command = o_.command, .campaign = campaign_, .number = launch, .record = record_.path()});
        if (!started.failure.empty())
            throw std::runtime_error(fmt::format("{} {}: {}{}", name, started.failure, in_words(o_.command),
                                                 started.may_refuse ? " (--json FILE is added to the command, and the "
                                                                      "program may have refused it)"
                                                                    : ""));
        if (started.is_incomplete) {
            session_.warn(fmt::format("{} is incomplete", name));
            session_.incomplete();
        }
        kept_.begin();
        kept_.stream() << started.text;
        kept_.finish();
        return std::move(started.launches);
    }

    Options const& o_;
    program::Session& session_;
    std::string campaign_;
    std::chrono::steady_clock::time_point begun_ = measure::SteadyClock::now();
    int starts_ = 0;
    std::vector<Launch> launches_{};
    program::TemporaryFolder folder_{"measure-launch"};
    program::TemporaryFile record_{folder_.file("start.jsonl")};
    program::OutputFile kept_{};
};

void run_launches(Options const& options, program::Session& session) {
    if (!is_started_once(session, "measure launches"))
        return;
    Launcher launcher{options, session};
    try {
        launcher.run();
    } catch (std::exception const&) {
        if (launcher.starts() > 0) {
            session.warn(fmt::format("not all launches are complete: {} merged",
                                     launcher.starts() == 1 ? "the one that is, is"
                                                            : fmt::format("the {} that are, are", launcher.starts())));
            merge(launcher.launches(), options.merge, session);
        }
        throw;
    }
    if (options.budget)
        session.text() << fmt::format("# --budget: {} in {}\n",
                                      counted(static_cast<std::size_t>(launcher.starts()), "launch", "launches"),
                                      program::duration_text(measure::seconds{std::round(launcher.elapsed().count())}));
    merge(launcher.launches(), options.merge, session);
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

int launches_in_budget(int complete, measure::seconds elapsed, measure::seconds budget) {
    if (complete < least_launches)
        return least_launches;
    double const more = std::floor((budget - elapsed) / elapsed * complete);
    return more < 1 ? complete : static_cast<int>(std::min(complete + more, 1e9));
}

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
