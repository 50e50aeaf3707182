// SPDX-License-Identifier: BSD-3-Clause
/// Records: converts the measurements of an output file to the lines of a record. Pure and local.
#pragma once

#include "skampi/output/output.hpp"

#include <measure/environment_info.hpp>
#include <measure/record.hpp>
#include <measure/report.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skampi {

/// Number of processes that take part in a row. \throws measure::UsageError if `nodes` of the block is not a number
[[nodiscard]] std::int64_t processes(Block const& block, Row const& row);
/// Chunks of one sample of the master-worker pattern, 0 for other patterns. \throws measure::UsageError as above
[[nodiscard]] std::int64_t chunks(Block const& block, Row const& row);
/// Number of files that were merged into a row: its flag "files=K", otherwise 1.
[[nodiscard]] std::int64_t files(Row const& row);

/// Bandwidth of an exchange, the sum of both directions: 2 m / t. \returns bytes per microsecond, which is 10^6 B/s; 0
/// if the time is not positive
[[nodiscard]] double bandwidth(Row const& row) noexcept;

/// Returns one point for each row. The file has no estimate, only value, number of samples and standard error. `kept`
/// is the number of samples that trimming leaves; for merged rows, at least this many were kept. A measurement without
/// rows becomes one point: crashed if it was abandoned or failed, otherwise skipped.
[[nodiscard]] std::vector<measure::Record> records(Block const& block);

/// The value is the number of points. `derived` has stop, points_initial, points_refined, max_error, paper_error and
/// status; a member is null if it is unknown.
[[nodiscard]] measure::Summary summary(Block const& block);

/// The run that produced a file, according to the file's head.
struct Source {
    /// Has no values that are missing in the head. `ranks` and `more` are not set.
    measure::Environment run{};
    std::optional<int> ranks{};
    std::string machine{};  ///< name of the machine; empty if it is the name of one of the hosts
};

/// \throws measure::UsageError if a number in the head is damaged
[[nodiscard]] Source source_of(Output const& output);

/// Makes the run line of the file's record: its source, "unknown" for values that are missing in the head, and the
/// member `converted`. \throws measure::UsageError as above, and if the head has no number of processes
[[nodiscard]] measure::Environment environment_of(Output const& output);

/// Returns the head as an object with keys in lower case. The values of a repeated key are joined by line ends.
[[nodiscard]] measure::Value head_value(std::vector<Field> const& head);

}  // namespace skampi
