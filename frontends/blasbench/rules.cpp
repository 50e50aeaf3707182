// SPDX-License-Identifier: BSD-3-Clause
#include "rules.hpp"

#include "result.hpp"

#include <measure/loop.hpp>
#include <measure/run.hpp>
#include <measure/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace blasbench {

using measure::seconds;

namespace {

constexpr double steps_of_a_block = 1000;
constexpr double readings_of_a_block = 50;
/// Below so many readings a block is marked.
constexpr double readings_at_the_floor = 10;
constexpr seconds long_point{0.2};
constexpr seconds longest_point{5};
constexpr seconds longest_search{10};
/// Of a search for a small error with short blocks: more would fill the memory.
constexpr std::int64_t most_blocks = 100'000;
/// A block has fewer calls than its share of the references, rather than last longer.
constexpr seconds longest_block{1};

/// When there are blocks enough.
struct Enough {
    seconds at_least;  ///< together
    std::size_t blocks;
    std::size_t of_long_ones;  ///< they suffice where they take 0.2 s
    measure::Decision operator()(measure::Progress const& p) const {
        seconds const sum{std::accumulate(p.samples.begin(), p.samples.end(), 0.0)};
        std::size_t const wanted = sum >= longest_point ? 1 : sum >= long_point ? of_long_ones : blocks;
        bool const enough = sum >= at_least && p.samples.size() >= wanted;
        return enough || p.spent >= longest_search ? measure::Decision{measure::Verdict::converged, "count"}
                                                   : measure::Decision{};
    }
};

measure::StoppingRule stopping(Rules const& rules, Stopwatch const& watch) {
    bool const constant = rules.kind == Iterations::constant;
    Enough const enough{.at_least = steps_of_a_block * watch.resolution,
                        .blocks = constant ? std::size_t{10} : std::size_t{3},
                        .of_long_ones = constant ? std::size_t{10} : std::size_t{2}};
    if (!(rules.standard_error > 0))
        return enough;
    return measure::stop::AllOf{
        enough, measure::stop::AnyOf{measure::stop::RelativeError{
                                         .epsilon = rules.standard_error, .at_least = 5, .at_most = most_blocks},
                                     measure::stop::After{longest_search, true}}};
}

seconds time_once(Operation& operation, measure::AnyTimer const& timer, std::int64_t calls) {
    operation.refill();
    auto block = measure::op([&] { operation.run(calls); });
    return measure::time_loop(timer, block, 1).total;
}

/// The cost of a reading, unless hardly anything would be left.
double correction_of(std::vector<double> const& times, double cost) {
    return measure::mean(times) - cost >= cost / 10 ? cost : 0;
}

std::vector<double> raw_times(measure::Measurement const& blocks) {
    std::vector<double> result;
    for (measure::Sample const& sample : blocks.samples)
        result.push_back(sample.time);
    return result;
}

}  // namespace

std::vector<std::int64_t> iterations(Rules const& rules, std::span<double const> references) {
    auto const most = static_cast<double>(rules.iterations);
    double const fewest = references.empty() ? 1 : *std::min_element(references.begin(), references.end());
    std::vector<std::int64_t> result;
    double previous = most * (references.empty() ? 1 : references.front());
    for (double const each : references) {
        double calls = most;
        if (rules.kind == Iterations::falling)
            calls = std::floor(most * fewest / each);
        else if (rules.kind == Iterations::chain)
            calls = std::min(most, std::floor(previous / each));
        calls = std::max(calls, 1.0);
        previous = calls * each;
        result.push_back(static_cast<std::int64_t>(calls));
    }
    return result;
}

Stopwatch stopwatch(measure::AnyTimer const& timer, measure::TimerInfo const& info, measure::Control control) {
    return {.timer = timer,
            .step = std::max(info.nominal, seconds{1e-9}),
            .resolution = std::max(info.resolution, info.overhead),
            .cost = info.overhead,
            .control = std::move(control)};
}

std::vector<double> Timed::times() const {
    auto result = raw_times(blocks);
    for (double& time : result)
        time -= correction;
    return result;
}

