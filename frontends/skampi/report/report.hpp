// SPDX-License-Identifier: BSD-3-Clause
/// Report: what the report on output files contains. Pure and local.
#pragma once

#include "skampi/output/inputs.hpp"
#include "skampi/report/pages.hpp"
#include "skampi/report/report_parameters.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace skampi::report {

struct Report {
    Document document{};
    std::size_t findings = 0;             ///< how many lines the findings have
    std::vector<std::string> warnings{};  ///< of comparisons that cannot be made
};

/// Findings, configuration, summary, comparisons, and a section for each pattern with a subsection for each
/// measurement. With several files every plot has one curve for each.
/// \param inputs    at least one
/// \param baseline  one of them, with which the others are compared in the findings; nullptr: none
/// \throws measure::UsageError for keys of the files that are not what they should be
[[nodiscard]] Report make_report(std::span<Input const> inputs, ReportParameters const& parameters,
                                 Input const* baseline = nullptr);

}  // namespace skampi::report
