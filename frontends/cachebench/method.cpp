// SPDX-License-Identifier: BSD-3-Clause
#include "cachebench/method.hpp"

#include "cachebench/copies.hpp"
#include "llcbench/points.hpp"

#include <measure/run.hpp>
#include <measure/stopping.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace cachebench {

using measure::seconds;

namespace {

constexpr seconds shortest_block{1e-3};
constexpr double steps_of_a_block = 1000;
constexpr double longest_to_shortest = 2.5;
/// With --constant-iterations the user sets the length of the blocks. Blocks below this multiple of the resolution
/// would measure the timer.
constexpr double fewest_steps = 100;
constexpr std::int64_t fewest_blocks = 3;
/// Approximate number of stopping decisions during a long point.
constexpr double decisions = 2000;

struct ForTime {
    seconds duration;
    measure::StopVerdict verdict;
    measure::Decision operator()(measure::Progress const& p) const {
        bool const enough = p.spent >= duration && std::ssize(p.samples) >= fewest_blocks;
        return enough ? measure::Decision{verdict, "budget"} : measure::Decision{};
    }
};

/// A test and its vectors, with the work before and after the timed blocks.
class Block {
public:
    /// \param ready  called before the first timed block; may wait for other copies
    Block(Shared& shared, Test const& test, measure::Point const& at, Arena const& arena, std::function<void()> ready)
        : shared_{shared}, operation_{{.test = &test,
                                       .type = shared.setup.type,
                                       .loops = &shared.setup.loops(),
                                       .bytes = at.bytes("bytes"),
                                       .seed = shared.seed},
                                      arena},
          flushes_{shared.flush->size() > 0 && at.integer("repetition") == 0}, damage_{shared.damaged == test.name},
          ready_{std::move(ready)} {}

    void run(std::int64_t passes) { operation_.run(passes); }

    /// Prepares a block, untimed. Flushes the caches between sizes, not between repetitions of a size.
    void prepare(measure::Iteration it) {
        if (operation_.is_limited())
            operation_.make_ready(operation_.longest_block());
        if (it.sample != 0)
            return;
        if (flushes_)
            (*shared_.flush)();
        if (!shared_.setup.rules.cold)
            operation_.run(1);
        if (ready_)
            ready_();
    }

    [[nodiscard]] std::string check() {
        if (damage_)
            operation_.damage();
        return operation_.defect().value_or("");
    }

private:
    Shared& shared_;
    Operation operation_;
    bool flushes_;
    bool damage_;
    std::function<void()> ready_;
};

auto operation_of(Shared& shared, Test const& test, measure::Point const& at, Arena const& arena,
                  std::function<void()> ready = {}) {
    auto const block = std::make_shared<Block>(shared, test, at, arena, std::move(ready));
    return measure::op([block](measure::Iterations passes) { block->run(passes.count); })
        .prepare([block](measure::Iteration it) { block->prepare(it); })
        .check([block](auto&) { return block->check(); });
}

/// Measures all copies of a point, each in its own process.
std::vector<measure::Measurement> measure_copies(Shared& shared, Test const& test, measure::Plan const& plan,
                                                 measure::Point const& at) {
    auto const copy = [&](std::function<void()> ready) {
        Arena const arena{shared.setup.layout, at.bytes("bytes"), vectors(test)};
        auto own = plan;
        own.control = {.deadline = plan.control.deadline};
        return measure::run(measure::Comm::solo(), own, operation_of(shared, test, at, arena, std::move(ready)));
    };
    return run_copies(shared.setup.copies, copy, plan.control);
}

measure::Benchmark benchmark(Shared& shared, Test const& test) {
    auto const& setup = shared.setup;
    measure::Benchmark row{.name = std::string{test.name}, .summary = std::string{test.text}};
    row.complete = [&setup](measure::Point& at) {
        at.set("type", std::string{setup.type->name}).set("flavour", std::string{setup.flavour->name});
        if (setup.isa != nullptr)
            at.set("isa", std::string{setup.isa->name});
    };
    row.finish = [&shared, &test](measure::Record& record) { record = finished(shared, test, std::move(record)); };
    // Limits the passes of a block: a float counts exactly only up to 2^24.
    row.adjust = [&setup, longest = longest_block(test, *setup.type)](measure::Point const&, measure::Plan& plan) {
        if (auto* const window = std::get_if<measure::TargetDuration>(&plan.batch))
            window->at_most = std::min(window->at_most, longest);
        if (auto const passes = setup.rules.constant_iterations) {
            auto const blocks = constant_blocks(*passes, longest);
            plan.batch = measure::FixedCount{(*passes + blocks - 1) / blocks};
            plan.stop = measure::stop::Count{.valid = blocks};
        }
    };
    if (setup.copies == 0) {
        row.make = measure::Maker{[&shared, &test](measure::Comm const&, measure::Point const& at) {
            return operation_of(shared, test, at, *shared.arena);
        }};
        return row;
    }
    measure::Axis copies{"copy", {}};
    for (int copy = 1; copy <= setup.copies; ++copy)
        copies.values.emplace_back(std::int64_t{copy});
    row.variants = copies;
    row.loop = [&shared, &test](measure::Comm const&, measure::Plan const& plan,
                                std::vector<measure::Point> const& variants) {
        return measure_copies(shared, test, plan, variants.front());
    };
    return row;
}

}  // namespace

