// SPDX-License-Identifier: BSD-3-Clause
#include "shared/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>
#include <vector>

namespace measure_tool {

std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; }, '?');
    return text;
}

namespace {

using page::Table;

/// Characters, not bytes: what follows the first byte of a UTF-8 character takes no room.
std::size_t width(std::string const& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

struct PlainColumn {
    std::size_t width = 0;
    bool right = false;
};

std::vector<PlainColumn> plain_columns(Table const& table) {
    std::vector<PlainColumn> columns;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        PlainColumn column{.width = width(table.columns[i]), .right = page::is_numeric(table, i)};
        for (auto const& row : table.rows)
            column.width = std::max(column.width, width(row[i].text));
        columns.push_back(column);
    }
    return columns;
}

void add_line(std::string& text, std::string_view indent, std::vector<std::string> const& cells,
              std::vector<PlainColumn> const& columns) {
    std::string line{indent};
    for (std::size_t i = 0; i < cells.size(); ++i) {
        std::string const gap(columns[i].width - width(cells[i]), ' ');
        line += i == 0 ? "" : "  ";
        line += columns[i].right ? gap + cells[i] : cells[i] + gap;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += printable(std::move(line)) + "\n";
}

struct PlainWriter {
    std::string operator()(page::Heading const& heading) const {
        return fmt::format("\n# {}\n", printable(heading.text));
    }
    std::string operator()(page::Paragraph const& paragraph) const {
        return fmt::format("# {}\n", printable(paragraph.text));
    }
    std::string operator()(page::List const& list) const {
        std::string text;
        for (auto const& item : list.items)
            text += fmt::format("# * {}\n", printable(item));
        return text;
    }
    std::string operator()(Table const& table) const {
        return fmt::format("\n{}{}", table.caption.empty() ? "" : fmt::format("# {}\n", printable(table.caption)),
                           plain_rows(table));
    }
    std::string operator()(page::Figure const&) const { return {}; }
};

}  // namespace

std::string plain_rows(Table const& table, std::string_view indent) {
    std::string text;
    auto const columns = plain_columns(table);
    add_line(text, indent, table.columns, columns);
    for (auto const& row : table.rows) {
        std::vector<std::string> cells;
        for (auto const& cell : row)
            cells.push_back(cell.text);
        add_line(text, indent, cells, columns);
    }
    return text;
}

std::string plain_text(page::Document const& document) {
    std::string text = fmt::format("# {}\n", printable(document.title));
    for (auto const& element : document.elements)
        text += std::visit(PlainWriter{}, element);
    return text;
}

std::string counted(std::size_t n, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace measure_tool
