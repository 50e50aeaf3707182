// SPDX-License-Identifier: BSD-3-Clause
#include "measure/stonewall.hpp"
#include "support/catch.hpp"
#include "support/fake_timer.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

using measure::Comm;
using measure::LoopLimit;
using measure::next_block;
using measure::seconds;
using measure::stonewall_loop;
using measure::Termination;
using test::FakeTimer;

namespace {

constexpr auto never = [] { return 0; };

}  // namespace

TEST_CASE("blocks double until they take an eighth of the time", "[stonewall]") {
    LoopLimit const limit{.until = seconds{8}};
    // 10 ms per call: an eighth of 8 s is 100 calls.
    CHECK(next_block(limit, 1, 1, seconds{0.01}) == 2);
    CHECK(next_block(limit, 32, 63, seconds{0.63}) == 64);
    CHECK(next_block(limit, 64, 127, seconds{1.27}) == 100);
    CHECK(next_block(limit, 100, 227, seconds{2.27}) == 100);
}

TEST_CASE("the last block has the calls that still fit, and no block starts that would end too late", "[stonewall]") {
    LoopLimit const limit{.until = seconds{8}};
    // 7.955 s are over, 10 ms per call: 4 calls are left, then 0.
    CHECK(next_block(limit, 100, 795, seconds{7.955}) == 4);
    CHECK(next_block(limit, 4, 799, seconds{7.995}) == 0);
    CHECK(next_block(limit, 1, 799, seconds{9}) == 0);
    // 1 s per call: an eighth of 2 s is less than a call, so blocks have one call.
    CHECK(next_block({.until = seconds{2}}, 1, 1, seconds{1}) == 1);
    CHECK(next_block({.until = seconds{2}}, 1, 2, seconds{2}) == 0);
    CHECK(next_block({.until = seconds{0}}, 1, 1, seconds{1}) == 0);
}

TEST_CASE("the cost of agreement and a slow first call do not shorten the blocks", "[stonewall]") {
    LoopLimit const limit{.until = seconds{8}};
    // 10 ms per call, 1 s for each of 3 agreements: 4.93 s are left for 493 calls.
    CHECK(next_block(limit, 4, 7, seconds{3.07}, {seconds{0.01}, seconds{0.01}}) == 8);
    CHECK(next_block(limit, 64, 127, seconds{7.27}, {seconds{0.01}, seconds{0.01}}) == 73);
    // 1.03 s for 4 calls, the first of which took 1 s: an eighth of 8 s is 100 calls, and 27 fit.
    CHECK(next_block(limit, 2, 4, seconds{1.03}, {seconds{0.2575}, seconds{0.01}}) == 4);
    CHECK(next_block(limit, 16, 20, seconds{1.2}, {seconds{0.06}, seconds{0.01}}) == 32);
    CHECK(next_block(limit, 64, 84, seconds{1.84}, {seconds{1.84 / 84}, seconds{0.01}}) == 100);
}

TEST_CASE("a maximum number of calls also ends the loop", "[stonewall]") {
    LoopLimit const counted{.at_most = 10};
    CHECK(next_block(counted, 1, 1, seconds{1}) == 2);
    CHECK(next_block(counted, 4, 7, seconds{7}) == 3);
    CHECK(next_block(counted, 3, 10, seconds{10}) == 0);
    CHECK(next_block({.until = seconds{100}, .at_most = 10}, 4, 7, seconds{7}) == 3);
    CHECK(next_block({.at_most = 1}, 1, 1, seconds{5}) == 0);
}

TEST_CASE("classic termination decides after every call whether one more call fits", "[stonewall]") {
    LoopLimit const limit{.until = seconds{1}, .at_most = 6, .termination = Termination::classic};
    // continue if elapsed (r + 1) / r <= Tp
    CHECK(next_block(limit, 1, 4, seconds{0.8}) == 1);
    CHECK(next_block(limit, 1, 4, seconds{0.81}) == 0);
    CHECK(next_block(limit, 1, 6, seconds{0.1}) == 0);
    CHECK(next_block({.at_most = 6, .termination = Termination::classic}, 1, 5, seconds{100}) == 1);
}

TEST_CASE("a clock that has not advanced yet does not end the loop", "[stonewall]") {
    CHECK(next_block({.until = seconds{1}}, 4, 7, seconds{0}) == 8);
}

