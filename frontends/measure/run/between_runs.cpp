// SPDX-License-Identifier: BSD-3-Clause
#include "run/between_runs.hpp"

#include "run/sweep.hpp"

#include <measure/launches.hpp>
#include <measure/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

namespace measure::tool::runs {

namespace {

constexpr std::size_t drift_blocks = 4;
constexpr std::size_t fewest_for_drift = 12;

/// A limit for differences: they count if `is_met` holds and they exceed `share`. Otherwise `why` is the reason given.
struct Bar {
    bool is_met = true;
    double share = 0;
    std::string why{};
};

Bar bar_of_history(std::vector<double> const& ratios, double level, double of_controls) {
    std::vector<double> logs;
    for (double const ratio : ratios)
        logs.push_back(std::log(ratio));
    auto const k = static_cast<double>(logs.size());
    double const limit =
        measure::student_quantile(1 - level, k - 1) * measure::standard_deviation(logs) * std::sqrt(1 + 1 / k) +
        std::log1p(of_controls);
    double const share = std::expm1(limit);
    return {.is_met = std::abs(measure::mean(logs)) > limit,
            .share = share,
            .why = fmt::format("within the {} % by which {} earlier runs differ", in_percent(share), logs.size())};
}

Bar bar_of(PointName const& operation, std::vector<double> const& ratios, TwoRuns const& runs, double level) {
    if (ratios.size() >= runs_that_tell)
        return bar_of_history(ratios, level, runs.of_controls);
    auto const way_out = fmt::format("{} earlier runs or --against would decide", runs_that_tell);
    if (runs.is_unsteady)
        return {.is_met = false, .why = fmt::format("the controls vary without distinct states; {}", way_out)};
    double const moved = std::max(drift(runs.before, operation.benchmark), drift(runs.now, operation.benchmark));
    double const share = (1 + std::max(moved, share_of_two_runs)) * (1 + runs.of_controls) - 1;
    auto const percent = in_percent(share);
    if (moved > share_of_two_runs)
        return {.share = share, .why = fmt::format("within the {} % by which it drifts during a run", percent)};
    return {.share = share, .why = fmt::format("within the {} % by which two runs may differ; {}", percent, way_out)};
}

void hold(ComparedPoint& point, Bar const& bar) {
    if (!is_difference(point.verdict) || (bar.is_met && factor(point) > 1 + bar.share))
        return;
    point.leave_undecided(Verdict::unclear, bar.why);
}

}  // namespace

double drift(std::span<Launch const> launches, std::string_view operation) {
    // For each launch: the logarithm of the mean ratio of its points to their medians over all launches.
    std::map<SweptPoint, std::vector<double>> all;
    for (auto const& launch : launches)
        for (auto const& record : launch.record.points)
            if (record.benchmark == operation)
                if (auto const e = measure::estimate_of_value(record); e && e->median > 0)
                    all[point_of(record)].push_back(e->median);
    std::vector<double> course;
    for (auto const& launch : launches) {
        std::vector<double> shares;
        for (auto const& record : launch.record.points)
            if (auto const e = measure::estimate_of_value(record); record.benchmark == operation && e && e->median > 0)
                shares.push_back(e->median / measure::median(all[point_of(record)]));
        if (!shares.empty())
            course.push_back(std::log(measure::log_mean(shares)));
    }
    if (course.size() < fewest_for_drift)
        return 0;
    std::vector<double> blocks;
    std::vector<double> within;
    for (std::size_t block = 0; block < drift_blocks; ++block) {
        auto const begin = course.begin() + static_cast<std::ptrdiff_t>(block * course.size() / drift_blocks);
        auto const end = course.begin() + static_cast<std::ptrdiff_t>((block + 1) * course.size() / drift_blocks);
        std::vector<double> const part(begin, end);
        double const middle = measure::median(part);
        blocks.push_back(middle);
        for (double const value : part)
            within.push_back(std::abs(value - middle));
    }
    // Converts median distances to standard deviations, and gives the standard error of a block's median.
    constexpr double to_deviation = 1.4826;
    constexpr double of_median = 1.2533;
    constexpr double quantile = 1.96;
    double const error = of_median * to_deviation * measure::median(within) /
                         std::sqrt(static_cast<double>(course.size()) / drift_blocks);
    double const seen = measure::standard_deviation(blocks);
    double const moved = std::sqrt(std::max(seen * seen - error * error, 0.0));
    return std::expm1(quantile * std::sqrt(2.0) * moved);
}

bool is_same_place(Launch const& a, Launch const& b) {
    return a.record.run.ranks == b.record.run.ranks && host_names(a.record.run) == host_names(b.record.run);
}

bool has_same_settings(Launch const& a, Launch const& b) {
    auto const settings = [](Launch const& launch) {
        auto all = launch.record.run.mpi_settings;
        if (all)
            std::erase_if(*all, [](measure::Setting const& setting) { return setting.name == "library_file"; });
        return all;
    };
    return settings(a) == settings(b);
}

bool is_same_kind(Launch const& a, Launch const& b) {
    return is_same_place(a, b) && a.record.run.mpi_library == b.record.run.mpi_library &&
           a.record.run.mpi_settings == b.record.run.mpi_settings;
}

std::vector<std::optional<double>> judge_between_runs(Comparison& comparison, TwoRuns const& runs, double alpha) {
    std::vector<std::optional<double>> limits;
    double const level = alpha / static_cast<double>(std::max<std::size_t>(comparison.operations.size(), 1));
    for (std::size_t i = 0; i < comparison.operations.size(); ++i) {
        auto& operation = comparison.operations[i];
        auto const bar = bar_of(operation.point, runs.ratios[i], runs, level);
        limits.push_back(bar.share > 0 ? std::optional{bar.share} : std::nullopt);
        operation.between_runs = limits.back().value_or(std::numeric_limits<double>::infinity());
        hold(operation, bar);
        for (auto& point : comparison.points)
            if (point.point.benchmark == operation.point.benchmark && point.point.quantity == operation.point.quantity)
                hold(point, bar);
    }
    return limits;
}

}  // namespace measure::tool::runs
