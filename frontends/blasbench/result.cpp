// SPDX-License-Identifier: BSD-3-Clause
#include "blasbench/result.hpp"

#include "llcbench/points.hpp"

#include <measure/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace blasbench {

using llcbench::TimedBlock;

namespace {

/// Subtracts the cost of a clock reading from each block, if every block is longer and the mean keeps at least a tenth
/// of that cost. \return the time subtracted per block, in seconds
double correct(std::vector<TimedBlock>& blocks, double reading) {
    double all = 0;
    double shortest = blocks.front().time;
    for (auto const& block : blocks) {
        all += block.time;
        shortest = std::min(shortest, block.time);
    }
    if (shortest <= reading || all / static_cast<double>(blocks.size()) - reading < reading / 10)
        return 0;
    for (auto& block : blocks)
        block.time -= reading;
    return reading;
}

measure::seconds median_block(std::vector<TimedBlock> const& blocks) {
    std::vector<double> times;
    for (auto const& block : blocks)
        times.push_back(block.time);
    return measure::seconds{measure::median(times)};
}

}  // namespace

Dimensions dimensions_at(measure::Point const& at) {
    auto const n = at.integer("n");
    return at.has("m") ? Dimensions{at.integer("m"), n, at.integer("k")} : Dimensions{n};
}

measure::Record result(measure::Record record, Facts const& facts) {
    auto const dimensions = dimensions_at(record.at);
    record.derived["bytes_used"] = bytes_used(*facts.routine, facts.precision, dimensions);
    if (facts.leading > 0)
        record.derived["leading_dimension"] = facts.leading;
    std::int64_t made = 0;
    for (auto const& sample : llcbench::valid_samples(record))
        made += sample.iterations;
    record.derived["iterations"] = std::min(facts.iterations, made);
    if (!record.value || record.samples.empty())
        return record;
    auto blocks = llcbench::timed_blocks(record);
    bool const floor = is_near_timer_floor(median_block(blocks), facts.timer);
    double const taken_off = correct(blocks, facts.timer.overhead.count());
    record.correction = taken_off / static_cast<double>(record.iterations_per_sample.value_or(1));
    llcbench::pool(record, blocks);
    double const flops = counts(*facts.routine, dimensions).flops;
    record = measure::as_rate(std::move(record), measure::Quantity::flops, flops);
    record.derived["deviation"] = llcbench::spread(blocks, flops);
    llcbench::lead(record, facts.statistic);
    if (!record.value || !std::isfinite(*record.value) || !(*record.value > 0))
        return llcbench::too_short(std::move(record));
    record.over_ranks = measure::RankSpread{*record.value, *record.value, *record.value};
    if (floor)
        record.flag(measure::near_timer_floor);
    auto const f = *figures(record, facts);
    record.derived["bandwidth"] = f.megabytes * static_cast<double>(measure::mebi);
    record.derived["time_per_reference"] = f.nanoseconds * 1e-9;
    if (facts.peak)
        record.derived["efficiency"] = f.mflops / *facts.peak;
    return record;
}

std::optional<Figures> figures(measure::Record const& record, Facts const& facts) {
    if (!record.value)
        return std::nullopt;
    Counts const work = counts(*facts.routine, dimensions_at(record.at));
    double const time = work.flops / *record.value;
    double const bytes = work.references * static_cast<double>(width(facts.precision));
    return Figures{.mflops = *record.value * 1e-6,
                   .megabytes = bytes / static_cast<double>(measure::mebi) / time,
                   .nanoseconds = time * 1e9 / work.references};
}

}  // namespace blasbench
