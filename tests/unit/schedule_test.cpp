// SPDX-License-Identifier: BSD-3-Clause
#include "measure/schedule.hpp"
#include "support/catch.hpp"

using Catch::Approx;

TEST_CASE("a start may be late by the largest of four readings, two clock steps and 200 ns", "[schedule]") {
    using measure::seconds;
    CHECK(measure::slot_tolerance(seconds{20e-9}, seconds{1e-9}).count() == Approx(200e-9));
    CHECK(measure::slot_tolerance(seconds{100e-9}, seconds{1e-9}).count() == Approx(400e-9));
    CHECK(measure::slot_tolerance(seconds{20e-9}, seconds{1e-6}).count() == Approx(2e-6));
}

TEST_CASE("names of starts are case-insensitive", "[schedule]") {
    for (char const* name : {"auto", "free", "barrier", "dissemination", "slot", "roundtime"})
        CHECK(measure::name(measure::start_from(name)) == name);
    CHECK(measure::name(measure::start_from("Slot")) == "slot");
    CHECK_THROWS_WITH(measure::start_from("gun"), Catch::Matchers::ContainsSubstring("unknown start 'gun'"));
}
