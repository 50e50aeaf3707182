// SPDX-License-Identifier: BSD-3-Clause
/// FailOn: which verdicts of a comparison make a program end with exit code 3, and which leave it undecided. Pure,
/// local.
#pragma once

#include "analysis/compare/compare.hpp"
#include "program/cli/values.hpp"
#include "shared/gate.hpp"

#include <span>
#include <vector>

namespace measure::tool {

struct FailOn {
    Verdict verdict = Verdict::slower;
    double more = 0;  ///< only where the change is larger than that share
};

/// Help text of the option.
inline constexpr char const* fail_on_help =
    "exit with 3 where an operation or a point of it is slower or faster (by more than P per cent), or an operation is "
    "unclear, and with 4 where one is not decided; may be given several times";

/// From "slower", "slower:5%", "faster", "unclear". \throws measure::UsageError
[[nodiscard]] FailOn fail_on_from(program::Argument const& argument);

/// One result for each operation of the comparison, then one for each further operation of which a side lacks a value.
/// Points that a side, or both, have no value for leave their operation undecided.
///
/// An operation fails where it or one of its points has the verdict of a rule, and by more than the rule's share. It is
/// undecided where it has not failed and its change is not known to be within the rule: its verdict is neither a
/// difference nor `same`, and its interval reaches beyond the rule's share or the threshold, whichever is larger; or
/// its verdict was taken away although its interval excludes that. Operations without better or worse are not covered
/// by rules for slower and faster. \param rules  at least one \param threshold  of the comparison
[[nodiscard]] std::vector<GateResult> gate_results(std::span<FailOn const> rules, Comparison const& comparison,
                                                   double threshold);

}  // namespace measure::tool
