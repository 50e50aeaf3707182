// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <measure/error.hpp>
#include <measure/stopping.hpp>

#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using measure::stop_from;
using measure::StopVerdict;

namespace {

measure::Progress progress(std::vector<double> const& samples, std::int64_t attempts) {
    return {.samples = samples, .attempts = attempts, .spent = measure::seconds{1}};
}

std::string refused(std::string const& text) {
    try {
        static_cast<void>(stop_from(text));
    } catch (measure::UsageError const& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("a stopping rule is parsed from text", "[stop_from]") {
    std::vector<double> const three{1, 1, 1};
    auto const count = stop_from("count:3");
    CHECK(count(progress({three.begin(), three.end() - 1}, 2)) == StopVerdict::more);
    CHECK(count(progress(three, 3)) == StopVerdict::converged);
    CHECK(stop_from("count:3,at_least=5")(progress(three, 4)) == StopVerdict::more);
    CHECK(stop_from("count:valid=9,at_most=4")(progress(three, 4)) == StopVerdict::exhausted);
}

TEST_CASE("shares are fractions or percentages, and times have a unit", "[stop_from]") {
    // Mean 2, s^2 = 2, standard error 1, relative 0.5.
    std::vector<double> const two{1, 3};
    for (auto const* const text : {"relative_error:0.5,at_least=2", "relative_error:50%,at_least=2"})
        CHECK(stop_from(text)(progress(two, 2)) == StopVerdict::converged);
    CHECK(stop_from("relative_error:49%,at_least=2")(progress(two, 2)) == StopVerdict::more);
    CHECK(stop_from("time:1s")(progress(two, 2)) == StopVerdict::converged);
    CHECK(stop_from("time:1001ms")(progress(two, 2)) == StopVerdict::more);
}

TEST_CASE("rules can be combined", "[stop_from]") {
    std::vector<double> const two{1, 3};
    CHECK(stop_from("any(count:9,time:500ms)")(progress(two, 2)) == StopVerdict::exhausted);
    CHECK(stop_from("all(count:2,time:2s)")(progress(two, 2)) == StopVerdict::more);
    CHECK(stop_from("all(count:2,at_least=2,time:1s)")(progress(two, 2)) == StopVerdict::converged);
    CHECK(stop_from("any(all(count:2,time:2s),count:valid=2,at_most=5)")(progress(two, 2)) == StopVerdict::converged);
    auto earlier = progress(two, 2);
    earlier.previous = 1;
    CHECK(stop_from("sustained(count:1)")(earlier) == StopVerdict::converged);
    CHECK(stop_from("sustained(count:2)")(earlier) == StopVerdict::more);
}

TEST_CASE("a quantile rule stops when its order statistics are close together", "[stop_from]") {
    // 100 samples 101 .. 200: the 84th and 96th bound the 0.9 quantile at 95 %; half of 12 divided by 190.1 is 3.2 %.
    std::vector<double> samples;
    for (int i = 1; i <= 100; ++i)
        samples.push_back(100 + i);
    CHECK(stop_from("quantile:0.9,width=3.2%")(progress(samples, 100)) == StopVerdict::converged);
    CHECK(stop_from("quantile:0.9,width=3.1%")(progress(samples, 100)) == StopVerdict::more);
    CHECK(stop_from("quantile:0.9,width=3.1%,at_most=100")(progress(samples, 100)) == StopVerdict::exhausted);
    CHECK(stop_from("quantile:0.9,width=3.2%,at_least=101")(progress(samples, 100)) == StopVerdict::more);
    // The 99th percentile of 100 samples has no upper bound.
    CHECK(stop_from("quantile:0.99,width=50%")(progress(samples, 100)) == StopVerdict::more);
}

TEST_CASE("an invalid rule is refused with the valid alternatives", "[stop_from]") {
    CHECK(refused("often") ==
          "'often' is not a stopping rule: 'often' is unknown (count, relative_error, interval, quantile, skampi, "
          "time, any, all, sustained)");
    CHECK_THAT(refused("count:3,many=4"), ContainsSubstring("count has no 'many' (valid, at_least, at_most)"));
    CHECK_THAT(refused("count:3,4"), ContainsSubstring("'4' lacks its key"));
    CHECK_THAT(refused("count:x"), ContainsSubstring("valid: 'x' is not a whole number"));
    CHECK_THAT(refused("interval:nan"), ContainsSubstring("width: 'nan' is not a number"));
    CHECK_THAT(refused("time:5"), ContainsSubstring("limit: '5' is not a time with a unit (ns, us, ms, s, min)"));
    CHECK_THAT(refused("any(count:3"), ContainsSubstring("')' is missing after any"));
    CHECK_THAT(refused("count:3)"), ContainsSubstring("unexpected ')' at the end"));
    std::string deep;
    for (int i = 0; i < 30000; ++i)
        deep += "any(";
    CHECK_THAT(refused(deep), ContainsSubstring("more than 32 nested rules"));
    CHECK_THAT(refused("sustained(count:3,time:1s)"), ContainsSubstring("sustained takes one rule"));
    // The ranges of the rules apply here as well.
    CHECK_THAT(refused("count:0"), ContainsSubstring("valid >= 1"));
    CHECK_THAT(refused(""), ContainsSubstring("'' is unknown"));
}
