// SPDX-License-Identifier: BSD-3-Clause
#include "measure/record.hpp"
#include "measure/run.hpp"
#include "support/catch.hpp"
#include "support/fake_timer.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <vector>

using Catch::Approx;
using measure::Comm;
using measure::Iteration;
using measure::op;
using measure::Plan;
using measure::seconds;
using measure::StopVerdict;
using test::FakeTimer;

namespace {

/// One rank, free start, a clock that advances by 10 ns per reading: every sample is exact.
Plan exact(std::int64_t samples = 8) {
    return {.start = measure::FreeStart{},
            .batch = measure::FixedCount{1},
            .stop = measure::stop::Count{.valid = samples},
            .estimate = {.trim = 0},
            .settling = {}};
}

}  // namespace

TEST_CASE("an MPI communicator is refused if MPI is not running", "[run]") {
    CHECK_THROWS_AS(Comm{MPI_COMM_WORLD}, measure::UsageError);
}

TEST_CASE("an empty sample lasts from one reading to the next", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto const m = measure::run(Comm::solo(), exact(), timer, [] {});

    CHECK(m.verdict == StopVerdict::converged);
    CHECK(m.stop_reason == "count");
    CHECK(m.attempts == 8);
    CHECK(m.valid == 8);
    REQUIRE(m.estimate.has_value());
    CHECK(m.estimate->value == Approx(10e-9));
    CHECK(m.time().count() == Approx(10e-9));
}

TEST_CASE("the timer of the plan and a timer passed to run give the same samples", "[run]") {
    auto plan = exact();
    auto const inside = FakeTimer::counting(10);
    auto const behind = FakeTimer::counting(10);
    plan.timer = behind;
    auto const a = measure::run(Comm::solo(), plan, [&] { behind.advance(990); });
    auto const b = measure::run(Comm::solo(), plan, inside, [&] { inside.advance(990); });

    CHECK(a.estimate->value == Approx(1e-6));
    CHECK(b.estimate->value == Approx(1e-6));
}

TEST_CASE("the time of a batch is divided by its iterations", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact();
    plan.batch = measure::FixedCount{4};
    auto const m = measure::run(Comm::solo(), plan, timer, [&] { timer.advance(100); });

    CHECK(m.iterations_per_sample == 4);
    CHECK(m.estimate->value == Approx(410e-9 / 4));
}

TEST_CASE("the finish hook is timed, the prepare hook is not", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto const m = measure::run(
        Comm::solo(), exact(), timer,
        op([&] { timer.advance(100); }).finish([&] { timer.advance(30); }).prepare([&] { timer.advance(5000); }));
    CHECK(m.estimate->value == Approx(140e-9));
}

TEST_CASE("the warm-up stage is executed and not counted", "[run]") {
    auto const timer = FakeTimer::counting(10);
    std::vector<Iteration> seen;
    auto plan = exact(3);
    plan.warm_up = 2;
    plan.stage = 3;
    auto const m = measure::run(Comm::solo(), plan, timer, [&](Iteration it) { seen.push_back(it); });

    REQUIRE(seen.size() == 5);
    CHECK(m.attempts == 3);
    for (std::size_t i = 0; i < seen.size(); ++i)
        CHECK(seen[i].index == static_cast<std::int64_t>(i));
    CHECK(seen[0].sample == -1);
    CHECK(seen[1].sample == -2);
    CHECK(seen[2].sample == 0);
    CHECK(seen[4].sample == 2);
}

TEST_CASE("the first call is reported with the second", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto const m =
        measure::run(Comm::solo(), exact(), timer, [&](Iteration it) { timer.advance(it.index == 0 ? 9990 : 990); });
    CHECK(m.first_call.value() == Approx(10e-6));
    CHECK(m.second_call.value() == Approx(1e-6));
    CHECK(m.estimate->max == Approx(1e-6));
}

TEST_CASE("rules are evaluated only after complete stages", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact(30);
    auto const m = measure::run(Comm::solo(), plan, timer, [] {});
    CHECK(m.attempts == 32);

    plan.stop = measure::stop::Count{.valid = 30, .at_most = 10};
    auto const cut = measure::run(Comm::solo(), plan, timer, [] {});
    CHECK(cut.attempts == 16);
    CHECK(cut.verdict == StopVerdict::exhausted);
    CHECK(cut.stop_reason == "exhausted");
}

