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

/// Aligned columns under a heading, numbers to the right; a column without any content is left out, unless all are.
/// What could steer a terminal is shown as "?".
[[nodiscard]] std::string table_text(Table const& table);

/// Quoted as in RFC 4180, lines end with a single line feed; numbers with full precision; empty where there is nothing.
[[nodiscard]] std::string csv_text(Table const& table);

/// A row by the names of its columns.
using JsonRow = std::vector<std::pair<std::string, Cell>>;
[[nodiscard]] std::vector<JsonRow> json_rows(Table const& table);

/// The cell as text, numbers with full precision.
[[nodiscard]] std::string cell_text(Cell const& cell);

/// Runs for people, and with everything for programs.
[[nodiscard]] Table short_table(std::span<RunEntry const> runs);
[[nodiscard]] Table full_table(std::span<RunEntry const> runs);
/// Points: a column for each coordinate that one of them has.
[[nodiscard]] Table short_table(std::span<PointEntry const> points);
[[nodiscard]] Table full_table(std::span<PointEntry const> points);

/// A value of a point in the unit that fits it, "4.50 us"; a dash where there is none.
[[nodiscard]] std::string value_text(PointEntry const& point);

}  // namespace measure::tool::archive
