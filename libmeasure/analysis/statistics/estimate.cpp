// SPDX-License-Identifier: BSD-3-Clause
#include "measure/error.hpp"
#include "measure/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace measure {

namespace {

/// A median below this many steps of the clock is limited to the grid of the clock.
constexpr double few_steps = 100;

/// Equal readings may differ by up to one step of the clock: spreads them evenly over it.
std::vector<double> spread_over_step(std::span<double const> xs, double step) {
    constexpr double rounding = 1e-3;  // in steps
    std::vector<double> spread(xs.begin(), xs.end());
    std::sort(spread.begin(), spread.end());
    for (std::size_t begin = 0, end = 0; begin < spread.size(); begin = end) {
        double const first = spread[begin];
        while (end < spread.size() && spread[end] - first <= rounding * step)
            ++end;
        auto const number = static_cast<double>(end - begin);
        for (std::size_t i = begin; i < end; ++i)
            spread[i] += step * ((static_cast<double>(i - begin) + 0.5) / number - 0.5);
    }
    return spread;
}

std::optional<double> unless_nan(double x) { return std::isnan(x) ? std::nullopt : std::optional{x}; }

/// \param observations  number of independent observations that the value is the mean of
std::optional<Interval> student_interval(double value, std::optional<double> error, double confidence,
                                         double observations) {
    if (!error)
        return std::nullopt;
    auto const half = student_quantile(confidence, std::max(observations - 1, 1.0)) * *error;
    return Interval{value - half, value + half};
}

Quantiles quantiles_of(std::span<double const> xs) {
    Quantiles result;
    for (double const p : {0.05, 0.25, 0.75, 0.95})
        if (auto const q = unless_nan(quantile(xs, p)))
            result[p] = *q;
    return result;
}

/// Median absolute deviation / median; empty if the median is 0 or there is no sample.
std::optional<double> relative_mad(std::span<double const> xs) {
    double const middle = median(xs);
    std::vector<double> distances;
    for (double const x : xs)
        distances.push_back(std::abs(x - middle));
    return middle != 0 ? unless_nan(median(distances) / std::abs(middle)) : std::nullopt;
}

/// The primary standard error, corrected for the effective number of independent samples.
std::optional<double> leading_error(Estimate const& e, ErrorKind kind) {
    switch (kind) {
    case ErrorKind::over_sqrt_n:
        return e.standard_error_over_sqrt_n;
    case ErrorKind::over_sqrt_kept:
        return e.standard_error_over_sqrt_kept;
    case ErrorKind::winsorized:
        break;
    }
    if (!e.standard_error_winsorized)
        return std::nullopt;
    return *e.standard_error_winsorized * std::sqrt(static_cast<double>(e.samples) / e.effective_samples);
}

/// Effective number of kept samples: the same share of the kept samples as of all samples.
double effective_kept(Estimate const& e, ErrorKind kind) {
    auto const kept = static_cast<double>(e.kept);
    return kind == ErrorKind::winsorized ? kept * e.effective_samples / static_cast<double>(e.samples) : kept;
}

void describe_all(Estimate& e, std::span<double const> xs) {
    e.median = median(xs);
    e.median_interval = median_interval(xs, e.confidence);
    e.min = *std::min_element(xs.begin(), xs.end());
    e.max = *std::max_element(xs.begin(), xs.end());
    e.quantiles = quantiles_of(xs);
    e.samples = xs.size();
    e.relative_standard_error = unless_nan(relative_standard_error(xs));
    e.relative_mad = relative_mad(xs);
    e.skewness = skewness(xs);
    e.autocorrelation = autocorrelation(xs);
    e.effective_samples = effective_samples(xs.size(), e.autocorrelation);
}

void describe_kept(Estimate& e, std::span<double const> xs, double trim) {
    auto const kept = trimmed(xs, trim);
    e.kept = kept.size();
    e.value = kept.empty() ? e.median : mean(kept);
    e.kept_min = kept.empty() ? e.median : kept.front();
    e.kept_max = kept.empty() ? e.median : kept.back();
    e.standard_error_over_sqrt_n = unless_nan(trimmed_standard_error(xs, trim, ErrorKind::over_sqrt_n));
    e.standard_error_over_sqrt_kept = unless_nan(trimmed_standard_error(xs, trim, ErrorKind::over_sqrt_kept));
    e.standard_error_winsorized = unless_nan(trimmed_standard_error(xs, trim, ErrorKind::winsorized));
}

using ErrorField = std::optional<double> Estimate::*;

/// Standard error of the mean of the epochs' values, from their own standard errors; empty if an epoch has none.
std::optional<double> error_within(std::span<Estimate const> epochs, ErrorField field) {
    double squares = 0;
    for (auto const& e : epochs) {
        if (!(e.*field))
            return std::nullopt;
        squares += *(e.*field) * *(e.*field);
    }
    return std::sqrt(squares) / static_cast<double>(epochs.size());
}

std::vector<double> collect(std::span<Estimate const> epochs, double Estimate::*field) {
    std::vector<double> result;
    for (auto const& e : epochs)
        result.push_back(e.*field);
    return result;
}

}  // namespace

