// SPDX-License-Identifier: BSD-3-Clause
#include "shared/plain_text.hpp"

#include "program/cli/values.hpp"
#include "program/runtime/stderr_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <variant>
#include <vector>

namespace measure::tool {

std::string printable(std::string const& text) { return program::masked(text); }

std::string printable_lines(std::string const& text) {
    auto lines = program::split(text, '\n');
    std::transform(lines.begin(), lines.end(), lines.begin(), printable);
    return fmt::format("{}", fmt::join(lines, "\n"));
}

std::vector<std::string> text_lines(std::string_view text, std::size_t columns) {
    return program::split(program::wrapped(std::string{text}, 0, columns), '\n');
}

namespace {

using page::Table;

struct PlainColumn {
    std::size_t width = 0;
    bool right = false;
};

std::vector<PlainColumn> plain_columns(Table const& table) {
    std::vector<PlainColumn> columns;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        PlainColumn column{.width = page::letters(table.columns[i]), .right = page::is_numeric(table, i)};
        for (auto const& row : table.rows)
            column.width = std::max(column.width, page::letters(row[i].text));
        columns.push_back(column);
    }
    return columns;
}

std::string coloured(page::Cell const& cell) {
    return fmt::format("\x1b[{}m{}\x1b[0m", cell.tone == page::Tone::good ? 32 : 31, printable(cell.text));
}

/// Wraps the last cell of a row if it is too long. The lines are below each other, or below the row if there is too
/// little room next to the other cells. \param begin  column where the cell begins
std::string hanging(std::string const& text, std::size_t begin, std::size_t columns) {
    constexpr std::size_t least_room = 20;
    constexpr std::size_t place_below = 4;
    bool const is_beside = begin + least_room <= columns;
    auto const place = is_beside ? begin : place_below;
    auto const gap = "\n" + std::string(place, ' ');
    auto const lines = text_lines(text, columns - place);
    return fmt::format("{}{}", is_beside ? "" : gap, fmt::join(lines, gap));
}

void add_line(std::string& text, std::string_view indent, std::vector<page::Cell> const& cells,
              std::vector<PlainColumn> const& columns, PlainForm const& form) {
    std::string line{indent};
    std::size_t begin = indent.size();
    for (std::size_t i = 0; i < cells.size(); ++i) {
        auto const length = page::letters(cells[i].text);
        bool const is_text_at_end = i > 0 && i + 1 == cells.size() && length > 0 && !columns[i].right;
        begin += i == 0 ? 0U : 2U;
        if (form.breaks_rows && form.columns > 0 && is_text_at_end && begin + length > form.columns) {
            auto const rest = hanging(printable(cells[i].text), begin, form.columns);
            line += "  ";
            if (rest.starts_with('\n'))
                line.erase(line.find_last_not_of(' ') + 1);
            line += rest;
            break;
        }
        begin += columns[i].width;
        std::string const gap(columns[i].width - length, ' ');
        auto const shown =
            form.colour && cells[i].tone != page::Tone::plain ? coloured(cells[i]) : printable(cells[i].text);
        line += i == 0 ? "" : "  ";
        line += columns[i].right ? gap + shown : shown + gap;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
}

/// A comment, wrapped between words. \param columns  width of a line; 0: unlimited
std::string broken(std::string const& text, std::size_t columns) {
    std::string lines;
    std::string line = "#";
    for (std::size_t begin = 0; begin < text.size();) {
        auto const end = std::min(text.find(' ', begin), text.size());
        auto const word = text.substr(begin, end - begin);
        if (columns > 0 && page::letters(line) + 1 + page::letters(word) > columns && line.size() > 3) {
            lines += line + "\n";
            line = "#  ";
        }
        line += " " + word;
        begin = end + 1;
    }
    return lines + line + "\n";
}

std::string rows_text(Table const& table, std::string_view indent, PlainForm const& form) {
    std::string text;
    auto const columns = plain_columns(table);
    auto heading = form;
    heading.colour = false;
    add_line(text, indent, {table.columns.begin(), table.columns.end()}, columns, heading);
    for (auto const& row : table.rows)
        add_line(text, indent, row, columns, form);
    return text;
}

struct PlainWriter {
    PlainForm form;

    std::string operator()(page::Heading const& heading) const {
        return fmt::format("\n# {}\n", printable(heading.text));
    }
    std::string operator()(page::Paragraph const& paragraph) const {
        return broken(printable(paragraph.text), form.columns);
    }
    std::string operator()(page::List const& list) const {
        std::string text;
        for (auto const& item : list.items)
            text += broken("* " + printable(item), form.columns);
        return text;
    }
    std::string operator()(Table const& table) const {
        return fmt::format("\n{}{}", table.caption.empty() ? "" : fmt::format("# {}\n", printable(table.caption)),
                           rows_text(table, "", form));
    }
    std::string operator()(page::Figure const&) const { return {}; }
    std::string operator()(page::HeatMap const&) const { return {}; }
    std::string operator()(page::Tiles const& tiles) const { return (*this)(page::table_of(tiles)); }
};

}  // namespace

std::string plain_rows(Table const& table, std::string_view indent, bool colour) {
    return rows_text(table, indent, {.colour = colour});
}

std::string plain_text(page::Document const& document, PlainForm const& form) {
    std::string text = fmt::format("# {}\n", printable(document.title));
    for (auto const& element : document.elements)
        text += std::visit(PlainWriter{form}, element);
    return text;
}

bool shows_colour(int descriptor) {
    auto const variable = [](char const* name) {
        char const* const value = std::getenv(name);
        return std::string_view{value != nullptr ? value : ""};
    };
    return ::isatty(descriptor) != 0 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

std::size_t columns_of(int descriptor) {
    constexpr std::size_t least = 60;
    constexpr std::size_t most = 120;
    struct ::winsize window {};
    if (::ioctl(descriptor, TIOCGWINSZ, &window) != 0 || window.ws_col == 0)
        return 80;
    return std::clamp<std::size_t>(window.ws_col, least, most);
}

std::string counted(std::size_t n, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string short_time(double seconds) {
    constexpr std::array<std::string_view, 4> units{"ns", "us", "ms", "s"};
    double value = seconds * 1e9;
    std::size_t unit = 0;
    for (; unit + 1 < units.size() && value >= 999.5; ++unit)
        value /= 1000;
    return fmt::format("{:.{}f}{}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, units[unit]);
}

}  // namespace measure::tool
