// SPDX-License-Identifier: BSD-3-Clause
/// Reports of guidelines: as a document for people, and as JSON. Pure, local.
#pragma once

#include "analysis/guidelines/guidelines.hpp"
#include "page/document.hpp"

#include <measure/record.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace measure::tool {

/// Checked guidelines with all that they were made of.
struct GuidelinesReport {
    GuidelineResult result{};
    OperationPoints points{};
    GuidelineRules rules{};
    bool all = false;                     ///< list what is kept too
    std::vector<std::string> launches{};  ///< names
    std::vector<std::string> warnings{};
    std::vector<std::string> command{};
};

/// How many checks have each verdict.
[[nodiscard]] std::map<GuidelineVerdict, std::size_t> counts(GuidelineResult const& result);

[[nodiscard]] page::Document guidelines_document(GuidelinesReport const& report);

/// The document of --json (docs/measure-guidelines.md).
[[nodiscard]] measure::Value guidelines_json(GuidelinesReport const& report);

}  // namespace measure::tool
