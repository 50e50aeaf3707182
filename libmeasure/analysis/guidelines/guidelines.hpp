// SPDX-License-Identifier: BSD-3-Clause
/// Guidelines: relations between the times of MPI operations that a good MPI library satisfies, and checks of measured
/// times against them. A violated guideline means that a user gains by replacing an operation with other MPI
/// operations. Pure, local.
#pragma once

#include "analysis/guidelines/operations.hpp"

#include <measure/statistics.hpp>
#include <measure/units.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

/// An operation must not be slower than others that, executed one after the other, have the same effect.
struct Pattern {
    std::string_view left;
    std::string_view right;
    std::string_view then{};  ///< second operation of the right side; empty if `right` suffices
    std::string_view source;
};

/// All patterns. Sizes are total sizes: the n of Allgather(n) is the data that each process has at the end.
[[nodiscard]] std::span<Pattern const> patterns() noexcept;

/// "Bcast(n) <= Scatter(n) + Allgather(n)"
[[nodiscard]] std::string formula(Pattern const& pattern);

enum class GuidelineKind {
    pattern,
    monotony,  ///< fewer bytes must not be slower than more
    split,     ///< one operation on k n bytes must not be slower than k operations on n bytes
    ranks,     ///< fewer processes must not be slower than more
};
[[nodiscard]] std::string_view name(GuidelineKind kind) noexcept;

enum class GuidelineVerdict {
    violated,  ///< left is slower, by more than the threshold
    kept,      ///< left is not slower by more than the threshold
    unclear,   ///< the errors allow both
    /// One of the operations has a single launch, which is too little for a verdict.
    one_launch,
};
[[nodiscard]] std::string_view name(GuidelineVerdict verdict) noexcept;

struct GuidelineRules {
    double alpha = 0.05;      ///< probability of a false alarm in any check; the confidence of intervals is 1 - alpha
    double threshold = 0.05;  ///< relative slowdown up to which a difference is ignored
};

/// Measured time of an operation on one side of a check.
struct GuidelineTerm {
    std::string operation{};
    std::int64_t ranks = 0;
    Bytes bytes = 0;         ///< size as the suite counts it
    std::int64_t times = 1;  ///< number of executions
    double time = 0;         ///< time of one execution, in seconds: the median over launches
};

/// A guideline, checked at one size and number of processes.
struct GuidelineCheck {
    GuidelineKind kind = GuidelineKind::pattern;
    std::string guideline{};  ///< the guideline as a formula
    std::string source{};
    std::string set{};       ///< label of the set
    std::int64_t ranks = 0;  ///< number of processes of the left side
    Bytes size = 0;          ///< size of the left side, as the suite counts it
    bool padded = false;     ///< the right side uses a larger size because the exact size was not measured
    GuidelineTerm left{};
    std::vector<GuidelineTerm> right{};
    double factor = 1;                   ///< time of the left side / time of the right side; above 1 is a loss
    std::optional<Interval> interval{};  ///< confidence interval of the factor; empty without errors
    std::optional<double> p{};           ///< one-sided p-value of the guideline being kept; empty for single launches
    std::optional<double> adjusted_p{};  ///< p-value after Holm's correction over all checks
    std::size_t launches = 0;  ///< number of launches that the errors are based on; 0: errors within single launches
    GuidelineVerdict verdict = GuidelineVerdict::unclear;
};

/// A guideline that could not be checked at some sizes for this number of processes.
struct Unchecked {
    std::string guideline{};
    std::string source{};
    std::string set{};
    std::int64_t ranks = 0;
    std::size_t sizes = 0;                             ///< number of sizes that could not be checked
    std::map<std::string, std::set<Bytes>> missing{};  ///< missing total sizes, by operation
    std::vector<std::string> unknown{};                ///< operations that the suite does not measure
};

struct GuidelineResult {
    std::vector<GuidelineCheck> checks{};
    std::vector<Unchecked> unchecked{};
    std::vector<std::string> commands{};  ///< command lines that measure the missing points
};

/// Checks all guidelines at all points.
///
/// Times are medians over launches; the factor of a check is the ratio of these times. Student's t-test on the
/// logarithm of the factor compares it with 1, using the error of a median. If all operations have the same launches,
/// that error comes from the per-launch factors, otherwise from the operations' errors over launches. Single launches
/// get an interval from their own errors, but no p-value and no verdict.
[[nodiscard]] GuidelineResult check_guidelines(OperationPoints const& points, GuidelineRules const& rules);

}  // namespace measure
