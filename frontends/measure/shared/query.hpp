// SPDX-License-Identifier: BSD-3-Clause
/// Query: conditions on runs and points, "bytes>=1KiB", "mpi~MPICH". Pure, local.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool {

/// NAME OPERATOR VALUE[,VALUE...] in one word. Each user of conditions has its own names; "at.NAME" is always a
/// coordinate of points. Operators:
///   =  !=        one of the values; * matches any text, ? any character; letter case counts. A date may be a part of
///                one: 2025-01 is a month
///   ~  !~        contains one of the values; letter case does not count
///   <  <=  >  >= of numbers (also 1KiB, 10us) and dates
/// != and !~ hold wherever = and ~ do not, also if there is no such name. An empty value means that a value is missing.
struct Condition {
    std::string name{};
    std::string op{};
    std::vector<std::string> values{};  ///< at least one
    std::string text{};                 ///< as it was written, for messages

    [[nodiscard]] bool is_negated() const noexcept { return op.front() == '!'; }
    [[nodiscard]] bool asks_for_missing() const noexcept;
    /// The name as that of a coordinate, without "at.".
    [[nodiscard]] std::string coordinate() const;
};

/// \throws measure::UsageError that shows the form of a condition
[[nodiscard]] Condition condition_from(std::string const& text);

/// Whether an operator needs an order: < <= > >=.
[[nodiscard]] bool orders(std::string_view op) noexcept;

/// A plain number, a size in bytes or a time in seconds; nothing for another text.
[[nodiscard]] std::optional<double> number_asked(std::string const& text);

/// \throws measure::UsageError where an operator needs an order and the value is not a number
[[nodiscard]] double bound_of(Condition const& condition);

/// Whether a text is the begin of a date as records have it: "2025", "2025-06-30T12".
[[nodiscard]] bool begins_date(std::string_view text);

/// Whether the text matches a pattern in which * is any text and ? any character.
[[nodiscard]] bool matches(std::string_view text, std::string_view pattern) noexcept;

/// Whether one of a name's texts and numbers is as the condition asks. \param texts  none: the name is missing
[[nodiscard]] bool holds(Condition const& condition, std::vector<std::string> const& texts,
                         std::optional<double> number);

}  // namespace measure::tool
