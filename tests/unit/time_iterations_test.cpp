// SPDX-License-Identifier: BSD-3-Clause
#include "measure/time_iterations.hpp"
#include "support/catch.hpp"
#include "support/fake_timer.hpp"

#include <stdexcept>
#include <vector>

using Catch::Approx;
using test::FakeTimer;

TEST_CASE("a loop reads the clock twice for any number of iterations", "[loop]") {
    auto const timer = FakeTimer::counting(10);
    auto operation = measure::op([&] { timer.advance(100); });
    auto const time = measure::time_iterations(timer, operation, 1000);
    CHECK(timer.readings() == 2);
    CHECK(time.total.count() == Approx(100'010e-9));
    CHECK(time.each().count() == Approx(100.010e-9));
    CHECK(time.iterations == 1000);
    CHECK(time.succeeded);
}

TEST_CASE("iterations count from 0 or from the given first one", "[loop]") {
    auto const timer = FakeTimer::counting(10);
    std::vector<std::int64_t> seen;
    auto operation = measure::op([&](measure::Iteration it) { seen.push_back(it.index); });
    static_cast<void>(measure::time_iterations(timer, operation, 3));
    static_cast<void>(measure::time_iterations(timer, operation, 2, 7));
    CHECK(seen == std::vector<std::int64_t>{0, 1, 2, 7, 8});
}

TEST_CASE("a lap counts iterations too", "[loop]") {
    auto const timer = FakeTimer::counting(10);
    std::vector<std::int64_t> seen;
    auto operation = measure::op([&](auto& lap) { seen.push_back(lap.iteration().index); });
    static_cast<void>(measure::time_iterations(timer, operation, 3));
    static_cast<void>(measure::time_iterations(timer, operation, 2, 7));
    CHECK(seen == std::vector<std::int64_t>{0, 1, 2, 7, 8});
}

TEST_CASE("the finish hook is timed, the prepare hook is not called", "[loop]") {
    auto const timer = FakeTimer::counting(10);
    bool prepared = false;
    auto operation =
        measure::op([&] { timer.advance(5); }).finish([&] { timer.advance(1000); }).prepare([&] { prepared = true; });
    CHECK(measure::time_iterations(timer, operation, 2).total.count() == Approx(1020e-9));
    CHECK_FALSE(prepared);
}

TEST_CASE("one failed iteration makes the loop fail, and the others still run", "[loop]") {
    auto const timer = FakeTimer::counting(10);
    int runs = 0;
    auto operation = measure::op([&](measure::Iteration it) {
        ++runs;
        return it.index != 1;
    });
    CHECK_FALSE(measure::time_iterations(timer, operation, 4).succeeded);
    CHECK(runs == 4);
}

TEST_CASE("a finish hook can make the loop fail", "[loop]") {
    auto const timer = FakeTimer::counting(10);
    for (bool const succeeded : {true, false}) {
        auto operation = measure::op([] {}).finish([&] { return succeeded; });
        CHECK(measure::time_iterations(timer, operation, 2).succeeded == succeeded);
    }
}

TEST_CASE("a loop of zero iterations has zero time per iteration", "[loop]") {
    auto const timer = FakeTimer::counting(10);
    auto operation = measure::op([] {});
    auto const time = measure::time_iterations(timer, operation, 0);
    CHECK(time.total.count() == Approx(10e-9));
    CHECK(time.each().count() == 0);
}

TEST_CASE("a timer selected at run time is also read twice", "[loop]") {
    auto const timer = FakeTimer::counting(10);
    measure::AnyTimer const any{timer};
    auto operation = measure::op([&] { timer.advance(90); });
    CHECK(measure::time_iterations(any, operation, 1).total.count() == Approx(100e-9));
    CHECK(timer.readings() == 2);
}

TEST_CASE("a body may narrow its time, and its exceptions are passed on", "[loop]") {
    auto const timer = FakeTimer::counting(10);
    auto inner = measure::op([&](auto& lap) {
        timer.advance(1000);
        lap.begin();
        timer.advance(500);
        lap.end();
    });
    CHECK(measure::time_iterations(timer, inner, 1).total.count() == Approx(510e-9));
    auto thrower = measure::op([] { throw std::runtime_error("no"); });
    CHECK_THROWS_WITH(measure::time_iterations(timer, thrower, 1), "no");
}

TEST_CASE("loops send a heartbeat after every 16 executions, and one heartbeat if they are timed",
          "[time_iterations]") {
    auto const beats = [](auto&& work) {
        auto const before = measure::detail::heartbeats();
        work();
        return measure::detail::heartbeats() - before;
    };
    std::int64_t done = 0;
    auto operation = measure::op([&] { ++done; });
    struct Case {
        std::int64_t iterations;
        std::uint64_t expected;
    };
    for (auto const& each : {Case{0, 1}, {1, 1}, {16, 1}, {17, 2}, {160, 10}, {161, 11}}) {
        done = 0;
        auto const loop = [&] {
            static_cast<void>(measure::time_iterations(measure::MonotonicTimer{}, operation, each.iterations));
        };
        CHECK(beats(loop) == each.expected);
        CHECK(done == each.iterations);
    }
    CHECK(beats([] { measure::alive(); }) == 1);
}

TEST_CASE("a process is unwatched while it requests that", "[time_iterations]") {
    using measure::detail::Unwatched;
    CHECK_FALSE(measure::detail::is_unwatched());
    {
        Unwatched const one;
        { Unwatched const other; }
        CHECK(measure::detail::is_unwatched());
    }
    CHECK_FALSE(measure::detail::is_unwatched());
}
