// SPDX-License-Identifier: BSD-3-Clause
#include "measure/batch.hpp"
#include "measure/error.hpp"
#include "support/catch.hpp"

#include <limits>

using measure::first_iterations;
using measure::next_iterations;
using measure::seconds;

TEST_CASE("a window steers the batch size to its geometric mean, by a factor of at most 16", "[batch]") {
    measure::TargetDuration const window{seconds{2.5e-3}, seconds{10e-3}};  // geometric mean 5 ms
    CHECK(next_iterations(window, 100, seconds{3e-3}) == 100);
    CHECK(next_iterations(window, 100, seconds{1e-3}) == 500);
    CHECK(next_iterations(window, 100, seconds{20e-3}) == 25);
    CHECK(next_iterations(window, 100, seconds{1e-9}) == 1600);
    CHECK(next_iterations(window, 100, seconds{0}) == 1600);
    CHECK(next_iterations(window, 3, seconds{1}) == 1);
    CHECK(next_iterations(measure::FixedCount{7}, 7, seconds{1}) == 7);
}

TEST_CASE("batch sizes out of range are refused", "[batch]") {
    CHECK_THROWS_AS(first_iterations(measure::FixedCount{0}), measure::UsageError);
    CHECK_THROWS_AS(first_iterations(measure::TargetDuration{.low = seconds{0}}), measure::UsageError);
    CHECK_THROWS_AS(first_iterations(measure::TimeBudget{seconds{0}}), measure::UsageError);
    for (double const x : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        CHECK_THROWS_AS(first_iterations(measure::TimeBudget{seconds{x}}), measure::UsageError);
        CHECK_THROWS_AS(first_iterations(measure::TargetDuration{.high = seconds{x}}), measure::UsageError);
        CHECK_THROWS_AS(first_iterations(measure::TargetDuration{.low = seconds{x}, .high = seconds{x}}),
                        measure::UsageError);
    }
}
