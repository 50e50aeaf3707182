// SPDX-License-Identifier: BSD-3-Clause
/// Reports of a comparison: human-readable, and as JSON. Pure, local.
#pragma once

#include "analysis/compare/compare.hpp"
#include "page/document.hpp"

#include <measure/record.hpp>

#include <map>
#include <span>
#include <string>
#include <vector>

namespace measure::tool {

/// A comparison with its inputs.
struct CompareReport {
    std::span<Launch const> a{};  ///< launches of side A, at least one
    std::span<Launch const> b{};  ///< launches of side B, at least one
    std::string label_a{};        ///< "mpi.library=MPICH 4.0.2, " if the sides are two values of a dimension
    std::string label_b{};
    CompareRules rules{};
    Comparison comparison{};
    std::vector<std::string> noise{};       ///< names of the launches of --noise
    std::vector<Difference> differences{};  ///< between the sides
    std::vector<std::string> warnings{};
    std::vector<std::string> command{};
    bool all_points = false;  ///< also show the points of operations without a difference
};

/// The number of points with each verdict. Verdicts without points are left out.
[[nodiscard]] std::map<Verdict, std::size_t> counts(std::span<ComparedPoint const> points);

[[nodiscard]] page::Document compare_document(CompareReport const& report);

/// The same for a browser. Begins with tiles of six operations; operations with the largest differences come first.
[[nodiscard]] page::Document compare_page(CompareReport const& report);

/// The document of --json (docs/measure-compare.md).
[[nodiscard]] measure::Value compare_json(CompareReport const& report);

}  // namespace measure::tool
