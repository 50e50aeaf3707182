// SPDX-License-Identifier: BSD-3-Clause
#include "measure/error.hpp"
#include "measure/window_sync.hpp"
#include "support/catch.hpp"
#include "support/gather_check.hpp"
#include "support/spin.hpp"

#include <algorithm>

using measure::Comm;
using measure::seconds;

TEST_CASE("all ranks enter a window at one instant of the root's clock and agree on the next length", "[harmonize]") {
    Comm const comm{MPI_COMM_WORLD};
    measure::SyntheticTimer const timer("monotonic", {.skew_ns = -3'000'000'000 * comm.rank()});
    auto const clock = measure::synchronise(comm, timer);
    seconds const length{300e-6};
    auto const before = clock.now();
    measure::WindowSync window{comm, clock, length};
    int in_time = 0;
    bool early = false;
    for (int i = 0; i < 30; ++i) {
        in_time += window.enter() == seconds{0};
        early = early || clock.now() < before + i * length - clock.bound().value() - seconds{50e-6};
        if (comm.rank() == comm.size() - 1)
            test::spin(seconds{100e-6});
    }
    window.adapt(comm);
    auto const counts = test::gather_all(in_time);
    bool const same = test::same_on_all_ranks(window.length().count());
    CHECK_FALSE(early);
    CHECK(same);
    CHECK(*std::max_element(counts.begin(), counts.end()) > 0);
    CHECK(window.length() > seconds{110e-6});
    CHECK(window.entries() == 0);
}

TEST_CASE("windows are refused if clocks are not synchronised", "[harmonize]") {
    Comm const comm{MPI_COMM_WORLD};
    measure::SyntheticTimer const timer("monotonic", {.skew_ns = -100'000'000'000 * comm.rank()});
    auto const none = measure::synchronise(comm, timer, measure::NoSync{});
    if (comm.size() > 1)
        CHECK_THROWS_AS(measure::WindowSync(comm, none, seconds{1e-3}), measure::UsageError);
}
