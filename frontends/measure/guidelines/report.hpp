// SPDX-License-Identifier: BSD-3-Clause
/// Reports of guidelines: human-readable, and as JSON. Pure, local.
#pragma once

#include "analysis/guidelines/guidelines.hpp"
#include "page/document.hpp"

#include <measure/record.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace measure::tool {

/// The result of the checks with their inputs.
struct GuidelinesReport {
    GuidelineResult result{};
    OperationPoints points{};
    GuidelineRules rules{};
    bool all = false;                     ///< list all checks, not only violations
    std::vector<std::string> launches{};  ///< names of the launches
    std::vector<std::string> warnings{};
    std::vector<std::string> command{};
};

/// The number of checks with each verdict.
[[nodiscard]] std::map<GuidelineVerdict, std::size_t> counts(GuidelineResult const& result);

[[nodiscard]] page::Document guidelines_document(GuidelinesReport const& report);

/// The document of --json (docs/measure-guidelines.md).
[[nodiscard]] measure::Value guidelines_json(GuidelinesReport const& report);

}  // namespace measure::tool
