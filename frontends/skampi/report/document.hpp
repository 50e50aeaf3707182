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

/// A table of texts; columns of numbers are set to the right. Long texts may be broken into lines.
struct Table {
    std::string caption{};
    std::vector<std::string> columns{};
    std::vector<std::vector<std::string>> rows{};  ///< [rows][columns]
};

/// A plot, and the numbers behind it, which stand in its place where there is no picture.
struct Figure {
    Plot plot{};
    std::string caption{};
    std::string notes{};  ///< on what is to be seen in the picture
    Table data{};         ///< no rows: they stand elsewhere, and without a picture there is nothing
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
