// SPDX-License-Identifier: BSD-3-Clause
/// Records: measurements of an output file as lines of a record. Pure and local.
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

/// Processes that take part in a row. \throws measure::UsageError for a block whose `nodes` is no number
[[nodiscard]] std::int64_t processes(Block const& block, Row const& row);
/// Chunks of one sample of the master-worker pattern; 0 elsewhere. \throws measure::UsageError as above
[[nodiscard]] std::int64_t chunks(Block const& block, Row const& row);
/// How many files a row was merged of: its flag "files=K", otherwise 1.
[[nodiscard]] std::int64_t files(Row const& row);

/// Sum of both directions of an exchange: 2 m / t. \return bytes in a microsecond, which is 10^6 B/s; 0 for no time
[[nodiscard]] double bandwidth(Row const& row) noexcept;

/// One point for each row. The file has no estimate: value, count and standard error are what there is. `kept` is what
/// the trimming of that many samples leaves; of merged rows at least so many were kept. A measurement without rows is
/// one point that was skipped, or crashed where it was abandoned or failed.
[[nodiscard]] std::vector<measure::Record> records(Block const& block);

/// Number of points; stop, points_initial, points_refined, max_error, paper_error and status in `derived`, null where
/// not known.
[[nodiscard]] measure::Summary summary(Block const& block);

/// The run that a file is of, as its head says.
struct Source {
    /// Without what the head does not say; `ranks` and `more` are left alone.
    measure::Environment run{};
    std::optional<int> ranks{};
    std::string machine{};  ///< what people call it; empty where the head has one of the hosts
};

/// \throws measure::UsageError where a number in the head is damaged
[[nodiscard]] Source source_of(Output const& output);

/// The run line of a record of the file: of its source, with "unknown" for what the head does not say, and the member
/// `converted`. \throws measure::UsageError as above, and where the head has no number of processes
[[nodiscard]] measure::Environment environment_of(Output const& output);

/// The head as an object, keys in lower case; the values of a key that comes again are joined by line ends.
[[nodiscard]] measure::Value head_value(std::vector<Field> const& head);

}  // namespace skampi
