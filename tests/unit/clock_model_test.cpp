// SPDX-License-Identifier: BSD-3-Clause
#include "clock/offset_search.hpp"
#include "measure/clock_model.hpp"
#include "support/catch.hpp"

#include <vector>

using Catch::Approx;
using measure::ClockModel;
using measure::PairOffset;
using measure::detail::both_ways;
using measure::detail::model_from;
using measure::detail::OffsetSearch;
using measure::detail::poor_pairs;
using measure::detail::runs_deviate;

namespace {
constexpr measure::seconds forever{1e9};
}

TEST_CASE("a clock model maps to root time and back", "[clock_model]") {
    ClockModel const model{.offset = -3, .rate = 0.25, .anchor = 8};
    CHECK(model.to_root(8) == 5);
    CHECK(model.to_root(12) == 10);
    CHECK(model.to_local(10) == 12);
    CHECK(ClockModel{}.to_root(7) == 7);
    CHECK(ClockModel{}.to_local(7) == 7);
}

TEST_CASE("the error of a model grows with the distance from its anchor", "[clock_model]") {
    ClockModel const model{.anchor = 10, .offset_error = 3, .rate_error = 2};
    CHECK(model.error_at(10) == 3);
    CHECK(model.error_at(12) == 5);
    CHECK(model.error_at(8) == 5);
}

TEST_CASE("a line is fitted together with its standard errors", "[clock_model]") {
    // Means 2 and 4; Sxx = 10, Sxy = 1e-3: rate 1e-4. The residuals are computed by hand below, K - 2 = 3.
    std::vector<double> const x{0, 1, 2, 3, 4};
    double const d = 1e-6;
    std::vector<double> const y{4 - 2e-4 + d, 4 - 1e-4 - d, 4, 4 + 1e-4 - d, 4 + 2e-4 + d};
    auto const line = measure::fit_drift(x, y);
    REQUIRE(line.has_value());
    CHECK(line->anchor == 2);
    CHECK(line->offset == Approx(4));
    CHECK(line->rate == Approx(1e-4));
    double const s = std::sqrt(4 * d * d / 3);
    CHECK(line->offset_error == Approx(s / std::sqrt(5.0)).epsilon(1e-6));
    CHECK(line->rate_error == Approx(s / std::sqrt(10.0)).epsilon(1e-6));
}

TEST_CASE("a line far from time zero keeps its slope", "[clock_model]") {
    std::vector<double> x;
    std::vector<double> y;
    for (int i = 0; i < 30; ++i) {
        x.push_back(1e6 + i / 64.0);
        y.push_back(-1e6 + 20e-6 * (i / 64.0));
    }
    auto const line = measure::fit_drift(x, y);
    REQUIRE(line.has_value());
    CHECK(line->rate == Approx(20e-6).epsilon(1e-4));
    CHECK(line->offset_at(1e6 + 10) == Approx(-1e6 + 200e-6).epsilon(1e-15));
}

TEST_CASE("two points, a single instant or an impossible quartz rate give no line", "[clock_model]") {
    CHECK_FALSE(measure::fit_drift(std::vector<double>{0, 1}, std::vector<double>{0, 0}).has_value());
    CHECK_FALSE(measure::fit_drift(std::vector<double>{1, 1, 1}, std::vector<double>{0, 1, 2}).has_value());
    std::vector<double> const x{0, 1, 2};
    CHECK(measure::fit_drift(x, std::vector<double>{0, 499e-6, 998e-6}).has_value());
    CHECK_FALSE(measure::fit_drift(x, std::vector<double>{0, 501e-6, 1002e-6}).has_value());
}

TEST_CASE("too few runs of equal signs show that a line does not fit", "[clock_model]") {
    // 5 above, 5 below: 6 runs are expected, with variance 5 * 4 / 9. Two runs deviate by (2 - 6) / 1.4907.
    std::vector<double> const two{1, 1, 1, 1, 1, -1, -1, -1, -1, -1};
    CHECK(runs_deviate(two) == Approx(-4 / std::sqrt(20.0 / 9)));
    std::vector<double> const six{1, -1, -1, 1, 1, -1, -1, 1, 1, -1};
    CHECK(runs_deviate(six) == Approx(0));
    CHECK(runs_deviate(std::vector<double>{1, 0, 1}) == 0);

    std::vector<double> x;
    std::vector<double> bent;
    for (int i = 0; i < 30; ++i) {
        x.push_back(i);
        bent.push_back(1e-9 * i * i);
    }
    CHECK_FALSE(measure::fit_drift(x, bent).has_value());
}

TEST_CASE("a line within the bounds of all offsets is accepted despite few runs", "[clock_model]") {
    // The forward path takes 25 ns longer in the second half, so all residuals are below 25 ns and there are few runs.
    std::vector<double> x;
    std::vector<double> y;
    for (int i = 0; i < 30; ++i) {
        x.push_back(i);
        y.push_back(20e-6 * i + (i < 15 ? 0 : 25e-9));
    }
    std::vector<double> const wide(30, 100e-9);
    std::vector<double> const narrow(30, 1e-9);
    CHECK_FALSE(measure::fit_drift(x, y).has_value());
    CHECK_FALSE(measure::fit_drift(x, y, narrow).has_value());
    auto const line = measure::fit_drift(x, y, wide);
    REQUIRE(line.has_value());
    CHECK(line->rate == Approx(20e-6).epsilon(1e-3));
}