Quantiles::Quantiles() = default;
Quantiles::Quantiles(std::initializer_list<value_type> list) {
    for (auto const& [probability, x] : list)
        (*this)[probability] = x;
}
Quantiles::Quantiles(Quantiles const&) = default;
Quantiles::Quantiles(Quantiles&&) noexcept = default;
Quantiles& Quantiles::operator=(Quantiles const&) = default;
Quantiles& Quantiles::operator=(Quantiles&&) noexcept = default;
Quantiles::~Quantiles() = default;

bool Quantiles::empty() const noexcept { return entries_.empty(); }
std::size_t Quantiles::size() const noexcept { return entries_.size(); }
void Quantiles::clear() noexcept { entries_.clear(); }
Quantiles::value_type* Quantiles::begin() noexcept { return entries_.data(); }
Quantiles::value_type* Quantiles::end() noexcept { return entries_.data() + entries_.size(); }
Quantiles::value_type const* Quantiles::begin() const noexcept { return entries_.data(); }
Quantiles::value_type const* Quantiles::end() const noexcept { return entries_.data() + entries_.size(); }

Quantiles::value_type const* Quantiles::find(double probability) const noexcept {
    auto const* const found = std::ranges::lower_bound(begin(), end(), probability, {}, &value_type::first);
    return found != end() && found->first == probability ? found : end();
}

double Quantiles::at(double probability) const {
    auto const* const found = find(probability);
    if (found == end())
        throw std::out_of_range(fmt::format("no quantile {} was computed", probability));
    return found->second;
}

double& Quantiles::operator[](double probability) {
    auto const place = std::ranges::lower_bound(entries_, probability, {}, &value_type::first);
    if (place != entries_.end() && place->first == probability)
        return place->second;
    return entries_.insert(place, {probability, 0.0})->second;
}

[[gnu::visibility("default")]] bool operator==(Quantiles const& a, Quantiles const& b) noexcept {
    return a.entries_ == b.entries_;
}

std::optional<Estimate> estimate(std::span<double const> xs, EstimateRule const& rule) {
    if (xs.empty())
        return std::nullopt;
    Estimate e;
    e.confidence = rule.confidence;
    describe_all(e, xs);
    describe_kept(e, xs, rule.trim);
    e.standard_error = leading_error(e, rule.error);
    e.interval = student_interval(e.value, e.standard_error, e.confidence, effective_kept(e, rule.error));
    if (std::abs(e.median) < few_steps * rule.clock_step)
        e.middle = mean(trimmed(spread_over_step(xs, rule.clock_step), 0.25));
    return with_clock_step(std::move(e), rule.clock_step);
}

double least_error(double clock_step) noexcept { return clock_step / std::sqrt(12.0); }

