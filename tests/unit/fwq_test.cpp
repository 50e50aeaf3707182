// SPDX-License-Identifier: BSD-3-Clause
#include "measure/fwq.hpp"
#include "support/catch.hpp"

#include <measure/error.hpp>

#include <memory>

using measure::Fwq;
using measure::seconds;

namespace {

using Catch::Matchers::WithinAbs;

/// A clock that advances by 100 us per reading, and at the listed readings also by the listed time.
struct SlowedTimer {
    using stamp = double;
    std::vector<std::pair<int, double>> slower;
    std::shared_ptr<std::pair<double, int>> state = std::make_shared<std::pair<double, int>>();

    [[nodiscard]] stamp now() const noexcept {
        state->first += 100e-6;
        ++state->second;
        for (auto const& [reading, more] : slower)
            state->first += reading == state->second ? more : 0;
        return state->first;
    }
    [[nodiscard]] seconds between(stamp a, stamp b) const { return seconds{b - a}; }
    [[nodiscard]] stamp after(stamp a, seconds d) const { return a + d.count(); }
    [[nodiscard]] seconds resolution() const { return seconds{1e-9}; }
};

}  // namespace

TEST_CASE("quanta of fixed work follow each other without gaps", "[fixed_work]") {
    // The first reading opens the loop. The third closes the second quantum, which an interruption has lengthened.
    auto const seen = measure::observe_fwq(SlowedTimer{{{3, 300e-6}}}, {.duration = seconds{1.05e-3}, .steps = 10});
    CHECK(seen.steps == 10);
    REQUIRE(seen.quanta.size() == 8);  // 100 + 400 + 6 * 100 us >= 1.05 ms
    CHECK_THAT(seen.quanta[0], WithinAbs(100e-6, 1e-12));
    CHECK_THAT(seen.quanta[1], WithinAbs(400e-6, 1e-12));
    CHECK_THAT(seen.quanta[7], WithinAbs(100e-6, 1e-12));
}

TEST_CASE("the time by which quanta exceed the fastest one is lost", "[fixed_work]") {
    auto const s = measure::summary_of(Fwq{.steps = 1, .quanta = {2.0, 1.0, 1.0, 4.0, 2.0}});
    CHECK(s.duration == 10);
    CHECK(s.quanta == 5);
    CHECK(s.fastest == 1);
    CHECK(s.median == 2);
    CHECK(s.slowest == 4);
    CHECK_THAT(s.lost(), WithinAbs(0.5, 1e-15));
    // Sorted: 1, 1, 2, 2, 4. The 0.05 quantile is between the first two.
    CHECK(s.quick == 1);
    CHECK(s.slowdown() == 1);
    // One fast quantum in 41: the quantile is the third.
    Fwq rare{.steps = 1, .quanta = std::vector<double>(41, 2.0)};
    rare.quanta[7] = 1.0;
    CHECK(measure::summary_of(rare).fastest == 1);
    CHECK(measure::summary_of(rare).slowdown() == 0);
    auto const none = measure::summary_of(Fwq{});
    CHECK((none.lost() == 0 && none.slowdown() == 0));
}

TEST_CASE("real work takes time, and more work takes longer", "[fixed_work]") {
    auto const fastest = [](std::int64_t steps) {
        return summary_of(measure::observe_fwq(measure::MonotonicRawTimer{}, {seconds{0.005}, steps})).fastest;
    };
    auto const few = fastest(1000);
    CHECK(few > 100e-9);  // 0.1 ns per step is faster than any processor
    CHECK(fastest(100'000) > 10 * few);
}

TEST_CASE("fixed-work rules out of range are refused", "[fixed_work]") {
    CHECK_THROWS_AS(measure::observe_fwq(measure::MonotonicRawTimer{}, {.duration = seconds{0}}), measure::UsageError);
    CHECK_THROWS_AS(measure::observe_fwq(measure::MonotonicRawTimer{}, {.steps = 0}), measure::UsageError);
}