TEST_CASE("a user rule is a function of the progress", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact();
    plan.stop = [](measure::Progress const& p) {
        return p.samples.size() >= 24 && p.previous == 16 ? StopVerdict::converged : StopVerdict::more;
    };
    auto const m = measure::run(Comm::solo(), plan, timer, [] {});
    CHECK(m.attempts == 24);
    CHECK(m.stop_reason == "own");
}

TEST_CASE("a body that returns false invalidates its sample", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto const m = measure::run(Comm::solo(), exact(6), timer, [](Iteration it) { return it.sample % 4 != 1; });

    CHECK(m.attempts == 8);
    CHECK(m.valid == 6);
    CHECK(m.invalid.failed == 2);
}

TEST_CASE("twenty stages without a valid sample end the point", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto const m = measure::run(Comm::solo(), exact(), timer, [] { return false; });

    CHECK(m.verdict == StopVerdict::no_valid_samples);
    CHECK(m.stop_reason == "exhausted");
    CHECK(m.attempts == 160);
    CHECK_FALSE(m.estimate.has_value());
    CHECK_FALSE(m.message.empty());
}

TEST_CASE("a body that throws ends the run with its message", "[run]") {
    auto const timer = FakeTimer::counting(10);
    CHECK_THROWS_WITH(measure::run(Comm::solo(), exact(), timer, [] { throw std::runtime_error("the disk is full"); }),
                      Catch::Matchers::ContainsSubstring("the disk is full"));
    // Clang 19 crashes if the result type of a lambda is that of another lambda written there.
    auto const nothing = [] {};
    CHECK_THROWS_AS(measure::run(Comm::solo(), exact(), timer,
                                 [](Comm const&) -> decltype(op(nothing)) { throw std::bad_alloc(); }),
                    std::bad_alloc);
}

TEST_CASE("a lap narrows the timed region and names its phases", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto const narrowed = measure::run(Comm::solo(), exact(), timer, [&](auto& lap) {
        timer.advance(5000);
        lap.begin();
        timer.advance(100);
        lap.end();
        timer.advance(5000);
    });
    CHECK(narrowed.estimate->value == Approx(110e-9));

    auto const phased = measure::run(Comm::solo(), exact(), timer, op([&](auto& lap) {
                                                                       timer.advance(90);
                                                                       lap.mark();
                                                                       timer.advance(190);
                                                                   }).phases({"issue", "wait"}));
    CHECK(phased.phase("issue").estimate->value == Approx(100e-9));
    CHECK(phased.phase("wait").estimate->value == Approx(200e-9));
    CHECK(phased.estimate->value == Approx(300e-9));
    CHECK(phased.mine.phases[0] == Approx(100e-9));
    CHECK(phased.mine.phases[1] == Approx(200e-9));
    CHECK_THROWS_AS(phased.phase("compute"), measure::UsageError);
}

TEST_CASE("a lap spins on the timer of the plan", "[run]") {
    auto const timer = FakeTimer::counting(10);
    int polls = 0;
    auto const m = measure::run(Comm::solo(), exact(), timer, [&](auto& lap) { lap.spin(measure::seconds{1e-6}); });
    CHECK(m.estimate->value == Approx(1e-6).margin(30e-9));

    auto plan = exact(1);
    plan.warm_up = 0;
    plan.stage = 1;
    (void)measure::run(Comm::solo(), plan, timer, [&](auto& lap) {
        lap.spin(measure::seconds{1e-6}, measure::seconds{250e-9}, [&] { ++polls; });
    });
    CHECK(polls == 3);
}

TEST_CASE("a window adapts the iterations from stage to stage", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact(24);
    plan.batch = measure::TargetDuration{measure::seconds{50e-6}, measure::seconds{200e-6}};
    auto const m = measure::run(Comm::solo(), plan, timer, [&] { timer.advance(1000); });
    // One iteration takes 1.01 us. The warm-up finds the middle of the window, 100 us, and no sample is shorter.
    CHECK(m.iterations_per_sample == Approx(100).margin(2));
    CHECK(m.estimate->max == Approx(1e-6).epsilon(0.02));
}

