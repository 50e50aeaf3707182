// SPDX-License-Identifier: BSD-3-Clause
#include "measure/error.hpp"
#include "measure/mpi_error.hpp"
#include "measure/sweep.hpp"
#include "support/catch.hpp"
#include "support/fake_timer.hpp"
#include "support/gather_check.hpp"

#include <atomic>
#include <new>

using Catch::Approx;
using measure::Comm;
using measure::op;
using measure::Plan;
using measure::Point;
using test::FakeTimer;

namespace {

struct Keep {
    std::vector<measure::Record>* records;
    void write(measure::Record const& r) { records->push_back(r); }
};

Plan exact() {
    return {.start = measure::BarrierStart{},
            .stop = measure::stop::Count{.valid = 8},
            .estimate = {.trim = 0},
            .settling = {}};
}

/// Every rank has its own clock; the operation takes `bytes` nanoseconds and one reading.
struct Linear {
    FakeTimer timer = FakeTimer::counting(10);
    auto operator()(Point const& at) const {
        return op([timer = timer, n = at.bytes("bytes")] { timer.advance(n); });
    }
};

std::vector<std::int64_t> sizes(std::vector<measure::Record> const& records) {
    std::vector<std::int64_t> list;
    for (auto const& r : records)
        list.push_back(r.at.bytes("bytes"));
    return list;
}

}  // namespace

TEST_CASE("variants of a point follow each other, and the first one determines the refinement", "[sweep][not_quick]") {
    Comm const comm{MPI_COMM_WORLD};
    std::vector<measure::Record> records;
    Linear const linear;
    auto plan = exact();
    plan.timer = linear.timer;
    plan.stage = 1;
    measure::Benchmark const benchmark{
        .name = "linear", .make = linear, .variants = measure::Axis{"kind", {"odd", "even"}}};
    measure::SweepOptions options{};
    auto const check = [&](std::size_t points) {
        if (!comm.is_root())
            return;
        REQUIRE(records.size() == 2 * points);
        for (std::size_t i = 0; i < records.size(); ++i)
            CHECK(records[i].at == Point{records[i / 2 * 2].at}.set("kind", i % 2 == 0 ? "odd" : "even"));
    };
    auto const result =
        measure::sweep(comm, plan, {measure::powers_of_two("bytes", 1, 16)}, benchmark, options, Keep{&records});
    CHECK(result.points == 10);
    check(5);
    records.clear();
    // A straight line needs no refinement.
    options.refine = measure::Refinement{.tolerance = 0.5};
    static_cast<void>(
        measure::sweep(comm, plan, {measure::powers_of_two("bytes", 1, 16)}, benchmark, options, Keep{&records}));
    check(5);
    records.clear();
    options.refine.reset();
    options.shuffle = true;
    static_cast<void>(
        measure::sweep(comm, plan, {measure::powers_of_two("bytes", 1, 16)}, benchmark, options, Keep{&records}));
    check(5);
}

TEST_CASE("a sweep measures every point in order and writes on the root", "[sweep]") {
    Comm const comm{MPI_COMM_WORLD};
    std::vector<measure::Record> records;
    Linear const linear;
    auto plan = exact();
    plan.timer = linear.timer;
    auto const result = measure::sweep(comm, plan, {measure::powers_of_two("bytes", 1, 16)},
                                       measure::Benchmark{"linear", linear}, {}, Keep{&records});
    bool const same = test::same_on_all_ranks(result.points);

    CHECK(same);
    CHECK(result.points == 5);
    CHECK(result.incomplete == 0);
    CHECK(records.size() == (comm.is_root() ? 5 : 0));
    if (comm.is_root()) {
        CHECK(sizes(records) == std::vector<std::int64_t>{1, 2, 4, 8, 16});
        CHECK(records[4].value.value() == Approx(26e-9));
        CHECK(records[4].benchmark == "linear");
    }
}

