// SPDX-License-Identifier: BSD-3-Clause
/// Statistic: which number of a point's blocks leads: --statistic. Pure.
#pragma once

#include "program/cli/values.hpp"

#include <measure/record.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace llcbench {

enum class Statistic {
    mean,    ///< all work over all time, as the original's one block
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

/// Executions between two readings of the clock.
struct TimedBlock {
    double time = 0;        ///< s, of all executions
    double executions = 1;  ///< >= 1
};
/// The blocks that a record's numbers are made of.
[[nodiscard]] std::vector<TimedBlock> timed_blocks(measure::Record const& record);

/// Gives a record of times the value and estimate of these blocks. The value is all time over all executions: a block
/// weighs what it executed. Its error is that of a ratio of sums, with T and I of a block and n of them
///
///     sqrt(n / (n - 1) sum((T - value I)^2)) / sum(I)
///
/// (Cochran, Sampling Techniques, section 6.3), which is s / sqrt(n) where all blocks execute the same. As elsewhere
/// it grows by sqrt(samples / effective_samples). Minimum, median and quantiles count each block once.
/// \param blocks  at least one
void pool(measure::Record& record, std::span<TimedBlock const> blocks);

/// Standard deviation of the blocks' times of an execution, or of their rates; each block counts once. Nothing for less
/// than two blocks. \param work  of an execution, for rates; 0: times
[[nodiscard]] std::optional<double> spread(std::span<TimedBlock const> blocks, double work);

/// That deviation as a record has it, in its unit; nothing where it is not known.
[[nodiscard]] std::optional<double> deviation(measure::Record const& record);

}  // namespace llcbench