TEST_CASE("a clock that goes back ends a loop with a time limit, but not one with a limit of calls", "[stonewall]") {
    CHECK(next_block({.until = seconds{1}}, 4, 7, seconds{-1}) == 0);
    CHECK(next_block({.until = seconds{1}, .termination = Termination::classic}, 1, 7, seconds{-1}) == 0);
    CHECK(next_block({.at_most = 100}, 4, 7, seconds{-1}) == 8);
    for (std::int64_t const step : {std::int64_t{1'000}, std::int64_t{-3'600'000'000'000}}) {
        auto const timer = FakeTimer::counting(10);
        auto const loop = stonewall_loop(
            Comm::solo(), timer, timer.now(), {.until = seconds{1}},
            [&](std::int64_t i) { timer.advance(i == 5 ? step : 1'000'000); }, never);
        CHECK(loop.is_backward == (step < 0));
        CHECK((loop.calls < 20) == (step < 0));
    }
}

TEST_CASE("blocks stay within the range of an integer", "[stonewall]") {
    std::int64_t const most = std::int64_t{1} << 62;
    CHECK(next_block({.until = seconds{1e300}, .at_most = most}, most / 2, most - 5, seconds{1e-9}) == 5);
    CHECK(next_block({.at_most = most}, most / 2 + 1, most / 2 + 1, seconds{1}) == most / 2 - 1);
}

TEST_CASE("at constant speed a loop fills its time with at most log2(r) + 12 decisions", "[stonewall]") {
    for (std::int64_t const call : {1'000, 33'000, 700'000, 90'000'000}) {
        auto const timer = FakeTimer::counting(0);
        auto const loop = stonewall_loop(
            Comm::solo(), timer, timer.now(), {.until = seconds{1}}, [&](std::int64_t) { timer.advance(call); }, never);
        CHECK(loop.calls <= 1'000'000'000 / call);
        CHECK(loop.calls >= 1'000'000'000 / call - 1);  // except for rounding
        CHECK(static_cast<double>(loop.decisions) <= std::log2(static_cast<double>(loop.calls)) + 12);
    }
}

TEST_CASE("time for agreement is not counted as time of the calls", "[stonewall]") {
    // 1 ms per call, so 100 calls fill the time, and 20 ms per agreement; classic termination counts both.
    for (auto const termination : {Termination::geometric, Termination::classic}) {
        auto const timer = FakeTimer::counting(0);
        auto const loop = stonewall_loop(
            Comm::solo(), timer, timer.now(), {.until = seconds{0.1}, .termination = termination},
            [&](std::int64_t) { timer.advance(1'000'000); },
            [&] {
                timer.advance(20'000'000);
                return 0;
            });
        bool const is_classic = termination == Termination::classic;
        CHECK(loop.calls >= (is_classic ? 4 : 99));  // except for rounding
        CHECK(loop.calls <= (is_classic ? 4 : 100));
    }
}

TEST_CASE("a slow first call costs few decisions", "[stonewall]") {
    auto const timer = FakeTimer::counting(0);
    auto const loop = stonewall_loop(
        Comm::solo(), timer, timer.now(), {.until = seconds{1}},
        [&](std::int64_t i) { timer.advance(i == 0 ? 400'000'000 : 1'000'000); }, never);
    CHECK(loop.calls > 500);
    CHECK(static_cast<double>(loop.decisions) <= 2 * std::log2(static_cast<double>(loop.calls)) + 12);
}

TEST_CASE("calls that get slower exceed the time by at most an eighth", "[stonewall]") {
    auto const timer = FakeTimer::counting(0);
    auto const loop = stonewall_loop(
        Comm::solo(), timer, timer.now(), {.until = seconds{1}},
        [&](std::int64_t i) { timer.advance(i < 400 ? 1'000'000 : 2'000'000); }, never);
    auto const took = loop.calling.count();
    CHECK(took > 0.9);
    CHECK(took <= 1.125 + 0.002);
}

TEST_CASE("calls are numbered from 0 without gaps", "[stonewall]") {
    auto const timer = FakeTimer::counting(1);
    std::vector<std::int64_t> seen;
    auto const loop = stonewall_loop(
        Comm::solo(), timer, timer.now(), {.at_most = 6}, [&](std::int64_t i) { seen.push_back(i); }, never);
    CHECK(seen == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
    CHECK(loop.calls == 6);
    CHECK(loop.decisions == 3);  // 1 + 2 + 3
}

TEST_CASE("classic termination decides after each call", "[stonewall]") {
    auto const timer = FakeTimer::counting(0);
    auto const loop = stonewall_loop(
        Comm::solo(), timer, timer.now(), {.until = seconds{1e-3}, .termination = Termination::classic},
        [&](std::int64_t) { timer.advance(99'000); }, never);
    CHECK(loop.calls == 10);
    CHECK(loop.decisions == 10);
}

TEST_CASE("a stop word ends the loop at the next decision and is returned", "[stonewall]") {
    auto const timer = FakeTimer::counting(0);
    int calls = 0;
    auto const loop = stonewall_loop(
        Comm::solo(), timer, timer.now(), {.at_most = 100}, [&](std::int64_t) { ++calls; },
        [&] { return calls >= 2 ? 15 : 0; });
    CHECK(loop.word == 15);
    CHECK(loop.calls == 3);  // the block of two was already running
    CHECK(loop.decisions == 2);
}

TEST_CASE("the parts of the loop time are those between its clock readings", "[stonewall]") {
    auto const timer = FakeTimer::counting(10);
    // One call: readings at 0 (opened), 10, 20 | call 100 | 130, 140, 150.
    auto const loop = stonewall_loop(
        Comm::solo(), timer, timer.now(), {.at_most = 1}, [&](std::int64_t) { timer.advance(100); }, never);
    CHECK(loop.calling.count() == Catch::Approx(120e-9));
    CHECK(loop.last_call.count() == Catch::Approx(110e-9));
    CHECK(loop.barrier.count() == Catch::Approx(10e-9));
    CHECK(loop.broadcast.count() == Catch::Approx(10e-9));
    CHECK(loop.last_agreement.count() == Catch::Approx(20e-9));
    CHECK(timer.readings() == 6);
}
