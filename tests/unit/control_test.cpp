// SPDX-License-Identifier: BSD-3-Clause
#include "measure/control.hpp"
#include "measure/run.hpp"
#include "support/catch.hpp"
#include "support/fake_timer.hpp"

#include <utility>
#include <vector>

using Catch::Approx;
using measure::Comm;
using measure::Plan;
using test::FakeTimer;

namespace {

/// One rank with a free start: every sample is exact.
Plan watched(int samples) {
    return {.start = measure::FreeStart{},
            .batch = measure::FixedCount{1},
            .stop = measure::stop::Count{.valid = samples},
            .estimate = {.trim = 0},
            .warm_up = 2,
            .settling = {},
            .stage = 3};
}

}  // namespace

TEST_CASE("every stage is reported, the warm-up first, with the time of each sample", "[control]") {
    auto const timer = FakeTimer::counting(10);
    std::vector<measure::StageReport> stages;
    auto plan = watched(6);
    plan.control.stage = [&](measure::StageReport&& stage) { stages.push_back(std::move(stage)); };
    auto const m = measure::run(Comm::solo(), plan, timer, [&] { timer.advance(90); });

    CHECK(m.attempts == 6);
    REQUIRE(stages.size() == 3);
    CHECK(stages[0].stage == 0);
    REQUIRE(stages[0].samples.size() == 2);
    CHECK(stages[0].samples[0].mine.count() == Approx(100e-9));
    CHECK_FALSE(stages[0].samples[0].time.has_value());
    CHECK(stages[2].stage == 2);
    CHECK(stages[2].first_sample == 3);
    CHECK_FALSE(stages[2].slot.has_value());
    REQUIRE(stages[2].samples.size() == 3);
    for (auto const& sample : stages[2].samples) {
        CHECK(sample.invalid == measure::InvalidReason::none);
        REQUIRE(sample.time.has_value());
        CHECK(sample.time->count() == Approx(100e-9));
    }
}

TEST_CASE("an invalid sample is reported with its reason", "[control]") {
    auto const timer = FakeTimer::counting(10);
    std::vector<measure::InvalidReason> reasons;
    auto plan = watched(5);
    plan.control.stage = [&](measure::StageReport&& stage) {
        for (auto const& sample : stage.samples)
            if (stage.stage > 0)
                reasons.push_back(sample.invalid);
    };
    static_cast<void>(measure::run(Comm::solo(), plan, timer, [&](measure::Iteration it) { return it.sample != 1; }));
    using enum measure::InvalidReason;
    CHECK(reasons == std::vector{none, failed, none, none, none, none});
}

TEST_CASE("each epoch reports the clock it starts with", "[control]") {
    auto const timer = FakeTimer::counting(10);
    int epochs = 0;
    auto plan = watched(3);
    plan.epochs = 2;
    plan.control.epoch = [&](measure::GlobalClock const& clock, measure::seconds bound) {
        ++epochs;
        CHECK(clock.synchronised());
        CHECK(bound.count() == 0);
    };
    static_cast<void>(measure::run(Comm::solo(), plan, timer, [] {}));
    CHECK(epochs == 2);
}

TEST_CASE("the flag for profiling libraries is 1 only during samples, including the warm-up", "[control]") {
    auto const timer = FakeTimer::counting(10);
    int inside = 0;
    std::vector<int> seen;
    std::vector<int> between;
    auto plan = watched(3);
    plan.control.in_sample = &inside;
    plan.control.decision = [&] { between.push_back(inside); };
    auto const body = [&] { seen.push_back(inside); };
    static_cast<void>(
        measure::run(Comm::solo(), plan, timer, measure::op(body).prepare([&] { between.push_back(inside); })));
    CHECK(seen == std::vector<int>(5, 1));
    // Before and after the warm-up, before and after the stage, and before each sample.
    CHECK(between == std::vector<int>(4 + 5, 0));
    CHECK(inside == 0);
}

TEST_CASE("the flag is 0 again after a body that throws", "[control]") {
    auto const timer = FakeTimer::counting(10);
    int inside = 0;
    auto plan = watched(3);
    plan.control.in_sample = &inside;
    CHECK_THROWS_AS(measure::run(Comm::solo(), plan, timer, [] { throw 1; }), measure::BodyError);
    CHECK(inside == 0);
}

TEST_CASE("empty samples are not reported and cost as much as their own operation", "[control]") {
    auto const timer = FakeTimer::counting(10);
    auto plan = watched(3);
    plan.timer = timer;
    int inside = 0;
    plan.control.in_sample = &inside;
    plan.control.stage = [](measure::StageReport&&) {
        FAIL("an empty sample must not be reported as a sample of the operation");
    };
    plan.control.epoch = [](measure::GlobalClock const&, measure::seconds) {
        FAIL("the epoch of an empty sample must not be reported");
    };
    CHECK(measure::empty_sample(Comm::solo(), plan)->count() == Approx(10e-9));
    CHECK(measure::empty_sample(Comm::solo(), plan, [&] {
              CHECK(inside == 0);
              timer.advance(7);
          })->count() == Approx(17e-9));
}
