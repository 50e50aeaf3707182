// SPDX-License-Identifier: BSD-3-Clause
/// Reports of a comparison: as a document for people, and as JSON. Pure, local.
#pragma once

#include "analysis/compare/compare.hpp"
#include "page/document.hpp"

#include <measure/record.hpp>

#include <map>
#include <span>
#include <string>
#include <vector>

namespace measure::tool {

/// A comparison with all that it was made of.
struct CompareReport {
    std::span<Launch const> a{};  ///< at least one
    std::span<Launch const> b{};  ///< at least one
    std::string label_a{};        ///< "mpi.library=MPICH 4.0.2, " where a dimension divides the sides
    std::string label_b{};
    CompareRules rules{};
    Comparison comparison{};
    std::vector<std::string> noise{};       ///< names of the launches that the noise floor is of
    std::vector<Difference> differences{};  ///< between the sides
    std::vector<std::string> warnings{};
    std::vector<std::string> command{};
    bool all_points = false;  ///< those of operations without a difference too
};

/// How many points have each verdict; verdicts that no point has are left out.
[[nodiscard]] std::map<Verdict, std::size_t> counts(std::span<ComparedPoint const> points);

[[nodiscard]] page::Document compare_document(CompareReport const& report);

/// The same for a browser: first the six operations that have changed most, of those that differ first.
[[nodiscard]] page::Document compare_page(CompareReport const& report);

/// The document of --json (docs/measure-compare.md).
[[nodiscard]] measure::Value compare_json(CompareReport const& report);

}  // namespace measure::tool
