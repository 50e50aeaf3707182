// SPDX-License-Identifier: BSD-3-Clause
/// The JSON documents of `measure archive`. Pure.
#pragma once

#include "archive/archive.hpp"
#include "archive/table.hpp"

#include <measure/record.hpp>

#include <span>
#include <string>
#include <vector>

namespace measure::tool::archive {

/// A run found in a file, and the effect of adding it.
struct AddedRun {
    Addition addition{};
    std::string file{};
};

[[nodiscard]] measure::Value added_json(std::vector<AddedRun> const& runs);
[[nodiscard]] measure::Value runs_json(std::vector<RunEntry> const& runs);
[[nodiscard]] measure::Value points_json(std::vector<PointEntry> const& points);
/// The rows of a table with arbitrary columns.
[[nodiscard]] measure::Value rows_json(Table const& table);

}  // namespace measure::tool::archive
