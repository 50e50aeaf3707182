// SPDX-License-Identifier: BSD-3-Clause
/// Document: what the report says, before it is written in any language. Values, local.
#pragma once

#include "report/plot.hpp"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace skampi::report {

struct Heading {
    int level = 1;  ///< 1 or 2
    std::string text{};
};

struct Paragraph {
    std::string text{};
};

/// A table of texts; columns of numbers are set to the right.
struct Table {
    std::string caption{};
    std::vector<std::string> columns{};
    std::vector<std::vector<std::string>> rows{};  ///< [rows][columns]
    std::size_t wrap_from = std::string::npos;     ///< first column of long texts, which are broken into lines
    double wrap_width = 0.2;                       ///< of each of these columns, in widths of the text
};

/// A plot, and the numbers behind it, which stand in its place where there is no picture.
struct Figure {
    Plot plot{};
    std::string caption{};
    Table data{};  ///< no rows: they stand elsewhere
};

using Element = std::variant<Heading, Paragraph, Table, Figure>;

struct Document {
    std::string title{};
    std::vector<Element> elements{};
};

/// Whether a column has numbers and nothing else but empty cells.
[[nodiscard]] bool is_numeric(Table const& table, std::size_t column);

/// The document's plots, in order.
[[nodiscard]] std::vector<Plot> plots(Document const& document);

}  // namespace skampi::report
