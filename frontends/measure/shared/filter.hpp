// SPDX-License-Identifier: BSD-3-Clause
/// Filter: which points of the records a command works on. Pure and local.
#pragma once

#include "program/cli/values.hpp"
#include "shared/sources.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool {

/// A condition "NAME OP VALUE[,VALUE...]" on a point, as archives know them too. NAME is `benchmark`, `quantity`,
/// `verdict`, `flag` or a coordinate; OP is = (one of the values; * and ? stand for any text, any character), ~ (one of
/// them is in it; letter case does not count), <, <=, > or >= (of one number). != and !~ are true wherever = and ~ are
/// not, also of a point without the coordinate. Sizes of `bytes` may have units: "bytes<=64KiB".
struct Condition {
    enum class Relation { equal, unequal, with, without, below, at_most, above, at_least };
    std::string text{};  ///< as it was given
    std::string name{};
    Relation relation = Relation::equal;
    std::vector<std::string> values{};
    double bound = 0;  ///< of the four comparisons
};

/// The help of an option that takes conditions.
inline constexpr char const* filter_help = "only points with NAME=A,B.. (!= ~ !~ < <= > >=): benchmark, quantity, "
                                           "verdict, flag or a coordinate; * and ? match; "
                                           "given again: both";

/// \throws measure::UsageError that names option and value
[[nodiscard]] Condition condition_from(program::Argument const& argument);

/// Whether the text is like the pattern, in which * stands for any text and ? for any character. Letter case counts.
[[nodiscard]] bool matches(std::string_view text, std::string_view pattern) noexcept;

/// Removes the points that do not fulfil all conditions. \return how many points there were
/// \throws measure::UsageError where no point is left, with the names that there are
std::size_t filter(std::vector<Source>& sources, std::span<Condition const> conditions);

}  // namespace measure::tool
