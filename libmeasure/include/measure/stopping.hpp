// SPDX-License-Identifier: BSD-3-Clause
/// Stopping rules: pure functions of what has been measured so far. Everything here is local.
///
/// A rule that is met and at its limit in the same stage is converged. A limit that strikes without a valid sample
/// gives the verdict no_valid_samples instead of exhausted.
#pragma once

#include "measure/callback.hpp"
#include "measure/statistics.hpp"
#include "measure/units.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// What a rule says. In order of severity.
enum class StopVerdict {
    more,              ///< go on
    converged,         ///< the rule asked for is met
    exhausted,         ///< a limit struck first
    no_valid_samples,  ///< a limit struck and no sample was valid
};
[[nodiscard]] char const* name(StopVerdict verdict) noexcept;  ///< as the enumerator reads

/// What a rule sees after each stage. Times in seconds per iteration.
struct Progress {
    std::span<double const> samples{};       ///< the valid samples so far, joined over ranks, in the order taken
    std::int64_t attempts = 0;               ///< samples tried, warm-up not counted
    seconds spent{0};                        ///< wall time since the epoch's first stage
    std::size_t previous = 0;                ///< how many of `samples` there were one stage earlier
    seconds resolution{0};                   ///< of the timer, for tick / epsilon rules
    std::int64_t iterations_per_sample = 1;  ///< for rules that look at the total time
    /// The timer's step in a sample, per iteration.
    [[nodiscard]] double clock_step() const noexcept {
        return resolution.count() / static_cast<double>(iterations_per_sample);
    }
};

/// A verdict with the reason that the record shows: count, relative_error, interval, clock_step, budget, exhausted;
/// "own" for a rule that names none.
struct Decision {
    StopVerdict verdict = StopVerdict::more;  ///< go on, or how it ended
    std::string reason;                       ///< empty while it goes on
    /// Compares the verdict, whatever the reason.
    friend bool operator==(Decision const& d, StopVerdict v) noexcept { return d.verdict == v; }
};

/// A stopping rule of any type: a copyable value, callable with Progress, that returns a StopVerdict or a Decision. It
/// may have a `void validate() const`, which throws UsageError for numbers that cannot be.
class StoppingRule {
public:
    StoppingRule();  ///< stop::Default
    /// Keeps a copy of the rule.
    template <class R>
    requires(!std::same_as<std::remove_cvref_t<R>, StoppingRule> &&
             (std::is_invocable_r_v<StopVerdict, R const&, Progress const&> ||
              std::is_invocable_r_v<Decision, R const&, Progress const&>))
        StoppingRule(R rule)  // NOLINT(google-explicit-constructor): a rule is a rule
        : rule_{[r = std::move(rule)](Progress const* p) -> Decision {
              if (p == nullptr) {
                  if constexpr (requires { r.validate(); })
                      r.validate();
                  return {};
              }
              if constexpr (std::is_invocable_r_v<Decision, R const&, Progress const&>)
                  return r(*p);
              else if (StopVerdict const v = r(*p); v == StopVerdict::more)
                  return {};
              else
                  return {v, "own"};
          }} {}

    /// Asks the rule.
    [[nodiscard]] Decision operator()(Progress const& p) const { return rule_(&p); }
    /// Asks the rule whether its numbers lie in their ranges, NaN in none; `run` does so before it measures.
    /// \throws UsageError where one does not
    void validate() const { rule_(nullptr); }

private:
    Callback<Decision(Progress const*)> rule_;  ///< nullptr: validates
};