TEST_CASE("an axis of ranks forms teams, and the other ranks wait", "[sweep]") {
    Comm const comm{MPI_COMM_WORLD};
    std::vector<measure::Record> records;
    std::vector<std::int64_t> teams;
    for (int n = 1; n <= comm.size(); ++n)
        teams.push_back(n);
    auto plan = exact();
    auto const timer = FakeTimer::counting(10);
    plan.timer = timer;
    std::vector<int> mine;
    (void)measure::sweep(
        comm, plan, {measure::values("ranks", teams)},
        [&](Comm const& team, Point const&) {
            mine.push_back(team.size());
            return op([timer, n = team.size()] { timer.advance(1000 * n); });
        },
        {}, Keep{&records});

    CHECK(mine.size() == static_cast<std::size_t>(comm.size() - comm.rank()));
    if (comm.is_root()) {
        REQUIRE(records.size() == teams.size());
        for (std::size_t i = 0; i < teams.size(); ++i)
            CHECK(records[i].value.value() == Approx((1000.0 * static_cast<double>(i + 1) + 10) * 1e-9));
    }
}

TEST_CASE("the operation may get its own communicator in another order, and the root of the team keeps the record",
          "[sweep]") {
    Comm const comm{MPI_COMM_WORLD};
    std::vector<measure::Record> records;
    auto plan = exact();
    auto const timer = FakeTimer::counting(10);
    plan.timer = timer;
    plan.epochs = 2;
    std::vector<int> ranks;
    int made = 0;
    measure::Benchmark reversed{"reversed", [&](Comm const& own, Point const&) {
                                    ranks.push_back(own.rank());
                                    return op([timer, &own] {
                                        MPI_Barrier(own.native());
                                        timer.advance(100);
                                    });
                                }};
    reversed.communicator = [&](Comm const& team, Point const&) {
        ++made;
        MPI_Comm downwards = MPI_COMM_NULL;
        measure::check(MPI_Comm_split(team.native(), 0, -team.rank(), &downwards), "MPI_Comm_split");
        return team.take(downwards);
    };
    (void)measure::sweep(comm, plan, {measure::values("bytes", {8})}, reversed, {}, Keep{&records});

    CHECK(made == 2);
    CHECK(ranks == std::vector<int>(2, comm.size() - 1 - comm.rank()));
    CHECK(records.size() == (comm.is_root() ? 1 : 0));
    if (comm.is_root())
        CHECK(records[0].value.has_value());
}

TEST_CASE("refinement brackets a jump, with the same points on all ranks", "[sweep]") {
    Comm const comm{MPI_COMM_WORLD};
    std::vector<measure::Record> records;
    auto const timer = FakeTimer::counting(10);
    auto plan = exact();
    plan.timer = timer;
    std::vector<std::int64_t> mine;
    auto const result = measure::sweep(
        comm, plan, {measure::powers_of_two("bytes", 256, 16384)},
        [&](Comm const&, Point const& at) {
            auto const n = at.bytes("bytes");
            mine.push_back(n);
            return op([=] { timer.advance(n < 3000 ? 10000 + 10 * n : 45000 + 8 * n); });
        },
        {.refine = measure::Refinement{.tolerance = 0.05, .at_most = 40, .multiple_of = 4, .min_distance = 8}},
        Keep{&records});
    bool const same = test::same_on_all_ranks(mine);

    CHECK(same);
    CHECK(result.refinement == measure::RefinementEnd::accuracy);
    // The worked example of the refinement rule: these four points follow the seven initial ones.
    REQUIRE(mine.size() == 11);
    CHECK(std::vector<std::int64_t>(mine.begin() + 7, mine.end()) == std::vector<std::int64_t>{2896, 3444, 3160, 3024});
}

TEST_CASE("a shuffled sweep has the same order on all ranks, fixed by the seed", "[sweep]") {
    Comm const comm{MPI_COMM_WORLD};
    Linear const linear;
    auto plan = exact();
    plan.timer = linear.timer;
    auto const order = [&](std::uint64_t seed) {
        std::vector<std::int64_t> seen;
        std::vector<measure::Record> records;
        (void)measure::sweep(
            comm, plan, {measure::powers_of_two("bytes", 1, 1024)}, linear,
            {.shuffle = true,
             .seed = seed,
             .before = [&](measure::Benchmark const&, Point const& at) { seen.push_back(at.bytes("bytes")); }},
            Keep{&records});
        return seen;
    };
    auto const first = order(1);
    auto const again = order(1);
    auto const other = order(2);
    bool const same = test::same_on_all_ranks(first);

    CHECK(same);
    CHECK(first == again);
    CHECK(first != other);
    CHECK(first.size() == 11);
}

