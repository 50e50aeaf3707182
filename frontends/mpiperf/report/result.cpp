// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/report/result.hpp"

#include <measure/statistics.hpp>

#include <cstddef>
#include <variant>

namespace mpiperf {

namespace {

std::size_t epochs(measure::Record const& record) {
    auto const* const array = record.derived.get<measure::Value::Array>("epochs");
    return array != nullptr ? array->size() : 1;
}

/// t * standard_error; no value for fewer than two observations.
std::optional<double> half_width(std::optional<double> const& standard_error, std::int64_t observations,
                                 double confidence) {
    if (!standard_error || observations < 2)
        return std::nullopt;
    return measure::student_quantile(confidence, static_cast<double>(observations - 1)) * *standard_error;
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
        r.standard_error = e.standard_error;
        if (e.interval)
            r.error = (e.interval->second - e.interval->first) / 2;
    } else {
        r.standard_error = e.standard_error_over_sqrt_kept;
        r.error = half_width(r.standard_error, record.kept, e.confidence);
    }
    return r;
}

std::int64_t calls(measure::Record const& record) { return record.attempts * record.iterations_per_sample.value_or(1); }

}  // namespace mpiperf
