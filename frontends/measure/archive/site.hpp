// SPDX-License-Identifier: BSD-3-Clause
/// Site: the pages of a web site of runs: machines, MPI libraries, suites, benchmark comparisons, single runs. Pure.
#pragma once

#include "analysis/runs/method.hpp"
#include "analysis/runs/series.hpp"
#include "archive/archive.hpp"

#include <span>
#include <string>
#include <vector>

namespace measure::tool::archive {

/// A run with its record. The launch is named by the ID of the run.
struct SiteRun {
    RunEntry entry{};
    Launch launch{};
    std::string content{};
    std::string measured_with{};  ///< program, benchmark and method if several programs are compared; else empty
    Method method{};              ///< method of `measured_with`
};

/// A file of the site. `name` is its relative path of letters, digits, "." and "-", with at most one "/".
struct SiteFile {
    std::string name{};
    std::string text{};
};

struct SiteOptions {
    std::string title = "Measurements";
    bool plots = true;
    bool join = false;  ///< also join runs of different campaigns and days
};

/// All files of the site. The pages are plain HTML that needs neither network nor scripts; a small script sorts and
/// filters the tables. Equal runs give equal files.
/// \param runs  at least one, ordered by launch time; must outlive the call
[[nodiscard]] std::vector<SiteFile> site_files(std::span<SiteRun const> runs, SiteOptions const& options);

}  // namespace measure::tool::archive