/// The library's rules, and how they are combined.
namespace stop {

/// Why a rule ends that wants an error: the scatter alone is as small as wanted, but the clock's part of the error is
/// not, which more samples do not make smaller. The verdict is exhausted. The published rule of SKaMPI does not see it.
inline constexpr std::string_view clock_reason = "clock_step";

/// Variant 1 of the MPIPerf paper, section 4: enough valid samples, or the maximum of samples tried.
/// Converged ("count") with `valid` valid samples once `at_least` were tried; exhausted ("exhausted") at `at_most`.
struct Count {
    std::int64_t valid = 1;                                           ///< samples, >= 1
    std::int64_t at_least = 0;                                        ///< samples tried, >= 0
    std::int64_t at_most = std::numeric_limits<std::int64_t>::max();  ///< samples tried, >= 1
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reasons: count, exhausted
};

/// Variant 2 of the MPIPerf paper: relative standard error (s / sqrt(n) / mean, divisor n - 1, all valid samples)
/// at most `epsilon` with at least `at_least` valid samples, and the clock's `least_error` within it too; exhausted at
/// `at_most` tried.
struct RelativeError {
    double epsilon = 0.05;                                       ///< relative, > 0
    std::int64_t at_least = 10;                                  ///< valid samples, >= 0
    std::int64_t at_most = 100;                                  ///< samples tried, >= 1
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reasons: relative_error, clock_step, exhausted
};

/// The SKaMPI paper's rule: the standard error (divisor n) of all samples over the trimmed mean is below `epsilon`,
/// with a lower and an upper bound on the number of valid samples and a total time of at least tick / epsilon.
/// A trimmed mean <= 0 goes on to the upper bound. Invalid samples are replaced, so not the samples tried but the valid
/// ones count; ten times `at_most` tried is the end all the same.
struct Skampi {
    double epsilon = 0.03;                                       ///< relative, > 0
    std::int64_t at_least = 8;                                   ///< valid samples, >= 0
    std::int64_t at_most = 1000;                                 ///< valid samples, >= 1
    double trim = 0.25;                                          ///< share cut at each end, in [0, 0.5]
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reasons: relative_error, exhausted
};

/// Half the width of the median's non-parametric interval, with the clock's step in it, is at most `width` times the
/// median, with at least `at_least` valid samples. It has no limit.
struct MedianInterval {
    double width = 0.02;                                         ///< relative, > 0
    std::int64_t at_least = 16;                                  ///< valid samples, >= 0
    double confidence = 0.95;                                    ///< of the interval, in (0, 1)
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reasons: interval, clock_step
};

/// Half the width of a quantile's non-parametric interval, with the clock's step in it, is at most `width` times the
/// quantile: for tails, such as the time that 99 of 100 calls do not exceed. Exhausted at `at_most` tried. Slots lose
/// samples that are far longer than usual (flag "censored"): measure tails with RoundTimeStart or BarrierStart.
struct QuantileInterval {
    double quantile = 0.95;                                      ///< in (0, 1)
    double width = 0.05;                                         ///< relative, > 0
    std::int64_t at_least = 16;                                  ///< valid samples, >= 0
    std::int64_t at_most = 2000;                                 ///< samples tried, >= 1
    double confidence = 0.95;                                    ///< of the interval, in (0, 1)
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reasons: interval, clock_step, exhausted
};

/// Time: spent >= limit. As the only rule it is converged with reason "budget"; beside others in AnyOf it is exhausted.
struct TimeLimit {
    seconds limit{1};                                            ///< of the time since the epoch's first stage, >= 0
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reason: budget
};

/// The first of its rules that stops decides, in the order given; a converged rule goes before an exhausted one.
/// A time budget beside other rules is a limit: exhausted. Without rules it never stops.
struct AnyOf {
    std::vector<StoppingRule> rules;  ///< in the order in which they are asked
    /// The rules in order: `AnyOf{RelativeError{0.01}, TimeLimit{seconds{2}}}`.
    AnyOf(std::initializer_list<StoppingRule> list) : rules{list} {}
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reason: the deciding rule's
};

/// Stops when all of its rules stop. Exhausted if any is exhausted. The reason is that of the last rule with the joint
/// verdict; a time budget among converged rules is a mere lower bound and names the reason only if nothing else does.
/// Without rules it never stops.
struct AllOf {
    std::vector<StoppingRule> rules;  ///< in the order in which they are asked
    /// The rules in order: `AllOf{Count{30}, TimeLimit{seconds{1}}}`.
    AllOf(std::initializer_list<StoppingRule> list) : rules{list} {}
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reason: see above
};

/// Converged only if the rule is converged on this and on the previous stage's samples: repeated looks favour lucky
/// low variance. The clock's step ends it after two looks too; otherwise exhausted as soon as the rule is. A rule met
/// for the first time at its own limit is asked once more, one stage later; where that is too late, put the limit
/// beside it: AnyOf{Sustained{..}, Count{..}}.
struct Sustained {
    StoppingRule rule;      ///< asked twice: about this stage and about the one before
    void validate() const;  ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reason: the rule's
};

/// The library's default: the median's interval within 2 %, sustained over two stages, with at least 16 valid samples;
/// at most 100 tried.
struct Default {
    double width = 0.02;                                         ///< relative, > 0
    std::int64_t at_least = 16;                                  ///< valid samples, >= 0
    std::int64_t at_most = 100;                                  ///< samples tried, >= 1
    double confidence = 0.95;                                    ///< of the interval, in (0, 1)
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reasons: interval, clock_step, exhausted
};

}  // namespace stop

/// A rule from text, as command lines have it: NAME, NAME:VALUE or NAME:KEY=VALUE,... The first value needs no key.
///
///     count:30                              30 valid samples
///     interval:2%                           the default rule with another width
///     relative_error:1%,at_most=2000
///     time:5s
///     any(relative_error:1%,time:2s)        also all(...), and sustained(...) of one rule
///
/// Shares are fractions, or percentages with a %; times have a unit (ns, us, ms, s, min). Keys are the members of the
/// rules above. \throws UsageError for a text that is no rule, with what could stand there, and for numbers out of
/// range
[[nodiscard]] StoppingRule stop_from(std::string_view text);

/// A rule that `stop_from` knows by name.
struct StopName {
    std::string name;               ///< "relative_error"
    std::vector<std::string> keys;  ///< of its numbers, the first of which may stand alone
    std::string text;               ///< one line
};
/// All of them, without any, all and sustained.
[[nodiscard]] std::vector<StopName> stop_names();

}  // namespace measure
#pragma GCC visibility pop
