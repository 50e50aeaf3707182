// SPDX-License-Identifier: BSD-3-Clause
#include "measure/kernel_counts.hpp"
#include "measure/run.hpp"
#include "measure/settle.hpp"
#include "support/catch.hpp"
#include "support/fake_timer.hpp"

#include <sys/mman.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <thread>
#include <utility>
#include <vector>

using Catch::Approx;
using measure::Comm;
using measure::Iteration;
using measure::Plan;
using measure::Settling;
using measure::detail::Settler;
using test::FakeTimer;

namespace {

std::vector<double> const eight_quick{1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 1.0, 1.0};
std::vector<double> const eight_slow{4.0, 4.1, 3.9, 4.0, 4.05, 3.95, 4.0, 4.0};

void add(Settler& settler, std::vector<double> const& times, double faults = 0, double elapsed = 1e-5) {
    settler.add(
        {.times = times, .runs = static_cast<std::int64_t>(times.size()), .faults = faults, .elapsed = elapsed});
}

/// One rank with an exact clock. It settles by its calls alone, without the minimum warm-up of an operation.
Plan settling_plan() {
    return {.start = measure::FreeStart{},
            .batch = measure::FixedCount{1},
            .stop = measure::stop::Count{.valid = 16},
            .estimate = {.trim = 0},
            .settling = Settling{.least_calls = 0}};
}

}  // namespace

TEST_CASE("two similar stages without a page fault are settled", "[settle]") {
    Settler settler({}, 8);
    add(settler, eight_quick);
    CHECK_FALSE(settler.done());
    add(settler, eight_quick);
    CHECK(settler.done());
    CHECK(settler.reason() == "settled");
    CHECK(settler.ratio().value() == Approx(1));
}

TEST_CASE("a stage has not settled while new pages are touched or its time falls", "[settle]") {
    Settler settler({}, 8);
    add(settler, eight_slow, 16);
    add(settler, eight_slow, 16);
    CHECK_FALSE(settler.done());
    CHECK(settler.faults_first() == Approx(2));
    // Larger stages pass the page faults faster; the stage that counts has the normal size.
    CHECK(settler.next_runs() == 16);
    add(settler, eight_quick, 0);
    CHECK_FALSE(settler.done());
    CHECK(settler.next_runs() == 8);
    add(settler, eight_quick, 0);
    CHECK(settler.reason() == "settled");
    CHECK(settler.ratio().value() == Approx(0.25));
    CHECK(settler.faults_last() == 0);
}

TEST_CASE("a step of 10 % between two stages of eight is detected, and noise of the same size is not", "[settle]") {
    std::vector<double> narrow{1.0, 1.001, 0.999, 1.0, 1.002, 0.998, 1.0, 1.0};
    std::vector<double> higher;
    for (double const x : narrow)
        higher.push_back(1.1 * x);
    Settler step({}, 8);
    add(step, narrow);
    add(step, higher);
    CHECK_FALSE(step.done());

    std::vector<double> const wide{0.8, 1.2, 0.9, 1.1, 1.0, 1.3, 0.7, 1.0};
    std::vector<double> const other{0.9, 1.25, 0.95, 1.15, 1.1, 1.3, 0.8, 1.1};
    Settler noise({}, 8);
    add(noise, wide);
    add(noise, other);
    CHECK(noise.done());
}

TEST_CASE("with four runs per stage no test detects a difference, but the medians do", "[settle]") {
    Settler step({}, 4);
    add(step, {4.0, 4.1, 3.9, 4.0});
    add(step, {1.0, 1.1, 0.9, 1.0});
    CHECK_FALSE(step.done());
    add(step, {1.0, 1.05, 0.95, 1.0});
    CHECK(step.reason() == "settled");
}

TEST_CASE("page faults that never end are called steady after the minimum warm-up", "[settle]") {
    Settler settler({}, 8);
    std::int64_t runs = 0;
    while (!settler.done() && runs < 5000) {
        auto const n = settler.next_runs();
        add(settler, std::vector<double>(static_cast<std::size_t>(n), 1.0), 2.0 * n);
        runs += n;
    }
    CHECK(settler.reason() == "steady_faults");
    CHECK(settler.runs() >= 1000);
    CHECK(settler.runs() < 1200);
}