std::int64_t enough_calls(Operation& operation, std::int64_t calls, Stopwatch const& watch) {
    seconds const goal = std::max(steps_of_a_block * watch.step, readings_of_a_block * watch.cost);
    seconds seen{};
    // A block may seem long because it was interrupted; a second one hardly is too.
    auto const lasts = [&](std::int64_t number) {
        seen = time_once(operation, watch.timer, number);
        if (seen >= goal && seen < longest_block)
            seen = std::min(seen, time_once(operation, watch.timer, number));
        return seen >= goal;
    };
    for (std::int64_t fewer = 1; fewer < calls; fewer *= 2)
        if (lasts(fewer))
            return std::clamp(static_cast<std::int64_t>(longest_block / seen * static_cast<double>(fewer)),
                              std::int64_t{1}, calls);
    while (!lasts(calls))
        calls *= 2;
    return calls;
}

Timed time_calls(Operation& operation, Rules const& rules, std::int64_t calls, Stopwatch const& watch,
                 llcbench::Flush* flush) {
    Timed timed{.iterations = rules.kind == Iterations::constant ? calls : enough_calls(operation, calls, watch)};
    measure::Plan const plan{.timer = watch.timer,
                             .start = measure::FreeStart{},
                             .batch = measure::Fixed{1},
                             .stop = stopping(rules, watch),
                             .estimate = {.trim = 0},
                             .warm_up = 0,
                             .settling = {},
                             .limit = {},
                             .stage = 1,
                             .stage_share = 0.25,
                             .detail = measure::Detail::samples,
                             .control = watch.control};
    // The caches are emptied after the operand is filled, not before.
    auto const prepare = [&](measure::Iteration it) {
        operation.refill();
        if (it.sample == 0 && flush != nullptr)
            (*flush)();
    };
    timed.blocks = measure::run(measure::Comm::solo(), plan,
                                measure::op([&] { operation.run(timed.iterations); }).prepare(prepare));
    auto const raw = raw_times(timed.blocks);
    if (raw.empty())
        return timed;
    timed.near_timer_floor = measure::median(raw) < readings_at_the_floor * watch.cost.count();
    timed.correction = correction_of(raw, watch.cost.count());
    timed.blocks.estimate = measure::estimate(timed.times(), plan.estimate);
    return timed;
}

measure::Record record(Facts const& facts, measure::Point at, Timed const& timed) {
    auto benchmark = full_name(*facts.routine, facts.precision);
    if (timed.defect)
        return measure::make_record(std::move(benchmark), std::move(at), measure::Outcome::crashed, *timed.defect);
    if (timed.blocks.samples.empty())
        return measure::make_record(std::move(benchmark), std::move(at), measure::Outcome::skipped, "time_budget");
    Counts const work = counts(*facts.routine, facts.n);
    auto const calls = static_cast<double>(timed.iterations);
    auto r = measure::as_rate(measure::make_record(std::move(benchmark), std::move(at), timed.blocks),
                              measure::Quantity::flops, work.flops * calls);
    if (r.value)
        r.over_ranks = measure::OverRanks{*r.value, *r.value, *r.value};
    r.iterations_per_sample = timed.iterations;
    measure::note_settling(r, timed.blocks.settling, r.attempts * timed.iterations);
    r.correction = timed.correction / calls;
    for (measure::Sample& sample : r.samples)
        sample.time /= calls;
    if (timed.near_timer_floor)
        r.flag("near_timer_floor");
    Figures const f = figures(work, facts.precision, timed.times(), timed.iterations, facts.peak);
    r.derived["bandwidth"] = f.megabytes * static_cast<double>(measure::mebi);
    r.derived["time_per_reference"] = f.nanoseconds * 1e-9;
    r.derived["bytes_used"] = bytes_used(*facts.routine, facts.precision, facts.n);
    r.derived["leading_dimension"] = facts.leading;
    if (f.efficiency)
        r.derived["efficiency"] = *f.efficiency;
    return r;
}

}  // namespace blasbench
