// SPDX-License-Identifier: BSD-3-Clause
#include "c_api/c_api.hpp"
#include "measure/error.hpp"
#include "measure/measurement.hpp"
#include "support/catch.hpp"

#include <cmath>

using measure::InvalidReason;
using measure::Measurement;

namespace {

Measurement bcast() {
    Measurement m;
    m.estimate = measure::Estimate{};
    m.estimate->value = 0.431e-6;
    m.estimate->standard_error = 0.005e-6;
    m.estimate->interval = measure::Interval{0.420e-6, 0.442e-6};
    m.attempts = 40;
    m.valid = 37;
    m.stop_reason = "interval";
    return m;
}

}  // namespace

TEST_CASE("a measurement shows value, error, counts and stop reason", "[measurement]") {
    CHECK(measure::text(bcast()) ==
          "0.431 us +- 0.005 us (95 %: 0.420 .. 0.442), 37 of 40 samples valid, stopped: interval");
}

TEST_CASE("an error shows at least one nonzero digit", "[measurement]") {
    auto m = bcast();
    m.estimate->value = 0.832e-6;
    m.estimate->standard_error = 0.00042e-6;
    m.estimate->interval = measure::Interval{0.8312e-6, 0.8329e-6};
    CHECK(measure::text(m) ==
          "0.8320 us +- 0.0004 us (95 %: 0.8312 .. 0.8329), 37 of 40 samples valid, stopped: interval");
    m.estimate->standard_error = 0.0;
    m.estimate->interval.reset();
    CHECK(measure::text(m) == "0.832 us +- 0.000 us, 37 of 40 samples valid, stopped: interval");
}

TEST_CASE("an interval that reaches below zero is not shown", "[measurement]") {
    auto m = bcast();
    m.estimate->value = 0.781e-6;
    m.estimate->standard_error = 0.5e-6;
    m.estimate->interval = measure::Interval{-1.3914e-6, 2.9535e-6};
    CHECK(measure::text(m) == "0.781 us +- 0.500 us, 37 of 40 samples valid, stopped: interval");
    // A time difference may be negative.
    CHECK(measure::interval_to_show({.value = -1, .interval = measure::Interval{-2, 0.5}}).has_value());
}

TEST_CASE("milliseconds and seconds are shown in their units", "[measurement]") {
    auto m = bcast();
    m.estimate->value = 12.5e-3;
    m.estimate->standard_error = 0.25e-3;
    m.estimate->interval = measure::Interval{12e-3, 13e-3};
    m.estimate->confidence = 0.9;
    CHECK(measure::text(m) ==
          "12.500 ms +- 0.250 ms (90 %: 12.000 .. 13.000), 37 of 40 samples valid, stopped: interval");

    m.estimate->value = 2;
    m.estimate->standard_error = 0.125;
    m.estimate->interval.reset();
    CHECK(measure::text(m) == "2.000 s +- 0.125 s, 37 of 40 samples valid, stopped: interval");
    m.estimate->value = 4.747e-9;
    m.estimate->standard_error = 0.0024e-9;
    CHECK(measure::text(m) == "4.747 ns +- 0.002 ns, 37 of 40 samples valid, stopped: interval");
}

TEST_CASE("a single sample has neither error nor interval", "[measurement]") {
    auto m = bcast();
    m.estimate->standard_error.reset();
    m.estimate->interval.reset();
    m.attempts = 1;
    m.valid = 1;
    m.stop_reason = "count";
    CHECK(measure::text(m) == "0.431 us, 1 of 1 samples valid, stopped: count");
}

TEST_CASE("without a valid sample the text lists the reasons", "[measurement]") {
    Measurement m;
    m.attempts = 160;
    m.invalid = {.late = 149, .overrun = 0, .slip = 10, .failed = 1};
    m.stop_reason = "exhausted";
    CHECK(measure::text(m) == "no valid sample of 160 (1 failed, 149 late, 10 slip), stopped: exhausted");
    // The note contains the counts, so they are not repeated.
    m.message = "no sample of 160 was valid: 1 failed, 149 late, 10 slip";
    CHECK(measure::text(m) == "no sample of 160 was valid: 1 failed, 149 late, 10 slip, stopped: exhausted");
}

