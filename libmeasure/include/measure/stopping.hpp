// SPDX-License-Identifier: BSD-3-Clause
/// Stopping rules: pure functions of the samples that have been measured. Everything here is local.
///
/// A rule that is met in the same stage in which it reaches its limit is converged. If no sample is valid when a limit
/// is reached, the verdict is no_valid_samples instead of exhausted.
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

/// Verdict of a rule, in ascending order of severity.
enum class StopVerdict {
    more,              ///< measure further samples
    converged,         ///< the rule is met
    exhausted,         ///< a limit was reached before the rule was met
    no_valid_samples,  ///< a limit was reached and no sample was valid
};
[[nodiscard]] char const* name(StopVerdict verdict) noexcept;  ///< name of the enumerator, such as "more"

/// Input of a rule after each stage. Times are in seconds per iteration.
struct Progress {
    std::span<double const> samples{};       ///< all valid samples, joined over ranks, in the order taken
    std::int64_t attempts = 0;               ///< number of samples tried, without warm-up
    seconds spent{0};                        ///< wall time since the epoch's first stage, s
    std::size_t previous = 0;                ///< size of `samples` one stage earlier
    seconds resolution{0};                   ///< step of the timer, s
    std::int64_t iterations_per_sample = 1;  ///< executions of the body in a sample, >= 1
    /// Step of the timer divided by the iterations of a sample, s.
    [[nodiscard]] double clock_step() const noexcept {
        return resolution.count() / static_cast<double>(iterations_per_sample);
    }
};

/// A verdict with its reason as shown in the record: count, relative_error, interval, clock_step, budget or exhausted;
/// "own" for a rule that returns a StopVerdict without a reason.
struct Decision {
    StopVerdict verdict = StopVerdict::more;  ///< `more`, or how the point ended
    std::string reason;                       ///< empty for `more`
    /// Compares the verdict only, not the reason.
    friend bool operator==(Decision const& d, StopVerdict v) noexcept { return d.verdict == v; }
};

/// A stopping rule of any type: a copyable value that is callable with Progress and returns a StopVerdict or a
/// Decision. It may have a `void validate() const`, which throws UsageError for numbers out of range.
class StoppingRule {
public:
    StoppingRule();  ///< holds stop::Default
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

    /// Returns the decision of the rule.
    [[nodiscard]] Decision operator()(Progress const& p) const { return rule_(&p); }
    /// Checks the numbers of the rule; NaN is always out of range. `run` calls this before it measures.
    /// \throws UsageError if a number is out of range
    void validate() const { rule_(nullptr); }

private:
    Callback<Decision(Progress const*)> rule_;  ///< called with nullptr to validate
};

