// SPDX-License-Identifier: BSD-3-Clause
#include "llcbench/statistic.hpp"

#include "llcbench/points.hpp"

#include <measure/statistics.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace llcbench {

program::as::Choice<Statistic> statistic_option() {
    return {{{"mean", Statistic::mean}, {"median", Statistic::median}, {"best", Statistic::best}}};
}

namespace {

/// Time per execution, s.
std::vector<double> times_of(std::span<TimedBlock const> blocks) {
    std::vector<double> times;
    for (auto const& block : blocks)
        times.push_back(block.time / block.executions);
    return times;
}

/// Empty for fewer than two blocks.
std::optional<double> error_of_ratio(std::span<TimedBlock const> blocks, double ratio, double executions) {
    auto const n = static_cast<double>(blocks.size());
    if (blocks.size() < 2)
        return std::nullopt;
    double squares = 0;
    for (auto const& block : blocks) {
        double const off = block.time - ratio * block.executions;
        squares += off * off;
    }
    return std::sqrt(n / (n - 1) * squares) / executions;
}

}  // namespace

std::string_view name(Statistic statistic) noexcept {
    static constexpr std::array<std::string_view, 3> names{"mean", "median", "best"};
    return names[static_cast<std::size_t>(statistic)];
}

std::optional<double> number(measure::Record const& record, Statistic statistic) {
    if (!record.estimate || !record.value)
        return std::nullopt;
    switch (statistic) {
    case Statistic::median:
        return record.estimate->median;
    case Statistic::best:
        return measure::is_rate(record.quantity) ? record.estimate->max : record.estimate->min;
    case Statistic::mean:
        break;
    }
    return record.estimate->value;
}

void lead(measure::Record& record, Statistic statistic) {
    record.derived["statistic"] = name(statistic);
    if (record.value)
        record.value = number(record, statistic);
}

std::vector<TimedBlock> timed_blocks(measure::Record const& record) {
    std::vector<TimedBlock> blocks;
    for (auto const& sample : valid_samples(record)) {
        auto const executions = static_cast<double>(sample.iterations);
        blocks.push_back({.time = sample.time * executions, .executions = executions});
    }
    return blocks;
}

void pool(measure::Record& record, std::span<TimedBlock const> blocks) {
    double const step = record.estimate->clock_step;
    measure::Estimate e = *measure::estimate(times_of(blocks), {.trim = 0, .clock_step = step});
    double time = 0;
    double executions = 0;
    for (auto const& block : blocks) {
        time += block.time;
        executions += block.executions;
    }
    e.value = time / executions;
    record.value = e.value;
    if (auto const error = error_of_ratio(blocks, e.value, executions)) {
        double const own = std::max(*error, measure::least_error(step));
        e.standard_error_over_sqrt_n = e.standard_error_over_sqrt_kept = e.standard_error_winsorized = own;
        e.relative_standard_error = own / e.value;
        double const leading = *error * std::sqrt(static_cast<double>(e.samples) / e.effective_samples);
        double const half = leading * measure::student_quantile(e.confidence, std::max(e.effective_samples - 1, 1.0));
        e.standard_error = std::max(leading, measure::least_error(step));
        e.interval = measure::with_clock_step(measure::Interval{e.value - half, e.value + half}, e.value, step);
    }
    record.estimate = std::move(e);
}

std::optional<double> spread(std::span<TimedBlock const> blocks, double work) {
    auto each = times_of(blocks);
    if (work > 0)
        for (double& x : each)
            x = work / x;
    double const deviation = measure::standard_deviation(each);
    return std::isfinite(deviation) ? std::optional{deviation} : std::nullopt;
}

std::optional<double> deviation(measure::Record const& record) {
    return record.value ? record.derived.number({"deviation"}) : std::nullopt;
}

}  // namespace llcbench
