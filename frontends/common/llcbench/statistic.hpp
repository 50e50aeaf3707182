// SPDX-License-Identifier: BSD-3-Clause
/// Statistic: the statistic of a point's blocks that becomes its value (--statistic). Pure.
#pragma once

#include "program/cli/values.hpp"

#include <measure/record.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace llcbench {

enum class Statistic {
    mean,    ///< total work over total time, as in the single block of the original programs
    median,  ///< median of the blocks
    best,    ///< best block
};
[[nodiscard]] std::string_view name(Statistic statistic) noexcept;

/// The conversion of --statistic.
[[nodiscard]] program::as::Choice<Statistic> statistic_option();

/// The statistic of a record, in the record's unit; empty if there is none.
[[nodiscard]] std::optional<double> number(measure::Record const& record, Statistic statistic);

/// Makes the statistic the record's value, and names it in `derived.statistic`.
void lead(measure::Record& record, Statistic statistic);

/// Executions between two readings of the clock.
struct TimedBlock {
    double time = 0;        ///< time of all executions, s
    double executions = 1;  ///< >= 1
};
/// The blocks from which a record's numbers are computed.
[[nodiscard]] std::vector<TimedBlock> timed_blocks(measure::Record const& record);

/// Sets value and estimate of a time record from these blocks. The value is total time over total executions, so blocks
/// are weighted by their executions. The standard error is that of a ratio of sums. For n blocks with time T and I
/// executions each it is
///
///     sqrt(n / (n - 1) sum((T - value I)^2)) / sum(I)
///
/// (Cochran, Sampling Techniques, section 6.3), which is s / sqrt(n) if all blocks have the same number of executions.
/// As elsewhere it is multiplied by sqrt(samples / effective_samples). Minimum, median and quantiles count each block
/// once.
/// \param blocks  at least one
void pool(measure::Record& record, std::span<TimedBlock const> blocks);

/// Standard deviation of the blocks' times per execution or of their rates; each block counts once. Empty for fewer
/// than two blocks. \param work  work of an execution, for rates; 0: times
[[nodiscard]] std::optional<double> spread(std::span<TimedBlock const> blocks, double work);

/// This standard deviation in a record, in the record's unit; empty if unknown.
[[nodiscard]] std::optional<double> deviation(measure::Record const& record);

}  // namespace llcbench
