// SPDX-License-Identifier: BSD-3-Clause
#include "measure/error.hpp"
#include "measure/stopping.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace measure;

namespace {

using Samples = std::vector<double>;

std::span<double const> first(Samples const& xs, std::size_t n) { return std::span{xs}.first(n); }

Samples in_microseconds(Samples xs) {
    for (double& x : xs)
        x *= 1e-6;
    return xs;
}

/// A rule with a fixed answer.
struct Says {
    StopVerdict verdict;
    std::string reason;
    Decision operator()(Progress const&) const { return {verdict, reason}; }
};

Says const more{StopVerdict::more, ""};
Says const met{StopVerdict::converged, "count"};
Says const met_too{StopVerdict::converged, "interval"};
Says const limit{StopVerdict::exhausted, "exhausted"};
Says const nothing{StopVerdict::no_valid_samples, "budget"};

}  // namespace

TEST_CASE("verdicts have names", "[stopping]") {
    CHECK(name(StopVerdict::more) == std::string{"more"});
    CHECK(name(StopVerdict::converged) == std::string{"converged"});
    CHECK(name(StopVerdict::exhausted) == std::string{"exhausted"});
    CHECK(name(StopVerdict::no_valid_samples) == std::string{"no_valid_samples"});
}

TEST_CASE("count stops with enough valid samples", "[stopping]") {
    Samples const xs(31, 1e-6);
    stop::Count const at_30{.valid = 30, .at_least = 10, .at_most = 100};
    CHECK(at_30({.samples = first(xs, 29), .attempts = 29}) == StopVerdict::more);
    CHECK(at_30({.samples = first(xs, 30), .attempts = 30}) == StopVerdict::converged);
    CHECK(at_30({.samples = first(xs, 30), .attempts = 30}).reason == "count");
    stop::Count const more_than_30{.valid = 31, .at_least = 10, .at_most = 101};
    CHECK(more_than_30({.samples = first(xs, 30), .attempts = 30}) == StopVerdict::more);
    CHECK(more_than_30({.samples = xs, .attempts = 31}) == StopVerdict::converged);
}

TEST_CASE("count waits until the minimum number of samples was tried", "[stopping]") {
    Samples const xs(9, 1e-6);
    stop::Count const rule{.valid = 5, .at_least = 10, .at_most = 100};
    CHECK(rule({.samples = first(xs, 8), .attempts = 8}) == StopVerdict::more);
    CHECK(rule({.samples = xs, .attempts = 9}) == StopVerdict::more);
    CHECK(rule({.samples = xs, .attempts = 10}) == StopVerdict::converged);
}

TEST_CASE("count is exhausted at the maximum number of samples tried", "[stopping]") {
    Samples const xs(30, 1e-6);
    stop::Count const rule{.valid = 30, .at_least = 10, .at_most = 100};
    CHECK(rule({.samples = first(xs, 29), .attempts = 99}) == StopVerdict::more);
    CHECK(rule({.samples = first(xs, 29), .attempts = 100}) == StopVerdict::exhausted);
    CHECK(rule({.samples = first(xs, 29), .attempts = 101}).reason == "exhausted");
    CHECK(rule({.samples = xs, .attempts = 100}) == StopVerdict::converged);
    CHECK(rule({.attempts = 100}) == StopVerdict::no_valid_samples);
    CHECK(rule({.attempts = 100}).reason == "exhausted");
}

TEST_CASE("count without a valid sample never converges", "[stopping]") {
    stop::Count const rule{.valid = 0, .at_least = 4, .at_most = 8};
    CHECK(rule({.attempts = 4}) == StopVerdict::more);
    CHECK(rule({.attempts = 8}) == StopVerdict::no_valid_samples);
}

TEST_CASE("relative error includes its bound", "[stopping]") {
    Samples const xs{19, 21};  // mean 20, standard error exactly 1
    CHECK(stop::RelativeError{.epsilon = 0.05, .at_least = 2}({.samples = xs, .attempts = 2}) ==
          StopVerdict::converged);
    CHECK(stop::RelativeError{.epsilon = 0.049999, .at_least = 2}({.samples = xs, .attempts = 2}) == StopVerdict::more);
}

