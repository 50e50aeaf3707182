// SPDX-License-Identifier: BSD-3-Clause
#include "measure/slot_length.hpp"
#include "support/catch.hpp"

#include <measure/error.hpp>

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

TEST_CASE("a long stage sets the next slot length", "[slot_length]") {
    auto slot = warmed();
    slot.after_stage({.samples = 8, .invalid = 8, .elapsed = 800e-6});
    CHECK(slot.value() == Approx(110e-6));
}

TEST_CASE(
    "the paper's rule is gamma (tau' - tau) / k after the warm-up and after each stage with too many invalid samples",
    "[slot_length]") {
    SlotLength slot({.growth = 1.1, .rule = measure::SlotRule::paper, .floor = 50e-6});
    // The local times, here a thousand times the global ones, and the floor are not used.
    slot.after_warm_up({.samples = 4, .elapsed = 36e-3, .global_elapsed = 40e-6, .typical = 1e-6});
    CHECK(slot.value() == Approx(11e-6));  // 1.1 * 40 / 4
    auto const after = [&](int invalid, int slipped, double global_elapsed) {
        slot.after_stage({.samples = 8,
                          .invalid = invalid,
                          .slipped = slipped,
                          .elapsed = 1000 * global_elapsed,
                          .global_elapsed = global_elapsed,
                          .typical = 1e-6});
        return slot.value();
    };
    CHECK(after(2, 0, 800e-6) == Approx(11e-6));   // 2 of 8 do not exceed 25 %
    CHECK(after(3, 0, 88e-6) == Approx(12.1e-6));  // 1.1 * 88 / 8
    CHECK(after(8, 0, 64e-6) == Approx(8.8e-6));   // 1.1 * 64 / 8: slots can get shorter
    CHECK(after(3, 3, 96e-6) == Approx(13.2e-6));  // 1.1 * 96 / 8: slips count as invalid
    CHECK(after(5, 2, 80e-3) == Approx(11e-3));    // 1.1 * 80 / 8: above 100 us and above 64 typical samples
    for (int stage = 0; stage < 10; ++stage)       // clean stages with 1 us samples do not shorten the slots
        CHECK(after(0, 0, 1e-6) == Approx(11e-3));
    CHECK(after(4, 0, 16e-6) == Approx(2.2e-6));  // 1.1 * 16 / 8
}

TEST_CASE("the paper's gamma and share are set by the limits", "[slot_length]") {
    SlotLength slot({.growth = 2, .invalid_share = 0.5, .rule = measure::SlotRule::paper});
    slot.after_warm_up({.samples = 4, .global_elapsed = 20e-6});
    CHECK(slot.value() == Approx(10e-6));  // 2 * 20 / 4
    slot.after_stage({.samples = 8, .invalid = 4, .global_elapsed = 80e-6});
    CHECK(slot.value() == Approx(10e-6));
    slot.after_stage({.samples = 8, .invalid = 5, .global_elapsed = 80e-6});
    CHECK(slot.value() == Approx(20e-6));  // 2 * 80 / 8
}

TEST_CASE("if the global clock has no time of a stage, the paper's rule uses its longest local time", "[slot_length]") {
    auto slot = warmed(measure::SlotRule::paper);
    CHECK(slot.value() == Approx(11e-6));
    slot.after_stage({.samples = 8, .invalid = 3, .elapsed = 88e-6});
    CHECK(slot.value() == Approx(12.1e-6));
}

TEST_CASE("pre-emption while waiting does not lengthen the slots", "[slot_length]") {
    auto slot = warmed();
    slot.after_stage({.samples = 8, .invalid = 5, .slipped = 5, .elapsed = 5e-3});
    CHECK(slot.value() == Approx(11e-6));
}

TEST_CASE("two clean stages with short samples shorten the slots by at most half", "[slot_length]") {
    auto slot = warmed();
    StageFacts const clean{.samples = 8, .typical = 1e-6};
    slot.after_stage(clean);
    CHECK(slot.value() == Approx(11e-6));
    slot.after_stage(clean);
    CHECK(slot.value() == Approx(5.5e-6));
}

TEST_CASE("slots lengthened by one outage get short again, even if ranks slip", "[slot_length]") {
    auto slot = warmed();
    slot.after_stage({.samples = 8, .invalid = 8, .elapsed = 40e-3, .typical = 1e-6});
    CHECK(slot.value() == Approx(100e-6));
    StageFacts const slipping{.samples = 8, .invalid = 2, .slipped = 2, .typical = 1e-6};
    for (int i = 0; i < 40; ++i)
        slot.after_stage(slipping);
    CHECK(slot.value() == Approx(4e-6));
}

TEST_CASE("slots never shrink below four typical samples or the floor", "[slot_length]") {
    SlotLength slot({.floor = 10e-6});
    slot.after_warm_up({.samples = 1, .elapsed = 100e-6});
    for (int i = 0; i < 20; ++i)
        slot.after_stage({.samples = 8, .typical = 5e-6});
    CHECK(slot.value() == Approx(20e-6));
    for (int i = 0; i < 20; ++i)
        slot.after_stage({.samples = 8, .typical = 1e-6});
    CHECK(slot.value() == Approx(10e-6));
}

TEST_CASE("slots grow to 100 us or to 64 times the typical sample of the fastest stage", "[slot_length]") {
    auto slot = warmed();
    for (int i = 0; i < 30; ++i)
        slot.after_stage({.samples = 8, .invalid = 8, .elapsed = 1e-3, .typical = 90e-6});
    CHECK(slot.value() == Approx(64 * 90e-6));
    // A single sample of 10 s, whose rank was not running, must not lengthen the slots to that time.
    slot.after_stage({.samples = 8, .invalid = 8, .elapsed = 10, .typical = 100e-6});
    CHECK(slot.value() == Approx(64 * 90e-6));

    SlotLength slow({.floor = 2e-6});
    slow.after_warm_up({.samples = 4, .elapsed = 0.4, .typical = 0.1});
    for (int i = 0; i < 30; ++i)
        slow.after_stage({.samples = 8, .invalid = 8, .elapsed = 1, .typical = 0.1});
    CHECK(slow.value() == Approx(6.4));
}

TEST_CASE("a slot lengthened by a disturbed stage is shortened once a sample is known to be short", "[slot_length]") {
    SlotLength slot({.floor = 2e-6});
    slot.after_warm_up({.samples = 4, .elapsed = 8e-6, .typical = 2e-6});
    slot.forget();
    // A rank was not running for 40 ms: 1.1 * 40 / 8 ms.
    slot.after_stage({.samples = 8, .invalid = 8, .elapsed = 40e-3, .typical = 40e-3});
    CHECK(slot.value() == Approx(5.5e-3));
    slot.after_stage({.samples = 8, .elapsed = 44e-3, .typical = 2e-6});
    CHECK(slot.value() == Approx(64 * 2e-6));
}

TEST_CASE("names select the rule of slot lengths", "[slot_length]") {
    CHECK(measure::slot_rule_from("doubling") == measure::SlotRule::doubling);
    CHECK(measure::slot_rule_from("paper") == measure::SlotRule::paper);
    CHECK_THROWS_AS(measure::slot_rule_from("seed"), measure::UsageError);
}
