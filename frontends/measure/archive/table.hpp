// SPDX-License-Identifier: BSD-3-Clause
/// Table: rows under named columns, as a table for people, as CSV and as JSON. Pure.
#pragma once

#include "archive/archive.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace measure::tool::archive {

struct Table {
    std::vector<std::string> columns{};
    std::vector<std::vector<Cell>> rows{};  ///< each as long as `columns`
};

/// Aligned columns under a heading, numbers to the right. Empty columns are left out unless all are empty. Characters
/// that could control a terminal are shown as "?".
[[nodiscard]] std::string table_text(Table const& table);

/// Quoted as in RFC 4180, with a single line feed at line ends and numbers in full precision. Null is empty.
[[nodiscard]] std::string csv_text(Table const& table);

/// A row as pairs of column name and cell.
using JsonRow = std::vector<std::pair<std::string, Cell>>;
[[nodiscard]] std::vector<JsonRow> json_rows(Table const& table);

/// The cell as text, with numbers in full precision.
[[nodiscard]] std::string cell_text(Cell const& cell);

/// Runs: a short table for people, a full one for programs.
[[nodiscard]] Table short_table(std::span<RunEntry const> runs);
[[nodiscard]] Table full_table(std::span<RunEntry const> runs);
/// Points: like runs, with a column for each coordinate that occurs.
[[nodiscard]] Table short_table(std::span<PointEntry const> points);
[[nodiscard]] Table full_table(std::span<PointEntry const> points);

/// The value of a point in the unit that suits it, "4.50 us"; a dash if it has none.
[[nodiscard]] std::string value_text(PointEntry const& point);

}  // namespace measure::tool::archive
