// SPDX-License-Identifier: BSD-3-Clause
#include "result.hpp"

#include <measure/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace cachebench {

using measure::Bytes;

namespace {

constexpr std::int64_t unrolled = 8;
constexpr double megabyte = static_cast<double>(measure::mebi);

}  // namespace

Counts counts(Test const& test, Bytes width, Bytes bytes) {
    std::int64_t const elements = bytes / width;
    std::int64_t const n = test.tuned ? elements / unrolled * unrolled : elements;
    switch (test.work) {
    case Work::read:
    case Work::write:
        return {n, n * width, n, n * width};
    case Work::modify:
        return {n, n * width, 2 * n, 2 * n * width};
    case Work::set:
        return {bytes, bytes, bytes, bytes};
    case Work::copy:
        return {bytes, bytes, 2 * bytes, 2 * bytes};
    case Work::latency:
        break;
    }
    return {bytes / node, bytes / node * node, bytes / node, 0};
}

Bytes smallest(Test const& test, Bytes width) {
    return test.work == Work::latency ? 2 * node : test.tuned ? unrolled * width : width;
}

Figures figures(Counts const& counts, std::span<double const> blocks, std::int64_t passes) {
    bool const is_rate = counts.counted > 0;
    double const references = static_cast<double>(counts.references * passes);
    double const megabytes = static_cast<double>(counts.counted) * static_cast<double>(passes) / megabyte;
    double const mean = measure::mean(blocks);
    std::vector<double> each;
    for (double const time : blocks)
        each.push_back(is_rate ? megabytes / time : time * 1e9 / references);
    Figures f{.nanoseconds = mean * 1e9 / references, .passes = passes * static_cast<std::int64_t>(blocks.size())};
    if (is_rate)
        f.rate = megabytes / mean;
    f.best = is_rate ? *std::max_element(each.begin(), each.end()) : *std::min_element(each.begin(), each.end());
    if (each.size() > 1)
        f.deviation = measure::standard_deviation(each);
    return f;
}

Figures sum(std::span<Figures const> copies) {
    Figures all{.rate = 0.0};
    double per_nanosecond = 0;
    std::optional<double> variance = 0.0;
    for (Figures const& copy : copies) {
        *all.rate += copy.rate.value_or(0);
        all.best += copy.best;
        variance =
            variance && copy.deviation ? std::optional{*variance + *copy.deviation * *copy.deviation} : std::nullopt;
        all.passes += copy.passes;
        per_nanosecond += 1 / copy.nanoseconds;
    }
    if (variance)
        all.deviation = std::sqrt(*variance);
    all.nanoseconds = 1 / per_nanosecond;
    return all;
}

}  // namespace cachebench
