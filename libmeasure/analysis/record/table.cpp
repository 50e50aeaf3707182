// SPDX-License-Identifier: BSD-3-Clause
#include "measure/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <ostream>

namespace measure {

namespace {

constexpr std::array<std::string_view, 6> forms{"text", "dat", "csv", "tsv", "markdown", "html"};

constexpr bool shows_dash(TableForm form) noexcept { return form == TableForm::text || form == TableForm::dat; }

/// Replaces each character that is in `from` by the corresponding text of `to`.
std::string escaped(std::string_view text, std::string_view from, std::vector<std::string_view> const& to) {
    std::string result;
    for (char const c : text)
        if (auto const i = from.find(c); i != std::string_view::npos)
            result += to[i];
        else
            result += c;
    return result;
}

std::string cell_text(TableForm form, std::string_view text) {
    switch (form) {
    case TableForm::text:
        return std::string{text};
    case TableForm::dat:
        return escaped(text, " \t\n", {"_", "_", "_"});
    case TableForm::csv:
        return csv_field(text);
    case TableForm::tsv:
        return escaped(text, "\t\n", {" ", " "});
    case TableForm::markdown:
        return escaped(text, "|\n", {"\\|", " "});
    case TableForm::html:
        return escaped(text, "&<>\"", {"&amp;", "&lt;", "&gt;", "&quot;"});
    }
    return {};
}

bool is_number(std::string_view text) {
    std::string const copy{text};
    char* end = nullptr;
    std::strtod(copy.c_str(), &end);
    return end == copy.c_str() + copy.size();
}

/// Whether a spreadsheet would interpret the cell as a formula.
bool is_formula(std::string_view text) {
    constexpr std::string_view signs = "=+-@\t\r";
    // A heading such as "+-" is not a formula.
    bool const has_words = std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
    return has_words && signs.find(text[0]) != std::string_view::npos && !is_number(text);
}

std::string padded(Column const& column, bool first, std::string_view text) {
    int const width = std::abs(column.width);
    auto const cell = column.width < 0 ? fmt::format("{:<{}}", text, width) : fmt::format("{:>{}}", text, width);
    return std::string(first ? 0 : static_cast<std::size_t>(column.gap), ' ') + cell;
}

template <class Text>
std::string line(std::vector<Column> const& columns, TableForm form, bool is_head, Text&& text) {
    std::string result;
    bool first = true;
    auto const between = [&](std::string_view separator) {
        if (!first)
            result += separator;
    };
    for (auto const& column : columns) {
        auto cell = cell_text(form, text(column));
        if (cell.empty() && shows_dash(form))
            cell = "-";
        switch (form) {
        case TableForm::text:
            result += padded(column, first, cell);
            break;
        case TableForm::dat:
            between(" ");
            result += cell;
            break;
        case TableForm::csv:
            between(",");
            result += cell;
            break;
        case TableForm::tsv:
            between("\t");
            result += cell;
            break;
        case TableForm::markdown:
            result += "| " + cell + " ";
            break;
        case TableForm::html:
            result += fmt::format("<{0}>{1}</{0}>", is_head ? "th" : "td", cell);
            break;
        }
        first = false;
    }
    if (form == TableForm::text)
        result.erase(result.find_last_not_of(' ') + 1);
    if (form == TableForm::markdown)
        result += "|";
    if (form == TableForm::html)
        result = "<tr>" + result + "</tr>";
    return result + "\n";
}

}  // namespace

std::string csv_field(std::string_view text) {
    std::string shown;
    if (is_formula(text))
        text = shown.append("'").append(text);
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
        return std::string{text};
    std::string field = "\"";
    for (char const c : text)
        field.append(c == '"' ? 2 : 1, c);
    return field + '"';
}

std::string_view name(TableForm form) noexcept { return forms[static_cast<std::size_t>(form)]; }

std::string table_head(std::vector<Column> const& columns, TableForm form) {
    auto text = line(columns, form, true, [](Column const& column) { return column.heading; });
    if (form == TableForm::markdown) {
        for (auto const& column : columns)
            text += column.width < 0 ? "| --- " : "| ---: ";
        text += "|\n";
    }
    // gnuplot ignores lines that start with #.
    if (form == TableForm::dat)
        text = "# " + text;
    if (form == TableForm::html)
        text = "<table><thead>" + text + "</thead><tbody>\n";
    return text;
}

std::string table_row(std::vector<Column> const& columns, TableForm form, Record const& record) {
    return line(columns, form, false, [&](Column const& column) { return column.cell(record); });
}

std::string table_foot(TableForm form) { return form == TableForm::html ? "</tbody></table>\n" : ""; }

void Table::head() { *out_ << table_head(columns_, form_) << std::flush; }

void Table::write(Record const& record) { *out_ << table_row(columns_, form_, record) << std::flush; }

}  // namespace measure
