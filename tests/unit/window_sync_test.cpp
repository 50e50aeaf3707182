// SPDX-License-Identifier: BSD-3-Clause
#include "measure/error.hpp"
#include "measure/window_sync.hpp"
#include "support/catch.hpp"
#include "support/fake_timer.hpp"

using Catch::Approx;
using measure::Comm;
using measure::seconds;
using measure::WindowSync;
using test::FakeTimer;

namespace {

/// One rank with a clock that advances by 10 ns per reading.
struct OneWindow {
    Comm comm = Comm::solo();
    FakeTimer timer = FakeTimer::counting(10);
    measure::GlobalClock clock = measure::synchronise(comm, timer);
    WindowSync window{comm, clock, seconds{100e-6}};
};

}  // namespace

TEST_CASE("windows start one length apart, whatever the time of the work between them", "[window]") {
    OneWindow w;
    CHECK(w.window.enter() == seconds{0});
    auto const first = w.clock.now();
    w.timer.advance(30'000);
    CHECK(w.window.enter() == seconds{0});
    w.timer.advance(70'000);
    CHECK(w.window.enter() == seconds{0});
    CHECK((w.clock.now() - first).count() == Approx(200e-6).margin(100e-9));
    CHECK(w.window.entries() == 3);
}

TEST_CASE("a missed window returns the delay and does not wait", "[window]") {
    OneWindow w;
    CHECK(w.window.enter() == seconds{0});
    w.timer.advance(130'000);
    auto const before = w.clock.now();
    CHECK(w.window.enter().count() == Approx(30e-6).margin(200e-9));
    CHECK((w.clock.now() - before).count() < 200e-9);
    CHECK(w.window.enter() == seconds{0});  // the third window starts at its regular time
}

TEST_CASE("the window length is adapted to the longest time between two entries", "[window]") {
    OneWindow w;
    w.window.adapt(w.comm);
    CHECK(w.window.length() == seconds{100e-6});  // no time is known yet
    for (std::int64_t const ns : {40'000, 200'000, 20'000}) {
        (void)w.window.enter();
        w.timer.advance(ns);
    }
    w.window.adapt(w.comm);
    CHECK(w.window.length().count() == Approx(220e-6).epsilon(0.01));
    CHECK(w.window.entries() == 0);
    CHECK(w.window.enter() == seconds{0});
}

TEST_CASE("windows need a length and a synchronised clock", "[window]") {
    OneWindow const w;
    CHECK_THROWS_AS(WindowSync(w.comm, w.clock, seconds{0}), measure::UsageError);
    CHECK_THROWS_AS(WindowSync(w.comm, measure::GlobalClock{}, seconds{1e-3}), measure::UsageError);
}
