// SPDX-License-Identifier: BSD-3-Clause
#include "method.hpp"

#include "llcbench/points.hpp"

#include <measure/run.hpp>
#include <measure/stopping.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

namespace blasbench {

using measure::seconds;

namespace {

/// Long enough for every clock, and short: what disturbs a block costs that block.
constexpr measure::InWindow short_blocks{.low = seconds{0.5e-3}, .high = seconds{2e-3}};
constexpr std::int64_t fewest_blocks = 3;
/// Of a given number of calls, which may be few.
constexpr std::int64_t constant_blocks = 10;
/// Together: where a block is shorter than a step of the clock, many of them have a mean.
constexpr double steps_of_a_point = 1000;
constexpr seconds longest_point{1};
constexpr seconds longest_search{10};
/// Of a search for a small error with short blocks: more would fill the memory.
constexpr std::int64_t most_blocks = 100'000;
/// Results are checked up to here: beyond it the plain loops would take longer than what they check.
constexpr std::int64_t largest_checked = 64;
/// Of the first call of a library, which starts threads and chooses kernels: large enough that it does.
constexpr std::int64_t warm_up_dimension = 256;

struct Enough {
    std::int64_t blocks;
    std::int64_t calls;  ///< together
    seconds longest;     ///< of a point that has three blocks
    measure::Decision operator()(measure::Progress const& p) const {
        auto const n = std::ssize(p.samples);
        double const sum =
            std::accumulate(p.samples.begin(), p.samples.end(), 0.0) * static_cast<double>(p.iterations_per_sample);
        bool const enough =
            n >= blocks && n * p.iterations_per_sample >= calls && sum >= steps_of_a_point * p.resolution.count();
        return enough || (p.spent >= longest && n >= fewest_blocks)
                   ? measure::Decision{measure::Verdict::converged, "count"}
                   : measure::Decision{};
    }
};

Blas const& library(Shared const& shared, measure::Point const& at) {
    auto const& name = at.text("blas");
    return *std::find_if(shared.libraries.begin(), shared.libraries.end(),
                         [&](Blas const& each) { return each.name == name; });
}

Task task(Shared const& shared, Series const& series, Blas const& blas, std::int64_t n) {
    return {.routine = series.routine,
            .precision = shared.setup.precision,
            .blas = &blas,
            .n = n,
            .leading = shared.setup.holds(*series.routine) ? series.largest() : n};
}

/// Of several numbers of threads the one of the next calls; a single one the library has from its start.
void use_threads(Setup const& setup, Blas const& blas, int threads) {
    if (setup.threads.size() > 1)
        blas.use_threads(threads);
}

/// Memory for a series; each library has its first call there, with each number of threads.
Arena const& arena_of(Shared& shared, Series const& series) {
    if (shared.series != &series) {
        shared.arena.emplace(shared.setup.layout, *series.routine, shared.setup.precision, series.largest());
        shared.series = &series;
        for (Blas const& blas : shared.libraries)
            for (int const threads : shared.setup.threads) {
                use_threads(shared.setup, blas, threads);
                make_operation(task(shared, series, blas, std::min(series.largest(), warm_up_dimension)), *shared.arena)
                    ->run(1);
            }
    }
    return *shared.arena;
}

auto operation_of(Shared& shared, Series const& series, measure::Point const& at) {
    auto const n = at.integer("n");
    Blas const& blas = library(shared, at);
    std::shared_ptr<Operation> const operation =
        make_operation(task(shared, series, blas, n), arena_of(shared, series));
    use_threads(shared.setup, blas, static_cast<int>(at.integer("threads")));
    auto* const flush = shared.flush->size() > 0 ? &*shared.flush : nullptr;
    // The caches are emptied after the operand is filled, not before.
    auto const prepare = [operation, flush](measure::Iteration it) {
        operation->refill();
        if (it.sample == 0 && flush != nullptr)
            (*flush)();
    };
    bool const checks = n <= largest_checked;
    bool const damage = series.routine->name == shared.damaged;
    return measure::op([operation](measure::Iterations calls) { operation->run(calls.count); })
        .prepare(prepare)
        .check([operation, checks, damage](auto&) {
            return checks ? operation->defect(damage).value_or("") : std::string{};
        });
}

measure::Axis bytes_of(Series const& series) {
    measure::Axis axis{"bytes", {}};
    for (Size const& size : series.sizes)
        axis.values.emplace_back(size.limit);
    return axis;
}

measure::Benchmark benchmark(Shared& shared, Series const& series) {
    auto const& setup = shared.setup;
    measure::Benchmark row{.name = full_name(*series.routine, setup.precision),
                           .summary = std::string{series.routine->operation}};
    row.axes = {bytes_of(series)};
    row.complete = [&series, &setup](measure::Point& at) {
        auto const bytes = at.bytes("bytes");
        auto const size = std::find_if(series.sizes.begin(), series.sizes.end(),
                                       [&](Size const& each) { return each.limit == bytes; });
        at.set("n", size->n);
        if (!at.has("threads"))
            at.set("threads", std::int64_t{setup.threads.front()});
    };
    row.make = measure::Maker{[&shared, &series](measure::Comm const&, measure::Point const& at) {
        return operation_of(shared, series, at);
    }};
    row.adjust = [&setup, calls = calls_of(series, setup.rules)](measure::Point const& at, measure::Plan& plan) {
        plan.stop = stopping(setup.rules, calls.at(at.bytes("bytes")));
        if (setup.rules.kind == Iterations::constant)
            plan.batch = measure::Fixed{calls.at(at.bytes("bytes"))};
    };
    row.finish = [&shared, &series](measure::Record& record) {
        record = result(std::move(record), facts_of(shared, series, record.at));
    };
    return row;
}

}  // namespace

measure::StoppingRule stopping(Rules const& rules, std::int64_t calls) {
    bool const constant = rules.kind == Iterations::constant;
    Enough const enough{.blocks = constant ? constant_blocks : fewest_blocks,
                        .calls = calls,
                        .longest = constant ? longest_search : longest_point};
    if (!(rules.standard_error > 0))
        return enough;
    return measure::stop::AllOf{
        enough, measure::stop::AnyOf{measure::stop::RelativeError{
                                         .epsilon = rules.standard_error, .at_least = 5, .at_most = most_blocks},
                                     measure::stop::After{longest_search, true}}};
}

measure::Plan plan(Rules const& rules) {
    return {.start = measure::FreeStart{},
            .batch = rules.kind == Iterations::constant ? measure::Batch{measure::Fixed{rules.iterations}}
                                                        : measure::Batch{short_blocks},
            .stop = stopping(rules, 1),
            .estimate = {.trim = 0},
            .warm_up = 0,
            .settling = {},
            .limit = {},
            .stage = 1,
            .stage_share = 0.25,
            .detail = measure::Detail::samples};
}

std::map<Bytes, std::int64_t> calls_of(Series const& series, Rules const& rules) {
    std::vector<double> references;
    for (Size const& size : series.sizes)
        references.push_back(counts(*series.routine, size.n).references);
    auto const calls = iterations(rules, references);
    std::map<Bytes, std::int64_t> result;
    for (std::size_t i = 0; i < calls.size(); ++i)
        result[series.sizes[i].limit] = calls[i];
    return result;
}

Facts facts_of(Shared const& shared, Series const& series, measure::Point const& at) {
    auto const& setup = shared.setup;
    return {.routine = series.routine,
            .precision = setup.precision,
            .iterations = calls_of(series, setup.rules).at(at.bytes("bytes")),
            .leading = setup.holds(*series.routine) ? series.largest() : at.integer("n"),
            .peak = setup.peak,
            .reading = shared.reading,
            .statistic = setup.statistic};
}

measure::Program program_of(Shared& shared) {
    auto const& setup = shared.setup;
    measure::Program program{.name = "blasbench"};
    measure::Axis libraries{"blas", {}};
    for (Blas const& blas : shared.libraries)
        libraries.values.emplace_back(blas.name);
    program.axes = {measure::values("bytes", {1}), llcbench::repetitions(setup.repetitions), libraries};
    if (setup.threads.size() > 1)
        program.axes.push_back(measure::values("threads", {setup.threads.begin(), setup.threads.end()}));
    for (Series const& series : setup.series)
        program.benchmarks.push_back(benchmark(shared, series));
    program.plan = plan(setup.rules);
    program.prepare = [&shared](measure::Plan&, measure::Environment const& run) {
        shared.reading = run.timer.overhead.count();
        shared.flush.emplace(shared.setup.flush);
    };
    return program;
}

}  // namespace blasbench
