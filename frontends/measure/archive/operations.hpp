// SPDX-License-Identifier: BSD-3-Clause
/// Operations that programs of several suites have measured, for pages of the site that compare these. Pure.
#pragma once

#include "archive/site.hpp"

#include <span>
#include <string>
#include <vector>

namespace measure::tool::archive {

/// In place of the name of a suite, for operations of several.
inline constexpr char const* several_programs = "several programs";

/// The runs in common terms, with the operations that programs of several suites measure: one run for each of their
/// benchmarks, with the operation as benchmark, `several_programs` as suite and the method as text. Controls stay.
/// In the order of the runs.
[[nodiscard]] std::vector<SiteRun> runs_of_operations(std::span<SiteRun const> runs);

}  // namespace measure::tool::archive
