// SPDX-License-Identifier: BSD-3-Clause
#include "measure/statistics.hpp"
#include "statistics/running_statistics.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

using Catch::Approx;
using measure::detail::LogBins;
using measure::detail::Reservoir;
using measure::detail::RunningStatistics;

namespace {

RunningStatistics tally_of(std::vector<std::int64_t> const& ticks) {
    RunningStatistics tally;
    for (auto const t : ticks)
        tally.add(t);
    return tally;
}

double quantile_of(RunningStatistics const& tally, double p) {
    std::vector<double> const counts(tally.bins().begin(), tally.bins().end());
    return measure::detail::bin_quantile(counts, p, static_cast<double>(tally.min()), static_cast<double>(tally.max()));
}

}  // namespace

TEST_CASE("a tally has the statistics of its durations", "[tally]") {
    auto const tally = tally_of({2, 4, 9});
    CHECK(tally.count() == 3);
    CHECK(tally.total() == 15);
    CHECK(tally.min() == 2);
    CHECK(tally.max() == 9);
    CHECK(tally.mean() == 5);
    CHECK(tally.variance() == 13);  // (9 + 1 + 16) / 2
    CHECK(tally.autocorrelation() == Approx(-1.0 / 26));
    CHECK(tally.standard_error() == Approx(std::sqrt(13.0 / 3)));
}

TEST_CASE("statistics keep full precision if the mean is between two ticks", "[tally]") {
    std::vector<std::int64_t> ticks;
    std::vector<double> xs;
    for (std::int64_t i = 0; i < 100; ++i) {
        ticks.push_back(1'000'000 + i * i % 37);
        xs.push_back(static_cast<double>(ticks.back()));
    }
    auto const tally = tally_of(ticks);
    CHECK(tally.variance() == Approx(std::pow(measure::standard_deviation(xs), 2)));
    CHECK(tally.autocorrelation() == Approx(measure::autocorrelation(xs)));
}

TEST_CASE("few or equal durations have no spread", "[tally]") {
    CHECK(std::isnan(tally_of({7}).variance()));
    CHECK(std::isnan(tally_of({7}).standard_error()));
    CHECK(tally_of({7, 7, 7}).variance() == 0);
    CHECK(tally_of({7, 7, 7}).autocorrelation() == 0);
}

TEST_CASE("sums of squares beyond 64 bits neither overflow nor round", "[tally]") {
    std::int64_t const huge = std::int64_t{1} << 60;
    auto const tally = tally_of({huge, huge + 2, huge + 4});
    CHECK(tally.total() == 3 * huge + 6);
    CHECK(tally.variance() == 4);
    CHECK(tally.autocorrelation() == 0);
}

TEST_CASE("correlated durations have a larger error", "[tally]") {
    std::vector<std::int64_t> slow;  // 50 short durations, then 50 long ones
    std::vector<std::int64_t> mixed;
    for (int i = 0; i < 100; ++i) {
        slow.push_back(i < 50 ? 10 : 20);
        mixed.push_back((i * 7919) % 100 < 50 ? 10 : 20);
    }
    CHECK(tally_of(slow).variance() == Approx(tally_of(mixed).variance()));
    CHECK(tally_of(slow).effective() < 10);
    CHECK(tally_of(slow).standard_error() > 3 * tally_of(mixed).standard_error());
}

TEST_CASE("a backward step of the clock is counted, but its duration is ignored", "[tally]") {
    auto const tally = tally_of({5, -3});
    CHECK(tally.backward() == 1);
    CHECK(tally.count() == 1);
    CHECK(tally.min() == 5);
    CHECK(tally.total() == 5);
}

TEST_CASE("the bins of a histogram are contiguous and at most a sixteenth wide", "[tally]") {
    for (std::size_t i = 0; i + 1 < LogBins::size; ++i) {
        auto const first = LogBins::first(i);
        auto const last = first + LogBins::width(i) - 1;
        REQUIRE(LogBins::bin(static_cast<std::int64_t>(first)) == i);
        REQUIRE(LogBins::bin(static_cast<std::int64_t>(last)) == i);
        REQUIRE(LogBins::first(i + 1) == last + 1);
        if (first >= 32)
            REQUIRE(16 * LogBins::width(i) <= first);
    }
    CHECK(LogBins::bin(INT64_MAX) == LogBins::size - 1);
}

TEST_CASE("quantiles are known to a few percent and are between the extremes", "[tally]") {
    std::vector<std::int64_t> ticks(10'000);
    std::iota(ticks.begin(), ticks.end(), 1);
    auto const tally = tally_of(ticks);
    for (double const p : {0.05, 0.25, 0.5, 0.95})
        CHECK(quantile_of(tally, p) == Approx(p * 10'000).epsilon(0.04));
    CHECK(quantile_of(tally, 0) == Approx(1));
    CHECK(quantile_of(tally, 1) <= 10'000);
    CHECK(quantile_of(tally_of({12'345}), 0.5) == 12'345);
}

TEST_CASE("a reservoir keeps the first durations, then each later one with the same probability", "[tally]") {
    std::mt19937_64 random{1};
    Reservoir few{4};
    Reservoir many{200};
    for (std::int64_t i = 0; i < 100'000; ++i) {
        if (i < 3)
            few.add(i, i + 1, random);
        many.add(i, i + 1, random);
    }
    CHECK(few.values() == std::vector<std::int64_t>{0, 1, 2});

    auto kept = many.values();
    std::sort(kept.begin(), kept.end());
    CHECK(kept.size() == 200);
    CHECK(std::adjacent_find(kept.begin(), kept.end()) == kept.end());
    auto const below = std::lower_bound(kept.begin(), kept.end(), 50'000) - kept.begin();
    CHECK(below > 60);  // 100 expected, standard deviation 7
    CHECK(below < 140);
}
