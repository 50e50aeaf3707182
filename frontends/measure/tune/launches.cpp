// SPDX-License-Identifier: BSD-3-Clause
#include "tune/launches.hpp"

#include "launching/launcher.hpp"
#include "launching/start.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"

#include <measure/error.hpp>
#include <measure/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

namespace measure::tool::tune {

namespace {

namespace fs = std::filesystem;

constexpr char const* plan_file = "plan";

/// Watchdog limit of a launch. A hanging algorithm shows in the check. Other phases get at least 60 s, because they may
/// be slow on a shared machine.
measure::seconds patience(Phase phase, measure::seconds timeout) {
    constexpr measure::seconds elsewhere{60};
    return phase == Phase::check ? timeout : std::max(timeout, elsewhere);
}

/// The complete lines of a record, with an end line if it lacks one. Empty if not even the first line is complete.
std::string mended(std::string text, std::string const& failure) {
    text.resize(text.rfind('\n') + 1);
    if (text.empty())
        return text;
    auto const all = measure::read_records(text);
    if (!all.empty() && !all.back().end)
        text += measure::json_line(measure::EndRecord{.status = "failed", .exit_code = 1, .message = failure}) + "\n";
    return text;
}

/// Why a launch failed, from the end line of the worker or of `mended`. Empty if it did not fail.
std::string failure_in(measure::EndRecord const& end) {
    if (end.status != "failed")
        return {};
    return end.message.starts_with("measure tune-worker: ")
               ? fmt::format("ended with exit code {}: {}", end.exit_code, end.message)
               : end.message;
}

}  // namespace

Launches::Launches(TuneOptions const& options, RunFolder& folder, std::string campaign, Clock::time_point begin)
    : o_{options}, folder_{folder}, campaign_{std::move(campaign)}, begin_{begin} {
    refuse_chosen();
    for (auto& launch : launches_in(folder_.launches())) {
        ++number_;
        auto const end = *launch.record.end;  // the record itself is moved
        auto const text = launch.record.run.options.text("plan");
        if (end.status == "interrupted" || text.empty())
            continue;
        auto const plan = plan_from(text, folder_.launches().string());
        // A failed launch of the check tells about an algorithm. In other phases it ended the command and is repeated.
        if (end.status == "failed" && plan.phase != Phase::check)
            continue;
        if (plan.phase == Phase::screen)
            for (auto const& point : plan.points)
                largest_screened_ = std::max(largest_screened_, std::optional{point.bytes});
        keep(plan.phase, text,
             {.record = std::move(launch.record), .failure = failure_in(end), .seconds = end.elapsed.value_or(0)});
    }
}

void Launches::keep(Phase phase, std::string const& plan, Launched launched) {
    ++costs_[phase].launches;
    costs_[phase].seconds += launched.seconds;
    known_.insert_or_assign(plan, std::move(launched));
}

measure::seconds Launches::left() const {
    if (o_.budget.count() <= 0)
        return measure::seconds{0};
    auto const rest = o_.budget - measure::seconds{Clock::now() - begin_};
    if (rest.count() <= 0)
        throw BudgetSpent{};
    return rest;
}

Launched const& Launches::run(WorkerPlan const& plan, Settings const& settings) {
    auto const text = text_of(plan);
    if (auto const known = known_.find(text); known != known_.end())
        return known->second;
    keep(plan.phase, text, started(plan, settings));
    return known_.at(text);
}

Launched Launches::started(WorkerPlan const& plan, Settings const& settings) {
    auto const limit = left();
    folder_.check_room();
    {
        std::ofstream stream{folder_.file(plan_file), std::ios::binary};
        stream << text_of(plan);
        if (!stream.flush())
            throw std::runtime_error(fmt::format("cannot write '{}'", folder_.file(plan_file).string()));
    }
    LaunchOrder order{.command = o_.launcher,
                      .campaign = campaign_,
                      .number = ++number_,
                      .environment = settings,
                      .record = folder_.file(launch_file).string(),
                      .log = folder_.file(launch_log).string(),
                      .limit = limit};
    order.command.insert(order.command.end(), {own_path(), "tune-worker", "--quiet", "--watchdog",
                                               fmt::format("{}", patience(plan.phase, o_.timeout).count()), "--plan",
                                               folder_.file(plan_file).string()});
    if (o_.no_han)
        for (auto& each : without_han())
            order.environment.push_back(std::move(each));
    auto result = start(order);
    double const elapsed = result.elapsed.count();
    if (result.failure.empty()) {
        folder_.add(result.text);
        return {.record = std::move(result.launches.front().record), .seconds = elapsed};
    }
    auto const text =
        fs::exists(order.record) ? mended(program::file_text(order.record, program::Limit::line), result.failure) : "";
    if (o_.budget.count() > 0 && result.elapsed >= limit)
        throw BudgetSpent{};
    if (text.empty()) {
        auto const why = fmt::format("{} (its output is in '{}')", result.failure, order.log);
        if (result.is_refused)
            throw measure::UsageError(why);
        // An algorithm set in the environment may make MPI_Init fail.
        if (plan.phase == Phase::check && plan.via == Via::environment && !settings.empty())
            return {.failure = result.failure, .seconds = elapsed};
        throw std::runtime_error(fmt::format("a launch {}", why));
    }
    fs::remove(order.record);
    folder_.add(text);
    auto record = measure::read_records(text).back();
    // The same text as after --resume.
    auto const failure = failure_in(*record.end);
    return {.record = std::move(record), .failure = failure.empty() ? result.failure : failure, .seconds = elapsed};
}

}  // namespace measure::tool::tune
