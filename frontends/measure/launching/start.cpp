// SPDX-License-Identifier: BSD-3-Clause
#include "launching/start.hpp"

#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"
#include "shared/inputs.hpp"

#include <measure/error.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <utility>

namespace measure::tool {

namespace {

constexpr int wrong_use = 2;
constexpr int incomplete = 4;
constexpr int cannot_launch = 127;

/// The most informative line of a log: the last line with "error", otherwise the first line. Empty for an empty log.
std::string complaint_in(std::string const& log) {
    std::ifstream stream{log};
    std::string first;
    std::string last;
    for (std::string line; std::getline(stream, line);) {
        if (first.empty())
            first = line;
        if (line.find("error") != std::string::npos)
            last = line;
    }
    constexpr std::size_t most = 200;
    return (last.empty() ? first : last).substr(0, most);
}

std::string because(std::string const& log) {
    auto const complaint = complaint_in(log);
    return complaint.empty() ? "" : ": " + complaint;
}

std::string failure_of(int code, LaunchOrder const& order) {
    if (code == program::timed_out)
        return fmt::format("did not end within {}", program::duration_text(order.limit));
    if (code == cannot_launch)
        return fmt::format("could not be started (exit code {}): {}", code, order.command.front());
    if (code != 0 && (code != incomplete || order.by_wall))
        return fmt::format("ended with exit code {}{}", code, because(order.log));
    if (!order.by_wall && !std::filesystem::exists(order.record))
        return fmt::format("left no record (--json FILE is added to the command){}", because(order.log));
    return {};
}

/// The record of a command that was timed as a whole.
Launch timed_launch(LaunchOrder const& order, measure::seconds elapsed) {
    Launch launch{.name = fmt::format("{}", fmt::join(order.command, " "))};
    launch.record.run.suite = "command";
    launch.record.run.program = std::filesystem::path{order.command.front()}.filename().string();
    launch.record.run.command = order.command;
    launch.record.run.campaign = measure::Campaign{order.campaign, order.number};
    launch.record.points.push_back({.benchmark = "wall_clock",
                                    .value = elapsed.count(),
                                    .status = measure::PointStatus::converged,
                                    .attempts = 1,
                                    .valid = 1,
                                    .kept = 1});
    return launch;
}

}  // namespace

void check_no_record(std::vector<std::string> const& command) {
    for (std::string const& word : command)
        if (word == "--json" || word.starts_with("--json="))
            throw measure::UsageError("remove --json from the command; it is added automatically");
}

std::string new_campaign() {
    return fmt::format("{:%Y%m%dT%H%M%S}-{:08x}", fmt::gmtime(std::time(nullptr)), std::random_device{}());
}

Started start(LaunchOrder const& order) {
    std::filesystem::remove(order.record);
    if (!order.log.empty())
        std::filesystem::remove(order.log);
    auto environment = order.environment;
    environment.emplace_back("MEASURE_CAMPAIGN", fmt::format("{}:{}", order.campaign, order.number));
    auto command = order.command;
    for (std::string& word : command)
        for (std::size_t at = word.find("{}"); at != std::string::npos; at = word.find("{}", at))
            word.replace(at, 2, std::to_string(order.number));
    if (!order.by_wall)
        command.insert(command.end(), {"--json", order.record});
    auto const begin = measure::SteadyClock::now();
    int const code = program::run_child({.command = std::move(command),
                                         .environment = std::move(environment),
                                         .log = order.log,
                                         .limit = order.limit,
                                         .is_needed = true});
    Started result{.failure = failure_of(code, order),
                   .is_incomplete = code == incomplete,
                   .is_late = code == program::timed_out,
                   .is_refused = code == wrong_use,
                   .may_refuse = !order.by_wall && code != 0 && code < program::timed_out &&
                                 !std::filesystem::exists(order.record),
                   .elapsed = measure::SteadyClock::now() - begin};
    if (!result.failure.empty())
        return result;
    if (order.by_wall) {
        result.launches.push_back(timed_launch(order, result.elapsed));
        return result;
    }
    result.text = program::file_text(order.record, program::Limit::line);
    std::filesystem::remove(order.record);
    try {
        result.launches = launches_of(result.text, fmt::format("launch {}", order.number));
    } catch (program::ParseErrors const& fault) {
        result.failure = fmt::format("left a broken record: {}", fault.faults().front().text);
    }
    return result;
}

}  // namespace measure::tool
