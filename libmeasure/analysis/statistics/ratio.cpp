// SPDX-License-Identifier: BSD-3-Clause
#include "measure/launches.hpp"
#include "measure/record.hpp"
#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace measure {

namespace {

/// The observations that the value of a record is computed from.
struct Observations {
    std::int64_t number = 0;
    double worth = 0;  ///< effective number of independent observations
};

/// Counts launches or epochs if there are several, otherwise samples.
Observations observations(Record const& record) {
    for (auto const* const list : {"launch_medians", "epochs"}) {
        auto const* const array = record.derived.get<Value::Array>(list);
        if (array != nullptr && (array->size() > 1 || is_merged(record))) {
            auto const known = std::count_if(array->begin(), array->end(), [](Value const& v) { return !v.is_null(); });
            return {.number = known, .worth = static_cast<double>(known)};
        }
    }
    Observations found{.number = record.kept, .worth = static_cast<double>(record.kept)};
    if (auto const& e = record.estimate; e && e->samples > 0 && e->effective_samples > 0)
        found.worth *= std::min(1.0, e->effective_samples / static_cast<double>(e->samples));
    return found;
}

}  // namespace

Ratio with_clock_step(Ratio ratio, double over, double under) noexcept {
    double const step = std::abs(ratio.value) * std::hypot(over, under);
    if (ratio.standard_error)
        *ratio.standard_error = std::max(*ratio.standard_error, least_error(step));
    if (ratio.interval)
        ratio.interval = with_clock_step(*ratio.interval, ratio.value, step);
    return ratio;
}

double relative_clock_step(Estimate const& estimate) noexcept {
    return estimate.value != 0 ? estimate.clock_step / std::abs(estimate.value) : 0;
}

std::optional<Ratio> ratio(Record const& over, Record const& under) {
    if (!over.value || !under.value || *under.value <= 0)
        return std::nullopt;
    Ratio r{.value = *over.value / *under.value};
    auto const a = estimate_of_value(over);
    auto const b = estimate_of_value(under);
    if (!a || !b || !a->standard_error || !b->standard_error || a->value <= 0)
        return r;
    r.confidence = a->confidence;
    r.standard_error = r.value * std::hypot(*a->standard_error / a->value, *b->standard_error / b->value);
    auto const of_over = observations(over);
    auto const of_under = observations(under);
    if (std::min(of_over.number, of_under.number) < 2)
        return r;
    double const degrees = std::max(std::min(of_over.worth, of_under.worth) - 1, 1.0);
    double const width = student_quantile(r.confidence, degrees) * *r.standard_error;
    r.interval = {r.value - width, r.value + width};
    return with_clock_step(r, relative_clock_step(*a), relative_clock_step(*b));
}

std::optional<Ratio> ratio_in_turn(Record const& over, Record const& under, std::optional<Ratio> const& times) {
    auto const plain = ratio(over, under);
    if (!plain || !times || is_rate(over.quantity) != is_rate(under.quantity))
        return plain;
    if (is_rate(over.quantity))
        return inverse(*times);
    return over.quantity == Quantity::time && under.quantity == Quantity::time ? times : plain;
}

Value describe(Ratio const& ratio, std::string_view of) {
    auto const& interval = ratio.interval;
    return Value::Object{{"of", of},
                         {"value", ratio.value},
                         {"standard_error", ratio.standard_error},
                         {"interval", interval ? Value{Value::Array{interval->first, interval->second}} : Value{}},
                         {"confidence", ratio.confidence}};
}

}  // namespace measure