TEST_CASE("a sample that lost its core does not change the iterations", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact(24);
    plan.batch = measure::TargetDuration{measure::seconds{50e-6}, measure::seconds{200e-6}};
    plan.keep = measure::Keep::samples;
    int calls = 0;
    // Once after the warm-up, a call takes 4 ms: 20 times the maximum duration of a sample.
    auto const m = measure::run(Comm::solo(), plan, timer, [&] { timer.advance(++calls == 900 ? 4'000'000 : 1000); });
    REQUIRE(m.samples.size() == 24);
    for (auto const& sample : m.samples)
        CHECK(sample.iterations == m.samples.front().iterations);
}

TEST_CASE("each stage that counts has a slot length", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact(24);
    plan.start = measure::SlotStart{};
    plan.settling = measure::Settling{.least_calls = 0};
    plan.keep = measure::Keep::samples;
    auto const m = measure::run(Comm::solo(), plan, timer, [&] { timer.advance(1000); });
    REQUIRE_FALSE(m.samples.empty());
    CHECK(std::ssize(m.slot_lengths) == m.samples.back().stage);
}

TEST_CASE("a point that loses every sample with slots is measured with barriers", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact(8);
    plan.start = measure::SlotStart{};
    plan.stop = measure::stop::Count{.valid = 8, .at_most = 16};
    // Each delay before a sample is three times the previous one, so no slot grows as fast.
    constexpr std::int64_t longest = 100'000'000'000'000;
    std::int64_t delay = 1'000'000;
    auto const late = [&] {
        timer.advance(delay);
        delay = std::min(3 * delay, longest);
    };
    auto const m = measure::run(Comm::solo(), plan, timer, op([&] { timer.advance(1000); }).prepare(late));
    CHECK(m.verdict == StopVerdict::converged);
    CHECK(m.start == "barrier");
    CHECK(m.valid == 8);
    CHECK(m.attempts == 8);
    CHECK(m.estimate->value == Approx(1.01e-6));
    CHECK(m.has_flag("start_fell_back"));
    CHECK(m.lost_in_slots == 16);
    CHECK(measure::make_record("late", {}, m).derived.number({"lost_in_slots"}) == 16.0);

    delay = 1'000'000;
    plan.start_falls_back = false;
    auto const lost = measure::run(Comm::solo(), plan, timer, op([&] { timer.advance(1000); }).prepare(late));
    CHECK(lost.verdict == StopVerdict::no_valid_samples);
    CHECK(lost.invalid.late == 16);
    CHECK_FALSE(lost.has_flag("start_fell_back"));
    CHECK(lost.lost_in_slots == 0);
}

TEST_CASE("a point whose samples are invalid because of the operation keeps slots", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact(8);
    plan.start = measure::SlotStart{};
    plan.stop = measure::stop::Count{.valid = 8, .at_most = 16};
    auto const m = measure::run(Comm::solo(), plan, timer, [&] { return false; });
    CHECK(m.start == "slot");
    CHECK(m.invalid.failed == m.attempts);
    CHECK_FALSE(m.has_flag("start_fell_back"));
}

