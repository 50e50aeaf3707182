// SPDX-License-Identifier: BSD-3-Clause
#include "measure/clock_sync.hpp"
#include "support/catch.hpp"
#include "support/gather_check.hpp"

#include <cmath>

using measure::AnyTimer;
using measure::Comm;
using measure::GlobalClock;

namespace {

struct Seen {
    double offset;
    double bound;
    double report_bound;
};

std::vector<Seen> synchronised(Comm const& comm, AnyTimer const& timer, measure::Sync const& sync) {
    auto const clock = measure::synchronise(comm, timer, sync);
    return test::gather_all(Seen{clock.offset().count(), clock.bound().value().count(), clock.report().bound.value()});
}

}  // namespace

TEST_CASE("clocks of one host are found equal within the guaranteed bound", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    for (auto const estimator : {measure::OffsetEstimator::min_rtt, measure::OffsetEstimator::envelope})
        for (char const* algorithm : {"linear", "ring"}) {
            auto const seen =
                synchronised(comm, measure::MonotonicTimer{}, measure::sync_from(algorithm, {.estimator = estimator}));
            CHECK(seen[0].offset == 0);
            for (auto const& s : seen) {
                CHECK(std::abs(s.offset) <= s.bound);
                CHECK(s.bound <= s.report_bound);
            }
        }
}

TEST_CASE("skews of seconds and of days are recovered with the right sign", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    for (double const skew : {1.0, -2.5, 86400.0 * 10}) {
        // Distinct per rank, so that a chain summed with a wrong sign is off by multiples of the skew.
        std::int64_t const mine = static_cast<std::int64_t>(skew * 1e9) * comm.rank() * comm.rank();
        measure::SyntheticTimer const timer("monotonic", {.skew_ns = mine});
        for (char const* algorithm : {"linear", "ring"}) {
            auto const seen = synchronised(comm, timer, measure::sync_from(algorithm));
            for (std::size_t i = 0; i < seen.size(); ++i) {
                double const truth = -skew * static_cast<double>(i * i);
                CHECK(std::abs(seen[i].offset - truth) <= seen[i].bound + 1e-9);
            }
        }
    }
}

TEST_CASE("root time and stamps map both ways", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    measure::SyntheticTimer const timer("monotonic", {.skew_ns = -5'000'000'000 * comm.rank()});
    auto const clock = measure::synchronise(comm, timer);
    auto const stamp = timer.now();
    auto const there = clock.root_time(timer, stamp);
    auto const back = clock.local_stamp(timer, there);

    CHECK(std::abs(back - stamp) <= 1);
    CHECK(clock.age() >= measure::seconds{0});
}

TEST_CASE("without synchronisation nothing is guaranteed", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const clock = measure::synchronise(comm, measure::MonotonicTimer{}, measure::NoSync{});
    auto const residual = measure::residual(comm, clock);

    CHECK(clock.offset() == measure::seconds{0});
    CHECK(clock.synchronised() == (comm.size() == 1));
    CHECK_FALSE(residual.has_value());
}

TEST_CASE("the ring reports its closure, within the sum of the bounds", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const clock = measure::synchronise(comm, measure::MonotonicTimer{}, measure::RingSync{});
    auto const& report = clock.report();
    bool const same = test::same_on_all_ranks(report.closure.value_or(0));

    CHECK(same);
    CHECK(report.closure.has_value() == (comm.size() > 1));
    CHECK(std::abs(report.closure.value_or(0)) <= report.closure_bound);
}

TEST_CASE("the residual shows a clock that drifts away", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    // 10000 ppm for a tenth of a second are 1 ms, far above any round trip of two ranks that run.
    measure::SyntheticTimer const timer("monotonic", {.ppm = comm.is_root() ? 0.0 : 10000.0});
    auto const clock = measure::synchronise(comm, timer);
    auto const until = MPI_Wtime() + 0.1;
    while (MPI_Wtime() < until) {
    }
    auto const residual = measure::residual(comm, clock);

    if (comm.size() == 2) {
        REQUIRE(residual.has_value());
        CHECK(residual->count() > 0.5e-3);
    } else {
        CHECK(residual.has_value() == (comm.size() > 1));
    }
}