TEST_CASE("the values of the innermost axis may come from a measurement that is not recorded", "[sweep]") {
    Comm const comm{MPI_COMM_WORLD};
    std::vector<measure::Record> records;
    Linear const linear;
    auto plan = exact();
    plan.timer = linear.timer;
    std::vector<double> seen;  // -1: the coordinate does not exist yet
    measure::Benchmark const benchmark{
        .name = "linear",
        .make = linear,
        .innermost = measure::MeasuredAxis{.name = "share",
                                           .stop = measure::stop::Count{.valid = 16},
                                           .values = [](Point const&, measure::Measurement const& m) {
                                               auto const t = m.estimate->value;
                                               return std::vector<double>{0.5 * t, t, 2 * t};
                                           }}};
    auto const options = [&](bool shuffle) {
        return measure::SweepOptions{.shuffle = shuffle, .before = [&](measure::Benchmark const&, Point const& at) {
                                         seen.push_back(at.has("share") ? at.number("share") : -1);
                                     }};
    };
    auto const result =
        measure::sweep(comm, plan, {measure::values("bytes", {90, 190})}, benchmark, options(false), Keep{&records});
    bool const same = test::same_on_all_ranks(seen);
    CHECK(same);
    CHECK(result.points == 6);
    // One reading takes 10 ns.
    std::vector<double> const expected{-1, 50e-9, 100e-9, 200e-9, -1, 100e-9, 200e-9, 400e-9};
    REQUIRE(seen.size() == expected.size());
    for (std::size_t i = 0; i < seen.size(); ++i)
        CHECK(seen[i] == Approx(expected[i]));
    if (comm.is_root()) {
        REQUIRE(records.size() == 6);
        CHECK(records[0].at.has("share"));
        CHECK(records[0].attempts == 8);
    }

    seen.clear();
    (void)measure::sweep(comm, plan, {measure::values("bytes", {90, 190})}, benchmark, options(true), Keep{&records});
    bool const same_again = test::same_on_all_ranks(seen);
    CHECK(same_again);
    CHECK(seen.size() == 8);
}

TEST_CASE("an innermost axis without values keeps the record of the measurement", "[sweep]") {
    Comm const comm{MPI_COMM_WORLD};
    std::vector<measure::Record> records;
    auto plan = exact();
    auto const timer = FakeTimer::counting(10);
    plan.timer = timer;
    measure::Benchmark const failing{
        .name = "failing",
        .make = [](Point const&) { return op([] { return false; }); },
        .innermost = measure::MeasuredAxis{.name = "share",
                                           .stop = measure::stop::Count{.valid = 8, .at_most = 8},
                                           .values = [](Point const&, auto&) { return std::vector<double>{1}; }}};
    auto const result = measure::sweep(comm, plan, {measure::values("bytes", {1})}, failing, {}, Keep{&records});
    CHECK(result.points == 1);
    CHECK(result.incomplete == 1);
    if (comm.is_root()) {
        REQUIRE(records.size() == 1);
        CHECK_FALSE(records[0].at.has("share"));
        CHECK(records[0].status == measure::PointStatus::crashed);
    }
}

TEST_CASE("values that cannot be computed are one error on all ranks", "[sweep]") {
    Comm const comm{MPI_COMM_WORLD};
    std::vector<measure::Record> records;
    Linear const linear;
    auto plan = exact();
    plan.timer = linear.timer;
    measure::Benchmark const benchmark{
        .name = "linear",
        .make = linear,
        .innermost = measure::MeasuredAxis{
            .name = "share",
            .stop = measure::stop::Count{.valid = 8},
            .values = [](Point const&, auto&) -> std::vector<double> { throw std::runtime_error("no share"); }}};
    std::string text;
    try {
        (void)measure::sweep(comm, plan, {measure::values("bytes", {1, 2})}, benchmark, {}, Keep{&records});
    } catch (std::runtime_error const& e) {
        text = e.what();
    }
    bool const same = test::same_on_all_ranks(text);
    CHECK(same);
    CHECK(text == "no share");
}

