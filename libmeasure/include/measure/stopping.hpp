// SPDX-License-Identifier: BSD-3-Clause
/// Stopping rules: pure functions of what has been measured so far. Everything here is local.
///
/// A rule that is met and at its limit in the same stage is converged. A limit that strikes without a valid sample
/// gives the verdict no_valid_samples instead of exhausted.
#pragma once

#include "measure/statistics.hpp"
#include "measure/units.hpp"

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

enum class Verdict {
    more,              ///< go on
    converged,         ///< the rule asked for is met
    exhausted,         ///< a limit struck first
    no_valid_samples,  ///< a limit struck and no sample was valid
};
[[nodiscard]] char const* name(Verdict verdict) noexcept;

/// What a rule sees after each stage. Times in seconds per iteration.
struct Progress {
    std::span<double const> samples{};  ///< the valid samples so far, joined over ranks, in the order taken
    std::int64_t attempts = 0;          ///< samples tried, warm-up not counted
    seconds spent{0};                   ///< wall time since the epoch's first stage
    std::size_t previous = 0;           ///< how many of `samples` there were one stage earlier
    seconds resolution{0};              ///< of the timer, for tick / epsilon rules
    std::int64_t iterations_per_sample = 1;
};

/// A verdict with the reason that the record shows: count, relative_error, interval, budget, exhausted; "own" for a
/// rule that names none.
struct Decision {
    Verdict verdict = Verdict::more;
    std::string reason;
    friend bool operator==(Decision const& d, Verdict v) noexcept { return d.verdict == v; }
};

/// A stopping rule of any type: a copyable value, callable with Progress, that returns a Verdict or a Decision.
class StoppingRule {
public:
    StoppingRule();  ///< stop::Default
    template <class R>
    requires(!std::same_as<std::remove_cvref_t<R>, StoppingRule> &&
             (std::is_invocable_r_v<Verdict, R const&, Progress const&> ||
              std::is_invocable_r_v<Decision, R const&, Progress const&>))
        StoppingRule(R rule)  // NOLINT(google-explicit-constructor): a rule is a rule
        : rule_{[r = std::move(rule)](Progress const& p) -> Decision {
              if constexpr (std::is_invocable_r_v<Decision, R const&, Progress const&>)
                  return r(p);
              else if (Verdict const v = r(p); v == Verdict::more)
                  return {};
              else
                  return {v, "own"};
          }} {}

    [[nodiscard]] Decision operator()(Progress const& p) const { return rule_(p); }

private:
    std::function<Decision(Progress const&)> rule_;
};

namespace stop {

/// Variant 1 of the MPIPerf paper, section 4: enough valid samples, or the maximum of samples tried.
/// Converged ("count") with `valid` valid samples once `at_least` were tried; exhausted ("exhausted") at `at_most`.
struct Count {
    std::int64_t valid = 1;
    std::int64_t at_least = 0;
    std::int64_t at_most = std::numeric_limits<std::int64_t>::max();
    [[nodiscard]] Decision operator()(Progress const& p) const;
};

/// Variant 2 of the MPIPerf paper: relative standard error (s / sqrt(n) / mean, divisor n - 1, all valid samples)
/// at most `epsilon` with at least `at_least` valid samples; exhausted at `at_most` tried.
struct RelativeError {
    double epsilon = 0.05;
    std::int64_t at_least = 10;
    std::int64_t at_most = 100;
    [[nodiscard]] Decision operator()(Progress const& p) const;
};

/// The SKaMPI paper's rule: the standard error (divisor n) of all samples over the trimmed mean is below `epsilon`,
/// with a lower and an upper bound on the number of valid samples and a total time of at least tick / epsilon.
/// A trimmed mean <= 0 goes on to the upper bound. Void samples are replaced, so not the samples tried but the valid
/// ones count; ten times `at_most` tried is the end all the same.
struct Skampi {
    double epsilon = 0.03;
    std::int64_t at_least = 8;
    std::int64_t at_most = 1000;
    double trim = 0.25;
    [[nodiscard]] Decision operator()(Progress const& p) const;
};

/// Half the width of the median's non-parametric interval is at most `width` times the median, with at least
/// `at_least` valid samples. Has no limit of its own.
struct MedianInterval {
    double width = 0.02;
    std::int64_t at_least = 16;
    double confidence = 0.95;
    [[nodiscard]] Decision operator()(Progress const& p) const;
};

/// Time: spent >= limit. As the only rule it is converged with reason "budget"; beside others in AnyOf it is exhausted.
struct After {
    seconds limit{1};
    bool is_limit = false;  ///< exhausted instead of converged
    [[nodiscard]] Decision operator()(Progress const& p) const;
};

/// Never stops by itself: the plan's limits do.
struct Never {
    [[nodiscard]] Decision operator()(Progress const&) const { return {}; }
};

/// The first of its rules that stops decides, in the order given; a converged rule goes before an exhausted one.
/// A time budget beside other rules is a limit: exhausted. Without rules it never stops.
struct AnyOf {
    std::vector<StoppingRule> rules;
    AnyOf(std::initializer_list<StoppingRule> list) : rules{list} {}
    [[nodiscard]] Decision operator()(Progress const& p) const;
};

/// Stops when all of its rules stop. Exhausted if any is exhausted. The reason is that of the last rule with the joint
/// verdict; a time budget among converged rules is a mere lower bound and names the reason only if nothing else does.
/// Without rules it never stops.
struct AllOf {
    std::vector<StoppingRule> rules;
    AllOf(std::initializer_list<StoppingRule> list) : rules{list} {}
    [[nodiscard]] Decision operator()(Progress const& p) const;
};

/// Converged only if the rule is converged on this and on the previous stage's samples: repeated looks favour lucky
/// low variance. Exhausted as soon as the rule is. A rule met for the first time at its own limit is asked once more,
/// one stage later; where that is too late, put the limit beside it: AnyOf{Sustained{..}, Count{..}}.
struct Sustained {
    StoppingRule rule;
    [[nodiscard]] Decision operator()(Progress const& p) const;
};

/// The library's default: the median's interval within 2 %, sustained over two stages, with at least 16 valid samples;
/// at most 100 tried.
struct Default {
    double width = 0.02;
    std::int64_t at_least = 16;
    std::int64_t at_most = 100;
    double confidence = 0.95;
    [[nodiscard]] Decision operator()(Progress const& p) const;
};

}  // namespace stop
}  // namespace measure
#pragma GCC visibility pop
