// SPDX-License-Identifier: BSD-3-Clause
/// Query: conditions on runs and points, such as "bytes>=1KiB" and "mpi~MPICH". Pure, local.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool {

/// NAME OPERATOR VALUE[,VALUE...] in one word. Each command has its own names; "at.NAME" is always a coordinate of
/// points. Operators:
///   =  !=        equals one of the values; * matches any text, ? any character; case-sensitive. A date may be partial:
///                2025-01 is a month
///   ~  !~        contains one of the values; case-insensitive
///   <  <=  >  >= compares numbers (also 1KiB, 10us) and dates
/// != and !~ hold whenever = and ~ do not, even if the name is missing. An empty value matches a missing value.
struct Condition {
    std::string name{};
    std::string op{};
    std::vector<std::string> values{};  ///< at least one
    std::string text{};                 ///< the condition as written, for messages

    [[nodiscard]] bool is_negated() const noexcept { return op.front() == '!'; }
    [[nodiscard]] bool asks_for_missing() const noexcept;
    /// The name of the coordinate: `name` without "at.".
    [[nodiscard]] std::string coordinate() const;
};

/// Parses a condition. \throws measure::UsageError that shows the form of a condition
[[nodiscard]] Condition condition_from(std::string const& text);

/// Whether an operator compares by order: < <= > >=.
[[nodiscard]] bool orders(std::string_view op) noexcept;

/// The value of a plain number, a size (in bytes) or a time (in seconds); nothing for any other text.
[[nodiscard]] std::optional<double> number_asked(std::string const& text);

/// The bound of a condition that compares by order. \throws measure::UsageError if its value is not a number
[[nodiscard]] double bound_of(Condition const& condition);

/// Whether a text is the beginning of a date in the format of records: "2025", "2025-06-30T12".
[[nodiscard]] bool begins_date(std::string_view text);

/// Whether the text matches a pattern; * matches any text, ? any character.
[[nodiscard]] bool matches(std::string_view text, std::string_view pattern) noexcept;

/// Whether the texts or the number of a name fulfil the condition. \param texts  texts of the name; empty: missing
[[nodiscard]] bool holds(Condition const& condition, std::vector<std::string> const& texts,
                         std::optional<double> number);

}  // namespace measure::tool