measure::StoppingRule stopping(Rules const& rules) {
    if (rules.standard_error > 0)
        return measure::stop::AnyOf{measure::stop::RelativeError{.epsilon = rules.standard_error,
                                                                 .at_least = 5,
                                                                 .at_most = std::numeric_limits<std::int64_t>::max()},
                                    ForTime{rules.duration, measure::StopVerdict::exhausted}};
    return ForTime{rules.duration, measure::StopVerdict::converged};
}

measure::Plan plan(Rules const& rules) {
    measure::Plan plan{.start = measure::FreeStart{},
                       .batch = measure::FixedCount{1},
                       .stop = stopping(rules),
                       .estimate = {.trim = 0},
                       .warm_up = 0,
                       .settling = {},
                       .limit = {},
                       .stage = 1,
                       .keep = measure::Keep::samples};
    return plan;
}

std::int64_t constant_blocks(std::int64_t passes, std::int64_t longest) noexcept {
    constexpr std::int64_t most_tried = 100;
    std::int64_t const fewest = (passes - 1) / longest + 1;
    std::int64_t const wanted = std::max(std::min(passes, fewest_blocks), fewest);
    for (auto blocks = wanted; blocks < wanted + most_tried; ++blocks)
        if (passes % blocks == 0)
            return blocks;
    return fewest;
}

void choose_blocks(measure::Plan& plan, Rules const& rules, seconds resolution) {
    if (rules.constant_iterations)
        return;
    seconds const low = std::max(shortest_block, steps_of_a_block * resolution);
    plan.batch = measure::TargetDuration{.low = low, .high = longest_to_shortest * low};
    plan.stage = static_cast<int>(std::clamp(rules.duration / (2 * low) / decisions, 1.0, 1e6));
}

measure::Program program_of(Shared& shared) {
    auto const& setup = shared.setup;
    measure::Program program{.name = "cachebench"};
    program.axes = {measure::values("bytes", {setup.sizes.begin(), setup.sizes.end()}),
                    llcbench::repetitions(setup.repetitions)};
    for (Test const* const test : setup.tests)
        program.benchmarks.push_back(benchmark(shared, *test));
    program.plan = plan(setup.rules);
    program.prepare = [&shared](measure::Plan& plan, measure::Environment const& run) {
        shared.resolution = std::max(run.timer.step(), run.timer.overhead);
        choose_blocks(plan, shared.setup.rules, shared.resolution);
        shared.flush.emplace(shared.setup.flush);
        if (shared.setup.copies == 0)
            shared.arena.emplace(shared.setup.layout, shared.setup.largest(), shared.setup.most_vectors());
    };
    return program;
}

measure::Record finished(Shared const& shared, Test const& test, measure::Record record) {
    if (!record.value)
        return record;
    auto const& setup = shared.setup;
    auto const passes_of_a_block = static_cast<double>(record.iterations_per_sample.value_or(1));
    if (setup.rules.constant_iterations && *record.value * passes_of_a_block < fewest_steps * shared.resolution.count())
        return llcbench::too_short(std::move(record));
    auto const work = counts(test, setup.type->width, record.at.bytes("bytes"));
    return result(std::move(record), work, setup.statistic, shared.frequency);
}

}  // namespace cachebench
