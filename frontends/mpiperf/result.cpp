// SPDX-License-Identifier: BSD-3-Clause
#include "result.hpp"

#include <measure/statistics.hpp>

#include <cstddef>
#include <variant>

namespace mpiperf {

namespace {

std::size_t epochs(measure::Record const& record) {
    auto const* const values = record.derived.find("epochs");
    auto const* const array = values != nullptr ? std::get_if<measure::Value::Array>(&values->data()) : nullptr;
    return array != nullptr ? array->size() : 1;
}

/// t * standard_error; 0 where fewer than two observations leave it undefined.
double half_width(double standard_error, std::int64_t observations, double confidence) {
    if (observations < 2)
        return 0;
    return measure::student_quantile(confidence, static_cast<double>(observations - 1)) * standard_error;
}

}  // namespace

Row row(measure::Record const& record) {
    Row r{.attempts = record.attempts, .valid = record.valid, .kept = record.kept};
    if (!record.estimate)
        return r;
    auto const& e = *record.estimate;
    r.mean = e.value;
    r.min = e.kept_min;
    r.max = e.kept_max;
    if (epochs(record) > 1) {
        r.standard_error = e.standard_error.value_or(0);
        r.error = e.interval ? (e.interval->second - e.interval->first) / 2 : 0;
    } else {
        r.standard_error = e.standard_error_ref.value_or(0);
        r.error = half_width(r.standard_error, record.kept, e.confidence);
    }
    return r;
}

Row row(measure::RankSummary const& rank, std::int64_t attempts, double confidence) {
    return {.attempts = attempts,
            .valid = rank.valid,
            .kept = rank.valid,
            .mean = rank.mean,
            .standard_error = rank.standard_error,
            .min = rank.min,
            .max = rank.max,
            .error = half_width(rank.standard_error, rank.valid, confidence)};
}

std::int64_t calls(measure::Record const& record) { return record.attempts * record.iterations_per_sample.value_or(1); }

}  // namespace mpiperf
