// SPDX-License-Identifier: BSD-3-Clause
#include "run/base.hpp"

#include "launching/folder.hpp"
#include "run/between_runs.hpp"
#include "run/schedule.hpp"
#include "run/sweep.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace measure::tool::runs {

namespace {

namespace fs = std::filesystem;

/// The number of earlier runs that are searched.
constexpr std::size_t most_looked_at = 100;
/// The number of earlier runs that widen intervals and limits.
constexpr std::size_t most_before = 10;

std::set<SweptPoint> measured_points(Launch const& launch) {
    std::set<SweptPoint> points;
    for (auto const& record : launch.record.points)
        if (!is_control(record.benchmark))
            points.insert(point_of(record));
    return points;
}

/// Later launches have fewer points, so the points of all launches are collected.
std::set<SweptPoint> measured_points(std::span<Launch const> launches) {
    std::set<SweptPoint> points;
    for (auto const& launch : launches)
        points.merge(measured_points(launch));
    return points;
}

std::size_t shared_points(std::set<SweptPoint> const& wanted, Launch const& run) {
    auto const points = measured_points(run);
    return static_cast<std::size_t>(
        std::count_if(wanted.begin(), wanted.end(), [&](SweptPoint const& point) { return points.contains(point); }));
}

/// The launches in a file of another run. If the file is damaged, warns and returns none, so that this run is not lost.
std::vector<Launch> launches_of_other(fs::path const& file, OwnRun const& own) {
    try {
        return launches_in(file);
    } catch (measure::UsageError const& error) {
        own.session->warn(fmt::format("earlier run ignored, because a file is damaged: {}", error.what()));
        return {};
    }
}

/// The merged record of another run; nothing if that run is not complete.
std::optional<Launch> ended_run(std::string const& name, OwnRun const& own) {
    auto joined = launches_of_other(own.runs / name / "merged.jsonl", own);
    if (joined.size() != 1 || joined.front().record.end->status != "complete")
        return std::nullopt;
    return std::move(joined.front());
}

/// Names of the runs that began before a run, the latest first.
std::vector<std::string> names_before(fs::path const& runs, std::string const& name) {
    auto names = run_names(runs);
    auto const found = std::find(names.begin(), names.end(), name);
    names.erase(names.begin(), found == names.end() ? found : std::next(found));
    return names;
}

/// Merged runs with these names that are of the same kind and have a point in common.
std::vector<Launch> runs_of_kind(std::span<std::string const> names, Launch const& like, OwnRun const& own) {
    auto const wanted = measured_points(like);
    std::vector<Launch> found;
    for (auto const& name : names.first(std::min(names.size(), most_looked_at))) {
        auto run = ended_run(name, own);
        if (run && is_same_kind(*run, like) && shared_points(wanted, *run) > 0)
            found.push_back(std::move(*run));
        if (found.size() == most_before)
            break;
    }
    return found;
}

/// The launches of a run; with two sides, only of the first side.
std::vector<Launch> launches_of_run(std::string const& name, OwnRun const& own) {
    auto launches = launches_of_other(own.runs / name / launches_file, own);
    std::erase_if(launches, [&](Launch const& launch) {
        return !launch.record.run.campaign || launch.record.run.campaign->id != name;
    });
    return launches;
}

void add_runs_before(Opponent& opponent, OwnRun const& own) {
    for (auto& run : runs_of_kind(names_before(own.runs, opponent.name), opponent.launches.front(), own))
        opponent.earlier.push_back({std::move(run)});
}

Opponent opponent_of(std::string const& name, std::vector<Launch> launches) {
    auto const started = launches.front().record.run.started;
    return {.name = name, .started = started, .launches = std::move(launches)};
}

bool has_enough_launches(std::vector<Launch> const& launches) {
    return !launches.empty() && counting_launches(launches).main.size() >= static_cast<std::size_t>(fewest_starts);
}

}  // namespace

Base latest_base(OwnRun const& own) {
    auto const& first = own.launches.front();
    auto const wanted = measured_points(own.launches);
    Base base;
    std::size_t most = 0;
    auto const names = names_before(own.runs, own.name);
    for (auto const& name : std::span{names}.first(std::min(names.size(), most_looked_at))) {
        auto const run = ended_run(name, own);
        auto const shared = run && is_same_place(*run, first) ? shared_points(wanted, *run) : 0;
        if (shared == 0)
            continue;
        if (!has_same_settings(*run, first)) {
            ++base.other_settings;
            continue;
        }
        if (shared <= most)
            continue;
        auto launches = launches_of_run(name, own);
        if (!has_enough_launches(launches))
            continue;
        most = shared;
        base.run = opponent_of(name, std::move(launches));
        if (most == wanted.size())
            break;
    }
    if (base.run)
        add_runs_before(*base.run, own);
    return base;
}

Base named_base(OwnRun const& own, std::string const& name) {
    auto launches = name == own.name ? std::vector<Launch>{} : launches_of_run(name, own);
    if (launches.empty())
        return {};
    Base base{.run = opponent_of(name, std::move(launches))};
    add_runs_before(*base.run, own);
    return base;
}

std::vector<Launch> runs_before(OwnRun const& own) {
    return runs_of_kind(names_before(own.runs, own.name), own.launches.front(), own);
}

void check_base(fs::path const& runs, std::string const& compare) {
    if (compare == "last" || compare == "none")
        return;
    auto const names = run_names(runs);
    if (std::find(names.begin(), names.end(), compare) == names.end())
        throw measure::UsageError(fmt::format("--compare: no run '{}' in '{}'", compare, runs.string()));
    static_cast<void>(launches_in(runs / compare / launches_file));
}

}  // namespace measure::tool::runs