TEST_CASE("a warm-up that ends at its limits has not settled", "[settle]") {
    Settler by_runs({.at_most = 40}, 8);
    for (int i = 0; i < 5; ++i)
        add(by_runs, i % 2 == 0 ? eight_slow : eight_quick);
    CHECK(by_runs.reason() == "runs");

    // 0.5 s, or 50 stages like the last one if that is longer: 50 * 20 ms = 1 s.
    Settler by_time({}, 8);
    for (int i = 0; i < 49; ++i)
        add(by_time, i % 2 == 0 ? eight_slow : eight_quick, 0, 20e-3);
    CHECK_FALSE(by_time.done());
    add(by_time, eight_quick, 0, 20e-3);
    CHECK(by_time.reason() == "time");
}

TEST_CASE("the time of a stage with few valid samples is ignored", "[settle]") {
    Settler settler({}, 8);
    add(settler, eight_quick);
    settler.add({.times = std::vector<double>{9.0, 9.0}, .runs = 8, .elapsed = 1e-5});
    settler.add({.times = {}, .runs = 8, .elapsed = 1e-5});
    CHECK_FALSE(settler.done());
    add(settler, eight_quick);
    CHECK(settler.reason() == "settled");
}

TEST_CASE("runs before the settled stage do not count", "[settle]") {
    auto const timer = FakeTimer::counting(10);
    // Calls get faster, from 10 us down to 1 us after 50 calls.
    auto const m = measure::run(Comm::solo(), settling_plan(), timer,
                                [&](Iteration it) { timer.advance(it.index < 50 ? 9990 - 180 * it.index : 990); });
    CHECK(m.estimate->max == Approx(1e-6));
    CHECK(m.attempts == 16);
    CHECK(m.settling.reason == "settled");
    CHECK(m.settling.runs >= 50);
    CHECK(m.settling.ratio.value() < 0.2);
    CHECK(m.flags.empty());
}

TEST_CASE("an observer of stages sees the first one that counts start at sample 0", "[settle]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = settling_plan();
    std::vector<std::int64_t> firsts;
    plan.control.stage = [&](measure::StageReport const& stage) {
        if (stage.stage > 0) {
            firsts.push_back(stage.first_sample);
            CHECK(stage.samples.front().time == stage.samples.front().mine);
        }
    };
    static_cast<void>(measure::run(Comm::solo(), plan, timer, [&] { timer.advance(990); }));
    // The stage before the settled one, the settled one, and one more.
    CHECK(firsts == std::vector<std::int64_t>{0, 0, 8});
}

TEST_CASE("a settled point costs one additional stage", "[settle]") {
    auto const timer = FakeTimer::counting(10);
    std::int64_t calls = 0;
    auto const m = measure::run(Comm::solo(), settling_plan(), timer, [&] {
        ++calls;
        timer.advance(990);
    });
    CHECK(m.attempts == 16);
    CHECK(calls == 4 + 8 + 16);
    CHECK(m.settling.runs == 4 + 8);
}

