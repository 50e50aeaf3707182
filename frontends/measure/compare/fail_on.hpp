// SPDX-License-Identifier: BSD-3-Clause
/// FailOn: which verdicts of a comparison make a program end with exit code 3. Pure, local.
#pragma once

#include "compare/compare.hpp"
#include "program/cli/values.hpp"

#include <optional>
#include <string>

namespace measure_tool {

struct FailOn {
    Verdict verdict = Verdict::slower;
    double more = 0;  ///< only what differs by more than that
};

/// From "slower", "slower:5%", "faster", "unclear". \throws measure::UsageError
[[nodiscard]] FailOn fail_on_from(program::Argument const& argument);

/// What has failed, in words; nothing where nothing has. Points are looked at where no operation has failed, but for
/// `unclear`: points of an operation that is decided may well be.
[[nodiscard]] std::optional<std::string> failure(FailOn const& rule, Comparison const& comparison);

/// Why a comparison cannot show that nothing has failed: operations with the verdict `machine`.
[[nodiscard]] std::optional<std::string> undecided(Comparison const& comparison);

}  // namespace measure_tool
