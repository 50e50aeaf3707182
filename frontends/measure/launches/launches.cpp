// SPDX-License-Identifier: BSD-3-Clause
#include "launches/launches.hpp"

#include "merge/merge.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/child.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/temporary_file.hpp"
#include "shared/command.hpp"
#include "shared/plain_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>

namespace measure_tool {

namespace {

struct Options {
    std::optional<int> launches{};  ///< at most
    std::optional<measure::seconds> budget{};
    std::string keep{};
    MergeOptions merge{};
    std::vector<std::string> command{};
};

constexpr int incomplete = 4;
/// Without a number and a budget.
constexpr int usual_launches = 10;

std::string in_words(std::vector<std::string> const& command) { return fmt::format("{}", fmt::join(command, " ")); }

/// The command of one launch: {} is its number, and the record goes where it is read from.
std::vector<std::string> command_of(Options const& options, int launch, std::string const& record) {
    auto command = options.command;
    for (std::string& word : command)
        for (std::size_t at = word.find("{}"); at != std::string::npos; at = word.find("{}", at))
            word.replace(at, 2, std::to_string(launch));
    command.insert(command.end(), {"--json", record});
    return command;
}

void check(Options const& options) {
    if (options.command.empty())
        throw measure::UsageError("no command: measure launches [options] mpiexec -n 2 mpiperf Bcast");
    for (std::string const& word : options.command)
        if (word == "--json" || word.starts_with("--json="))
            throw measure::UsageError("the command has --json already: leave it out here, and name a file with -o or "
                                      "--keep");
}

/// An ID that no other campaign has: the time, and a number that this machine and process hardly share with others.
std::string new_campaign() {
    std::time_t const now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}-{:08x}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                       parts.tm_hour, parts.tm_min, parts.tm_sec, std::random_device{}());
}

/// Starts the program again and again; what it records is read at once and goes to the file that is kept.
class Launcher {
public:
    Launcher(Options const& options, program::Session& session)
        : o_{options}, session_{session}, campaign_{new_campaign()},
          record_{
              (std::filesystem::temp_directory_path() / fmt::format("measure-launch.{}.jsonl", ::getpid())).string()} {
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
    [[nodiscard]] measure::seconds elapsed() const noexcept { return std::chrono::steady_clock::now() - begun_; }

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
        std::filesystem::remove(record_.path());
        auto const command = command_of(o_, launch, record_.path());
        auto const name = title(launch);
        session_.next(name);
        static_cast<void>(session_.meet());
        ::setenv("MEASURE_CAMPAIGN", fmt::format("{}:{}", campaign_, launch).c_str(), 1);
        int const code = program::run_child({.command = command});
        if (code != 0 && code != incomplete)
            throw std::runtime_error(fmt::format("{} ended with exit code {}: {}", name, code, in_words(command)));
        if (!std::filesystem::exists(record_.path()))
            throw std::runtime_error(fmt::format("{} left no record: --json FILE is added to the command, "
                                                 "which is to be a program of this project: {}",
                                                 name, in_words(o_.command)));
        if (code == incomplete) {
            session_.warn(fmt::format("{} is incomplete (exit code {})", name, code));
            session_.incomplete();
        }
        auto const text = program::file_text(record_.path(), program::Limit::line);
        kept_.begin();
        kept_.stream() << text;
        kept_.flush();
        return launches_of(text, fmt::format("launch {}", launch));
    }

    Options const& o_;
    program::Session& session_;
    std::string campaign_;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    int starts_ = 0;
    std::vector<Launch> launches_{};
    program::TemporaryFile record_;
    program::OutputFile kept_{};
};

void run(Options const& options, program::Session& session) {
    check(options);
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
            .prepare = [](program::Parser& parser, program::CommonOptions const&) -> program::Body {
                auto const options = std::make_shared<Options>();
                parser.option("-n,--launches", "N", "number of starts (default 10; with --budget as many as fit)",
                              options->launches, program::as::Int{.low = 1});
                parser.option("--budget", "DURATION",
                              "start no more than fit into this time, by what a start has taken so far; two at least",
                              options->budget, program::as::Duration{.above_zero = true});
                parser.option("--keep", "FILE",
                              "keep the records of all starts, one after another; an older FILE is replaced",
                              options->keep, program::as::Text{});
                declare(parser, options->merge);
                parser.command("COMMAND...", "what is started, mpiexec and all", options->command);
                return [options](program::Session& session) { run(*options, session); };
            }};
}

}  // namespace measure_tool
