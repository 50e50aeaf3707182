// SPDX-License-Identifier: BSD-3-Clause
#include "clock/clock_check.hpp"
#include "measure/clock_sync.hpp"
#include "measure/error.hpp"
#include "support/catch.hpp"
#include "support/fake_timer.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using Catch::Approx;
using measure::detail::chain_offsets;

TEST_CASE("offsets along a ring are the sums of the edges from rank 1 on", "[clock_sync]") {
    std::vector<double> const edges{-6, 1, 2, 3};  // edge 0 closes the ring: exact measurements sum to zero
    std::vector<double> const bounds{0.1, 0.1, 0.1, 0.1};
    std::vector<double> const rtts{1, 1, 1, 1};
    for (bool const plain : {true, false}) {
        auto const chain = chain_offsets(edges, bounds, rtts, plain);
        CHECK(chain.closure == 0);
        CHECK(chain.offsets == std::vector<double>{0, 1, 3, 6});
    }
}

TEST_CASE("the closure is distributed evenly over equal edges", "[clock_sync]") {
    std::vector<double> const edges{-5.6, 1, 2, 3};  // closure 0.4, so 0.1 for each edge
    std::vector<double> const bounds{0.2, 0.2, 0.2, 0.2};
    std::vector<double> const rtts{1, 1, 1, 1};
    auto const chain = chain_offsets(edges, bounds, rtts, false);

    CHECK(chain.closure == Approx(0.4));
    CHECK(chain.offsets[1] == Approx(0.9));
    CHECK(chain.offsets[2] == Approx(2.8));
    CHECK(chain.offsets[3] == Approx(5.7));
    CHECK(chain_offsets(edges, bounds, rtts, true).offsets[3] == Approx(6.0));
}

TEST_CASE("an uncertain closing edge does not change the good offsets", "[clock_sync]") {
    // Round trips of 1 and 100 give the weights 1 and 10000, which put the correction on the uncertain edge.
    std::vector<double> const edges{-6 + 1.4, 1, 2, 3};
    std::vector<double> const bounds{50, 0.5, 0.5, 0.5};
    std::vector<double> const rtts{100, 1, 1, 1};
    auto const chain = chain_offsets(edges, bounds, rtts, false);

    CHECK(chain.closure == Approx(1.4));
    CHECK(chain.offsets[3] == Approx(6).margin(1e-3));
}

TEST_CASE("the guaranteed bound of an offset uses both directions around the ring", "[clock_sync]") {
    // The true offsets are 1, 3, 6. Each edge is measured 0.1 too long, which its bound of 0.1 just covers.
    std::vector<double> const edges{-6 + 0.1, 1.1, 2.1, 3.1};
    std::vector<double> const bounds{0.1, 0.1, 0.1, 0.1};
    std::vector<double> const rtts{1, 1, 1, 1};
    double const truth[] = {0, 1, 3, 6};
    for (bool const plain : {true, false}) {
        auto const chain = chain_offsets(edges, bounds, rtts, plain);
        for (std::size_t i = 0; i < 4; ++i)
            CHECK(std::abs(chain.offsets[i] - truth[i]) <= chain.bounds[i] + 1e-12);
    }
    auto const chain = chain_offsets(edges, bounds, rtts, true);
    CHECK(chain.bounds[1] == Approx(0.1));
    CHECK(chain.offsets[3] - 0.3 == Approx(6));
}