TEST_CASE("the minimum warm-up is the shorter of 1000 calls and 20 ms", "[settle]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = settling_plan();
    plan.settling = Settling{};
    auto const quick =
        measure::run(Comm::solo(), plan, timer, [&](Iteration it) { timer.advance(it.index < 1000 ? 3990 : 990); });
    CHECK(quick.estimate->max == Approx(1e-6));
    CHECK(quick.settling.runs == 1000 + 8);
    // Calls of 1 ms: 20 of them.
    auto const slow = measure::run(Comm::solo(), plan, timer, [&] { timer.advance(999'990); });
    CHECK(slow.settling.runs == Approx(20 + 8).margin(1));
}

TEST_CASE("work of the body outside of its lap counts as warm-up time", "[settle]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = settling_plan();
    plan.settling = Settling{};
    // Each call prepares for 1 ms and is timed for 1 us: 20 calls.
    auto const m = measure::run(Comm::solo(), plan, timer, [&](auto& lap) {
        timer.advance(1'000'000);
        lap.begin();
        timer.advance(990);
        lap.end();
    });
    CHECK(m.settling.runs == Approx(20 + 8).margin(2));
    CHECK(m.settling.reason == "settled");
    CHECK(m.estimate->value == Approx(1e-6));
    // A slow first call does not affect the others.
    auto const first = measure::run(Comm::solo(), plan, timer,
                                    [&](Iteration it) { timer.advance(it.index == 0 ? 100'000'000 : 990); });
    CHECK(first.settling.runs >= 1000);
    // Waiting for slots is not time of the operation.
    plan.start = measure::SlotStart{};
    auto const slots = measure::run(Comm::solo(), plan, timer, [&] { timer.advance(990); });
    CHECK(slots.settling.runs >= 1000);
}

TEST_CASE("the stage that settles a point counts, and so does its time", "[settle]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = settling_plan();
    std::vector<double> spent;
    plan.stop = [&](measure::Progress const& progress) {
        spent.push_back(progress.spent.count());
        return spent.size() == 3 ? measure::StopVerdict::converged : measure::StopVerdict::more;
    };
    static_cast<void>(measure::run(Comm::solo(), plan, timer, [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
        timer.advance(990);
    }));
    // Stages of eight calls.
    REQUIRE(spent.size() == 3);
    CHECK(spent[0] >= 8e-3);
    CHECK(spent[1] >= 16e-3);
    CHECK(spent[2] >= 24e-3);
}

TEST_CASE("time slices of other programs do not count as warm-up", "[settle]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = settling_plan();
    plan.settling = Settling{};
    // Calls of 4 us. Twice within the first 1000 calls other programs take the core for 20 ms.
    auto const m = measure::run(Comm::solo(), plan, timer, [&](Iteration it) {
        timer.advance(it.index == 100 || it.index == 500 ? 20'000'000 : it.index < 1000 ? 3990 : 990);
    });
    CHECK(m.settling.runs == 1000 + 8);
    // The extension is limited: 50 ms are lost in every 20th call.
    auto const lost = measure::run(Comm::solo(), plan, timer,
                                   [&](Iteration it) { timer.advance(it.index % 20 == 19 ? 50'000'000 : 3990); });
    CHECK(lost.settling.runs < 1000);
}

TEST_CASE("a step within the runs that count is a trend", "[settle]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = settling_plan();
    plan.stop = measure::stop::Count{.valid = 64};
    auto const m =
        measure::run(Comm::solo(), plan, timer, [&](Iteration it) { timer.advance(it.index < 44 ? 3990 : 990); });
    REQUIRE(m.trend.has_value());
    CHECK(m.trend->at == 32);
    CHECK(m.trend->ratio == Approx(0.25));
    CHECK(m.flags.front() == "trend");
}

TEST_CASE("a body that touches a new page in each of its first calls counts after it has touched all pages",
          "[settle]") {
    constexpr std::size_t page = 4096;
    for (std::int64_t const first : {0, 50, 500}) {
        auto const size = page * 4096;
        auto* const memory =
            static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        REQUIRE(memory != MAP_FAILED);
        REQUIRE(madvise(memory, size, MADV_NOHUGEPAGE) == 0);
        auto const timer = FakeTimer::counting(10);
        auto const m = measure::run(Comm::solo(), settling_plan(), timer, [&](Iteration it) {
            if (it.index < first)
                memory[page * static_cast<std::size_t>(it.index)] = 1;
            // The time is constant, so only the page faults matter.
            timer.advance(990);
        });
        CHECK(m.settling.runs >= first);
        CHECK(m.settling.reason == "settled");
        CHECK(m.settling.faults_counted == 0);
        munmap(memory, size);
    }
}

namespace {

/// Whether the kernel counted this many page faults. A sanitizer causes additional ones.
bool are_pages(double faults, double pages) {
    return std::getenv("SANITIZED") == nullptr ? faults == pages : faults >= pages && faults < 2 * pages;
}

}  // namespace

TEST_CASE("without settling, a body with new pages is flagged as unsettled", "[settle]") {
    constexpr std::size_t page = 4096;
    auto const size = page * 64;
    auto* const memory =
        static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(memory != MAP_FAILED);
    REQUIRE(madvise(memory, size, MADV_NOHUGEPAGE) == 0);
    auto const timer = FakeTimer::counting(10);
    auto plan = settling_plan();
    plan.settling.reset();
    auto const m = measure::run(Comm::solo(), plan, timer,
                                [&](Iteration it) { memory[page * static_cast<std::size_t>(it.index)] = 1; });
    CHECK(m.settling.reason == "off");
    CHECK(are_pages(m.settling.faults_counted, 16));
    CHECK(m.flags.front() == "unsettled");
    munmap(memory, size);
}

TEST_CASE("a series without a change shows no trend, whatever its noise", "[settle][not_quick]") {
    std::mt19937_64 random{7};
    std::lognormal_distribution<double> noise{0, 0.1};
    int seen = 0;
    for (int i = 0; i < 2000; ++i) {
        std::vector<double> xs(32);
        for (double& x : xs)
            x = noise(random);
        seen += measure::find_trend(xs).has_value();
    }
    // Two tests at 0.001 each.
    CHECK(seen <= 12);
    CHECK_FALSE(measure::find_trend(std::vector<double>(64, 1.0)));
    CHECK_FALSE(measure::find_trend(std::vector<double>(15, 1.0)));
}

TEST_CASE("Pettitt's statistic finds the place of a step", "[settle]") {
    // 20 values around 1, then 12 around 1.2: U_20 = 20 * 33 - 2 * (1 + .. + 20) = 240, p = 2 exp(-6 * 240^2 / (32^3 +
    // 32^2)) = 7e-5. The halves differ less clearly.
    std::vector<double> xs;
    for (int i = 0; i < 32; ++i)
        xs.push_back((i < 20 ? 1.0 : 1.2) + 0.001 * (i * 7 % 32));
    auto const trend = measure::find_trend(xs);
    REQUIRE(trend.has_value());
    CHECK(trend->at == 20);
    CHECK(trend->p == Approx(7.2e-5).epsilon(0.05));
    CHECK(trend->ratio == Approx(1.197).epsilon(0.01));
}

TEST_CASE("a short body without communication is repeated until a sample can be measured", "[settle]") {
    auto const timer = FakeTimer::counting(10);
    Plan plan{.stop = measure::stop::Count{.valid = 16}};
    auto const m = measure::run(Comm::solo(), plan, timer, [&] { timer.advance(20); });
    // 50 readings of 10 ns, up to four times as long: the middle is 1 us, which is 50 times 20 ns.
    CHECK(m.start == "free");
    CHECK(m.iterations_per_sample == Approx(50).margin(2));
    CHECK(m.estimate->value == Approx(20e-9).epsilon(0.02));

    // A prepare hook belongs to a single call, so the batch stays at one call.
    auto const prepared =
        measure::run(Comm::solo(), plan, timer, measure::op([&] { timer.advance(20); }).prepare([] {}));
    CHECK(prepared.iterations_per_sample == 1);
    CHECK(prepared.flags.front() == "near_timer_floor");
    auto const gone = measure::run(Comm::solo(), plan, timer, [] {});
    CHECK(gone.iterations_per_sample == 1'000'000);
}

TEST_CASE("page faults in more than 1 % of the runs and in more than two runs make a point unsettled", "[settle]") {
    using measure::is_unsettled;
    CHECK_FALSE(is_unsettled(0, 1));
    CHECK_FALSE(is_unsettled(2, 1));
    CHECK(is_unsettled(3, 1));
    CHECK(is_unsettled(3, 299));
    CHECK_FALSE(is_unsettled(3, 300));
    CHECK_FALSE(is_unsettled(10, 1000));
    CHECK(is_unsettled(11, 1000));
}

TEST_CASE("the kernel counts a page when it is first touched", "[settle]") {
    constexpr std::size_t page = 4096;
    constexpr std::size_t pages = 64;
    void* const memory = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    REQUIRE(madvise(memory, pages * page, MADV_NOHUGEPAGE) == 0);
    auto const touch = [&] {
        auto const before = measure::kernel_counts();
        for (std::size_t i = 0; i < pages; ++i)
            static_cast<char volatile*>(memory)[i * page] = 1;
        return measure::kernel_counts() - before;
    };
    CHECK(are_pages(touch().page_faults, pages));
    CHECK(touch().page_faults == 0);
    munmap(memory, pages * page);
}

TEST_CASE("counts of several loops are added", "[settle]") {
    measure::KernelCounts counts{1, 2};
    counts += {3, 4};
    CHECK(counts.page_faults == 4);
    CHECK(counts.involuntary_switches == 6);
}
