// SPDX-License-Identifier: BSD-3-Clause
/// Guidelines: what the times of an MPI library must be like if nobody is to replace its functions by others of it, and
/// where measured times are not. Pure, local.
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

/// An operation is not slower than others that, one after the other, do the same.
struct Pattern {
    std::string_view left;
    std::string_view right;
    std::string_view then{};  ///< empty: `right` alone does it
    std::string_view source;
};

/// All patterns; sizes are those of the whole, of Allgather(n) what all processes have in the end.
[[nodiscard]] std::span<Pattern const> patterns() noexcept;

/// "Bcast(n) <= Scatter(n) + Allgather(n)"
[[nodiscard]] std::string formula(Pattern const& pattern);

enum class GuidelineKind {
    pattern,
    monotony,  ///< fewer bytes are not slower than more
    split,     ///< one operation on k n bytes is not slower than k on n
    ranks,     ///< fewer processes are not slower than more
};
[[nodiscard]] std::string_view name(GuidelineKind kind) noexcept;

enum class GuidelineVerdict {
    violated,  ///< slower, and by more than the threshold
    kept,      ///< not slower by more than the threshold
    unclear,   ///< the errors leave both possible
    /// One of its operations has a single launch: what is seen is no verdict.
    one_launch,
};
[[nodiscard]] std::string_view name(GuidelineVerdict verdict) noexcept;

struct GuidelineRules {
    double alpha = 0.05;      ///< chance of a false alarm at any of the checks; intervals have 1 - alpha
    double threshold = 0.05;  ///< what matters: slower by more than that
};

/// What an operation on one side of a check took.
struct GuidelineTerm {
    std::string operation{};
    std::int64_t ranks = 0;
    Bytes bytes = 0;         ///< as the suite counts them
    std::int64_t times = 1;  ///< how often it is done
    double time = 0;         ///< of one, seconds; the median over launches
};

/// A guideline at one size on so many processes.
struct GuidelineCheck {
    GuidelineKind kind = GuidelineKind::pattern;
    std::string guideline{};  ///< as a formula
    std::string source{};
    std::string set{};       ///< the set's label
    std::int64_t ranks = 0;  ///< of the left side
    Bytes size = 0;          ///< of the left side, as the suite counts them
    bool padded = false;     ///< on the right side stands a larger size, because its own was not measured
    GuidelineTerm left{};
    std::vector<GuidelineTerm> right{};
    double factor = 1;                   ///< the times of left over those of right: what is lost
    std::optional<Interval> interval{};  ///< of the factor; nothing without errors
    std::optional<double> p{};           ///< one-sided: how likely a guideline that is kept looks so bad
                                         ///< by chance; nothing for single launches
    std::optional<double> adjusted_p{};  ///< by Holm, over all checks
    std::size_t launches = 0;            ///< what errors are between; 0: within single launches
    GuidelineVerdict verdict = GuidelineVerdict::unclear;
};

/// A guideline that could not be checked at all sizes on so many processes.
struct Unchecked {
    std::string guideline{};
    std::string source{};
    std::string set{};
    std::int64_t ranks = 0;
    std::size_t sizes = 0;                             ///< that it could not be checked at
    std::map<std::string, std::set<Bytes>> missing{};  ///< by operation: sizes of the whole
    std::vector<std::string> unknown{};                ///< operations that the suite does not measure
};

struct GuidelineResult {
    std::vector<GuidelineCheck> checks{};
    std::vector<Unchecked> unchecked{};
    std::vector<std::string> commands{};  ///< that would measure what is missing
};

/// Checks all guidelines at all points.
///
/// Times are medians over launches, and the factor of a check is that of these times. It is compared with 1 by
/// Student's test on its logarithm, with the error of a median: over the factors of the launches where all operations
/// have the same ones, otherwise by the errors of the operations over launches. Single launches have an interval by
/// their own errors, but no p and no verdict.
[[nodiscard]] GuidelineResult check_guidelines(OperationPoints const& points, GuidelineRules const& rules);

}  // namespace measure
