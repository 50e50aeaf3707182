// SPDX-License-Identifier: BSD-3-Clause
#include "mpbench/method.hpp"

#include "llcbench/page.hpp"
#include "llcbench/points.hpp"
#include "mpbench/report.hpp"
#include "mpbench/result.hpp"
#include "program/engine/campaign.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>
#include <utility>
#include <vector>

namespace mpbench {

namespace {

using measure::Bytes;
using measure::Comm;
using measure::Measurement;
using measure::Point;

/// Checks the data of a size. Returns errors such as "rank 1 received wrong data at offset 2048", or an empty text.
/// Only valid on the root.
std::string defect(Shared& shared, Test const& test, Bytes bytes) {
    auto const wrong = shared.bench->check(test, bytes, test.name == shared.damaged);
    std::vector<std::string> words;
    for (std::size_t i = 0; i < wrong.size(); ++i)
        if (wrong[i] >= 0)
            words.push_back(fmt::format("rank {} received wrong data at offset {}",
                                        i + 1 == wrong.size() ? shared.setup.tasks - 1 : static_cast<int>(i),
                                        wrong[i]));
    return fmt::format("{}", fmt::join(words, ", "));
}

/// Measures one repetition of a size, on all tasks.
Measurement measured(Shared& shared, Test const& test, Comm const& world, measure::Plan const& plan, Point const& at) {
    Setup const& s = shared.setup;
    Bytes const bytes = test.kind == Kind::barrier ? 0 : at.bytes("bytes");
    if (bytes > s.largest())
        throw std::bad_alloc{};
    bool const first = at.integer("repetition") == 0;
    if (std::exchange(shared.warm, &test) != &test)
        shared.bench->warm_up(test, message_bytes(test.kind, s.largest(), s.tasks));
    if (s.verify && first) {
        Measurement m;
        m.data_error = defect(shared, test, bytes);
        m.attempts = 1;  // the checked exchange
        shared.wrong = !m.data_error.empty();
        world.broadcast(shared.wrong);
        if (shared.wrong)
            return m;
    }
    if (shared.wrong)
        throw measure::SkipPoint("wrong data");
    bool const flush = s.flush_repetitions || (s.flush_sizes && first);
    auto found = shared.bench->measure(test, bytes, plan, flush);
    shared.call_time = found.call_time;
    return std::move(found.measurement);
}

measure::Benchmark benchmark(Shared& shared, Test const& test) {
    Setup const& setup = shared.setup;
    measure::Benchmark row{.name = std::string{test.name}, .summary = std::string{test.text}};
    if (setup.api == Api::mpi)
        row.semantics = test.semantics();
    row.loop = [&shared, &test](Comm const& world, measure::Plan const& plan, std::vector<Point> const& variants) {
        return std::vector{measured(shared, test, world, plan, variants.front())};
    };
    auto const sizes = setup.messages(test);
    row.axes = {{"bytes", {sizes.begin(), sizes.end()}}};
    row.finish = [&shared, &test](measure::Record& record) {
        Setup const& s = shared.setup;
        record = result(std::move(record), test,
                        {.tasks = s.tasks,
                         .oversubscribed = s.oversubscribed,
                         .flush_each = s.rules.flush_each,
                         .timer = shared.timer,
                         .call_time = std::exchange(shared.call_time, std::nullopt),
                         .statistic = s.statistic});
    };
    return row;
}

/// Records of the alltoall points that have fewer bytes than tasks.
std::vector<measure::Record> left_out(Setup const& setup) {
    std::vector<measure::Record> records;
    for (Test const* const test : setup.tests)
        for (Bytes const size : setup.sizes)
            for (int i = 0; test->kind == Kind::alltoall && size < setup.tasks && i < setup.repetitions; ++i)
                records.push_back(measure::make_record(
                    std::string{test->name},
                    {{"ranks", std::int64_t{setup.tasks}}, {"bytes", size}, {"repetition", std::int64_t{i}}},
                    measure::PointStatus::skipped, "fewer bytes than tasks"));
    return records;
}

}  // namespace

measure::Plan plan() {
    return {.start = measure::BarrierStart{},
            .batch = measure::FixedCount{1},
            .combine = measure::Combine::root,
            .stop = measure::stop::Count{.valid = 1, .at_most = 1},
            .estimate = {.trim = 0},
            .warm_up = 0,
            .settling = {},
            .limit = {},
            .stage = 1,
            .keep = measure::Keep::samples};
}

measure::Program program_of(Shared& shared) {
    Setup const& setup = shared.setup;
    measure::Program program{.name = "mpbench"};
    program.axes = {measure::values("bytes", {setup.sizes.begin(), setup.sizes.end()}),
                    llcbench::repetitions(setup.repetitions)};
    for (Test const* const test : setup.tests)
        if (test->kind == Kind::barrier || !setup.messages(*test).empty())
            program.benchmarks.push_back(benchmark(shared, *test));
    program.plan = plan();
    program.prepare = [&shared](measure::Plan& plan, measure::Environment const& run) {
        shared.timer = run.timer;
        shared.bench = shared.make_bench(plan.timer, run.timer.step());
    };
    return program;
}

void list(Setup const& setup, program::Session& session) {
    Shared shared{.setup = setup};
    program::list(program_of(shared), session);
}

void measure_all(Setup const& setup, Options const& options, llcbench::Machine const& machine,
                 program::Session& session, MakeBench make_bench) {
    Shared shared{.setup = setup, .make_bench = std::move(make_bench)};
    llcbench::Results results{setup.output, machine, session};
    if (auto const hook = session.test_hook("MEASURE_TEST_CORRUPT"))
        shared.damaged = *hook;
    session.add_to_run("caches", llcbench::value(machine.caches));
    for (Test const* const test : setup.tests)
        if (test->kind != Kind::barrier && setup.messages(*test).empty())
            session.warn(fmt::format("{}: skipped, because all sizes have fewer bytes than the {} tasks", test->name,
                                     setup.tasks));
    auto program = program_of(shared);
    auto const beside = left_out(setup);
    program.prepare = [&, prepare = program.prepare](measure::Plan& plan, measure::Environment const& run) {
        prepare(plan, run);
        for (auto const& record : beside)
            session.left_out(record);
    };
    Report report{results.stream(), setup, machine};
    llcbench::measure(std::move(program), {.options = describe(setup, options), .points_beside = std::ssize(beside)},
                      report, results, conditions(setup), session);
}

}  // namespace mpbench