namespace {

/// Measures three points, of which the maker skips the second: `refuse` throws on some ranks. Returns the record of it
/// on the root.
template <class Refuse>
measure::Record left_out(Comm const& comm, Refuse const& refuse) {
    std::vector<measure::Record> records;
    Linear const linear;
    auto plan = exact();
    plan.timer = linear.timer;
    auto const result = measure::sweep(
        comm, plan, {measure::powers_of_two("bytes", 1, 4)},
        [&](Comm const& team, Point const& at) {
            if (at.bytes("bytes") == 2)
                refuse(team);
            return linear(at);
        },
        {}, Keep{&records});

    CHECK(result.points == 3);
    CHECK(result.incomplete == 1);
    if (!comm.is_root())
        return {};
    REQUIRE(records.size() == 3);
    CHECK(records[1].status == measure::PointStatus::skipped);
    CHECK_FALSE(records[1].value.has_value());
    CHECK(records[2].value.has_value());
    return records[1];
}

}  // namespace

TEST_CASE("a point without memory is skipped and the sweep continues", "[sweep]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const record = left_out(comm, [](Comm const& team) {
        if (team.rank() == team.size() - 1)
            throw std::bad_alloc();
    });
    if (comm.is_root())
        CHECK(record.flags == std::vector<std::string>{"no_memory"});
}

TEST_CASE("a point that its maker skips has the reason in its record", "[sweep]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const record = left_out(comm, [](Comm const&) { throw measure::SkipPoint("two is too many"); });
    if (comm.is_root())
        CHECK(record.message == "two is too many");
}

TEST_CASE("a team that skips a point tells the ranks that wait for it", "[sweep]") {
    Comm const comm{MPI_COMM_WORLD};
    std::vector<measure::Record> records;
    Linear const linear;
    auto plan = exact();
    plan.timer = linear.timer;
    auto const result = measure::sweep(
        comm, plan, {measure::values("ranks", {1}), measure::values("bytes", {1, 2})},
        [&](Comm const&, Point const& at) {
            if (at.bytes("bytes") == 1)
                throw measure::SkipPoint("one is too few");
            return linear(at);
        },
        {}, Keep{&records});

    CHECK(result.points == 2);
    CHECK(result.incomplete == 1);
    if (comm.is_root()) {
        REQUIRE(records.size() == 2);
        CHECK(records[0].message == "one is too few");
        CHECK(records[1].value.has_value());
    }
}

TEST_CASE("points after the deadline are recorded as skipped", "[sweep]") {
    Comm const comm{MPI_COMM_WORLD};
    std::vector<measure::Record> records;
    Linear const linear;
    auto plan = exact();
    plan.timer = linear.timer;
    plan.control.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
    auto const result = measure::sweep(comm, plan, {measure::powers_of_two("bytes", 1, 4)}, linear, {}, Keep{&records});

    CHECK(result.points == 0);
    CHECK(result.incomplete == 3);
    for (auto const& r : records) {
        CHECK(r.status == measure::PointStatus::skipped);
        CHECK(r.message == "time_budget");
    }
}

TEST_CASE("a stop flag on a waiting rank ends the sweep on all ranks", "[sweep]") {
    Comm const comm{MPI_COMM_WORLD};
    std::vector<measure::Record> records;
    std::atomic<int> flag{comm.rank() == comm.size() - 1 ? 2 : 0};
    Linear const linear;
    auto plan = exact();
    plan.timer = linear.timer;
    plan.control.stop = &flag;
    int value = 0;
    try {
        (void)measure::sweep(comm, plan, {measure::values("ranks", {1}), measure::values("bytes", {1, 2, 3})}, linear,
                             {}, Keep{&records});
    } catch (measure::Interrupted const& e) {
        value = e.value();
    }
    CHECK(value == 2);
}

TEST_CASE("a sink that fails on the root is one error on all ranks", "[sweep]") {
    struct Full {
        void write(measure::Record const&) { throw std::runtime_error("no space left"); }
    };
    Comm const comm{MPI_COMM_WORLD};
    Linear const linear;
    auto plan = exact();
    plan.timer = linear.timer;
    std::string text;
    try {
        (void)measure::sweep(comm, plan, {measure::values("bytes", {1, 2})}, linear, {}, Full{});
    } catch (std::runtime_error const& e) {
        text = e.what();
    }
    bool const same = test::same_on_all_ranks(text);
    CHECK(same);
    CHECK(text == "no space left");
}

