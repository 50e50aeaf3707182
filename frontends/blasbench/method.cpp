// SPDX-License-Identifier: BSD-3-Clause
#include "blasbench/method.hpp"

#include "llcbench/points.hpp"

#include <measure/run.hpp>
#include <measure/stopping.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <vector>

namespace blasbench {

using measure::seconds;

namespace {

/// Long enough for every clock, but short, so that a disturbance costs only one block.
constexpr measure::TargetDuration short_blocks{.low = seconds{0.5e-3}, .high = seconds{2e-3}};
constexpr std::int64_t fewest_blocks = 3;
/// Number of blocks with -c.
constexpr std::int64_t constant_blocks = 10;
/// All blocks of a point together take at least this multiple of the timer's resolution. A single block may be shorter
/// than the resolution; the mean of many blocks is still accurate.
constexpr double steps_of_a_point = 1000;
constexpr seconds longest_point{1};
constexpr seconds longest_search{10};
/// Limits a search for a small error with short blocks, so that the samples do not fill the memory.
constexpr std::int64_t most_blocks = 100'000;
/// Results are checked for problems of up to this many multiply-adds. Above it, the plain loops of the check would take
/// longer than the calls that they check.
constexpr double most_checked = 64 * 64 * 64;
/// Maximum dimension of a library's first call, which starts threads and selects kernels. Large enough to trigger both.
constexpr std::int64_t warm_up_dimension = 256;
/// The problem axis: size limits in bytes, or shapes. A point has bytes, m, n and k instead of its shape.
constexpr char const* limit_axis = "bytes";
constexpr char const* shape_axis = "shape";
/// Axis of the storage of A and B: NN, NT, TN, TT.
constexpr char const* transposed_axis = "trans";

struct Enough {
    std::int64_t blocks;
    std::int64_t calls;  ///< total of all blocks
    seconds longest;     ///< time limit of a point that has at least three blocks
    measure::Decision operator()(measure::Progress const& p) const {
        auto const n = std::ssize(p.samples);
        double const sum =
            std::accumulate(p.samples.begin(), p.samples.end(), 0.0) * static_cast<double>(p.iterations_per_sample);
        bool const enough =
            n >= blocks && n * p.iterations_per_sample >= calls && sum >= steps_of_a_point * p.resolution.count();
        return enough || (p.spent >= longest && n >= fewest_blocks)
                   ? measure::Decision{measure::StopVerdict::converged, "count"}
                   : measure::Decision{};
    }
};

Blas const& library(Shared const& shared, measure::Point const& at) {
    auto const& name = at.text("blas");
    return *std::find_if(shared.libraries.begin(), shared.libraries.end(),
                         [&](Blas const& each) { return each.name == name; });
}

/// Leading dimension of all matrices; 0: each uses its own rows.
std::int64_t leading(Setup const& setup, Series const& series, Dimensions const& dimensions) {
    if (series.routine->has_shape)
        return 0;
    return setup.holds(*series.routine) ? series.largest().n : dimensions.n;
}

Task task(Shared const& shared, Series const& series, Blas const& blas, Dimensions const& dimensions) {
    return {.routine = series.routine,
            .precision = shared.setup.precision,
            .blas = &blas,
            .dimensions = dimensions,
            .leading = leading(shared.setup, series, dimensions),
            .scalars = shared.setup.scalars};
}

/// The largest problem of a series, with dimensions limited so that the first call of a library stays short.
Dimensions warm_up(Series const& series) {
    auto const [m, n, k] = series.largest();
    return {std::min(m, warm_up_dimension), std::min(n, warm_up_dimension), std::min(k, warm_up_dimension)};
}

std::size_t place_of(Series const& series, measure::Point const& at) {
    auto const found = std::find_if(series.sizes.begin(), series.sizes.end(), [&](Size const& each) {
        return series.routine->has_shape ? each.dimensions == dimensions_at(at) : each.limit == at.bytes(limit_axis);
    });
    return static_cast<std::size_t>(found - series.sizes.begin());
}

/// Sets the number of threads of the next calls. A single number is set already when the library is opened.
void use_threads(Setup const& setup, Blas const& blas, int threads) {
    if (setup.threads.size() > 1)
        blas.use_threads(threads);
}

/// Memory for a series. On a new series, makes the first call of each library with each number of threads.
Arena const& arena_of(Shared& shared, Series const& series) {
    if (shared.series != &series) {
        shared.arena.emplace(shared.setup.layout, shared.setup.precision, series.room());
        shared.series = &series;
        for (Blas const& blas : shared.libraries)
            for (int const threads : shared.setup.threads) {
                use_threads(shared.setup, blas, threads);
                make_operation(task(shared, series, blas, warm_up(series)), *shared.arena)->run(1);
            }
    }
    return *shared.arena;
}

auto operation_of(Shared& shared, Series const& series, measure::Point const& at) {
    auto const dimensions = dimensions_at(at);
    Blas const& blas = library(shared, at);
    auto made = task(shared, series, blas, dimensions);
    if (at.has(transposed_axis))
        made.transposed = at.text(transposed_axis);
    std::shared_ptr<Operation> const operation = make_operation(made, arena_of(shared, series));
    use_threads(shared.setup, blas, static_cast<int>(at.integer("threads")));
    auto* const flush = shared.flush->size() > 0 ? &*shared.flush : nullptr;
    // The flush comes after the refill, which brings the operand into the caches.
    auto const prepare = [operation, flush](measure::Iteration it) {
        operation->refill();
        if (it.sample == 0 && flush != nullptr)
            (*flush)();
    };
    auto const [m, n, k] = dimensions;
    bool const checks = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) <= most_checked;
    bool const damage = series.routine->name == shared.damaged;
    return measure::op([operation](measure::Iterations calls) { operation->run(calls.count); })
        .prepare(prepare)
        .check([operation, checks, damage](auto&) {
            return checks ? operation->defect(damage).value_or("") : std::string{};
        });
}

measure::Axis problems_of(Series const& series) {
    bool const has_shape = series.routine->has_shape;
    measure::Axis axis{has_shape ? shape_axis : limit_axis, {}};
    for (Size const& size : series.sizes)
        axis.values.push_back(has_shape ? measure::Point::Coordinate{text(size.dimensions)}
                                        : measure::Point::Coordinate{size.limit});
    return axis;
}

/// Replaces the shape of a point by bytes, m, n and k.
measure::Point with_dimensions(Series const& series, measure::Point const& at) {
    auto const size = std::find_if(series.sizes.begin(), series.sizes.end(),
                                   [&](Size const& each) { return text(each.dimensions) == at.text(shape_axis); });
    auto const [m, n, k] = size->dimensions;
    measure::Point result;
    result.set("bytes", size->limit).set("m", m).set("n", n).set("k", k);
    for (auto const& [name, value] : at.coordinates())
        if (name != shape_axis)
            result.set(name, value);
    return result;
}

measure::Benchmark benchmark(Shared& shared, Series const& series) {
    auto const& setup = shared.setup;
    measure::Benchmark row{.name = full_name(*series.routine, setup.precision),
                           .summary = std::string{series.routine->operation}};
    row.axes = {problems_of(series)};
    if (!setup.transposed.empty() && series.routine->kind != Kind::gemm)
        row.axes.push_back({transposed_axis, {}});
    row.complete = [&series, &setup](measure::Point& at) {
        if (series.routine->has_shape)
            at = with_dimensions(series, at);
        else
            at.set("n", series.sizes[place_of(series, at)].dimensions.n);
        if (!at.has("threads"))
            at.set("threads", std::int64_t{setup.threads.front()});
    };
    row.make = measure::Maker{[&shared, &series](measure::Comm const&, measure::Point const& at) {
        return operation_of(shared, series, at);
    }};
    row.adjust = [&setup, &series, calls = calls_of(series, setup.rules)](measure::Point const& at,
                                                                          measure::Plan& plan) {
        auto const count = calls[place_of(series, at)];
        plan.stop = stopping(setup.rules, count);
        if (setup.rules.kind == Iterations::constant)
            plan.batch = measure::FixedCount{count};
    };
    row.finish = [&shared, &series](measure::Record& record) {
        auto const facts = facts_of(shared, series, record.at);
        record = result(std::move(record), facts);
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
                                     measure::stop::TimeLimit{longest_search}}};
}

