// SPDX-License-Identifier: BSD-3-Clause
#include "measure/stopping.hpp"

#include "core/require.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>

namespace measure {

namespace {

constexpr char const* budget_reason = "budget";

std::int64_t valid(Progress const& p) { return std::ssize(p.samples); }

Decision limit_struck(Progress const& p, char const* reason) {
    return {p.samples.empty() ? StopVerdict::no_valid_samples : StopVerdict::exhausted, reason};
}

Decision exhausted_if(bool at_limit, Progress const& p) { return at_limit ? limit_struck(p, "exhausted") : Decision{}; }

/// Decision of a rule that requires an error of at most `wanted`. If the clock's part alone is larger, the measurement
/// ends as exhausted once the scatter is small enough: more samples cannot reduce the step of the clock.
/// \param scatter, clock  the two parts of the error  \param together  the error
Decision exact_if(double scatter, double clock, double together, double wanted, char const* reason) {
    if (together <= wanted)
        return {StopVerdict::converged, reason};
    if (scatter <= wanted && clock > wanted)
        return {StopVerdict::exhausted, std::string{stop::clock_reason}};
    return {};
}

/// As `exact_if`, for half the width of an interval relative to its value.
Decision narrow_if(std::optional<Interval> const& interval, double value, double width, Progress const& p) {
    if (!interval)
        return {};
    double const step = p.clock_step();
    auto const half = [](Interval const& each) { return (each.second - each.first) / 2; };
    return exact_if(half(*interval), step, half(with_clock_step(*interval, value, step)), width * std::abs(value),
                    "interval");
}

/// The state one stage earlier. The number of attempts at that time is not recorded: it is exact if the last stage had
/// no invalid sample, otherwise too large by their number.
Progress one_stage_earlier(Progress p) {
    p.attempts -= valid(p) - static_cast<std::int64_t>(p.previous);
    p.samples = p.samples.first(p.previous);
    return p;
}

}  // namespace

char const* name(StopVerdict verdict) noexcept {
    static constexpr std::array<char const*, 4> names{"more", "converged", "exhausted", "no_valid_samples"};
    return names[static_cast<std::size_t>(verdict)];
}

StoppingRule::StoppingRule() : StoppingRule{stop::Default{}} {}

namespace stop {

void Count::validate() const {
    require(valid >= 1 && at_least >= 0 && at_most >= 1,
            "a stop by count needs valid >= 1, at_least >= 0 and at_most >= 1");
}

Decision Count::operator()(Progress const& p) const {
    if (!p.samples.empty() && measure::valid(p) >= valid && p.attempts >= at_least)
        return {StopVerdict::converged, "count"};
    return exhausted_if(p.attempts >= at_most, p);
}

void RelativeError::validate() const {
    require(epsilon > 0 && at_least >= 0 && at_most >= 1,
            "a stop by relative error needs epsilon > 0, at_least >= 0 and at_most >= 1");
}

Decision RelativeError::operator()(Progress const& p) const {
    if (valid(p) >= at_least) {
        double const scatter = relative_standard_error(p.samples);
        double const value = mean(p.samples);
        double const clock = value == 0 ? 0 : least_error(p.clock_step()) / std::abs(value);
        if (auto decision = exact_if(scatter, clock, std::max(scatter, clock), epsilon, "relative_error");
            decision.verdict != StopVerdict::more)
            return decision;
    }
    return exhausted_if(p.attempts >= at_most, p);
}

void Skampi::validate() const {
    require(epsilon > 0 && at_least >= 0 && at_most >= 1 && trim >= 0 && trim <= 0.5,
            "a stop by the SKaMPI rule needs epsilon > 0, at_least >= 0, at_most >= 1 and a trim within [0, 0.5]");
}

Decision Skampi::operator()(Progress const& p) const {
    constexpr std::int64_t attempts_per_sample = 10;
    auto const value = mean(trimmed(p.samples, trim));
    auto const total =
        std::accumulate(p.samples.begin(), p.samples.end(), 0.0) * static_cast<double>(p.iterations_per_sample);
    // Not the error of the kept samples: those have lost their tails and would stop too early.
    if (valid(p) >= at_least && total >= p.resolution.count() / epsilon && value > 0 &&
        standard_error_population(p.samples) / value < epsilon)
        return {StopVerdict::converged, "relative_error"};
    return exhausted_if(valid(p) >= at_most || p.attempts / attempts_per_sample >= at_most, p);
}

void MedianInterval::validate() const {
    require(width > 0 && at_least >= 0 && confidence > 0 && confidence < 1,
            "a stop by the median's interval needs width > 0, at_least >= 0 and a confidence within (0, 1)");
}

Decision MedianInterval::operator()(Progress const& p) const {
    if (valid(p) < at_least)
        return {};
    return narrow_if(median_interval(p.samples, confidence), median(p.samples), width, p);
}

void QuantileInterval::validate() const {
    require(quantile > 0 && quantile < 1 && width > 0 && at_least >= 0 && at_most >= 1 && confidence > 0 &&
                confidence < 1,
            "a stop by a quantile's interval needs a quantile and a confidence within (0, 1), width > 0, at_least >= 0 "
            "and at_most >= 1");
}

Decision QuantileInterval::operator()(Progress const& p) const {
    if (valid(p) >= at_least)
        if (auto decision = narrow_if(quantile_interval(p.samples, quantile, confidence),
                                      measure::quantile(p.samples, quantile), width, p);
            decision.verdict != StopVerdict::more)
            return decision;
    return exhausted_if(p.attempts >= at_most, p);
}

void TimeLimit::validate() const { require(limit >= seconds{0}, "a stop by time needs a limit >= 0"); }

Decision TimeLimit::operator()(Progress const& p) const {
    if (p.spent < limit)
        return {};
    if (p.samples.empty())
        return limit_struck(p, budget_reason);
    return {StopVerdict::converged, budget_reason};
}

void AnyOf::validate() const {
    for (auto const& rule : rules)
        rule.validate();
}

Decision AnyOf::operator()(Progress const& p) const {
    Decision first;
    for (auto const& rule : rules) {
        auto decision = rule(p);
        if (decision == StopVerdict::converged && decision.reason == budget_reason && rules.size() > 1)
            decision.verdict = StopVerdict::exhausted;
        if (decision == StopVerdict::converged)
            return decision;
        if (first == StopVerdict::more)
            first = decision;
    }
    return first;
}

void AllOf::validate() const {
    for (auto const& rule : rules)
        rule.validate();
}

Decision AllOf::operator()(Progress const& p) const {
    Decision joint;
    for (auto const& rule : rules) {
        auto const decision = rule(p);
        if (decision == StopVerdict::more)
            return {};
        // Verdicts are in ascending order of severity.
        if (decision.verdict > joint.verdict || (decision.verdict == joint.verdict && decision.reason != budget_reason))
            joint = decision;
    }
    return joint;
}

void Sustained::validate() const { rule.validate(); }

Decision Sustained::operator()(Progress const& p) const {
    auto const decision = rule(p);
    bool const is_limit = decision.verdict != StopVerdict::converged && decision.reason != stop::clock_reason;
    if (!is_limit && rule(one_stage_earlier(p)).verdict != decision.verdict)
        return {};
    return decision;
}

void Default::validate() const {
    MedianInterval{width, at_least, confidence}.validate();
    require(at_most >= 1, "a stop by the default rule needs at_most >= 1");
}

Decision Default::operator()(Progress const& p) const {
    auto const decision = Sustained{MedianInterval{width, at_least, confidence}}(p);
    return decision.verdict != StopVerdict::more ? decision : exhausted_if(p.attempts >= at_most, p);
}

}  // namespace stop
}  // namespace measure