TEST_CASE("relative error stops as soon as the standard error is within 5 %", "[stopping]") {
    auto const xs = in_microseconds({10, 11, 9, 10, 10, 11, 9, 10, 10, 10});
    stop::RelativeError const rule{.epsilon = 0.05, .at_least = 10, .at_most = 100};
    CHECK(rule({.samples = first(xs, 9), .attempts = 9}) == StopVerdict::more);
    CHECK(rule({.samples = xs, .attempts = 10}) == StopVerdict::converged);
    CHECK(rule({.samples = xs, .attempts = 100}).reason == "relative_error");
    CHECK(rule({.samples = first(xs, 9), .attempts = 99}) == StopVerdict::more);
    CHECK(rule({.samples = first(xs, 9), .attempts = 100}) == StopVerdict::exhausted);
    CHECK(rule({.attempts = 100}) == StopVerdict::no_valid_samples);
}

TEST_CASE("the relative error of an operation that takes 0 s is 0", "[stopping]") {
    Samples const xs(10, 0.0);
    CHECK(stop::RelativeError{}({.samples = xs, .attempts = 10}) == StopVerdict::converged);
}

TEST_CASE("relative error needs more than one sample", "[stopping]") {
    Samples const xs{1};
    CHECK(stop::RelativeError{.at_least = 1}({.samples = xs, .attempts = 1}) == StopVerdict::more);
}

TEST_CASE("the SKaMPI rule continues with an outlier in eight samples and stops without it", "[stopping]") {
    stop::Skampi const rule{.epsilon = 0.03, .at_least = 8, .at_most = 32};
    // se = 2.3354, T = 10.05: 0.232
    auto const with = in_microseconds({10.0, 10.2, 9.9, 10.1, 10.0, 30.0, 10.1, 9.9});
    // se = 0.0342, T = 10.025: 0.0034
    auto const without = in_microseconds({10.0, 10.2, 9.9, 10.1, 10.0, 10.0, 10.1, 9.9});
    CHECK(rule({.samples = with, .attempts = 8}) == StopVerdict::more);
    CHECK(rule({.samples = without, .attempts = 8}) == StopVerdict::converged);
    CHECK(rule({.samples = without, .attempts = 8}).reason == "relative_error");
    CHECK(rule({.samples = first(without, 7), .attempts = 7}) == StopVerdict::more);
}

TEST_CASE("the SKaMPI rule excludes its bound", "[stopping]") {
    Samples const xs{19, 21, 19, 21};  // sigma = 1, se = 1/2, T = 20: exactly 0.025
    CHECK(stop::Skampi{.epsilon = 0.025, .at_least = 4}({.samples = xs, .attempts = 4}) == StopVerdict::more);
    CHECK(stop::Skampi{.epsilon = 0.02500001, .at_least = 4}({.samples = xs, .attempts = 4}) == StopVerdict::converged);
}

TEST_CASE("the SKaMPI rule needs a total time of at least tick / epsilon", "[stopping]") {
    Samples const xs(8, 1.0);
    stop::Skampi const rule{.epsilon = 0.5, .at_least = 8, .at_most = 32};
    CHECK(rule({.samples = xs, .attempts = 8, .resolution = seconds{4}}) == StopVerdict::converged);  // 8 >= 8
    CHECK(rule({.samples = xs, .attempts = 8, .resolution = seconds{4.01}}) == StopVerdict::more);    // 8 < 8.02
    CHECK(rule({.samples = xs, .attempts = 8, .resolution = seconds{64}, .iterations_per_sample = 16}) ==
          StopVerdict::converged);  // 128 >= 128
}

TEST_CASE("the SKaMPI rule continues to its upper bound if the time is not positive", "[stopping]") {
    Samples const zeros(32, 0.0);
    Samples const negative(32, -1.0);
    stop::Skampi const rule{.epsilon = 0.03, .at_least = 8, .at_most = 32};
    CHECK(rule({.samples = first(zeros, 31), .attempts = 31}) == StopVerdict::more);
    CHECK(rule({.samples = zeros, .attempts = 32}) == StopVerdict::exhausted);
    CHECK(rule({.samples = negative, .attempts = 32}) == StopVerdict::exhausted);
}

