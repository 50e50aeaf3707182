// SPDX-License-Identifier: BSD-3-Clause
/// Columns: defines a table with one line of code per column. Pure, local.
///
///     page::Table const table = page::table_of(
///         {.caption = "Nodes"}, nodes,
///         page::Columns<Node>{{"node", [](Node const& n) { return n.name; }},
///                             {"rank", [](Node const& n) { return std::to_string(n.rank); }}});
#pragma once

#include "page/document.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace page {

/// A column of a table with one row for each Row.
template <class Row, class Content = Cell>
struct Column {
    std::string heading{};
    std::function<Content(Row const&)> cell{};
};
template <class Row, class Content = Cell>
using Columns = std::vector<Column<Row, Content>>;

/// The table with these columns and a row for each element. \param table  provides caption and form
template <class Row, class Content = Cell, class Rows, class AnyTable = Table>
[[nodiscard]] AnyTable table_of(AnyTable table, Rows const& rows, std::vector<Column<Row, Content>> const& columns) {
    for (auto const& column : columns)
        table.columns.push_back(column.heading);
    for (Row const& row : rows) {
        auto& cells = table.rows.emplace_back();
        for (auto const& column : columns)
            cells.push_back(column.cell(row));
    }
    return table;
}

}  // namespace page
