// SPDX-License-Identifier: BSD-3-Clause
#include "measure/run_each.hpp"
#include "support/catch.hpp"
#include "support/fake_timer.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

using Catch::Approx;
using measure::Comm;
using measure::EachPlan;
using measure::Iteration;
using measure::op;
using measure::StopVerdict;
using test::FakeTimer;

TEST_CASE("the clock is read twice in each iteration", "[run_each]") {
    auto const timer = FakeTimer::counting(10);
    std::vector<std::int64_t> seen;
    auto const loop =
        measure::run_each(Comm::solo(), {.timer = timer, .warm_up = 2, .iterations = 3}, [&](Iteration it) {
            seen.push_back(it.index);
            timer.advance(100 * (it.index + 1) - 10);
        });
    CHECK(seen == std::vector<std::int64_t>{0, 1, 2, 3, 4});
    REQUIRE(loop.mine.size() == 3);
    CHECK(loop.mine[0] == Approx(300e-9));
    CHECK(loop.mine[1] == Approx(400e-9));
    CHECK(loop.mine[2] == Approx(500e-9));
    CHECK(loop.joined == loop.mine);
    auto const& m = loop.measurement;
    CHECK(m.verdict == StopVerdict::converged);
    CHECK(m.stop_reason == "count");
    CHECK(m.start == "free");
    CHECK((m.attempts == 3 && m.valid == 3 && m.kept == 3));
    REQUIRE(m.estimate.has_value());
    CHECK(m.estimate->value == Approx(400e-9));
    CHECK(m.estimate->median == Approx(400e-9));
    // The samples are 100 ns apart: s = 100 ns, divided by the square root of three.
    CHECK(*m.estimate->standard_error == Approx(100e-9 / std::sqrt(3.0)));
    CHECK(m.first_call.value_or(0) == Approx(100e-9));
    CHECK(m.second_call.value_or(0) == Approx(200e-9));
    CHECK(m.mine.max == Approx(500e-9));
    CHECK(m.iterations_per_sample == 1);
}

TEST_CASE("a failed iteration has no time and does not count", "[run_each]") {
    auto const timer = FakeTimer::counting(10);
    int done = 0;
    auto const loop = measure::run_each(Comm::solo(), {.timer = timer, .iterations = 4}, [&] { return ++done != 2; });
    CHECK(std::isnan(loop.mine[1]));
    CHECK(std::isnan(loop.joined[1]));
    CHECK(loop.joined[3] == Approx(10e-9));
    auto const& m = loop.measurement;
    CHECK((m.attempts == 4 && m.valid == 3 && m.invalid.failed == 1));
    CHECK(m.estimate->value == Approx(10e-9));

    auto const none = measure::run_each(Comm::solo(), {.timer = timer, .iterations = 2}, [] { return false; });
    CHECK(none.measurement.verdict == StopVerdict::no_valid_samples);
    CHECK_FALSE(none.measurement.estimate.has_value());
}

TEST_CASE("an iteration during which the clock goes back is counted as backward", "[run_each]") {
    auto const timer = FakeTimer::counting(10);
    int done = 0;
    auto const loop = measure::run_each(Comm::solo(), {.timer = timer, .iterations = 4}, [&] {
        if (++done == 2)
            timer.advance(-1'000'000);
    });
    CHECK((std::isinf(loop.mine[1]) && loop.mine[1] < 0));
    CHECK((std::isinf(loop.joined[1]) && loop.joined[1] < 0));
    CHECK((loop.measurement.valid == 3 && loop.measurement.invalid.backward == 1));
    CHECK(loop.measurement.estimate->min > 0);
}

TEST_CASE("phases are means between marks", "[run_each]") {
    auto const timer = FakeTimer::counting(0);
    auto const body = [&](auto& lap) {
        timer.advance(100);
        lap.mark();
        timer.advance(300);
    };
    auto const m =
        measure::run_each(Comm::solo(), {.timer = timer, .warm_up = 1, .iterations = 5}, op(body).phases({"in", "out"}))
            .measurement;
    CHECK(m.phase("in").estimate->value == Approx(100e-9));
    CHECK(m.phase("out").estimate->value == Approx(300e-9));
    CHECK(m.estimate->value == Approx(400e-9));
}

TEST_CASE("a stop flag or a deadline ends the loop between two parts", "[run_each]") {
    std::atomic<int> stop{0};
    EachPlan plan{.timer = measure::MonotonicTimer{}, .iterations = 1'000'000};
    plan.control.stop = &stop;
    std::int64_t done = 0;
    CHECK_THROWS_AS(measure::run_each(Comm::solo(), plan,
                                      [&] {
                                          if (++done == 3)
                                              stop = 15;
                                      }),
                    measure::Interrupted);
    CHECK(done < plan.iterations);

    plan.control.stop = nullptr;
    plan.control.deadline = std::chrono::steady_clock::now();
    auto const m = measure::run_each(Comm::solo(), plan, [] {}).measurement;
    CHECK(m.verdict == StopVerdict::exhausted);
    CHECK(m.stop_reason == "budget");
    CHECK((m.attempts > 0 && m.attempts < plan.iterations));
}

TEST_CASE("a long warm-up needs only the memory of one part and ends at a deadline", "[run_each]") {
    auto const timer = FakeTimer::counting(0);
    std::int64_t done = 0;
    EachPlan plan{.timer = timer, .warm_up = 50'000, .iterations = 2};
    auto const loop = measure::run_each(Comm::solo(), plan, [&] { timer.advance(++done); });
    CHECK(done == 50'002);
    REQUIRE(loop.mine.size() == 2);
    CHECK(loop.mine[0] == Approx(50'001e-9));
    CHECK(loop.mine[1] == Approx(50'002e-9));
    CHECK(loop.measurement.first_call.value_or(0) == Approx(1e-9));
    CHECK(loop.measurement.second_call.value_or(0) == Approx(2e-9));

    done = 0;
    plan.warm_up = 1'000'000'000;
    plan.control.deadline = std::chrono::steady_clock::now();
    CHECK(measure::run_each(Comm::solo(), plan, [&] { ++done; }).measurement.attempts == 2);
    CHECK(done < plan.warm_up);
}

TEST_CASE("an exception of the body, a data error and an invalid plan are reported", "[run_each]") {
    EachPlan const plan{.timer = FakeTimer::counting(10), .iterations = 2};
    CHECK_THROWS_AS(measure::run_each(Comm::solo(), plan, [] { throw std::runtime_error("no"); }), measure::BodyError);
    auto checked = op([] {}).check([](auto&) { return std::string{"wrong"}; });
    CHECK(measure::run_each(Comm::solo(), plan, checked).measurement.data_error.find("wrong") != std::string::npos);
    CHECK_THROWS_AS(measure::run_each(Comm::solo(), {.iterations = 0}, [] {}), measure::UsageError);
    CHECK_THROWS_AS(measure::run_each(Comm::solo(), {.combine = measure::Combine::span}, [] {}), measure::UsageError);
}