std::optional<double> quartile_deviation(Quantiles const& quantiles) {
    constexpr double to_deviation = 0.7413;
    auto const low = quantiles.find(0.25);
    auto const high = quantiles.find(0.75);
    if (low == quantiles.end() || high == quantiles.end())
        return std::nullopt;
    return to_deviation * std::abs(high->second - low->second);
}

double step_in_difference(double clock_step, double deviation) noexcept {
    if (!(clock_step > 0))
        return 0;
    constexpr double least = 0.05;
    double const steps = deviation / clock_step;
    double const own = std::max(steps * steps - 1.0 / 12, 0.0);
    return clock_step * std::max(std::exp(-2 * std::numbers::pi * std::numbers::pi * own), least);
}

std::optional<Interval> interval_to_show(Estimate const& estimate) noexcept {
    bool const is_too_wide = estimate.interval && estimate.interval->first < 0 && estimate.value >= 0;
    return is_too_wide ? std::nullopt : estimate.interval;
}

Interval with_clock_step(Interval const& interval, double value, double clock_step) noexcept {
    return {value - std::hypot(value - interval.first, clock_step),
            value + std::hypot(interval.second - value, clock_step)};
}

Estimate with_clock_step(Estimate e, double clock_step) {
    e.clock_step = clock_step;
    if (!(clock_step > 0))
        return e;
    double const least = least_error(clock_step);
    for (auto* const error : {&e.standard_error, &e.standard_error_over_sqrt_n, &e.standard_error_over_sqrt_kept,
                              &e.standard_error_winsorized})
        if (*error)
            *error = std::max(**error, least);
    if (e.relative_standard_error && e.value != 0)
        e.relative_standard_error = std::max(*e.relative_standard_error, least / std::abs(e.value));
    if (e.interval)
        e.interval = with_clock_step(*e.interval, e.value, clock_step);
    if (e.median_interval)
        e.median_interval = with_clock_step(*e.median_interval, e.median, clock_step);
    return e;
}

Estimate join_epochs(std::span<Estimate const> epochs, std::span<double const> pooled, double confidence) {
    if (epochs.empty())
        throw UsageError("join_epochs: needs at least one epoch");
    if (epochs.size() == 1)
        return epochs.front();

    auto const values = collect(epochs, &Estimate::value);
    auto const medians = collect(epochs, &Estimate::median);
    Estimate joined = epochs.front();
    joined.value = mean(values);
    joined.standard_error = standard_error(values);
    joined.confidence = confidence;
    joined.interval =
        student_interval(joined.value, joined.standard_error, confidence, static_cast<double>(epochs.size()));
    joined.median = median(medians);
    joined.median_interval = median_interval(medians, confidence);
    joined.quantiles = quantiles_of(pooled);
    joined.relative_standard_error = unless_nan(relative_standard_error(pooled));
    joined.relative_mad = relative_mad(pooled);
    joined.skewness = mean(collect(epochs, &Estimate::skewness));
    joined.autocorrelation = mean(collect(epochs, &Estimate::autocorrelation));
    for (auto const field : {&Estimate::standard_error_over_sqrt_n, &Estimate::standard_error_over_sqrt_kept,
                             &Estimate::standard_error_winsorized})
        joined.*field = error_within(epochs, field);
    if (std::all_of(epochs.begin(), epochs.end(), [](auto const& e) { return e.middle.has_value(); })) {
        std::vector<double> middles;
        for (auto const& e : epochs)
            middles.push_back(*e.middle);
        joined.middle = mean(middles);
    } else {
        joined.middle.reset();
    }
    for (auto const& e : epochs.subspan(1)) {
        joined.clock_step = std::max(joined.clock_step, e.clock_step);
        joined.min = std::min(joined.min, e.min);
        joined.max = std::max(joined.max, e.max);
        joined.kept_min = std::min(joined.kept_min, e.kept_min);
        joined.kept_max = std::max(joined.kept_max, e.kept_max);
        joined.samples += e.samples;
        joined.kept += e.kept;
        joined.effective_samples += e.effective_samples;
    }
    return with_clock_step(std::move(joined), joined.clock_step);
}

}  // namespace measure
