// SPDX-License-Identifier: BSD-3-Clause
/// FailOn: the verdicts of a comparison that lead to exit code 3 (failed) or 4 (undecided). Pure, local.
#pragma once

#include "analysis/compare/compare.hpp"
#include "program/cli/values.hpp"
#include "shared/gate.hpp"

#include <span>
#include <vector>

namespace measure::tool {

struct FailOn {
    Verdict verdict = Verdict::slower;
    double more = 0;  ///< the rule applies only to changes larger than this share
};

/// Help text of --fail-on.
inline constexpr char const* fail_on_help =
    "exit with 3 if an operation has this verdict: slower, faster or unclear (includes machine); for slower and "
    "faster, one point is enough; slower:10% accepts changes up to 10 %; otherwise exit with 4 if an operation is "
    "undecided; can be repeated";

/// From "slower", "slower:5%", "faster", "unclear". \throws measure::UsageError
[[nodiscard]] FailOn fail_on_from(program::Argument const& argument);

/// One result for each operation of the comparison, then one for each further operation that lacks a value on a side.
/// If a point has no value on one side or both, its operation is undecided.
///
/// An operation fails if it, or one of its points, has the verdict of a rule and a change above the rule's share. If it
/// does not fail, it is undecided unless its change is known to be within the rule. The change is known if the verdict
/// is `same` or a difference. It is also known if the verdict is `unclear`, and the interval, widened by the noise of
/// launches and runs, ends within the rule's share or the threshold, whichever is larger. Rules for slower and faster
/// ignore quantities for which neither more nor less is better.
/// \param rules  at least one  \param threshold  threshold of the comparison, as a share
[[nodiscard]] std::vector<GateResult> gate_results(std::span<FailOn const> rules, Comparison const& comparison,
                                                   double threshold);

}  // namespace measure::tool
