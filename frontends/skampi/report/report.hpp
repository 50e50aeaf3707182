// SPDX-License-Identifier: BSD-3-Clause
/// Report: the contents of the report on output files. Pure and local.
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
    std::size_t findings = 0;             ///< number of lines in the tables of findings
    std::vector<std::string> warnings{};  ///< comparisons that cannot be made
};

/// Makes findings, configuration, summary and comparisons, then one section for each pattern with a subsection for each
/// measurement. With several files, every plot has one curve for each file.
/// \param inputs    at least one file
/// \param baseline  one of the inputs, with which the findings compare the others, or nullptr
/// \throws measure::UsageError if a key in a file has an invalid value
[[nodiscard]] Report make_report(std::span<Input const> inputs, ReportParameters const& parameters,
                                 Input const* baseline = nullptr);

}  // namespace skampi::report