TEST_CASE("slots follow the length of a batch", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact(8);
    plan.start = measure::SlotStart{};
    plan.batch = measure::FixedCount{1000};
    // A sample takes 10 ms, twice the maximum slot length for one iteration.
    auto const m = measure::run(Comm::solo(), plan, timer, [&] { timer.advance(10'000); });
    CHECK(m.verdict == StopVerdict::converged);
    CHECK(m.slot_lengths.back() > 10e-3);
}

TEST_CASE("a stopping rule that throws ends the run", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact();
    plan.stop = [](measure::Progress const&) -> StopVerdict { throw std::runtime_error("a rule of mine"); };
    CHECK_THROWS_WITH(measure::run(Comm::solo(), plan, timer, [] {}),
                      Catch::Matchers::ContainsSubstring("a rule of mine"));
}

TEST_CASE("a time-driven batch ends when its budget is used", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact(2);
    plan.stage = 2;
    plan.batch = measure::TimeBudget{measure::seconds{1e-3}};
    auto const m = measure::run(Comm::solo(), plan, timer, [&] { timer.advance(1000); });
    // Each check costs a reading, and the last round takes at most half of the remaining time.
    CHECK(m.iterations_per_sample == Approx(1000).margin(30));
    CHECK(m.estimate->value == Approx(1e-6).epsilon(0.03));
}

TEST_CASE("a time-driven batch limits a stage to a part of the plan's limit", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact(2);
    plan.batch = measure::TimeBudget{measure::seconds{100e-3}};
    plan.settling = measure::Settling{.least_calls = 0};
    plan.limit = measure::seconds{1};
    std::vector<std::size_t> stages;
    plan.control.stage = [&](measure::StageReport const& stage) {
        if (stage.stage > 0)
            stages.push_back(stage.samples.size());
    };
    static_cast<void>(measure::run(Comm::solo(), plan, timer, [&] { timer.advance(1'000'000); }));
    REQUIRE_FALSE(stages.empty());
    CHECK(stages.front() == 1);
}

TEST_CASE("the empty sample is measured and reported next to the raw value", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact();
    plan.correction = measure::Correction::empty_loop;
    auto const m = measure::run(Comm::solo(), plan, timer, [&] { timer.advance(500); });

    CHECK(m.correction.value() == Approx(10e-9));
    CHECK(m.estimate->value == Approx(510e-9));
    CHECK(m.corrected.value() == Approx(500e-9));

    plan.overhead = measure::seconds{100e-9};
    auto const given = measure::run(Comm::solo(), plan, timer, [&] { timer.advance(500); });
    CHECK(given.corrected.value() == Approx(410e-9));
}

TEST_CASE("the error over epochs is that of the values of the epochs", "[run]") {
    auto const timer = FakeTimer::counting(10);
    int epoch = 0;
    auto plan = exact();
    plan.epochs = 3;
    auto const m = measure::run(Comm::solo(), plan, timer, [&](Comm const&) {
        ++epoch;
        return op([&, mine = epoch * 1000 - 10] { timer.advance(mine); });
    });
    // T_e = 1, 2, 3 us: mean 2, s 1, standard error 1 / sqrt(3), t(0.95, 2) = 4.303.
    REQUIRE(m.epochs.size() == 3);
    CHECK(m.epochs[2].estimate->value == Approx(3e-6));
    CHECK(m.estimate->value == Approx(2e-6));
    CHECK(m.estimate->standard_error.value() == Approx(1e-6 / std::sqrt(3.0)));
    CHECK(m.estimate->interval->first == Approx(2e-6 - 4.3027e-6 / std::sqrt(3.0)).epsilon(1e-4));
    CHECK(m.attempts == 24);
    CHECK(m.flags.empty());
}

TEST_CASE("a plain operation keeps its buffers over epochs, and the result is flagged", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact();
    plan.epochs = 2;
    auto const m = measure::run(Comm::solo(), plan, timer, [&] { timer.advance(5000); });
    CHECK(m.flags == std::vector<std::string>{"same_buffers"});
}

TEST_CASE("a sample that overruns its slot makes the next one late", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact(8);
    plan.start = measure::SlotStart{};
    plan.keep = measure::Keep::samples;
    auto const m =
        measure::run(Comm::solo(), plan, timer, [&](Iteration it) { timer.advance(it.sample == 2 ? 50'000 : 1'000); });

    REQUIRE(m.samples.size() >= 8);
    CHECK(m.samples[1].invalid == measure::InvalidReason::none);
    CHECK(m.samples[2].invalid == measure::InvalidReason::overrun);
    CHECK(m.samples[3].invalid == measure::InvalidReason::late);
    CHECK(m.invalid.overrun == 1);
    CHECK(m.valid + m.invalid.total() == m.attempts);
    // Three or more of the eight are invalid, so the second stage has longer slots.
    REQUIRE(m.slot_lengths.size() == 2);
    CHECK(m.slot_lengths[1] >= 2 * m.slot_lengths[0]);
    CHECK(m.span.value() == Approx(m.estimate->value));
    CHECK(m.start_imbalance.value() == 0);
    CHECK(m.estimate->max == Approx(1.01e-6));
}

namespace {

/// Advances by 10 ns per reading, and once by 100 us or another time after a number of readings.
class JumpingTimer : public measure::detail::NanosecondStamps {
public:
    JumpingTimer(FakeTimer timer, int* looks, std::int64_t jump_ns = 100'000)
        : base{std::move(timer)}, looks_until_jump{looks}, jump{jump_ns} {}
    [[nodiscard]] stamp now() const noexcept {
        auto const reading = base.now();
        if (*looks_until_jump > 0 && --*looks_until_jump == 0)
            base.advance(jump);
        return reading;
    }
    [[nodiscard]] measure::seconds resolution() const noexcept { return base.resolution(); }

private:
    FakeTimer base;
    int* looks_until_jump;
    std::int64_t jump;
};

}  // namespace

TEST_CASE("a rank that is pre-empted while it waits has slipped", "[run]") {
    auto const base = FakeTimer::counting(10);
    int looks = 0;
    JumpingTimer const timer(base, &looks);
    auto plan = exact(8);
    plan.start = measure::SlotStart{};
    plan.keep = measure::Keep::samples;
    auto const m = measure::run(Comm::solo(), plan, timer, op([&] { base.advance(1000); }).prepare([&](Iteration it) {
        // Two readings around this hook and the first check of the start pass; the jump happens while spinning.
        if (it.sample == 2)
            looks = 4;
    }));

    CHECK(m.samples[2].invalid == measure::InvalidReason::slip);
    CHECK(m.samples[3].invalid == measure::InvalidReason::late);
    CHECK(m.invalid.slip == 1);
    CHECK(m.invalid.overrun == 0);
    // Late samples after a slip do not lengthen the slots.
    CHECK(m.slot_lengths.back() == m.slot_lengths.front());
}

TEST_CASE("a sample during which the clock went back is invalid for every kind of start", "[run]") {
    std::vector<measure::Start> const starts{measure::FreeStart{}, measure::BarrierStart{},
                                             measure::DisseminationStart{}, measure::SlotStart{},
                                             measure::RoundTimeStart{}};
    for (auto const& start : starts) {
        CAPTURE(measure::name(start));
        auto const timer = FakeTimer::counting(10);
        auto plan = exact(8);
        plan.start = start;
        plan.keep = measure::Keep::samples;
        auto const m = measure::run(Comm::solo(), plan, timer,
                                    [&](Iteration it) { timer.advance(it.sample == 2 ? -50'000 : 1'000); });

        REQUIRE(m.samples.size() >= 8);
        CHECK(m.samples[2].invalid == measure::InvalidReason::backward);
        CHECK(m.samples[2].time == 0);
        CHECK(m.invalid.backward >= 1);
        CHECK(m.valid + m.invalid.total() == m.attempts);
        CHECK(m.estimate->min == Approx(1.01e-6));
        for (auto const& sample : m.samples)
            CHECK((sample.time >= 0 && sample.span.value_or(0) >= 0));
    }
}

TEST_CASE("a point has no valid samples if the clock went back during each of them", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact();
    plan.stop = measure::stop::Count{.valid = 8, .at_most = 16};
    auto const m = measure::run(Comm::solo(), plan, timer, [&] { timer.advance(-1000); });
    CHECK(m.verdict == StopVerdict::no_valid_samples);
    CHECK(m.invalid.backward == m.attempts);
    CHECK(m.message == "no sample of 16 was valid: 16 backward");
    CHECK_FALSE(m.first_call);
}

TEST_CASE("a phase during which the clock went back invalidates its sample", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact();
    plan.keep = measure::Keep::samples;
    auto const m =
        measure::run(Comm::solo(), plan, timer, op([&](auto& lap) {
                                                    timer.advance(5000);
                                                    lap.mark();
                                                    timer.advance(lap.iteration().sample == 1 ? -1000 : 3000);
                                                }).phases({"there", "back"}));
    CHECK(m.samples.at(1).invalid == measure::InvalidReason::backward);
    CHECK(m.phases.at(1).estimate->min == Approx(3.01e-6));
}

TEST_CASE("a clock that goes back by an hour before or during the wait for a start does not block the run", "[run]") {
    constexpr std::int64_t hour = 3'600'000'000'000;
    for (int const looks : {1, 4}) {
        auto const base = FakeTimer::counting(10);
        int left = 0;
        JumpingTimer const timer(base, &left, -hour);
        auto plan = exact(8);
        plan.start = measure::SlotStart{};
        plan.keep = measure::Keep::samples;
        auto const m =
            measure::run(Comm::solo(), plan, timer, op([&] { base.advance(1000); }).prepare([&](Iteration it) {
                if (it.sample == 2)
                    left = looks;
            }));
        CHECK(m.samples[2].invalid == measure::InvalidReason::backward);
        CHECK(m.valid >= 8);
        CHECK(base.readings() < 1'000'000);
    }
}

TEST_CASE("a time-driven sample ends when the clock goes back", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact();
    plan.batch = measure::TimeBudget{seconds{1e-3}};
    plan.stop = measure::stop::Count{.valid = 2, .at_most = 4};
    plan.keep = measure::Keep::samples;
    auto const m = measure::run(Comm::solo(), plan, timer, [&](Iteration it) {
        timer.advance(it.sample == 1 && it.index % 2 == 0 ? -3'600'000'000'000 : 1'000);
    });
    CHECK(m.samples.at(1).invalid == measure::InvalidReason::backward);
    CHECK(timer.readings() < 1'000'000);
}

namespace {

/// Reads a clock in coarse steps, but claims a resolution of 1 ns.
class CoarseTimer : public measure::detail::NanosecondStamps {
public:
    CoarseTimer(FakeTimer timer, std::int64_t step_ns) : base{std::move(timer)}, step{step_ns} {}
    [[nodiscard]] stamp now() const noexcept { return base.now() / step * step; }
    [[nodiscard]] measure::seconds resolution() const noexcept { return measure::seconds{1e-9}; }

private:
    FakeTimer base;
    std::int64_t step;
};

}  // namespace

TEST_CASE("a time below ten observed clock steps is near the timer floor", "[run]") {
    for (std::int64_t const advance : {9'000, 11'000}) {
        auto const base = FakeTimer::counting(30);
        auto const m = measure::run(Comm::solo(), exact(), CoarseTimer{base, 1000}, [&] { base.advance(advance); });
        CHECK(m.has_flag("near_timer_floor") == (advance < 10'000));
    }
    // With 10 ns per reading the step cannot be observed, so the stated resolution is used.
    auto const fine = FakeTimer::counting(10);
    CHECK(measure::run(Comm::solo(), exact(), fine, [&] { fine.advance(80); }).has_flag("near_timer_floor"));
    CHECK_FALSE(measure::run(Comm::solo(), exact(), fine, [&] { fine.advance(95); }).has_flag("near_timer_floor"));
}

TEST_CASE("the batch size follows the observed clock step", "[run]") {
    auto const base = FakeTimer::counting(30);
    auto plan = exact();
    plan.batch = measure::AutoBatch{};
    auto const m = measure::run(Comm::solo(), plan, CoarseTimer{base, 100'000}, [&] { base.advance(1'000); });
    // At least 50 steps of 100 us.
    CHECK(m.iterations_per_sample >= 4'000);
}

TEST_CASE("a stop flag interrupts the run, and a deadline ends the point as exhausted", "[run]") {
    auto const timer = FakeTimer::counting(10);
    std::atomic<int> flag{0};
    auto plan = exact(1000);
    plan.control.stop = &flag;
    int decisions = 0;
    plan.control.decision = [&] {
        if (++decisions == 3)
            flag = 15;
    };
    try {
        (void)measure::run(Comm::solo(), plan, timer, [] {});
        FAIL("the run was not interrupted");
    } catch (measure::Interrupted const& e) {
        CHECK(e.value() == 15);
    }
    CHECK(decisions == 4);

    plan.control = {.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1)};
    auto const late = measure::run(Comm::solo(), plan, timer, [] {});
    CHECK(late.verdict == StopVerdict::no_valid_samples);
    CHECK(late.stop_reason == "budget");
    CHECK(late.attempts == 0);
}

TEST_CASE("growing stages take a share of the valid samples, but not more than are missing", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = exact(20);
    plan.stage = 8;
    plan.stage_share = 0.25;
    plan.at_most = 20;
    plan.keep = measure::Keep::samples;
    auto const m = measure::run(Comm::solo(), plan, timer, [] {});
    std::vector<int> sizes;
    for (auto const& sample : m.samples) {
        sizes.resize(static_cast<std::size_t>(sample.stage));
        ++sizes.back();
    }
    // A quarter of 8, 10, 12, 15 and 18; the last stage is reduced to the missing samples.
    CHECK(sizes == std::vector<int>{8, 2, 2, 3, 3, 2});
}

TEST_CASE("a stage is shortened only if it would exceed twice the stage time", "[run]") {
    auto const timer = FakeTimer::counting(0);
    auto plan = exact(100);
    plan.stage = 100;
    plan.at_most = 100;
    std::vector<std::size_t> stages;
    plan.control.stage = [&](measure::StageReport&& stage) {
        if (stage.stage > 0)
            stages.push_back(stage.samples.size());
    };
    auto const measured = [&](measure::seconds stage_time) {
        plan.stage_time = stage_time;
        stages.clear();
        auto const m = measure::run(Comm::solo(), plan, timer, [&] { timer.advance(1'000'000); });
        CHECK(m.valid == 100);
        return stages;
    };
    CHECK(measured(measure::seconds{50e-3}) == std::vector<std::size_t>{100});  // 100 ms are twice 50 ms
    CHECK(measured(measure::seconds{40e-3}) ==
          std::vector<std::size_t>{40, 60});  // the remaining 60 ms are below 80 ms
}

TEST_CASE("invalid plans are refused", "[run]") {
    auto const timer = FakeTimer::counting(10);
    auto const refused = [&](auto change) {
        auto plan = exact();
        change(plan);
        CHECK_THROWS_AS(measure::run(Comm::solo(), plan, timer, [] {}), measure::UsageError);
    };
    refused([](Plan& p) { p.warm_up = -1; });
    refused([](Plan& p) { p.stage = 0; });
    refused([](Plan& p) { p.stage_share = -0.1; });
    refused([](Plan& p) { p.at_most = 0; });
    refused([](Plan& p) { p.epochs = 0; });
    refused([](Plan& p) { p.batch = measure::FixedCount{0}; });
    refused([](Plan& p) { p.estimate.trim = 0.6; });
    refused([](Plan& p) { p.estimate.confidence = 1; });
    refused([](Plan& p) { p.start = measure::SlotStart{.growth = 3}; });
}

static_assert(measure::Body<decltype([] {})>);
static_assert(measure::Body<decltype([](Iteration) {})>);
static_assert(measure::Body<decltype([](auto&) {})>);
static_assert(!measure::Body<int>);
static_assert(!measure::Body<decltype([](Comm const&) {})>);

TEST_CASE("a plan with a number out of range or NaN is refused", "[run]") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    auto const refused = [](Plan const& plan, char const* text) {
        CHECK_THROWS_WITH(measure::run(Comm::solo(), plan, FakeTimer::counting(10), [] {}),
                          Catch::Matchers::ContainsSubstring(text));
    };
    using measure::seconds;
    refused({.stop = measure::stop::RelativeError{-1}}, "a stop by relative error needs epsilon > 0");
    refused({.stop = measure::stop::Count{0}}, "a stop by count needs valid >= 1");
    refused({.estimate = {.trim = nan}}, "a trim within [0, 0.5]");
    refused({.estimate = {.confidence = nan}}, "a confidence within (0, 1)");
    refused({.stage_share = nan}, "stage_share >= 0");
    refused({.batch = measure::TimeBudget{seconds{nan}}}, "a budget > 0");
    refused({.start = measure::SlotStart{.growth = nan}}, "slots grow by a factor within [1.1, 2]");
    refused({.start = measure::SlotStart{.invalid_share = nan}}, "an invalid_share within [0, 1]");
    refused({.start = measure::SlotStart{.broadcast_factor = nan}}, "a broadcast_factor > 0");
    refused({.start = measure::SlotStart{.resync_after = seconds{nan}}}, "resync_after >= 0");
    refused({.start = measure::RoundTimeStart{.broadcast_factor = 0}}, "a broadcast_factor > 0");
    refused({.start = measure::AutoStart{.slot = {.growth = 1}}}, "slots grow by a factor within [1.1, 2]");
    refused({.start = measure::AutoStart{.limit = seconds{nan}}}, "a limit > 0");
}

TEST_CASE("the error of a single sample is unknown", "[run]") {
    auto plan = exact(1);
    plan.stage = 1;
    auto const m = measure::run(Comm::solo(), plan, FakeTimer::counting(10), [] {});
    REQUIRE(m.valid == 1);
    CHECK_FALSE(m.estimate->standard_error.has_value());
    CHECK_FALSE(m.mine.standard_error.has_value());
    // Equal samples are known to the clock step of 1 ns.
    auto const equal = measure::run(Comm::solo(), exact(8), FakeTimer::counting(10), [] {});
    CHECK_THAT(*equal.mine.standard_error, Catch::Matchers::WithinRel(1e-9 / std::sqrt(12.0), 1e-9));
    CHECK_THAT(*equal.estimate->standard_error, Catch::Matchers::WithinRel(1e-9 / std::sqrt(12.0), 1e-9));
}