TEST_CASE("the SKaMPI rule repeats invalid samples up to ten times its bound", "[stopping]") {
    Samples const xs{1, 100};
    stop::Skampi const rule{.at_most = 32};
    CHECK(rule({.samples = xs, .attempts = 319}) == StopVerdict::more);
    CHECK(rule({.samples = xs, .attempts = 320}) == StopVerdict::exhausted);
    CHECK(rule({.attempts = 319}) == StopVerdict::more);
    CHECK(rule({.attempts = 320}) == StopVerdict::no_valid_samples);
}

TEST_CASE("the interval of the median stops at its width", "[stopping]") {
    // Ten samples: ranks 2 and 9, which are 98 and 102; the median is 100.
    Samples const xs{100, 97, 103, 98, 102, 100, 99, 101, 100, 100};
    CHECK(stop::MedianInterval{.width = 0.02, .at_least = 10}({.samples = xs}) == StopVerdict::converged);
    CHECK(stop::MedianInterval{.width = 0.02, .at_least = 10}({.samples = xs}).reason == "interval");
    CHECK(stop::MedianInterval{.width = 0.0199, .at_least = 10}({.samples = xs}) == StopVerdict::more);
    CHECK(stop::MedianInterval{.width = 0.02, .at_least = 11}({.samples = xs}) == StopVerdict::more);
    CHECK(stop::MedianInterval{.width = 0.02, .at_least = 1}({.samples = first(xs, 5)}) == StopVerdict::more);
    CHECK(stop::MedianInterval{}({.attempts = 1000000}) == StopVerdict::more);
}

TEST_CASE("a single time limit converges, but not without a valid sample", "[stopping]") {
    Samples const xs{1};
    stop::TimeLimit const rule{seconds{2}};
    CHECK(rule({.samples = xs, .spent = seconds{1.999}}) == StopVerdict::more);
    CHECK(rule({.samples = xs, .spent = seconds{2}}) == StopVerdict::converged);
    CHECK(rule({.samples = xs, .spent = seconds{2}}).reason == "budget");
    CHECK(rule({.spent = seconds{2}}) == StopVerdict::no_valid_samples);
    CHECK(rule({.spent = seconds{2}}).reason == "budget");
}

TEST_CASE("AnyOf stops with any of its rules and prefers a converged one", "[stopping]") {
    CHECK(stop::AnyOf{}({}) == StopVerdict::more);
    CHECK(stop::AnyOf{more, more}({}) == StopVerdict::more);
    CHECK(stop::AnyOf{more, limit}({}) == StopVerdict::exhausted);
    CHECK(stop::AnyOf{limit, met}({}).reason == "count");
    CHECK(stop::AnyOf{met, met_too}({}).reason == "count");
    CHECK(stop::AnyOf{limit, nothing}({}).reason == "exhausted");
    CHECK(stop::AnyOf{nothing, limit}({}) == StopVerdict::no_valid_samples);
}

TEST_CASE("a time limit combined by AnyOf ends as exhausted", "[stopping]") {
    Samples const xs{1, 2};
    Progress const late{.samples = xs, .attempts = 2, .spent = seconds{3}};
    stop::AnyOf const rule{stop::RelativeError{.epsilon = 0.01}, stop::TimeLimit{seconds{2}}};
    CHECK(rule(late) == StopVerdict::exhausted);
    CHECK(rule(late).reason == "budget");
    CHECK(stop::AnyOf{stop::TimeLimit{seconds{2}}, stop::Count{.valid = 2}}(late).reason == "count");
    CHECK(stop::AnyOf{stop::TimeLimit{seconds{2}}}(late) == StopVerdict::converged);
    CHECK(rule({.attempts = 2, .spent = seconds{3}}) == StopVerdict::no_valid_samples);
}

TEST_CASE("AllOf needs all of its rules to stop", "[stopping]") {
    CHECK(stop::AllOf{}({}) == StopVerdict::more);
    CHECK(stop::AllOf{met, more}({}) == StopVerdict::more);
    CHECK(stop::AllOf{met, met_too}({}) == StopVerdict::converged);
    CHECK(stop::AllOf{met, met_too}({}).reason == "interval");
    CHECK(stop::AllOf{limit, met}({}) == StopVerdict::exhausted);
    CHECK(stop::AllOf{limit, met}({}).reason == "exhausted");
    CHECK(stop::AllOf{met, nothing, limit}({}) == StopVerdict::no_valid_samples);
}

