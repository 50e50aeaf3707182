// SPDX-License-Identifier: BSD-3-Clause
#include "measure/detours.hpp"
#include "support/catch.hpp"

#include <measure/error.hpp>

#include <memory>

using measure::Detours;
using measure::seconds;

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinAbs;

/// A clock that advances by 50 ns per reading, and after every 20000th reading also by the next entry of a list.
struct InterruptedTimer {
    using stamp = double;
    std::vector<double> interruptions;
    std::shared_ptr<std::pair<double, std::size_t>> state = std::make_shared<std::pair<double, std::size_t>>();

    [[nodiscard]] stamp now() const noexcept {
        state->first += 50e-9;
        std::size_t const turn = ++state->second / 20000;
        if (state->second % 20000 == 0 && turn <= interruptions.size())
            state->first += interruptions[turn - 1];
        return state->first;
    }
    [[nodiscard]] seconds between(stamp a, stamp b) const { return seconds{b - a}; }
    [[nodiscard]] stamp after(stamp a, seconds d) const { return a + d.count(); }
    [[nodiscard]] seconds resolution() const { return seconds{1e-9}; }
};

Detours noise(std::vector<double> detours, double duration) {
    return {.duration = seconds{duration}, .threshold = seconds{1e-6}, .detours = std::move(detours)};
}

}  // namespace

TEST_CASE("a gap between two readings above the threshold is a detour", "[noise]") {
    // One millisecond per 20000 readings; three interruptions, one of which is too short to count.
    auto const seen = measure::observe_detours(InterruptedTimer{{3e-6, 0.5e-6, 4e-3}}, {.duration = seconds{0.02}});
    CHECK(seen.threshold == seconds{1e-6});
    REQUIRE(seen.detours.size() == 2);
    CHECK_THAT(seen.detours[0], WithinAbs(3.05e-6, 1e-9));
    CHECK_THAT(seen.detours[1], WithinAbs(4.00005e-3, 1e-9));
    CHECK(seen.duration >= seconds{0.02});
    CHECK(seen.duration < seconds{0.0201});
    CHECK(measure::observe_detours(InterruptedTimer{{3e-6}}, {seconds{0.01}, seconds{4e-6}}).detours.empty());
}

TEST_CASE("a loop ends when its memory for detours is full", "[noise]") {
    auto const seen =
        measure::observe_detours(InterruptedTimer{{}}, {.duration = seconds{1}, .threshold = seconds{1e-9}});
    CHECK(seen.detours.size() == 65536);
    CHECK(seen.duration < seconds{0.01});
}

TEST_CASE("the threshold of a coarse clock is ten of its steps", "[noise]") {
    struct Coarse : InterruptedTimer {
        [[nodiscard]] stamp now() const noexcept { return InterruptedTimer::now() * 20; }
    };
    auto const seen = measure::observe_detours(Coarse{}, {.duration = seconds{0.01}});
    CHECK_THAT(seen.threshold.count(), WithinAbs(10e-6, 1e-9));
    CHECK(seen.detours.empty());
}

TEST_CASE("noise statistics over several observations match values computed by hand", "[noise]") {
    std::vector<Detours> const seen{noise({2e-6, 8e-6}, 0.5), noise({4.05e-3, 5e-6, 12e-3}, 1.5)};
    auto const s = measure::summarise(seen);
    CHECK(s.duration == 2);
    CHECK(s.detours == 5);
    CHECK_THAT(s.lost, WithinAbs(0.016065, 1e-12));
    CHECK_THAT(s.share(), WithinAbs(0.0080325, 1e-12));
    CHECK(s.shortest == 2e-6);
    CHECK(s.median == 8e-6);
    CHECK(s.longest == 12e-3);
    CHECK(s.slices == 2);
    CHECK(s.pauses == 2);
    CHECK(measure::summarise({}).share() == 0);
}

TEST_CASE("multiples of 4 ms are time slices, other pauses are not", "[noise]") {
    CHECK(measure::summarise(std::vector{noise({3.89e-3, 3.91e-3, 4.09e-3, 4.11e-3, 8.05e-3, 6e-3, 1e-4}, 1)}).slices ==
          3);
}

TEST_CASE("noise that spoils measurements causes a warning", "[noise]") {
    auto const of = [](std::vector<double> detours) {
        return measure::summarise(std::vector{noise(std::move(detours), 1)});
    };
    CHECK(measure::detour_warning(std::vector{of({5e-6, 1e-3}), of({})}).empty());
    CHECK_THAT(measure::detour_warning(std::vector{of({4e-3, 8e-3}), of({20.05e-3})}),
               ContainsSubstring("3 of them lasted whole time slices of 4 ms: other processes use these cores"));
    auto const other = measure::detour_warning(std::vector{of({}), of({6e-3, 2.6e-3, 4e-3})});
    CHECK_THAT(other, ContainsSubstring("interrupted 3 times for 2 ms or more (longest 6"));
    CHECK_THAT(other, !ContainsSubstring("time slices"));
}

TEST_CASE("a rule out of range is refused", "[noise]") {
    CHECK_THROWS_AS(measure::observe_detours({}, {.duration = seconds{0}}), measure::UsageError);
    CHECK_THROWS_AS(measure::observe_detours({}, {.threshold = seconds{0}}), measure::UsageError);
}
