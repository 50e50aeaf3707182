// SPDX-License-Identifier: BSD-3-Clause
/// The record of a region: joins the data of all ranks. Pure functions.
#pragma once

#include "measure/record.hpp"
#include "measure/timer_info.hpp"
#include "regions/region_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace measure::detail {

/// Data of one rank about a path. Times in seconds. Sent to the root unchanged.
struct RegionRow {
    std::int64_t entries = 0;
    std::int64_t valid = 0;  ///< number of valid entries; the following members refer to them
    std::int64_t left_open = 0;
    double total = 0;
    double exclusive = 0;
    double mean = 0;
    double standard_error = std::numeric_limits<double>::quiet_NaN();
    double min = 0;
    double median = 0;
    double max = 0;
    double autocorrelation = 0;
    double effective = 0;
};

inline RegionRow row_of(RegionPath const& path, double tick) {
    RunningStatistics const& tally = path.tally;
    std::int64_t const entries = tally.count() + tally.backward();
    if (tally.count() == 0)
        return {.entries = entries, .left_open = path.left_open};
    auto const low = static_cast<double>(tally.min());
    auto const high = static_cast<double>(tally.max());
    std::vector<double> const counts(tally.bins().begin(), tally.bins().end());
    return {.entries = entries,
            .valid = tally.count(),
            .left_open = path.left_open,
            .total = static_cast<double>(tally.total()) * tick,
            .exclusive = static_cast<double>(path.exclusive) * tick,
            .mean = tally.mean() * tick,
            .standard_error = tally.standard_error() * tick,
            .min = low * tick,
            .median = bin_quantile(counts, 0.5, low, high) * tick,
            .max = high * tick,
            .autocorrelation = tally.autocorrelation(),
            .effective = tally.effective()};
}

/// The histogram in nanoseconds, a unit common to the clocks of all ranks. [LogBins::size]
inline std::vector<double> nanosecond_bins(RunningStatistics const& tally, double tick) {
    std::vector<double> bins(LogBins::size, 0.0);
    for (std::size_t i = 0; i < bins.size(); ++i)
        if (std::int64_t const n = tally.bins()[i]; n > 0)
            bins[LogBins::bin(std::llround(LogBins::centre(i) * tick * 1e9))] += static_cast<double>(n);
    return bins;
}

/// Data of all ranks about a path, on the root.
struct RegionView {
    std::string path{};
    std::vector<RegionRow> rows{};               ///< [ranks]
    std::span<double const> bins{};              ///< [LogBins::size], all ranks, nanoseconds
    std::vector<std::vector<double>> samples{};  ///< [ranks][kept], s; empty if no samples are kept
    seconds empty{0};                            ///< measured time of an empty region
    seconds step{0};                             ///< step of the timer, by `seen_step`
};