TEST_CASE("a time limit in AllOf is a minimum time", "[stopping]") {
    Samples const xs{1, 2};
    Progress const late{.samples = xs, .attempts = 2, .spent = seconds{3}};
    stop::AllOf const rule{stop::Count{.valid = 2}, stop::TimeLimit{seconds{2}}};
    CHECK(rule({.samples = xs, .attempts = 2, .spent = seconds{1}}) == StopVerdict::more);
    CHECK(rule(late).reason == "count");
    CHECK(stop::AllOf{stop::TimeLimit{seconds{2}}, stop::TimeLimit{seconds{1}}}(late).reason == "budget");
    CHECK(stop::AnyOf{rule, stop::AnyOf{}}(late) == StopVerdict::converged);
}

TEST_CASE("a sustained rule must be met in two consecutive stages", "[stopping]") {
    Samples const xs(24, 1e-6);
    stop::Sustained const rule{stop::Count{.valid = 16}};
    CHECK(rule({.samples = first(xs, 8), .attempts = 8, .previous = 0}) == StopVerdict::more);
    CHECK(rule({.samples = first(xs, 16), .attempts = 16, .previous = 8}) == StopVerdict::more);
    CHECK(rule({.samples = xs, .attempts = 24, .previous = 16}) == StopVerdict::converged);
    CHECK(rule({.samples = xs, .attempts = 24, .previous = 16}).reason == "count");
}

TEST_CASE("a sustained rule also uses the attempts of the previous stage", "[stopping]") {
    Samples const xs(24, 1e-6);
    stop::Sustained const rule{stop::Count{.valid = 1, .at_least = 20}};
    CHECK(rule({.samples = xs, .attempts = 24, .previous = 16}) ==
          StopVerdict::more);  // 16 attempts in the previous stage
    CHECK(rule({.samples = xs, .attempts = 28, .previous = 16}) == StopVerdict::converged);
}

TEST_CASE("a sustained rule is exhausted immediately", "[stopping]") {
    CHECK(stop::Sustained{limit}({}) == StopVerdict::exhausted);
    CHECK(stop::Sustained{nothing}({}) == StopVerdict::no_valid_samples);
    CHECK(stop::Sustained{more}({}) == StopVerdict::more);
}

TEST_CASE("the default needs two stages of at least sixteen samples within 2 %", "[stopping]") {
    Samples const quiet(104, 1e-6);
    stop::Default const rule;
    CHECK(rule({.samples = first(quiet, 16), .attempts = 16, .previous = 8}) == StopVerdict::more);
    CHECK(rule({.samples = first(quiet, 24), .attempts = 24, .previous = 16}) == StopVerdict::converged);
    CHECK(rule({.samples = first(quiet, 24), .attempts = 24, .previous = 16}).reason == "interval");
    CHECK(rule({.samples = first(quiet, 24), .attempts = 24, .previous = 15}) == StopVerdict::more);
}

TEST_CASE("the interval of the default has the requested confidence", "[stopping]") {
    // With 24 samples the interval is (7, 18) at 95 % and (4, 21) at 99.9 %: at 95 % the five samples at each end do
    // not count.
    std::vector<double> samples(24, 100);
    std::fill_n(samples.begin(), 5, 50);
    std::fill_n(samples.rbegin(), 5, 150);
    Progress const p{.samples = samples, .attempts = 24, .previous = 24};
    CHECK(stop::Default{}(p) == StopVerdict::converged);
    CHECK(stop::Default{.confidence = 0.999}(p) == StopVerdict::more);
}

TEST_CASE("the default gives up after 100 attempts", "[stopping]") {
    Samples noisy;
    for (int i = 0; i < 100; ++i)
        noisy.push_back(i % 2 == 0 ? 1e-6 : 2e-6);
    stop::Default const rule;
    CHECK(rule({.samples = first(noisy, 99), .attempts = 99, .previous = 92}) == StopVerdict::more);
    CHECK(rule({.samples = noisy, .attempts = 100, .previous = 92}) == StopVerdict::exhausted);
    CHECK(rule({.samples = noisy, .attempts = 100, .previous = 92}).reason == "exhausted");
    CHECK(rule({.attempts = 100}) == StopVerdict::no_valid_samples);
}

