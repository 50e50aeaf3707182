// SPDX-License-Identifier: BSD-3-Clause
/// The page of a benchmark on the site: machines and libraries compared by plots, and their values. Pure.
#pragma once

#include "archive/site.hpp"
#include "archive/site_pages.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::archive {

/// The runs from which a benchmark's curves are made: for each machine, library, set of MPI settings and number of
/// ranks the newest run that has values of it, joined with the earlier ones that are alike (`are_alike`). \param join
/// with those of other campaigns and days too \return one series for each, with the points of the benchmark only;
/// oldest first
[[nodiscard]] std::vector<Series> compared(std::span<SiteRun const> runs, std::string_view suite,
                                           std::string_view benchmark, bool join = false);

/// Runs of one machine, library, number of ranks and set of MPI settings.
struct Configuration {
    std::string label{};  ///< in what it differs from others
    Runs runs{};          ///< that have a value of the benchmark, oldest first
};

/// Those that the runs have of a benchmark, by the start of their newest run.
[[nodiscard]] std::vector<Configuration> configurations(std::span<SiteRun const> runs, std::string_view suite,
                                                        std::string_view benchmark);

/// \param runs  that have the benchmark  \param all  runs of the site
[[nodiscard]] SiteFile benchmark_page_of(std::string const& suite, std::string const& name, Runs const& runs,
                                         std::span<SiteRun const> all, SiteOptions const& options);

}  // namespace measure::tool::archive
