// SPDX-License-Identifier: BSD-3-Clause
#include "cachebench/result.hpp"

#include "llcbench/points.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cachebench {

using measure::Bytes;

namespace {

constexpr std::int64_t unrolled = 8;

/// Standard deviation of the blocks' rates, or of the times of a load for latency.
std::optional<double> deviation_of(std::span<llcbench::TimedBlock const> blocks, Counts const& counts) {
    auto const of_passes = llcbench::spread(blocks, static_cast<double>(counts.counted));
    return of_passes && counts.counted == 0 ? *of_passes / static_cast<double>(counts.references) : of_passes;
}

}  // namespace

Counts counts(Test const& test, Bytes width, Bytes bytes) {
    std::int64_t const elements = bytes / width;
    std::int64_t const n = test.tuned ? elements / unrolled * unrolled : elements;
    switch (test.work) {
    case Work::read:
    case Work::write:
    case Work::stream:
        return {n, n * width, n, n * width};
    case Work::modify:
    case Work::copy:
        return {n, n * width, 2 * n, 2 * n * width};
    case Work::triad:
        return {n, n * width, 3 * n, 3 * n * width};
    case Work::memory_set:
        return {bytes, bytes, bytes, bytes};
    case Work::memory_copy:
        return {bytes, bytes, 2 * bytes, 2 * bytes};
    case Work::latency:
        break;
    }
    return {bytes / node, bytes / node * node, bytes / node, 0};
}

Bytes smallest(Test const& test, Bytes width) {
    return test.work == Work::latency ? 2 * node : test.tuned ? unrolled * width : width;
}

measure::Record result(measure::Record record, Counts const& counts, llcbench::Statistic statistic,
                       std::optional<double> frequency) {
    record.derived["bytes_touched"] = counts.touched;
    record.derived["passes"] = passes(record);
    if (!record.value)
        return record;
    auto const blocks = llcbench::timed_blocks(record);
    llcbench::pool(record, blocks);
    bool const is_rate = counts.counted > 0;
    record =
        is_rate ? measure::as_rate(std::move(record), measure::Quantity::bandwidth, static_cast<double>(counts.counted))
                : measure::scaled(std::move(record), 1 / static_cast<double>(counts.references));
    if (is_rate)
        record.derived["best_bandwidth"] = llcbench::number(record, llcbench::Statistic::best);
    record.derived["deviation"] = deviation_of(blocks, counts);
    llcbench::lead(record, statistic);
    if (record.over_ranks)
        record.over_ranks = measure::RankSpread{*record.value, *record.value, *record.value};
    record.derived["time_per_access"] = *nanoseconds(record, counts) * 1e-9;
    if (is_rate)
        record.derived["bytes_per_cycle"] = frequency ? std::optional{*record.value / *frequency} : std::nullopt;
    return record;
}

std::optional<double> nanoseconds(measure::Record const& record, Counts const& counts) {
    if (!record.value)
        return std::nullopt;
    if (record.quantity == measure::Quantity::time)
        return *record.value * 1e9;
    return static_cast<double>(counts.counted) / *record.value * 1e9 / static_cast<double>(counts.references);
}

std::optional<double> bytes_per_cycle(measure::Record const& record) {
    return record.value ? record.derived.number({"bytes_per_cycle"}) : std::nullopt;
}

std::int64_t passes(measure::Record const& record) {
    std::int64_t all = 0;
    for (auto const& sample : llcbench::valid_samples(record))
        all += sample.iterations;
    return all;
}

namespace {

/// Adds the rates of a process that ran at the same time: values, best, median and variances add up.
void add(measure::Record& all, measure::Record const& copy) {
    *all.value += *copy.value;
    auto& a = *all.estimate;
    auto const& b = *copy.estimate;
    a.value += b.value;
    a.median += b.median;
    a.min += b.min;
    a.max += b.max;
    a.clock_step += b.clock_step;
    a.middle.reset();
    a.standard_error = a.standard_error && b.standard_error
                           ? std::optional{std::hypot(*a.standard_error, *b.standard_error)}
                           : std::nullopt;
    a.interval = std::nullopt;
    a.median_interval = std::nullopt;
    all.attempts += copy.attempts;
    all.valid += copy.valid;
    all.samples.insert(all.samples.end(), copy.samples.begin(), copy.samples.end());
}

}  // namespace

std::optional<measure::Record> sum(std::span<measure::Record const> copies) {
    if (!std::all_of(copies.begin(), copies.end(), [](auto const& r) { return r.value && r.estimate; }))
        return std::nullopt;
    measure::Record all = copies.front();
    for (auto const& copy : copies.subspan(1))
        add(all, copy);
    auto const squares = [&] {
        std::optional<double> sum = 0.0;
        for (auto const& copy : copies) {
            auto const each = llcbench::deviation(copy);
            sum = sum && each ? std::optional{*sum + *each * *each} : std::nullopt;
        }
        return sum;
    }();
    all.derived["deviation"] = squares ? std::optional{std::sqrt(*squares)} : std::nullopt;
    all.at.set("copy", std::int64_t{0});
    return all;
}

}  // namespace cachebench
