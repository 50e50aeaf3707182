// SPDX-License-Identifier: BSD-3-Clause
/// Archived records: how a record file is cut into runs, and what an archive knows of each. Pure.
#pragma once

#include "analysis/runs/launch.hpp"

#include <measure/read.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::archive {

/// One run of a record file with its bytes as they stand there.
struct ArchivedRun : Launch {
    std::string content{};  ///< all pieces of a file one after another are the file
};

/// The runs of a record file; what stands before the first one belongs to it. \throws program::ParseErrors
[[nodiscard]] std::vector<ArchivedRun> archived_runs(std::string const& text, std::string const& path);

/// The run line, which two states of one run have in common: it has the time of the start and what was calibrated then.
[[nodiscard]] std::string_view run_line(std::string_view content) noexcept;

/// The content from the run line on, without what a launcher printed before.
[[nodiscard]] std::string_view from_run_line(std::string_view content) noexcept;

/// The content as far as its last line end: half a line is no data.
[[nodiscard]] std::string_view whole_lines(std::string_view content) noexcept;

/// What a machine is called unless the user gives it a name: the names of its hosts with "#" for every number, so that
/// the nodes of a cluster are one machine, and their processors: "node# (AMD EPYC 7763)". Each distinct name once. A
/// converted run has the name that its source gives; "unknown" where there are no hosts either.
[[nodiscard]] std::string machine_name(measure::Environment const& run);

/// What became of the run: complete, interrupted, failed, or "cut" where it has no end.
[[nodiscard]] std::string status_of(measure::RunRecord const& record);

}  // namespace measure::tool::archive