TEST_CASE("edges that contradict their bounds do not give a small guarantee", "[clock_sync]") {
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

TEST_CASE("a poor synchronisation is reported in warnings", "[clock_sync]") {
    measure::SyncReport report;
    report.bound = 2e-3;
    report.rtt_max = 4e-3;
    report.edges = 3;
    CHECK(report.warnings().empty());
    report.poor = 1;
    report.consistent = false;
    auto const warnings = report.warnings();
    REQUIRE(warnings.size() == 2);
    CHECK(warnings[0] == "clock synchronisation: 1 of 3 pairs still answered slowly in the last attempt (up to 4 ms): "
                         "clock offsets are known only to 2 ms");
    CHECK(warnings[1] ==
          "clock synchronisation: a clock stepped during the comparison: clock offsets are known only to 2 ms");
}

TEST_CASE("synchronisation names are case-insensitive", "[clock_sync]") {
    CHECK(measure::name(measure::sync_from("RING")) == "ring");
    CHECK(measure::name(measure::sync_from("linear")) == "linear");
    CHECK(measure::name(measure::sync_from("None")) == "none");
    CHECK_THROWS_WITH(measure::sync_from("sundial"), Catch::Matchers::ContainsSubstring("sundial") &&
                                                         Catch::Matchers::ContainsSubstring("linear, ring, tree"));
}

TEST_CASE("every synchronisation name is accepted and is the name of its algorithm", "[clock_sync]") {
    auto const names = measure::sync_names();
    CHECK(std::vector<std::string_view>(names.begin(), names.end()) ==
          std::vector<std::string_view>{"none", "linear", "ring", "tree", "jk", "hca3", "hier", "auto", "global",
                                        "ring:plain"});
    for (auto const known : names)
        CHECK(measure::name(measure::sync_from(known)) == known);
    CHECK(std::get<measure::RingSync>(measure::sync_from("Ring:Plain")).plain);
    CHECK_FALSE(std::get<measure::RingSync>(measure::sync_from("ring")).plain);
}

TEST_CASE("the clock of a single rank is the root clock, without uncertainty", "[clock_sync]") {
    auto const timer = test::FakeTimer::counting(10, 5000);
    auto const clock = measure::synchronise(measure::Comm::solo(), timer, measure::RingSync{});
    std::int64_t const origin = 5000 + (257 + 2 * 1024) * 10;  // after the readings that determine the step

    CHECK(clock.synchronised());
    CHECK(clock.step() == measure::seconds{1e-9});
    CHECK(clock.offset() == measure::seconds{0});
    CHECK(clock.bound() == measure::seconds{0});
    CHECK(clock.root_time(timer, origin + 250).count() == Approx(250e-9));
    CHECK(clock.local_stamp(timer, measure::seconds{1e-6}) == origin + 1000);
    CHECK_FALSE(measure::residual(measure::Comm::solo(), clock).has_value());
}

TEST_CASE("a drift cannot be fitted to two points", "[clock_sync]") {
    auto const timer = test::FakeTimer::counting(10, 5000);
    CHECK_THROWS_WITH(measure::synchronise(measure::Comm::solo(), timer, measure::JkSync{.fit = {.points = 2}}),
                      Catch::Matchers::ContainsSubstring("at least 3 points, not 2"));
}

namespace {

using measure::detail::ClockState;

/// A measured time of 2 us from 30 samples.
measure::Measurement of_two_us() {
    measure::Measurement m{.verdict = measure::StopVerdict::converged, .attempts = 32, .valid = 30, .kept = 16};
    m.estimate = measure::Estimate{};
    m.estimate->value = 2e-6;
    m.invalid.slip = 2;
    m.epochs.push_back({.estimate = m.estimate, .attempts = 32, .valid = 30});
    return m;
}

/// The flags of this measurement after the clocks were compared again. \param proven, poor  as in Residual
std::vector<std::string> flags_of(double proven, std::int64_t poor, ClockState clock) {
    auto m = of_two_us();
    measure::detail::judge_clocks(
        m, {.largest = measure::seconds{5e-6}, .proven = measure::seconds{proven}, .poor = poor}, clock);
    CHECK(m.estimate.has_value() == (std::find(m.flags.begin(), m.flags.end(), "sync_poor") == m.flags.end()));
    return m.flags;
}

using Flags = std::vector<std::string>;

}  // namespace

TEST_CASE(
    "clocks that provably moved by 5 % of the result degrade it, but the error of the check itself does not count",
    "[clock_sync]") {
    CHECK(flags_of(0, 0, {}).empty());  // all 5 us may be the error of the check itself
    CHECK(flags_of(0.099e-6, 0, {}).empty());
    CHECK(flags_of(0.101e-6, 0, {}) == Flags{"sync_degraded"});
    CHECK(flags_of(0, 1, {}) == Flags{"unverified"});
}

TEST_CASE("unsynchronised clocks must not differ at all", "[clock_sync]") {
    CHECK(flags_of(1e-9, 0, {.synchronised = false}) == Flags{"unsynchronised"});
    CHECK(flags_of(0, 0, {.synchronised = false}).empty());
    auto known = of_two_us();  // a known difference without uncertainty
    measure::detail::judge_clocks(known, {.proven = measure::seconds{3e-6}, .possible = measure::seconds{4e-6}},
                                  {.synchronised = false});
    CHECK(known.flags == Flags{"unsynchronised"});
    auto m = of_two_us();
    m.estimate.reset();
    measure::detail::judge_clocks(m, {.proven = measure::seconds{1}}, {.synchronised = false});
    CHECK(m.flags == Flags{"unsynchronised"});
}

TEST_CASE("a comparison with a large uncertainty does not verify unsynchronised clocks", "[clock_sync]") {
    for (bool const synchronised : {false, true})
        for (double const possible : {0.99e-6, 1.01e-6}) {
            auto m = of_two_us();
            measure::detail::judge_clocks(m, {.possible = measure::seconds{possible}}, {.synchronised = synchronised});
            CHECK(m.flags == (synchronised || possible < 1e-6 ? Flags{} : Flags{"unverified"}));
        }
}

TEST_CASE("a result with a poor clock is discarded unless the clock is shown to be right", "[clock_sync]") {
    CHECK(flags_of(0, 0, {.poor = true}).empty());
    CHECK(flags_of(0, 1, {.poor = true}) == Flags{"unverified", "sync_poor"});
    CHECK(flags_of(1e-6, 0, {.poor = true}) == Flags{"sync_degraded", "sync_poor"});
    auto m = of_two_us();
    measure::detail::judge_clocks(m, {.proven = measure::seconds{1e-6}}, {.poor = true});
    CHECK(m.verdict == measure::StopVerdict::no_valid_samples);
    CHECK(m.valid == 0);
    CHECK(m.kept == 0);
    CHECK(m.invalid.total() == m.attempts);
    CHECK_FALSE(m.epochs[0].estimate.has_value());
}
