// SPDX-License-Identifier: BSD-3-Clause
/// Statistic: which number of a point's blocks leads: --statistic. Pure.
#pragma once

#include "program/cli/values.hpp"

#include <measure/record.hpp>

#include <optional>
#include <string_view>

namespace llcbench {

enum class Statistic {
    mean,    ///< of the blocks' times, as the original's one block
    median,  ///< of the blocks
    best,    ///< block
};
[[nodiscard]] std::string_view name(Statistic statistic) noexcept;

/// The conversion of --statistic.
[[nodiscard]] program::as::Choice<Statistic> statistic_option();

/// That number of a record, in its unit; nothing where there is none.
[[nodiscard]] std::optional<double> number(measure::Record const& record, Statistic statistic);

/// Makes it the record's value, and says so in `derived.statistic`.
void lead(measure::Record& record, Statistic statistic);

/// Standard deviation of the blocks in the record's unit; nothing for less than two. \param work  of an execution,
/// where the record is a rate of work over time, as the samples are times; 0: the record is a time
[[nodiscard]] std::optional<double> spread(measure::Record const& record, double work);

}  // namespace llcbench