/// The library's rules and their combinations.
namespace stop {

/// Reason of a rule that ends because of the clock's step. The scatter of the samples is as small as required, but the
/// error from the step is not, and more samples do not reduce it. The verdict is exhausted. `Skampi` does not use this
/// reason: like the published rule, it does not include the step in the error, and only requires a least total time.
inline constexpr std::string_view clock_reason = "clock_step";

/// Variant 1 of the MPIPerf paper, section 4: a number of valid samples, with a limit on the samples tried.
/// Converged with reason "count" at `valid` valid samples, if `at_least` samples were tried. Exhausted with reason
/// "exhausted" if `at_most` samples were tried.
struct Count {
    std::int64_t valid = 1;                                           ///< valid samples, >= 1
    std::int64_t at_least = 0;                                        ///< least number of samples tried, >= 0
    std::int64_t at_most = std::numeric_limits<std::int64_t>::max();  ///< largest number of samples tried, >= 1
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reasons: count, exhausted
};

/// Variant 2 of the MPIPerf paper. Converged if the relative standard error of all valid samples (s / sqrt(n) / mean,
/// divisor n - 1) is at most `epsilon`, with at least `at_least` valid samples. The error from the clock's step
/// (`least_error`), divided by the mean, must be at most `epsilon` too. Exhausted if `at_most` samples were tried.
struct RelativeError {
    double epsilon = 0.05;                                       ///< relative standard error, > 0
    std::int64_t at_least = 10;                                  ///< valid samples, >= 0
    std::int64_t at_most = 100;                                  ///< samples tried, >= 1
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reasons: relative_error, clock_step, exhausted
};

/// The rule of the SKaMPI paper. Converged if the standard error of all samples (divisor n) divided by the trimmed mean
/// is below `epsilon`, with at least `at_least` valid samples. The total time of the samples must be at least the
/// clock's step divided by `epsilon`. A trimmed mean <= 0 never converges. Exhausted at `at_most` valid samples.
/// Invalid samples are repeated and do not count, but the rule ends as exhausted if 10 x `at_most` samples were tried.
struct Skampi {
    double epsilon = 0.03;                                       ///< relative standard error, > 0
    std::int64_t at_least = 8;                                   ///< valid samples, >= 0
    std::int64_t at_most = 1000;                                 ///< valid samples, >= 1
    double trim = 0.25;                                          ///< share of the samples cut at each end, in [0, 0.5]
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reasons: relative_error, exhausted
};

/// Converged if half the width of the median's non-parametric interval, including the clock's step, is at most `width`
/// times the median, with at least `at_least` valid samples. This rule has no limit.
struct MedianInterval {
    double width = 0.02;                                         ///< half interval relative to the median, > 0
    std::int64_t at_least = 16;                                  ///< valid samples, >= 0
    double confidence = 0.95;                                    ///< confidence of the interval, in (0, 1)
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reasons: interval, clock_step
};

/// Converged if half the width of a quantile's non-parametric interval, including the clock's step, is at most `width`
/// times the quantile. Exhausted if `at_most` samples were tried. This rule is for tails, such as the time that 99 of
/// 100 calls do not exceed. Slots lose samples that are far longer than usual (flag "censored"), so measure tails with
/// RoundTimeStart or BarrierStart.
struct QuantileInterval {
    double quantile = 0.95;                                      ///< quantile to measure, in (0, 1)
    double width = 0.05;                                         ///< half interval relative to the quantile, > 0
    std::int64_t at_least = 16;                                  ///< valid samples, >= 0
    std::int64_t at_most = 2000;                                 ///< samples tried, >= 1
    double confidence = 0.95;                                    ///< confidence of the interval, in (0, 1)
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reasons: interval, clock_step, exhausted
};

/// Stops when the time spent reaches `limit`, with reason "budget". The verdict is converged, but exhausted if the rule
/// is combined with others in AnyOf.
struct TimeLimit {
    seconds limit{1};                                            ///< wall time since the epoch's first stage, s, >= 0
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reason: budget
};

/// Stops as soon as one of its rules stops. A converged rule takes precedence over an exhausted one; otherwise the
/// first one in the given order decides. A time limit together with other rules ends as exhausted. Without rules it
/// never stops.
struct AnyOf {
    std::vector<StoppingRule> rules;  ///< evaluated in this order
    /// Combines the rules in order: `AnyOf{RelativeError{0.01}, TimeLimit{seconds{2}}}`.
    AnyOf(std::initializer_list<StoppingRule> list) : rules{list} {}
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reason: that of the deciding rule
};

/// Stops as soon as all of its rules stop. It is exhausted if any rule is exhausted, otherwise converged. The reason is
/// that of the last rule which has this verdict. A TimeLimit in this list sets the shortest time, not the longest. The
/// reason "budget" is used only if no other rule with this verdict gives a reason. Without rules it never stops.
struct AllOf {
    std::vector<StoppingRule> rules;  ///< evaluated in this order
    /// Combines the rules in order: `AllOf{Count{30}, TimeLimit{seconds{1}}}`.
    AllOf(std::initializer_list<StoppingRule> list) : rules{list} {}
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reason: as described above
};

/// Converged only if the rule is converged in two stages in a row. A rule that is evaluated repeatedly tends to stop
/// when the variance is low by chance. The reason "clock_step" also needs two stages in a row. Any other limit of the
/// rule takes effect at once. If a rule is met for the first time in the stage in which it reaches its own limit, one
/// more stage is measured. To prevent this, give the limit in a separate rule: AnyOf{Sustained{..}, Count{..}}.
struct Sustained {
    StoppingRule rule;                                           ///< evaluated for this stage and for the one before
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reason: that of the rule
};

/// The default rule. Converged if half the width of the median's confidence interval is at most 2 % of the median in
/// two stages in a row, with at least 16 valid samples. Exhausted if 100 samples were tried.
struct Default {
    double width = 0.02;                                         ///< half interval relative to the median, > 0
    std::int64_t at_least = 16;                                  ///< valid samples, >= 0
    std::int64_t at_most = 100;                                  ///< samples tried, >= 1
    double confidence = 0.95;                                    ///< confidence of the interval, in (0, 1)
    void validate() const;                                       ///< \throws UsageError for a number out of its range
    [[nodiscard]] Decision operator()(Progress const& p) const;  ///< reasons: interval, clock_step, exhausted
};

}  // namespace stop

/// Parses a rule as given on command lines: NAME, NAME:VALUE or NAME:KEY=VALUE,... The first value needs no key.
///
///     count:30                              30 valid samples
///     interval:2%                           the default rule with the given width
///     relative_error:1%,at_most=2000
///     time:5s
///     any(relative_error:1%,time:2s)        also all(...), and sustained(...) of one rule
///
/// Shares are fractions, or percentages with a %. Times need a unit (ns, us, ms, s, min). Keys are the members of the
/// rules above.
/// \throws UsageError for a text that is not a rule (the message lists the alternatives) and for numbers out of range
[[nodiscard]] StoppingRule stop_from(std::string_view text);

/// A rule that `stop_from` knows by name.
struct StopName {
    std::string name;               ///< "relative_error"
    std::vector<std::string> keys;  ///< keys of its numbers; the first key may be omitted
    std::string text;               ///< description, one line
};
/// All rules that `stop_from` knows, except any, all and sustained.
[[nodiscard]] std::vector<StopName> stop_names();

}  // namespace measure
#pragma GCC visibility pop
