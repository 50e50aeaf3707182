// SPDX-License-Identifier: BSD-3-Clause
#include "measure/slot_length.hpp"
#include "support/catch.hpp"

using Catch::Approx;
using measure::SlotLength;
using measure::StageFacts;

namespace {

SlotLength warmed(measure::SlotRule rule = measure::SlotRule::doubling) {
    SlotLength slot({.rule = rule, .floor = 2e-6});
    slot.after_warm_up({.samples = 4, .elapsed = 40e-6});  // 1.1 * 40 / 4 = 11 us
    return slot;
}

}  // namespace

TEST_CASE("the first slot length is 1.1 times the mean of the warm-up stage", "[slot_length]") {
    CHECK(warmed().value() == Approx(11e-6));
}

TEST_CASE("two invalid samples of eight are tolerated, three are not", "[slot_length]") {
    auto two = warmed();
    two.after_stage({.samples = 8, .invalid = 2, .elapsed = 80e-6});
    CHECK(two.value() == Approx(11e-6));

    auto three = warmed();
    three.after_stage({.samples = 8, .invalid = 3, .elapsed = 80e-6});
    CHECK(three.value() == Approx(22e-6));  // max(2 * 11, 1.1 * 80 / 8)
}

TEST_CASE("a stage that took long sets the next slot length", "[slot_length]") {
    auto slot = warmed();
    slot.after_stage({.samples = 8, .invalid = 8, .elapsed = 800e-6});
    CHECK(slot.value() == Approx(110e-6));
}

TEST_CASE("the paper's rule takes the stage's length by the global clock", "[slot_length]") {
    auto slot = warmed(measure::SlotRule::paper);
    slot.after_stage({.samples = 8, .invalid = 3, .elapsed = 1e-3, .global_elapsed = 88e-6});
    CHECK(slot.value() == Approx(12.1e-6));
}

TEST_CASE("pre-emption while waiting does not lengthen the slots", "[slot_length]") {
    auto slot = warmed();
    slot.after_stage({.samples = 8, .invalid = 5, .slipped = 5, .elapsed = 5e-3});
    CHECK(slot.value() == Approx(11e-6));
}

TEST_CASE("two clean stages with short samples shorten the slots by half at most", "[slot_length]") {
    auto slot = warmed();
    StageFacts const clean{.samples = 8, .typical = 1e-6};
    slot.after_stage(clean);
    CHECK(slot.value() == Approx(11e-6));
    slot.after_stage(clean);
    CHECK(slot.value() == Approx(5.5e-6));
}

TEST_CASE("slots that one outage made long get short again, also where ranks slip", "[slot_length]") {
    auto slot = warmed();
    slot.after_stage({.samples = 8, .invalid = 8, .elapsed = 40e-3, .typical = 1e-6});
    CHECK(slot.value() == Approx(100e-6));
    StageFacts const slipping{.samples = 8, .invalid = 2, .slipped = 2, .typical = 1e-6};
    for (int i = 0; i < 40; ++i)
        slot.after_stage(slipping);
    CHECK(slot.value() == Approx(4e-6));
}

TEST_CASE("slots shrink neither below four typical samples nor below the floor", "[slot_length]") {
    SlotLength slot({.floor = 10e-6});
    slot.after_warm_up({.samples = 1, .elapsed = 100e-6});
    for (int i = 0; i < 20; ++i)
        slot.after_stage({.samples = 8, .typical = 5e-6});
    CHECK(slot.value() == Approx(20e-6));
    for (int i = 0; i < 20; ++i)
        slot.after_stage({.samples = 8, .typical = 1e-6});
    CHECK(slot.value() == Approx(10e-6));
}

TEST_CASE("slots grow to 100 us, or to 64 times the typical sample of the quickest stage", "[slot_length]") {
    auto slot = warmed();
    for (int i = 0; i < 30; ++i)
        slot.after_stage({.samples = 8, .invalid = 8, .elapsed = 1e-3, .typical = 90e-6});
    CHECK(slot.value() == Approx(64 * 90e-6));
    // One sample of ten seconds, because its rank was not running, is no reason to wait so long.
    slot.after_stage({.samples = 8, .invalid = 8, .elapsed = 10, .typical = 100e-6});
    CHECK(slot.value() == Approx(64 * 90e-6));

    SlotLength slow({.floor = 2e-6});
    slow.after_warm_up({.samples = 4, .elapsed = 0.4, .typical = 0.1});
    for (int i = 0; i < 30; ++i)
        slow.after_stage({.samples = 8, .invalid = 8, .elapsed = 1, .typical = 0.1});
    CHECK(slow.value() == Approx(6.4));
}

TEST_CASE("a slot that a disturbed stage made long is cut once a sample is known to be short", "[slot_length]") {
    SlotLength slot({.floor = 2e-6});
    slot.after_warm_up({.samples = 4, .elapsed = 8e-6, .typical = 2e-6});
    slot.forget();
    // A rank that was not running for 40 ms: 1.1 * 40 / 8 ms.
    slot.after_stage({.samples = 8, .invalid = 8, .elapsed = 40e-3, .typical = 40e-3});
    CHECK(slot.value() == Approx(5.5e-3));
    slot.after_stage({.samples = 8, .elapsed = 44e-3, .typical = 2e-6});
    CHECK(slot.value() == Approx(64 * 2e-6));
}

TEST_CASE("names choose the rule of slot lengths", "[slot_length]") {
    CHECK(measure::slot_rule_from("doubling") == measure::SlotRule::doubling);
    CHECK(measure::slot_rule_from("paper") == measure::SlotRule::paper);
    CHECK(measure::slot_rule_from("seed") == measure::SlotRule::paper);
}
