// SPDX-License-Identifier: BSD-3-Clause
/// Site: the pages of a web site of runs: machines, MPI libraries, suites, benchmarks compared, single runs. Pure.
#pragma once

#include "analysis/runs/method.hpp"
#include "analysis/runs/series.hpp"
#include "archive/archive.hpp"

#include <span>
#include <string>
#include <vector>

namespace measure::tool::archive {

/// A run with its record, whose name is its ID.
struct SiteRun {
    RunEntry entry{};
    Launch launch{};
    std::string content{};
    std::string measured_with{};  ///< program, benchmark and method where several programs are compared; else empty
    Method method{};              ///< of `measured_with`
};

/// A file of the site; `name` is its path inside of it, of letters, digits, ".", "-" and one "/" at most.
struct SiteFile {
    std::string name{};
    std::string text{};
};

struct SiteOptions {
    std::string title = "Measurements";
    bool plots = true;
    bool join = false;  ///< runs of different campaigns and days too
};

/// All files, the pages in plain HTML that needs no network and no script, though a little of it sorts and filters
/// tables; the same for the same runs.
/// \param runs  at least one, in the order of their starts; outlive the call
[[nodiscard]] std::vector<SiteFile> site_files(std::span<SiteRun const> runs, SiteOptions const& options);

}  // namespace measure::tool::archive