TEST_CASE("the fastest exchange gives the estimate, and all exchanges bound the offset", "[clock_model]") {
    // The true offset is 100. One exchange takes 4 forward and 2 back, the next 1 forward and 3 back.
    OffsetSearch search(
        {.patience = 1, .warm_up = 0, .time_limit = forever, .estimator = measure::OffsetEstimator::min_rtt}, 0);
    search.add(0, 104, 6);
    CHECK_FALSE(search.done());
    search.add(10, 111, 4);
    search.add(20, 121, 4);  // no improvement: a tie counts as a miss
    CHECK(search.done());
    auto const found = search.result();
    CHECK(found.rtt == 4);
    CHECK(found.offset == 99);  // too small by (forward - back) / 2
    CHECK(found.when == 12);
    CHECK(found.low == 98);    // from the faster return path of the first exchange
    CHECK(found.high == 101);  // from the faster forward path of the second exchange
    CHECK(found.bound() == 2);
    CHECK(found.exchanges == 3);
}

TEST_CASE("an exchange during which the clock went back gives no bounds", "[clock_model]") {
    OffsetSearch search({.patience = 100, .warm_up = 0, .at_most = 3, .time_limit = forever}, 0);
    search.add(0, 105, 10);
    search.add(1000, 1103, -3000);
    search.add(2000, 2104, 8);
    CHECK(search.done());
    auto const found = search.result();
    CHECK(found.rtt == 8);
    CHECK_FALSE(found.inconsistent);
    CHECK((found.low == 96 && found.high == 104));
}

TEST_CASE("warm-up exchanges do not count", "[clock_model]") {
    OffsetSearch search({.patience = 1, .warm_up = 1, .time_limit = forever}, 0);
    search.add(0, 50, 0.5);
    search.add(10, 111, 4);
    CHECK(search.result().exchanges == 1);
    CHECK(search.result().rtt == 4);
}

TEST_CASE("contradicting bounds are reported", "[clock_model]") {
    OffsetSearch search({.patience = 5, .warm_up = 0, .time_limit = forever}, 0);
    search.add(0, 101, 2);
    search.add(10, 121, 2);
    CHECK(search.result().inconsistent);
    CHECK(search.result().bound() >= 8);
}

TEST_CASE("swapping the roles cancels the difference between client and server", "[clock_model]") {
    // The true offset is 100. Requests take 5 and replies 3, so each direction is too large by 1 in its own sign.
    PairOffset const forward{.offset = 101, .low = 97, .high = 105, .rtt = 8, .when = 10, .exchanges = 2};
    PairOffset const backward{.offset = -99, .low = -103, .high = -95, .rtt = 8, .when = 120, .exchanges = 3};
    auto const joined = both_ways(forward, backward);
    CHECK(joined.offset == 100);
    CHECK(joined.low == 97);
    CHECK(joined.high == 103);
    CHECK(joined.bound() == 3);
    CHECK(joined.when == Approx((10 + 21) / 2.0));
    CHECK(joined.exchanges == 5);
}

TEST_CASE("a disturbed direction is ignored", "[clock_model]") {
    PairOffset const good{.offset = 101, .low = 97, .high = 105, .rtt = 8, .when = 10};
    PairOffset const bad{.offset = -50, .low = -150, .high = 50, .rtt = 200, .when = 120};
    CHECK(both_ways(good, bad).offset == 101);
    PairOffset const good_back{.offset = -99, .low = -103, .high = -95, .rtt = 8, .when = 120};
    PairOffset const bad_out{.offset = 50, .low = -50, .high = 150, .rtt = 200, .when = 10};
    CHECK(both_ways(bad_out, good_back).offset == 99);
}

TEST_CASE("a drift is fitted without points that had long round trips", "[clock_model]") {
    std::vector<PairOffset> points;
    for (int i = 0; i < 8; ++i)
        points.push_back({.offset = 1 + 1e-4 * i, .rtt = 1, .when = double(i)});
    points[3] = {.offset = 50, .rtt = 4.5, .when = 3};
    CHECK(model_from(points).rate == Approx(1e-4));
    CHECK(model_from(points).to_root(100) == Approx(101.01));
}

TEST_CASE("if no line fits, the last good offset is used", "[clock_model]") {
    std::vector<PairOffset> points;
    for (int i = 0; i < 8; ++i)
        points.push_back({.offset = 1e-2 * i, .rtt = 1, .when = double(i)});
    points.push_back({.offset = 50, .rtt = 9, .when = 8});
    auto const model = model_from(points);
    CHECK(model.rate == 0);
    CHECK(model.offset == Approx(0.07));
}

TEST_CASE("a pair is poor if it is slow compared to pairs of its class", "[clock_model]") {
    std::vector<double> const rtts{-1, 1, 1, 1, 5, 20, 20, 20, 90};
    std::vector<double> const remote{0, 0, 0, 0, 0, 1, 1, 1, 1};
    std::vector<double> known(rtts.size(), 0);
    CHECK(poor_pairs(rtts, remote, known) == std::vector<char>{0, 0, 0, 0, 1, 0, 0, 0, 1});
    // A single pair can only be compared with its own earlier round trip.
    std::vector<double> const alone{-1, 700};
    std::vector<double> const near{0, 0};
    CHECK(poor_pairs(alone, near, std::vector<double>{0, 0}) == std::vector<char>{0, 0});
    CHECK(poor_pairs(alone, near, std::vector<double>{0, 176}) == std::vector<char>{0, 0});
    CHECK(poor_pairs(alone, near, std::vector<double>{0, 174}) == std::vector<char>{0, 1});
}