TEST_CASE("wrong axes are refused on all ranks", "[sweep]") {
    Comm const comm{MPI_COMM_WORLD};
    Keep keep{nullptr};
    Linear const linear;
    CHECK_THROWS_AS(measure::values("bytes", {}), measure::UsageError);
    CHECK_THROWS_AS(measure::sweep(comm, exact(), {measure::Axis{"bytes", {}}}, linear, {}, keep), measure::UsageError);
    CHECK_THROWS_AS(measure::sweep(comm, exact(), {measure::Axis{"bytes", {std::string("many")}}}, linear,
                                   {.refine = measure::Refinement{}}, keep),
                    measure::UsageError);
    CHECK_THROWS_AS(measure::sweep(comm, exact(), {measure::values("bytes", {1})}, linear,
                                   {.refine = measure::Refinement{}, .shuffle = true}, keep),
                    measure::UsageError);
}

TEST_CASE("an operation whose first point is skipped has its minimum warm-up at the next point", "[sweep]") {
    Comm const comm{MPI_COMM_WORLD};
    std::vector<measure::Record> records;
    auto const timer = FakeTimer::counting(10);
    auto plan = exact();
    plan.timer = timer;
    plan.settling = measure::Settling{};
    measure::Benchmark const benchmark{.name = "second", .make = [&](Point const& at) {
                                           if (at.bytes("bytes") == 1)
                                               throw measure::SkipPoint("not this one");
                                           return op([timer] { timer.advance(990); });
                                       }};
    static_cast<void>(measure::sweep(comm, plan, {measure::values("bytes", {1, 2, 3})}, benchmark, {}, Keep{&records}));
    if (!comm.is_root())
        return;
    REQUIRE(records.size() == 3);
    CHECK(records[0].status == measure::PointStatus::skipped);
    CHECK(records[1].derived.number({"settling", "runs"}).value() >= 1000);
    CHECK(records[2].derived.number({"settling", "runs"}).value() >= 256);
    CHECK(records[2].derived.number({"settling", "runs"}).value() < 1000);
}

TEST_CASE("a benchmark with its own communicators is warmed up at each point", "[sweep]") {
    Comm const comm{MPI_COMM_WORLD};
    std::vector<measure::Record> records;
    auto const timer = FakeTimer::counting(10);
    auto plan = exact();
    plan.timer = timer;
    plan.settling = measure::Settling{};
    measure::Benchmark benchmark{.name = "own",
                                 .make = [&](Point const&) { return op([timer] { timer.advance(990); }); }};
    benchmark.communicator = [](Comm const& team, Point const&) { return team.duplicate(); };
    static_cast<void>(measure::sweep(comm, plan, {measure::values("bytes", {1, 2})}, benchmark, {}, Keep{&records}));
    for (auto const& record : records)
        CHECK(record.derived.number({"settling", "runs"}).value() >= 1000);
}

TEST_CASE("a point with a trend is measured again, and the better measurement is recorded", "[sweep]") {
    Comm const comm{MPI_COMM_WORLD};
    for (int const retries : {0, 1}) {
        std::vector<measure::Record> records;
        auto const timer = FakeTimer::counting(10);
        auto plan = exact();
        plan.timer = timer;
        plan.settling = measure::Settling{};
        plan.stop = measure::stop::Count{.valid = 32, .at_most = 32};
        // The step is in the middle of the measured runs, after the warm-up and the stage that settles.
        int calls = 0;
        measure::SweepOptions options{};
        options.retries = retries;
        static_cast<void>(measure::sweep(
            comm, plan, {measure::values("bytes", {1})},
            [&](Point const&) { return op([&calls, timer] { timer.advance(calls++ < 1000 + 8 + 16 ? 1990 : 990); }); },
            options, Keep{&records}));
        if (!comm.is_root())
            continue;
        REQUIRE(records.size() == 1);
        CHECK(records[0].has_flag("trend") == (retries == 0));
        CHECK(records[0].derived.number({"attempt"}).value_or(1) == 1 + retries);
    }
}
