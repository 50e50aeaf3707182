// SPDX-License-Identifier: BSD-3-Clause
#include "archive/html.hpp"

#include "page/escape.hpp"
#include "page/html.hpp"
#include "shared/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace measure::tool::archive {

namespace {

using page::html_escaped;

/// A table with at least this number of rows gets a filter.
constexpr std::size_t long_table = 8;

/// Headings become buttons that sort, with empty cells last. A field above a long table filters the rows: only rows
/// that contain all its words are shown. Without scripts the tables are shown unchanged.
constexpr std::string_view script = R"js(
(() => {
  const style = document.createElement("style");
  style.textContent = "th button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; text-align: inherit }" +
    "th button::after { content: ' \\2195'; opacity: .4 } th[aria-sort=ascending] button::after { content: ' \\2191'; opacity: 1 }" +
    "th[aria-sort=descending] button::after { content: ' \\2193'; opacity: 1 }" +
    ".filter { display: block; margin: .5rem 0 } .filter input { font: inherit; width: 20rem; max-width: 70% }" +
    "@media print { .filter { display: none } th button::after { content: '' } }";
  document.head.append(style);
  const key = (row, i) => {
    const cell = row.cells[i];
    return cell.dataset.v === undefined ? cell.textContent.trim().toLowerCase() : Number(cell.dataset.v);
  };
  const order = (a, b) => a === "" || b === "" ? (a === "") - (b === "")
    : typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
  for (const table of document.querySelectorAll("table.data")) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const sorted = rows.map((row) => [key(row, i), row]).sort((a, b) =>
          down && a[0] !== "" && b[0] !== "" ? order(b[0], a[0]) : order(a[0], b[0]));
        body.append(...sorted.map((pair) => pair[1]));
      });
    });
    if (!table.classList.contains("long")) continue;
    const label = document.createElement("label");
    const field = document.createElement("input");
    const count = document.createElement("span");
    label.className = "filter";
    field.type = "search";
    label.append("Filter: ", field, " ", count);
    table.parentElement.before(label);
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/);
      rows.forEach((row) => {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      });
      const left = rows.filter((row) => !row.hidden).length;
      count.textContent = left === rows.length ? "" : left + " of " + rows.length;
    });
  }
})();
)js";

/// The space at the end of a cell keeps the texts of adjacent cells apart for the filter.
std::string cell_html(SiteCell const& cell, std::string_view kind) {
    auto const text = html_escaped(cell.text);
    auto const linked = cell.link.empty() ? text : fmt::format("<a href=\"{}\">{}</a>", html_escaped(cell.link), text);
    auto const value = cell.number ? fmt::format(" data-v=\"{}\"", *cell.number) : "";
    return fmt::format("<td{}{}>{} </td>", kind, value, linked);
}

struct Columns {
    std::vector<std::size_t> shown{};
    std::vector<std::string_view> kinds{};  ///< kind of each column: numbers, short texts or long texts
};

Columns columns_of(SiteTable const& table) {
    constexpr std::size_t longest = 24;
    Columns result;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        auto const all = [&](auto const& holds) {
            return std::all_of(table.rows.begin(), table.rows.end(),
                               [&](auto const& row) { return row[i].text.empty() || holds(row[i]); });
        };
        if (!all([](SiteCell const&) { return false; }))
            result.shown.push_back(i);
        result.kinds.push_back(all([](SiteCell const& c) { return c.number.has_value(); })       ? " class=\"n\""
                               : all([](SiteCell const& c) { return c.text.size() <= longest; }) ? " class=\"s\""
                                                                                                 : " class=\"w\"");
    }
    return result;
}

}  // namespace

SiteCell counted(std::size_t number) { return {fmt::format("{}", number), static_cast<double>(number)}; }

std::string table_html(std::string_view caption, SiteTable const& table) {
    auto const columns = columns_of(table);
    auto text =
        fmt::format("<div class=\"scroll\"><table class=\"data{}\">\n", table.rows.size() >= long_table ? " long" : "");
    if (!caption.empty())
        text += fmt::format("<caption>{}</caption>\n", html_escaped(caption));
    text += "<thead><tr>";
    for (auto const i : columns.shown)
        text += fmt::format("<th scope=\"col\"{}>{}</th>", columns.kinds[i], html_escaped(table.columns[i]));
    text += "</tr></thead>\n<tbody>\n";
    for (auto const& row : table.rows) {
        text += "<tr>";
        for (auto const i : columns.shown)
            text += cell_html(row[i], columns.kinds[i]);
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>\n";
}

std::string facts_html(std::vector<std::pair<std::string, SiteCell>> const& facts) {
    std::string text = "<div class=\"scroll\"><table>\n<tbody>\n";
    for (auto const& [name, cell] : facts)
        if (!cell.text.empty())
            text += fmt::format("<tr><th class=\"s\" scope=\"row\">{}</th>{}</tr>\n", html_escaped(name),
                                cell_html(cell, ""));
    return text + "</tbody></table></div>\n";
}

std::string heading_html(std::string_view text) { return fmt::format("<h2>{}</h2>\n", html_escaped(text)); }
std::string paragraph_html(std::string_view text) { return fmt::format("<p>{}</p>\n", html_escaped(text)); }

std::string page_html(std::string_view title, std::string_view site, std::string const& body) {
    auto const way = site.empty() ? "" : fmt::format("<p><a href=\"index.html\">{}</a></p>\n", html_escaped(site));
    return page::html_page(title, fmt::format("{}{}<script>{}</script>\n", way, body, script),
                           fmt::format("'sha256-{}'", sha256_base64(script)));
}

}  // namespace measure::tool::archive