measure::Plan plan(Rules const& rules) {
    return {.start = measure::FreeStart{},
            .batch = rules.kind == Iterations::constant ? measure::Batch{measure::FixedCount{rules.iterations}}
                                                        : measure::Batch{short_blocks},
            .stop = stopping(rules, 1),
            .estimate = {.trim = 0},
            .warm_up = 0,
            .settling = {},
            .limit = {},
            .stage = 1,
            .stage_share = 0.25,
            .keep = measure::Keep::samples};
}

std::vector<std::int64_t> calls_of(Series const& series, Rules const& rules) {
    std::vector<double> references;
    for (Size const& size : series.sizes)
        references.push_back(counts(*series.routine, size.dimensions).references);
    return iterations(rules, references);
}

Facts facts_of(Shared const& shared, Series const& series, measure::Point const& at) {
    auto const& setup = shared.setup;
    return {.routine = series.routine,
            .precision = setup.precision,
            .iterations = calls_of(series, setup.rules)[place_of(series, at)],
            .leading = leading(setup, series, dimensions_at(at)),
            .peak = setup.peak,
            .timer = shared.timer,
            .statistic = setup.statistic};
}

measure::Program program_of(Shared& shared) {
    auto const& setup = shared.setup;
    measure::Program program{.name = "blasbench"};
    measure::Axis libraries{"blas", {}};
    for (Blas const& blas : shared.libraries)
        libraries.values.emplace_back(blas.name);
    program.axes = {problems_of(setup.series.front())};
    if (!setup.transposed.empty())
        program.axes.push_back({transposed_axis, {setup.transposed.begin(), setup.transposed.end()}});
    program.axes.push_back(llcbench::repetitions(setup.repetitions));
    program.axes.push_back(libraries);
    if (setup.threads.size() > 1)
        program.axes.push_back(measure::values("threads", {setup.threads.begin(), setup.threads.end()}));
    for (Series const& series : setup.series)
        program.benchmarks.push_back(benchmark(shared, series));
    program.plan = plan(setup.rules);
    program.prepare = [&shared](measure::Plan&, measure::Environment const& run) {
        shared.timer = run.timer;
        shared.flush.emplace(shared.setup.flush);
    };
    return program;
}

}  // namespace blasbench