namespace region {

inline Value over(std::vector<RegionRow> const& rows, auto member) {
    double sum = 0;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (auto const& row : rows) {
        auto const x = static_cast<double>(row.*member);
        sum += x;
        low = std::min(low, x);
        high = std::max(high, x);
    }
    return Value::Object{{"min", low}, {"mean", sum / static_cast<double>(rows.size())}, {"max", high}};
}

/// Mean over all entries of all ranks. The correlation between ranks is unknown, so the standard errors of the ranks'
/// means are averaged, weighted by their entries. This is the largest possible error of the mean. There is no error if
/// a rank has only one entry.
inline Estimate estimate_of(RegionView const& view) {
    Estimate e{.min = std::numeric_limits<double>::infinity()};
    double entries = 0;
    double fewest = std::numeric_limits<double>::infinity();
    double error = 0;
    std::size_t ranks = 0;
    for (auto const& row : view.rows) {
        if (row.valid == 0)
            continue;
        auto const n = static_cast<double>(row.valid);
        ++ranks;
        entries += n;
        e.value += row.total;
        error += n * row.standard_error;
        e.min = std::min(e.min, row.min);
        e.max = std::max(e.max, row.max);
        e.autocorrelation += row.autocorrelation;
        e.effective_samples += row.effective;
        fewest = std::min(fewest, row.effective);
    }
    e.value /= entries;
    e.autocorrelation /= static_cast<double>(ranks);
    e.samples = e.kept = static_cast<std::size_t>(entries);
    if (std::isfinite(error)) {
        e.standard_error = error / entries;
        double const half = student_quantile(e.confidence, std::max(fewest - 1, 1.0)) * *e.standard_error;
        e.interval = Interval{e.value - half, e.value + half};
    }
    auto const at = [&](double p) { return bin_quantile(view.bins, p, e.min * 1e9, e.max * 1e9) * 1e-9; };
    e.median = at(0.5);
    for (double const p : {0.05, 0.25, 0.75, 0.95})
        e.quantiles[p] = at(p);
    return e;
}

inline RankSpread means_over_ranks(std::vector<RegionRow> const& rows) {
    RankSpread over{.min = std::numeric_limits<double>::infinity(), .mean = 0, .max = 0};
    double ranks = 0;
    for (auto const& row : rows) {
        if (row.valid == 0)
            continue;
        ++ranks;
        over.min = std::min(over.min, row.mean);
        over.mean += row.mean;
        over.max = std::max(over.max, row.mean);
    }
    over.mean /= ranks;
    return over;
}

inline Value by_rank(RegionView const& view) {
    Value::Array list;
    for (std::size_t r = 0; r < view.rows.size(); ++r) {
        auto const& row = view.rows[r];
        if (row.valid == 0)
            continue;
        Value entry = Value::Object{{"rank", r},          {"valid", row.valid},
                                    {"total", row.total}, {"exclusive", row.exclusive},
                                    {"mean", row.mean},   {"standard_error", row.standard_error},
                                    {"min", row.min},     {"median", row.median},
                                    {"max", row.max}};
        if (!view.samples.empty())
            entry["samples"] = Value::Array(view.samples[r].begin(), view.samples[r].end());
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace region

/// \param view  a path that at least one rank entered
inline Record region_record(RegionView const& view) {
    auto const& rows = view.rows;
    auto const count = [&](auto member) {
        std::int64_t sum = 0;
        for (auto const& row : rows)
            sum += row.*member;
        return sum;
    };
    auto const slash = view.path.rfind('/');
    Value const total = region::over(rows, &RegionRow::total);
    double const mean = std::get<double>(total.find("mean")->data());
    double const longest = std::get<double>(total.find("max")->data());

    Record record{.benchmark = view.path, .at = {{"ranks", static_cast<std::int64_t>(rows.size())}}};
    record.attempts = count(&RegionRow::entries);
    record.valid = record.kept = count(&RegionRow::valid);
    record.invalid.backward = record.attempts - record.valid;
    record.elapsed = seconds{longest};
    record.derived["name"] = view.path.substr(slash == std::string::npos ? 0 : slash + 1);
    if (slash != std::string::npos)
        record.derived["parent"] = view.path.substr(0, slash);
    record.derived["entered_by"] =
        std::count_if(rows.begin(), rows.end(), [](auto const& row) { return row.entries > 0; });
    record.derived["entries"] = region::over(rows, &RegionRow::entries);
    record.derived["total"] = total;
    record.derived["exclusive"] = region::over(rows, &RegionRow::exclusive);
    record.derived["imbalance"] = mean > 0 ? Value{longest / mean} : Value{};
    if (record.valid > 0) {
        auto const estimate = with_clock_step(region::estimate_of(view), view.step.count());
        record.value = estimate.value;
        record.estimate = estimate;
        record.over_ranks = region::means_over_ranks(rows);
        record.derived["autocorrelation"] = estimate.autocorrelation;
        record.derived["effective_samples"] = estimate.effective_samples;
        if (is_near_timer_floor(seconds{estimate.value}, view.empty, view.step))
            record.flag(near_timer_floor);
    } else {
        record.status = PointStatus::no_valid_samples;
        record.message = "the clock went back in each entry";
    }
    record.derived["by_rank"] = region::by_rank(view);

    if (std::any_of(rows.begin(), rows.end(), [](auto const& row) {
            return row.valid > 2 && is_autocorrelated(static_cast<std::size_t>(row.valid), row.autocorrelation);
        }))
        record.flag("autocorrelated");
    if (count(&RegionRow::left_open) > 0)
        record.flag("left_open");
    if (record.invalid.backward > 0)
        record.flag("clock_stepped");
    return record;
}

}  // namespace measure::detail
