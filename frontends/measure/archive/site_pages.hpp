// SPDX-License-Identifier: BSD-3-Clause
/// Parts that the site's pages share: file names, and the table of runs. Pure.
#pragma once

#include "archive/site.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::archive {

using Runs = std::vector<SiteRun const*>;

/// A file name made of the letters and digits of the text and a part of its hash.
[[nodiscard]] std::string file_name(std::string_view kind, std::string_view text);

[[nodiscard]] std::string machine_page(std::string const& machine);
[[nodiscard]] std::string library_page(std::string const& library);
[[nodiscard]] std::string benchmark_page(std::string const& suite, std::string const& name);
[[nodiscard]] std::string run_page(RunEntry const& run);
[[nodiscard]] std::string record_file(RunEntry const& run);

/// The MPI library of a run, or a text for a run without MPI.
[[nodiscard]] std::string library_of(RunEntry const& run);

[[nodiscard]] std::string runs_table(Runs const& runs);

}  // namespace measure::tool::archive
