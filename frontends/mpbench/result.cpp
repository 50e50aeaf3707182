// SPDX-License-Identifier: BSD-3-Clause
#include "mpbench/result.hpp"

#include "llcbench/points.hpp"

#include <cmath>
#include <cstdint>
#include <utility>

namespace mpbench {

namespace {

using measure::Record;

/// Puts the number of tasks first, replacing the engine's number of ranks.
measure::Point with_tasks(measure::Point const& at, int tasks) {
    measure::Point result{{"ranks", std::int64_t{tasks}}};
    for (auto const& [name, value] : at.coordinates())
        result.set(name, value);
    return result;
}

/// Converts a record to the quantity of the test and adds the deviation of the loops.
Record in_unit(Record record, Figure figure, double counted) {
    bool const is_bandwidth = figure == Figure::rate;
    bool const is_rate = is_bandwidth || figure == Figure::transactions;
    double const work = is_bandwidth ? counted : 1;
    record.derived["deviation"] = llcbench::spread(llcbench::timed_blocks(record), is_rate ? work : 0);
    if (!is_rate)
        return record;
    return measure::as_rate(std::move(record), is_bandwidth ? measure::Quantity::bandwidth : measure::Quantity::rate,
                            work);
}

}  // namespace

Record result(Record record, Test const& test, Facts const& facts) {
    record.at = with_tasks(record.at, facts.tasks);
    if (facts.oversubscribed)
        record.flag("oversubscribed");
    if (!record.value || !record.estimate)
        return record;
    double const shortest = facts.flush_each ? *record.value : record.estimate->min;
    if (!(shortest > 0))
        return llcbench::too_short(std::move(record));
    auto const loop = facts.flush_each ? record.valid : record.iterations_per_sample.value_or(1);
    if (is_near_timer_floor(measure::seconds{shortest * static_cast<double>(loop)}, facts.timer))
        record.flag(measure::near_timer_floor);
    // The slave's time is not a time of the test.
    if (!test.slowest)
        record.over_ranks = std::nullopt;
    auto const bytes = test.kind == Kind::barrier ? 0 : record.at.bytes("bytes");
    auto const counted = static_cast<double>(counted_bytes(test.kind, bytes));
    record = in_unit(std::move(record), test.figure, counted);
    llcbench::lead(record, facts.statistic);
    // With separately timed operations, the shortest time may be 0.
    if (!(*record.value > 0) || !std::isfinite(*record.value))
        return llcbench::too_short(std::move(record));
    if (test.figure == Figure::message)
        record.derived["bandwidth"] = counted / *record.value;
    if (facts.call_time)
        record.derived["call_time"] = *facts.call_time;
    return record;
}

}  // namespace mpbench
