// SPDX-License-Identifier: BSD-3-Clause
#include "measure/harmonize.hpp"
#include "support/catch.hpp"
#include "support/gather_check.hpp"

#include <algorithm>

using measure::Comm;
using measure::seconds;

TEST_CASE("all ranks continue at one instant and not before it", "[harmonize]") {
    Comm const comm{MPI_COMM_WORLD};
    measure::SyntheticTimer const timer("monotonic", {.skew_ns = -3'000'000'000 * comm.rank()});
    auto const clock = measure::synchronise(comm, timer);
    int in_time = 0;
    bool early = false;
    bool different = false;
    for (int i = 0; i < 50; ++i) {
        auto const harmony = measure::harmonize(comm, clock);
        auto const then = clock.now();
        early = early || then < harmony.start - seconds{1e-9} || harmony.lateness < seconds{-1e-9};
        different = different || !test::same_on_all_ranks(harmony.start.count());
        in_time += harmony.in_time;
    }
    auto const counts = test::gather_all(in_time);
    CHECK_FALSE(early);
    CHECK_FALSE(different);
    CHECK(*std::max_element(counts.begin(), counts.end()) > 0);
}

TEST_CASE("an instant that is too near is missed, and the result says so", "[harmonize]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const clock = measure::synchronise(comm, measure::MonotonicTimer{});
    auto const harmony = measure::harmonize(comm, clock, seconds{-1e-3});
    CHECK_FALSE(harmony.in_time);
    CHECK(harmony.lateness >= seconds{1e-3 - 1e-6} - clock.bound().value());
}

TEST_CASE("ranks whose clocks disagree do not wait and do not report success", "[harmonize]") {
    Comm const comm{MPI_COMM_WORLD};
    measure::SyntheticTimer const timer("monotonic", {.skew_ns = -100'000'000'000 * comm.rank()});
    auto const clock = measure::synchronise(comm, timer, measure::NoSync{});
    int in_time = 0;
    int waited = 0;
    for (int i = 0; i < 50; ++i) {
        auto const harmony = measure::harmonize(comm, clock);
        in_time += harmony.in_time;
        waited += harmony.lateness >= seconds{0};
    }
    // A single rank agrees with itself, so it can be in time.
    CHECK((in_time > 0) == (comm.size() == 1));
    CHECK(waited == (comm.rank() > 0 ? 0 : 50));
}
