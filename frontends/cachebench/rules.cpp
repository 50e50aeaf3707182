// SPDX-License-Identifier: BSD-3-Clause
#include "rules.hpp"

#include "llcbench/points.hpp"

#include <measure/loop.hpp>
#include <measure/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cachebench {

using measure::seconds;

namespace {

constexpr seconds shortest_block{1e-3};
constexpr double steps_of_a_block = 1000;
/// With a given number of passes the user decides; below this the figure would be one of the timer.
constexpr double fewest_steps = 100;
constexpr std::int64_t fewest_blocks = 5;
/// Decisions between the blocks of a long point, about.
constexpr double decisions = 2000;

seconds time_once(Operation& operation, measure::AnyTimer const& timer, std::int64_t passes) {
    operation.make_ready(passes);
    auto block = measure::op([&] { operation.run(passes); });
    return measure::time_loop(timer, block, 1).total;
}

measure::StoppingRule stopping(Rules const& rules) {
    if (!(rules.standard_error > 0))
        return measure::stop::After{rules.duration};
    return measure::stop::AnyOf{measure::stop::RelativeError{.epsilon = rules.standard_error,
                                                             .at_least = fewest_blocks,
                                                             .at_most = std::numeric_limits<std::int64_t>::max()},
                                measure::stop::After{rules.duration, true}};
}

/// Blocks of a constant number of passes: one, unless the operation cannot do so many at once.
std::pair<std::int64_t, std::int64_t> constant_blocks(std::int64_t passes, std::int64_t longest) {
    std::int64_t const blocks = (passes + longest - 1) / longest;
    return {blocks, (passes + blocks - 1) / blocks};
}

measure::Measurement measure_blocks(Operation& operation, measure::Plan const& plan, std::int64_t passes) {
    return measure::run(measure::Comm::solo(), plan,
                        measure::op([&] { operation.run(passes); }).prepare([&] { operation.make_ready(passes); }));
}

}  // namespace

std::vector<double> Timed::times() const {
    std::vector<double> result;
    for (measure::Sample const& sample : blocks.samples)
        result.push_back(sample.time);
    return result;
}

BlockLength calibrate(Operation& operation, Stopwatch const& watch) {
    seconds const goal = std::max(shortest_block, steps_of_a_block * watch.resolution);
    BlockLength block;
    for (;; block.passes *= 2) {
        block.duration = time_once(operation, watch.timer, block.passes);
        // A block may seem long because it was interrupted; a second one hardly is too.
        if (block.duration >= goal)
            block.duration = std::min(block.duration, time_once(operation, watch.timer, block.passes));
        if (block.duration >= goal || block.passes >= operation.longest_block())
            return block;
    }
}

Timed time_point(Operation& operation, Rules const& rules, Stopwatch const& watch, bool damage) {
    Timed timed;
    measure::Plan plan{.timer = watch.timer,
                       .start = measure::FreeStart{},
                       .batch = measure::Fixed{1},
                       .stop = stopping(rules),
                       .estimate = {.trim = 0},
                       .warm_up = 0,
                       .settling = {},
                       .limit = {},
                       .stage = 1,
                       .detail = measure::Detail::samples,
                       .control = watch.control};
    if (rules.constant_iterations) {
        auto const [blocks, passes] = constant_blocks(*rules.constant_iterations, operation.longest_block());
        timed.passes = passes;
        plan.stop = measure::stop::Count{.valid = blocks};
    } else {
        auto const block = calibrate(operation, watch);
        timed.passes = block.passes;
        plan.stage = static_cast<int>(std::clamp(rules.duration / block.duration / decisions, 1.0, 1e6));
    }
    if (watch.flush != nullptr)
        (*watch.flush)();
    if (!rules.cold) {
        operation.make_ready(1);
        operation.run(1);
    }
    if (watch.ready)
        watch.ready();
    timed.blocks = measure_blocks(operation, plan, timed.passes);
    timed.too_short =
        rules.constant_iterations && timed.blocks.estimate && timed.blocks.time() < fewest_steps * watch.resolution;
    if (damage)
        operation.damage();
    timed.defect = operation.defect();
    return timed;
}

measure::Record record(std::string benchmark, measure::Point at, Timed const& timed, Counts const& counts) {
    if (timed.defect)
        return measure::make_record(std::move(benchmark), std::move(at), measure::Outcome::crashed, *timed.defect);
    if (timed.blocks.samples.empty())
        return measure::make_record(std::move(benchmark), std::move(at), measure::Outcome::skipped, "time_budget");
    auto const passes = static_cast<double>(timed.passes);
    auto r = measure::make_record(std::move(benchmark), std::move(at), timed.blocks);
    bool const is_rate = counts.counted > 0;
    if (r.value)
        r = is_rate ? measure::as_rate(std::move(r), measure::Quantity::bandwidth,
                                       static_cast<double>(counts.counted) * passes)
                    : measure::scaled(std::move(r), 1 / (passes * static_cast<double>(counts.references)));
    r.iterations_per_sample = timed.passes;
    for (measure::Sample& sample : r.samples)
        sample.time /= passes;
    r.derived["bytes_touched"] = counts.touched;
    if (timed.too_short)
        return llcbench::too_short(std::move(r));
    measure::note_settling(r, timed.blocks.settling, r.attempts * timed.passes);
    auto const f = figures(counts, timed.times(), timed.passes);
    r.derived["time_per_access"] = f.nanoseconds * 1e-9;
    if (is_rate)
        r.derived["best_bandwidth"] = f.best * static_cast<double>(measure::mebi);
    r.derived["passes"] = f.passes;
    return r;
}

}  // namespace cachebench
