// SPDX-License-Identifier: BSD-3-Clause
/// Archived records: splits a record file into runs and derives the archive's data about each. Pure.
#pragma once

#include "analysis/runs/launch.hpp"

#include <measure/read.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::archive {

/// One run of a record file with its unchanged bytes.
struct ArchivedRun : Launch {
    std::string content{};  ///< the pieces of a file, concatenated, are the file
};

/// The runs of a record file. Text before the first run belongs to that run. \throws program::ParseErrors
[[nodiscard]] std::vector<ArchivedRun> archived_runs(std::string const& text, std::string const& path);

/// The run line. It contains the time of the launch and the calibration, so that two states of one run share it.
[[nodiscard]] std::string_view run_line(std::string_view content) noexcept;

/// The content from the run line on, without earlier output of the launcher.
[[nodiscard]] std::string_view from_run_line(std::string_view content) noexcept;

/// The content up to the last line end. A partial line is not data.
[[nodiscard]] std::string_view whole_lines(std::string_view content) noexcept;

/// The default name of a machine: the names of its hosts and their processors, "node# (AMD EPYC 7763)". Every number in
/// a host name becomes "#", so that the nodes of a cluster are one machine. Each distinct name appears once. A
/// converted run has the name that its source gives; "unknown" if there are no hosts either.
[[nodiscard]] std::string machine_name(measure::Environment const& run);

/// How the run ended: complete, interrupted, failed, or "cut" if it has no end line.
[[nodiscard]] std::string status_of(measure::RunRecord const& record);

}  // namespace measure::tool::archive