TEST_CASE("a user rule is called own", "[stopping]") {
    StoppingRule const rule = [](Progress const& p) {
        return p.attempts >= 3 ? StopVerdict::converged : StopVerdict::more;
    };
    CHECK(rule({.attempts = 2}) == StopVerdict::more);
    CHECK(rule({.attempts = 2}).reason.empty());
    CHECK(rule({.attempts = 3}) == StopVerdict::converged);
    CHECK(rule({.attempts = 3}).reason == "own");
    CHECK(StoppingRule{met}({}).reason == "count");
}

TEST_CASE("a default-constructed rule is the default", "[stopping]") {
    Samples const quiet(24, 1e-6);
    Progress const p{.samples = quiet, .attempts = 24, .previous = 16};
    CHECK(StoppingRule{}(p) == StopVerdict::converged);
    CHECK(StoppingRule{}(p).reason == "interval");
}

TEST_CASE("rules can be nested and copied", "[stopping]") {
    Samples const xs(30, 1e-6);
    StoppingRule const inner = stop::AnyOf{stop::Count{.valid = 30}, stop::TimeLimit{seconds{9}}};
    StoppingRule const outer = stop::AllOf{inner, stop::Sustained{stop::Count{.valid = 20}}};
    auto const copy = outer;
    CHECK(copy({.samples = xs, .attempts = 30, .previous = 22}) == StopVerdict::converged);
    CHECK(copy({.samples = xs, .attempts = 30, .previous = 19}) == StopVerdict::more);
}

TEST_CASE("rules refuse numbers out of range and NaN", "[stopping]") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    auto const wrong = std::to_array<StoppingRule>({
        stop::Count{.valid = 0},
        stop::Count{.at_least = -1},
        stop::Count{.at_most = 0},
        stop::RelativeError{.epsilon = 0},
        stop::RelativeError{.epsilon = -1},
        stop::RelativeError{.epsilon = nan},
        stop::RelativeError{.at_least = -1},
        stop::RelativeError{.at_most = 0},
        stop::Skampi{.epsilon = nan},
        stop::Skampi{.at_least = -1},
        stop::Skampi{.at_most = 0},
        stop::Skampi{.trim = 0.6},
        stop::Skampi{.trim = nan},
        stop::MedianInterval{.width = 0},
        stop::MedianInterval{.width = nan},
        stop::MedianInterval{.at_least = -1},
        stop::MedianInterval{.confidence = 1},
        stop::MedianInterval{.confidence = nan},
        stop::TimeLimit{seconds{-1}},
        stop::TimeLimit{seconds{nan}},
        stop::Default{.width = nan},
        stop::Default{.at_least = -1},
        stop::Default{.at_most = 0},
        stop::Default{.confidence = 0},
    });
    for (std::size_t i = 0; i < wrong.size(); ++i) {
        CAPTURE(i);
        CHECK_THROWS_AS(wrong[i].validate(), measure::UsageError);
        // At any nesting depth.
        CHECK_THROWS_AS(StoppingRule{stop::Sustained{wrong[i]}}.validate(), measure::UsageError);
        CHECK_THROWS_AS((StoppingRule{stop::AnyOf{stop::Count{3}, stop::AllOf{stop::Count{2}, wrong[i]}}}.validate()),
                        measure::UsageError);
    }
    CHECK_THROWS_WITH(StoppingRule{stop::RelativeError{nan}}.validate(),
                      "a stop by relative error needs epsilon > 0, at_least >= 0 and at_most >= 1");
    for (StoppingRule const& rule : {StoppingRule{}, StoppingRule{stop::AnyOf{}},
                                     StoppingRule{stop::Skampi{.trim = 0.5}}, StoppingRule{stop::TimeLimit{seconds{0}}},
                                     StoppingRule{stop::MedianInterval{}}, StoppingRule{stop::Count{1}}})
        CHECK_NOTHROW(rule.validate());
}

TEST_CASE("a user rule may validate its numbers", "[stopping]") {
    struct Own {
        int n;
        void validate() const {
            if (n < 0)
                throw measure::UsageError("n is negative");
        }
        StopVerdict operator()(Progress const& p) const {
            return p.attempts >= n ? StopVerdict::converged : StopVerdict::more;
        }
    };
    CHECK_NOTHROW(StoppingRule{Own{1}}.validate());
    CHECK_THROWS_WITH(StoppingRule{Own{-1}}.validate(), "n is negative");
    CHECK(StoppingRule{Own{2}}({.attempts = 2}) == StopVerdict::converged);
}
