// SPDX-License-Identifier: BSD-3-Clause
/// The site's page of one benchmark: plots that compare machines and libraries, and the values. Pure.
#pragma once

#include "archive/site.hpp"
#include "archive/site_pages.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::archive {

/// The runs from which a benchmark's curves are made. For each machine, library, set of MPI settings and number of
/// ranks this is the newest run that has values of the benchmark, joined with the earlier runs that match it
/// (`are_alike`).
/// \param join  also joins runs of other campaigns and days
/// \return one series for each, oldest first, with the points of this benchmark only
[[nodiscard]] std::vector<Series> compared(std::span<SiteRun const> runs, std::string_view suite,
                                           std::string_view benchmark, bool join = false);

/// Runs of one machine, library, number of ranks and set of MPI settings.
struct Configuration {
    std::string label{};  ///< how it differs from the other configurations
    Runs runs{};          ///< runs that have a value of the benchmark, oldest first
};

/// The configurations for which the runs have values of the benchmark, ordered by the launch time of their newest run.
[[nodiscard]] std::vector<Configuration> configurations(std::span<SiteRun const> runs, std::string_view suite,
                                                        std::string_view benchmark);

/// \param runs  runs that have the benchmark  \param all  all runs of the site
[[nodiscard]] SiteFile benchmark_page_of(std::string const& suite, std::string const& name, Runs const& runs,
                                         std::span<SiteRun const> all, SiteOptions const& options);

}  // namespace measure::tool::archive
