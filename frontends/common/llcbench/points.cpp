// SPDX-License-Identifier: BSD-3-Clause
#include "llcbench/points.hpp"

#include <measure/statistics.hpp>

#include <cstdint>
#include <iterator>
#include <utility>

namespace llcbench {

measure::Axis repetitions(int n) {
    measure::Axis axis{"repetition", {}};
    for (std::int64_t i = 0; i < n; ++i)
        axis.values.emplace_back(i);
    return axis;
}

measure::Measurement measurement(std::vector<measure::Sample> samples, measure::Decision decision,
                                 measure::seconds elapsed, double clock_step) {
    measure::Measurement m{
        .verdict = decision.verdict, .stop_reason = std::move(decision.reason), .elapsed = elapsed.count()};
    std::vector<double> times;
    for (auto const& sample : samples) {
        m.invalid.add(sample.invalid);
        if (sample.invalid == measure::InvalidReason::none)
            times.push_back(sample.time);
    }
    m.attempts = std::ssize(samples);
    m.valid = m.kept = std::ssize(times);
    if (!times.empty())
        m.estimate = measure::estimate(times, {.trim = 0, .clock_step = clock_step});
    else
        m.verdict = measure::StopVerdict::no_valid_samples;
    m.samples = std::move(samples);
    return m;
}

std::vector<measure::Sample> valid_samples(measure::Record const& record) {
    auto samples = record.samples;
    std::erase_if(samples, [](auto const& sample) { return sample.invalid != measure::InvalidReason::none; });
    return samples;
}

measure::Record too_short(measure::Record record) {
    record.status = measure::PointStatus::no_valid_samples;
    record.message = "too short for the timer";
    record.value = std::nullopt;
    record.estimate = std::nullopt;
    record.over_ranks = std::nullopt;
    record.valid = record.kept = 0;
    return record;
}

}  // namespace llcbench
