// SPDX-License-Identifier: BSD-3-Clause
#include "page/markdown.hpp"

#include "page/escape.hpp"

#include <fmt/format.h>

namespace page {

namespace {

/// The text on one line, with all Markdown and HTML characters escaped.
std::string markdown_escaped(std::string_view text) {
    constexpr std::string_view marks = "\\`*_[]|#~";
    std::string escaped;
    for (char const c : html_escaped(text)) {
        if (marks.find(c) != std::string_view::npos)
            escaped += '\\';
        escaped += c == '\n' || c == '\t' ? ' ' : c;
    }
    return escaped;
}

class MarkdownWriter {
public:
    void operator()(Heading const& heading) {
        text_ += fmt::format("{} {}\n\n", std::string(static_cast<std::size_t>(heading.level) + 1, '#'),
                             markdown_escaped(heading.text));
    }

    void operator()(Paragraph const& paragraph) { text_ += markdown_escaped(paragraph.text) + "\n\n"; }

    void operator()(List const& list) {
        for (auto const& item : list.items)
            text_ += fmt::format("- {}{}\n", list.warning ? "**Warning:** " : "", markdown_escaped(item));
        text_ += "\n";
    }

    void operator()(Table const& table) {
        if (!table.caption.empty())
            text_ += fmt::format("{}\n\n", markdown_escaped(table.caption));
        text_ += "|";
        for (auto const& column : table.columns)
            text_ += fmt::format(" {} |", markdown_escaped(column));
        text_ += "\n|";
        for (std::size_t i = 0; i < table.columns.size(); ++i)
            text_ += is_numeric(table, i) ? " ---: |" : " --- |";
        text_ += "\n";
        for (auto const& row : table.rows)
            add_row(row);
        text_ += "\n";
    }

    void operator()(Figure const& figure) {
        if (figure.data.rows.empty())
            return;
        if (figure.data.caption.empty() && !figure.caption.empty())
            text_ += fmt::format("{}\n\n", markdown_escaped(figure.caption));
        (*this)(figure.data);
    }

    void operator()(Tiles const& tiles) { (*this)(table_of(tiles)); }

    /// Markdown cannot show the picture. The text of the report names its marked cells.
    void operator()(HeatMap const& map) {
        text_ += fmt::format("{}: a picture on the page.\n\n", markdown_escaped(map.caption));
    }

    std::string text_{};

private:
    void add_row(std::vector<Cell> const& row) {
        text_ += "|";
        for (Cell const& cell : row) {
            auto const text = markdown_escaped(cell.text);
            text_ += cell.marked && !text.empty() ? fmt::format(" **{}** |", text) : fmt::format(" {} |", text);
        }
        text_ += "\n";
    }
};

}  // namespace

std::string markdown_text(Document const& document) {
    MarkdownWriter writer;
    for (Element const& element : document.elements)
        std::visit(writer, element);
    return fmt::format("# {}\n\n{}", markdown_escaped(document.title), writer.text_);
}

}  // namespace page
