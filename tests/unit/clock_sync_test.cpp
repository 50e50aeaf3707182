// SPDX-License-Identifier: BSD-3-Clause
#include "measure/clock_sync.hpp"
#include "measure/error.hpp"
#include "support/catch.hpp"
#include "support/fake_timer.hpp"

#include <vector>

using Catch::Approx;
using measure::detail::chain_offsets;

TEST_CASE("offsets along a ring are the sums of the edges from rank 1 on", "[clock_sync]") {
    std::vector<double> const edges{-6, 1, 2, 3};  // edge 0 closes the ring: perfect measurements sum to zero
    std::vector<double> const bounds{0.1, 0.1, 0.1, 0.1};
    std::vector<double> const rtts{1, 1, 1, 1};
    for (bool const raw : {true, false}) {
        auto const chain = chain_offsets(edges, bounds, rtts, raw);
        CHECK(chain.closure == 0);
        CHECK(chain.offsets == std::vector<double>{0, 1, 3, 6});
    }
}

TEST_CASE("the closure is distributed evenly over equal edges", "[clock_sync]") {
    std::vector<double> const edges{-5.6, 1, 2, 3};  // closure 0.4, 0.1 for each edge
    std::vector<double> const bounds{0.2, 0.2, 0.2, 0.2};
    std::vector<double> const rtts{1, 1, 1, 1};
    auto const chain = chain_offsets(edges, bounds, rtts, false);

    CHECK(chain.closure == Approx(0.4));
    CHECK(chain.offsets[1] == Approx(0.9));
    CHECK(chain.offsets[2] == Approx(2.8));
    CHECK(chain.offsets[3] == Approx(5.7));
    CHECK(chain_offsets(edges, bounds, rtts, true).offsets[3] == Approx(6.0));
}

TEST_CASE("a doubtful closing edge leaves the good offsets alone", "[clock_sync]") {
    // Round trips of 1 and 100: the weights 1 and 10000 put the correction where the doubt is.
    std::vector<double> const edges{-6 + 1.4, 1, 2, 3};
    std::vector<double> const bounds{50, 0.5, 0.5, 0.5};
    std::vector<double> const rtts{100, 1, 1, 1};
    auto const chain = chain_offsets(edges, bounds, rtts, false);

    CHECK(chain.closure == Approx(1.4));
    CHECK(chain.offsets[3] == Approx(6).margin(1e-3));
}

TEST_CASE("the guarantee of an offset is what both ways round the ring allow", "[clock_sync]") {
    // True offsets 1, 3, 6; each edge measured 0.1 too long, which its bound of 0.1 just covers.
    std::vector<double> const edges{-6 + 0.1, 1.1, 2.1, 3.1};
    std::vector<double> const bounds{0.1, 0.1, 0.1, 0.1};
    std::vector<double> const rtts{1, 1, 1, 1};
    double const truth[] = {0, 1, 3, 6};
    for (bool const raw : {true, false}) {
        auto const chain = chain_offsets(edges, bounds, rtts, raw);
        for (std::size_t i = 0; i < 4; ++i)
            CHECK(std::abs(chain.offsets[i] - truth[i]) <= chain.bounds[i] + 1e-12);
    }
    auto const chain = chain_offsets(edges, bounds, rtts, true);
    CHECK(chain.bounds[1] == Approx(0.1));
    CHECK(chain.offsets[3] - 0.3 == Approx(6));
}

TEST_CASE("edges that contradict their bounds leave no small guarantee", "[clock_sync]") {
    std::vector<double> const edges{5, 1, 1};
    std::vector<double> const bounds{0.1, 0.1, 0.1};
    std::vector<double> const rtts{1, 1, 1};
    CHECK(chain_offsets(edges, bounds, rtts, false).bounds[1] == Approx(7.3));
}

TEST_CASE("the error of a pair is at most its distance to the farther bound", "[clock_sync]") {
    measure::PairOffset pair;
    pair.low = -1;
    pair.high = 3;
    pair.offset = 0.5;
    CHECK(pair.bound() == 2.5);
}

TEST_CASE("a synchronisation that went badly says so in words", "[clock_sync]") {
    measure::SyncReport report;
    report.bound = 2e-3;
    report.rtt_max = 4e-3;
    report.edges = 3;
    CHECK(report.warnings().empty());
    report.poor = 1;
    report.consistent = false;
    auto const warnings = report.warnings();
    REQUIRE(warnings.size() == 2);
    CHECK(warnings[0] == "clock synchronisation: 1 of 3 pairs answered slowly to the last try (up to 4 ms): clocks are "
                         "known to 2 ms only");
    CHECK(warnings[1] == "clock synchronisation: a clock stepped while it was compared: clocks are known to 2 ms only");
}

TEST_CASE("names choose the synchronisation in any letter case", "[clock_sync]") {
    CHECK(measure::name(measure::sync_from("RING")) == "ring");
    CHECK(measure::name(measure::sync_from("linear")) == "linear");
    CHECK(measure::name(measure::sync_from("None")) == "none");
    CHECK(measure::offset_estimator_from("Min-RTT") == measure::OffsetEstimator::min_rtt);
    CHECK_THROWS_WITH(measure::sync_from("sundial"), Catch::Matchers::ContainsSubstring("sundial") &&
                                                         Catch::Matchers::ContainsSubstring("linear, ring, tree"));
    for (char const* known : {"none", "linear", "ring", "tree", "jk", "hca3", "hier", "auto"})
        CHECK(measure::name(measure::sync_from(known)) == known);
}

TEST_CASE("a single rank's clock is the root's, with nothing to doubt", "[clock_sync]") {
    auto const timer = test::FakeTimer::counting(10, 5000);
    auto const clock = measure::synchronise(measure::Comm::solo(), timer, measure::RingSync{});

    CHECK(clock.synchronised());
    CHECK(clock.offset() == measure::seconds{0});
    CHECK(clock.bound() == measure::seconds{0});
    CHECK(clock.root_time(timer, 5000 + 250).count() == Approx(250e-9));
    CHECK(clock.local_stamp(timer, measure::seconds{1e-6}) == 5000 + 1000);
    CHECK_FALSE(measure::residual(measure::Comm::solo(), clock).has_value());
}

TEST_CASE("a drift is not fitted to two points", "[clock_sync]") {
    auto const timer = test::FakeTimer::counting(10, 5000);
    CHECK_THROWS_WITH(measure::synchronise(measure::Comm::solo(), timer, measure::JkSync{.fit = {.points = 2}}),
                      Catch::Matchers::ContainsSubstring("at least 3 points, not 2"));
}