TEST_CASE("a note on a value and the flags come last", "[measurement]") {
    auto m = bcast();
    m.estimate->interval.reset();
    m.message = "3 failed: returned 6";
    m.flag("near_timer_floor");
    m.flag("autocorrelated");
    m.flag("near_timer_floor");
    CHECK(measure::text(m) == "0.431 us +- 0.005 us, 37 of 40 samples valid, stopped: interval "
                              "(3 failed: returned 6) [near_timer_floor, autocorrelated]");
    m.data_error = "element 3 is wrong";
    CHECK(measure::text(m) == "0.431 us +- 0.005 us, 37 of 40 samples valid, stopped: interval "
                              "(3 failed: returned 6) (wrong data: element 3 is wrong) "
                              "[near_timer_floor, autocorrelated]");
}

TEST_CASE("invalid samples are listed in order of severity", "[measurement]") {
    CHECK(measure::text(measure::InvalidCounts{}).empty());
    CHECK(measure::text(measure::InvalidCounts{.late = 2, .overrun = 4, .slip = 3, .failed = 1, .backward = 5}) ==
          "1 failed, 5 backward, 2 late, 3 slip, 4 overrun");
}

TEST_CASE("value and error are NaN if missing", "[measurement]") {
    CHECK(bcast().time() == measure::seconds{0.431e-6});
    CHECK(bcast().error() == measure::seconds{0.005e-6});
    CHECK(std::isnan(Measurement{}.time().count()));
    CHECK(std::isnan(Measurement{}.error().count()));
    auto m = bcast();
    m.estimate->standard_error.reset();
    CHECK(std::isnan(m.error().count()));
}

TEST_CASE("a phase is found by its name, and an error lists the known names", "[measurement]") {
    Measurement m;
    m.phases = {{"issue", std::nullopt}, {"wait", measure::Estimate{}}};
    CHECK(m.phase("wait").estimate.has_value());
    CHECK_THROWS_WITH(m.phase("compute"), "no phase 'compute' in this measurement (phases: issue, wait)");
    CHECK_THROWS_AS(Measurement{}.phase("wait"), measure::UsageError);
}

TEST_CASE("a measurement has each flag only once", "[measurement]") {
    Measurement m;
    m.flag("oversubscribed");
    m.flag("oversubscribed");
    CHECK(m.flags == std::vector<std::string>{"oversubscribed"});
}

TEST_CASE("invalid samples are counted by reason", "[measurement]") {
    measure::InvalidCounts counts;
    for (InvalidReason const reason :
         {InvalidReason::none, InvalidReason::late, InvalidReason::late, InvalidReason::slip, InvalidReason::overrun,
          InvalidReason::backward, InvalidReason::failed})
        counts.add(reason);
    CHECK(counts.late == 2);
    CHECK(counts.slip == 1);
    CHECK(counts.overrun == 1);
    CHECK(counts.failed == 1);
    CHECK(counts.backward == 1);
    CHECK(counts.total() == 6);
    counts += counts;
    CHECK(counts.backward == 2);
}

static_assert(InvalidReason::none < InvalidReason::overrun && InvalidReason::overrun < InvalidReason::slip &&
                  InvalidReason::slip < InvalidReason::late && InvalidReason::late < InvalidReason::backward &&
                  InvalidReason::backward < InvalidReason::failed,
              "reasons are joined by their maximum");

TEST_CASE("the numbers of the reasons in C are stable", "[measurement]") {
    CHECK(measure::c_api::c_value(InvalidReason::none) == 0);
    CHECK(measure::c_api::c_value(InvalidReason::overrun) == 1);
    CHECK(measure::c_api::c_value(InvalidReason::slip) == 2);
    CHECK(measure::c_api::c_value(InvalidReason::late) == 3);
    CHECK(measure::c_api::c_value(InvalidReason::failed) == 4);
    CHECK(measure::c_api::c_value(InvalidReason::backward) == 5);
}

TEST_CASE("reasons have the names used in records", "[measurement]") {
    CHECK(measure::name(InvalidReason::failed) == "failed");
    CHECK(measure::name(InvalidReason::backward) == "backward");
    CHECK(measure::name(InvalidReason::late) == "late");
    CHECK(measure::name(InvalidReason::overrun) == "overrun");
    CHECK(measure::name(InvalidReason::slip) == "slip");
    CHECK(measure::name(InvalidReason::none) == "none");
}

TEST_CASE("ways to combine ranks have names", "[measurement]") {
    CHECK(measure::name(measure::Combine::root) == "root");
    CHECK(measure::name(measure::Combine::max) == "max");
    CHECK(measure::name(measure::Combine::min) == "min");
    CHECK(measure::name(measure::Combine::mean) == "mean");
    CHECK(measure::name(measure::Combine::span) == "span");
}
