// SPDX-License-Identifier: BSD-3-Clause
#include "archive/history.hpp"

#include "analysis/compare/controls.hpp"
#include "analysis/runs/merged.hpp"
#include "analysis/runs/points.hpp"
#include "analysis/runs/states.hpp"

#include <measure/launches.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace measure::tool::archive {

namespace {

using measure::Record;

/// A point of a benchmark, identified by quantity and coordinates.
using Place = std::pair<measure::Quantity, std::vector<std::pair<std::string, measure::Point::Coordinate>>>;

Place place_of(Record const& point) { return {point.quantity, point.at.coordinates()}; }

/// Matching runs and their joined points.
struct Campaign {
    std::int64_t started = 0;               ///< launch time of the first run, in s since 1970
    std::vector<Launch> launches{};         ///< launches with the benchmark's points and the controls
    std::vector<Record> points{};           ///< points joined over the launches
    std::map<Place, std::size_t> valued{};  ///< index into `points`; the first of several with the same place
    std::vector<PointName> changed{};       ///< points that differ from the previous campaign
};

Launch part_of_benchmark(Launch const& launch, std::string_view benchmark) {
    Launch part{launch.name, {.run = launch.record.run}, launch.file};
    std::copy_if(launch.record.points.begin(), launch.record.points.end(), std::back_inserter(part.record.points),
                 [&](Record const& point) {
                     return point.benchmark == benchmark || (!is_control(benchmark) && is_control(point.benchmark));
                 });
    return part;
}

void find_changes(std::vector<Campaign>& campaigns) {
    for (std::size_t i = 1; i < campaigns.size(); ++i) {
        auto comparison = compare_sides(campaigns[i - 1].launches, campaigns[i].launches, {});
        judge_by_controls(comparison, control_changes(comparison), share_of_two_runs);
        for (auto& point : comparison.points)
            if (is_difference(point.verdict))
                campaigns[i].changed.push_back(std::move(point.point));
    }
}

/// The campaigns of a configuration, oldest first.
std::vector<Campaign> campaigns_of(Configuration const& configuration, std::string_view benchmark) {
    std::vector<Campaign> campaigns;
    for (auto const* const run : configuration.runs) {
        auto const started = started_at(run->launch.record.run);
        if (!started)
            continue;
        auto found = std::find_if(campaigns.begin(), campaigns.end(), [&](Campaign const& campaign) {
            return are_alike(campaign.launches.front(), run->launch);
        });
        if (found == campaigns.end())
            found = campaigns.insert(campaigns.end(), {.started = *started});
        found->launches.push_back(part_of_benchmark(run->launch, benchmark));
    }
    for (auto& campaign : campaigns) {
        campaign.points = campaign.launches.size() > 1
                              ? merged_launches(campaign.launches, states_of_launches(campaign.launches))
                              : campaign.launches.front().record.points;
        std::erase_if(campaign.points, [&](Record const& point) { return point.benchmark != benchmark; });
        for (std::size_t i = 0; i < campaign.points.size(); ++i)
            if (campaign.points[i].value)
                campaign.valued.try_emplace(place_of(campaign.points[i]), i);
    }
    find_changes(campaigns);
    return campaigns;
}

Record const* value_at(Campaign const& campaign, Record const& like) {
    auto const found = campaign.valued.find(place_of(like));
    return found == campaign.valued.end() ? nullptr : &campaign.points[found->second];
}

/// The points for which several campaigns of a curve have a value.
std::set<Place> repeated_places(std::span<std::vector<Campaign> const> curves) {
    std::set<Place> repeated;
    for (auto const& campaigns : curves) {
        std::set<Place> seen;
        for (auto const& campaign : campaigns)
            for (auto const& [place, index] : campaign.valued)
                if (!seen.insert(place).second)
                    repeated.insert(place);
    }
    return repeated;
}

/// The points that were measured at several times: all if they are few, otherwise the first, the middle and the last.
std::vector<Record> shown_points(std::span<std::vector<Campaign> const> curves) {
    auto left = repeated_places(curves);
    std::vector<Record> all;
    for (auto const& campaigns : curves)
        for (auto const& campaign : campaigns)
            for (auto const& point : campaign.points)
                if (left.erase(place_of(point)) > 0)
                    all.push_back(point);
    return all.size() <= 3 ? all : std::vector<Record>{all.front(), all[all.size() / 2], all.back()};
}

bool has_changed(Campaign const& campaign, Record const& point) {
    return std::any_of(campaign.changed.begin(), campaign.changed.end(), [&](PointName const& name) {
        return name.quantity == point.quantity &&
               (name.at == point.at || name.at == operation_name({.at = point.at}).at);
    });
}

}  // namespace

std::vector<HistoryPlot> history_of(std::span<Configuration const> configurations, std::string_view benchmark) {
    std::vector<std::vector<Campaign>> curves;
    for (auto const& configuration : configurations)
        curves.push_back(campaigns_of(configuration, benchmark));
    auto const points = shown_points(curves);
    if (points.empty())
        return {};
    std::vector<HistoryPlot> result;
    for (auto const& point : points) {
        page::Plot plot{
            .stem = fmt::format("history-{}", result.size()),
            .x = {.label = "date (UTC)", .unit = page::Unit::date},
            .y = {.label = std::string{measure::name(point.quantity)}, .unit = page::unit_of(point.quantity)},
            .mark = "changed"};
        for (std::size_t i = 0; i < curves.size(); ++i) {
            page::Curve curve{.label = configurations[i].label};
            for (auto const& campaign : curves[i])
                if (auto const* const found = value_at(campaign, point))
                    curve.points.push_back({static_cast<double>(campaign.started), *found->value, interval_of(*found),
                                            has_changed(campaign, *found)});
            if (!curve.points.empty())
                plot.curves.push_back(std::move(curve));
        }
        auto const where = point.at.text();
        result.push_back(
            {std::move(plot), fmt::format("{} of {}{} over the date of its launch", measure::name(point.quantity),
                                          benchmark, where.empty() ? "" : fmt::format(" ({})", where))});
    }
    return result;
}

}  // namespace measure::tool::archive
