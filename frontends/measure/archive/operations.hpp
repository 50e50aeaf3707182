// SPDX-License-Identifier: BSD-3-Clause
/// Operations that programs of several suites have measured, for the site's pages that compare these programs. Pure.
#pragma once

#include "archive/site.hpp"

#include <span>
#include <string>
#include <vector>

namespace measure::tool::archive {

/// Replaces the suite's name for operations that several programs measure.
inline constexpr char const* several_programs = "several programs";

/// The runs in common terms, for the operations that programs of several suites measure. Each run is split by
/// benchmark: the operation becomes the benchmark, `several_programs` the suite, and the method is text. Controls are
/// kept. The result has the order of the runs.
[[nodiscard]] std::vector<SiteRun> runs_of_operations(std::span<SiteRun const> runs);

}  // namespace measure::tool::archive
