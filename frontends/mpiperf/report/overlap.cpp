// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/report/overlap.hpp"

#include <measure/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <variant>

namespace mpiperf {

namespace {

using measure::RankSummary;
using measure::Value;

/// A blocking time must be at least this many clock readings, or the overlap is meaningless.
constexpr double readings_at_least = 10;

Known known(RankSummary const& rank) { return {rank.mean, rank.standard_error.value_or(0)}; }

Known known(measure::Estimate const& e) { return {e.value, e.standard_error.value_or(0)}; }

measure::RankSpread over(std::vector<double> const& values) {
    auto const [low, high] = std::minmax_element(values.begin(), values.end());
    return {*low, measure::mean(values), *high};
}

Value object(measure::RankSpread const& o) { return Value::Object{{"min", o.min}, {"mean", o.mean}, {"max", o.max}}; }

}  // namespace

double BlockingTime::longest() const {
    double longest = 0;
    for (auto const& rank : ranks)
        longest = std::max(longest, rank.mean);
    return longest;
}

BlockingTime blocking_time(measure::Measurement const& m) { return {m.estimate, m.ranks}; }

std::vector<double> compute_times(double blocking, int steps) {
    if (!(blocking > 0))
        return {0};
    std::vector<double> times;
    for (int k = steps == 1 ? 1 : 0; k <= steps; ++k)
        times.push_back(2 * blocking * k / steps);
    return times;
}

Known overlap(Known const& total, double compute, Known const& blocking) {
    double const share = (total.value - compute) / blocking.value;
    return {1 - share, std::hypot(total.error, share * blocking.error) / blocking.value};
}

std::optional<Overlap> overlap(measure::Measurement const& total, double compute, BlockingTime const& blocking,
                               measure::seconds floor) {
    double const shortest = readings_at_least * floor.count();
    if (!total.estimate || !blocking.joined || blocking.longest() <= 0 || blocking.longest() < shortest)
        return std::nullopt;
    Overlap result;
    // The error of the joined times includes what samples have in common, and the spread over epochs if there are
    // several.
    double error = overlap(known(*total.estimate), compute, known(*blocking.joined)).error;
    std::vector<double> means;
    std::vector<double> medians;
    for (std::size_t i = 0; i < total.ranks.size(); ++i) {
        RankSummary const& rank = total.ranks[i];
        RankSummary const& alone = blocking.ranks[i];
        result.ranks.emplace_back();
        if (alone.mean <= 0 || alone.median <= 0 || alone.mean < shortest)
            continue;
        auto const by_mean = overlap(known(rank), compute, known(alone));
        result.ranks.back() = by_mean.value;
        error = std::max(error, by_mean.error);
        means.push_back(by_mean.value);
        medians.push_back(overlap({rank.median}, compute, {alone.median}).value);
    }
    if (means.empty())
        return std::nullopt;
    if (total.estimate->standard_error && blocking.joined->standard_error)
        result.standard_error = error;
    result.means = over(means);
    result.medians = over(medians);
    return result;
}

void add_overlap(measure::Record& record, BlockingTime const& blocking, std::optional<Overlap> const& overlap) {
    record.derived["blocking_time"] = blocking.longest();
    Value value;
    if (overlap) {
        value = object(overlap->means);
        value["standard_error"] = overlap->standard_error;
        value["medians"] = object(overlap->medians);
    }
    record.derived["overlap"] = std::move(value);
    auto const* const found = record.derived.find("by_rank");
    if (found == nullptr)
        return;
    auto by_rank = std::get<Value::Array>(found->data());
    for (std::size_t i = 0; i < by_rank.size(); ++i) {
        by_rank[i]["blocking_time"] = blocking.ranks[i].mean;
        by_rank[i]["overlap"] = overlap ? Value{overlap->ranks[i]} : Value{};
    }
    record.derived["by_rank"] = std::move(by_rank);
}

}  // namespace mpiperf
