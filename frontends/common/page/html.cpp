// SPDX-License-Identifier: BSD-3-Clause
#include "page/html.hpp"

#include "page/escape.hpp"
#include "page/style.hpp"
#include "page/svg.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace page {

namespace {

/// Whether all texts of a column are so short that they need no wrapping.
bool is_short(Table const& table, std::size_t column) {
    constexpr std::size_t longest = 28;
    return std::all_of(table.rows.begin(), table.rows.end(),
                       [&](auto const& row) { return row[column].text.size() <= longest; });
}

/// The CSS classes of a table's columns.
std::vector<std::string_view> classes(Table const& table) {
    std::vector<std::string_view> result;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        result.push_back(is_numeric(table, i) ? "n" : is_short(table, i) ? "s" : "w");
    return result;
}

std::string class_text(std::string_view column, Cell const& cell) {
    std::vector<std::string_view> names;
    for (std::string_view const name : {column, std::string_view{cell.marked ? "m" : ""},
                                        std::string_view{cell.tone == Tone::good  ? "good"
                                                         : cell.tone == Tone::bad ? "bad"
                                                                                  : ""}})
        if (!name.empty())
            names.push_back(name);
    return names.empty() ? std::string{} : fmt::format(" class=\"{}\"", fmt::join(names, " "));
}

std::string head_text(Table const& table, std::vector<std::string_view> const& columns) {
    std::string text = "<tr>";
    for (std::size_t i = 0; i < columns.size(); ++i)
        text += fmt::format("<th scope=\"col\"{}>{}</th>", class_text(columns[i], {}), html_escaped(table.columns[i]));
    return text += "</tr>\n";
}

std::string row_text(Table const& table, std::vector<Cell> const& cells, std::vector<std::string_view> const& columns) {
    std::string text = "<tr>";
    for (std::size_t i = 0; i < columns.size(); ++i)
        text += i == 0 && table.row_headings
                    ? fmt::format("<th scope=\"row\" class=\"s\">{}</th>", html_escaped(cells[i].text))
                    : fmt::format("<td{}>{}</td>", class_text(columns[i], cells[i]), html_escaped(cells[i].text));
    return text += "</tr>\n";
}

/// Writes element by element. A heading closes the folds of its level and below.
class Writer {
public:
    /// Consecutive figures are placed side by side if there is room.
    void add(Element const& element) {
        stand_figures(std::holds_alternative<Figure>(element));
        std::visit(*this, element);
    }

    void operator()(Heading const& heading) {
        close_folds(heading.level);
        ++headings_;
        last_heading_ = heading.text;
        auto const title =
            fmt::format("<h{0} id=\"s{1}\">{2}</h{0}>", heading.level + 1, headings_, html_escaped(heading.text));
        if (heading.fold == Fold::none) {
            body_ += title + "\n";
            return;
        }
        body_ += fmt::format("<details{}><summary>{}</summary>\n", heading.fold == Fold::open ? " open" : "", title);
        folds_.push_back(heading.level);
    }

    void operator()(Paragraph const& paragraph) { body_ += fmt::format("<p>{}</p>\n", html_escaped(paragraph.text)); }

    void operator()(List const& list) {
        constexpr std::size_t longest = 5;  // warnings shown; further ones are in a fold
        auto const all = std::span{list.items};
        bool const is_long = list.warning && all.size() > longest + 1;
        auto const shown = is_long ? longest : all.size();
        body_ += list.warning ? "<div class=\"warnings\">\n" : "";
        add_items(all.first(shown));
        if (is_long) {
            body_ += fmt::format("<details><summary>{} more</summary>\n", all.size() - shown);
            add_items(all.subspan(shown));
            body_ += "</details>\n";
        }
        body_ += list.warning ? "</div>\n" : "";
    }

    void operator()(Table const& table) {
        body_ += "<div class=\"scroll\"><table>\n";
        if (!table.caption.empty())
            body_ += fmt::format("<caption>{}</caption>\n", html_escaped(table.caption));
        auto const columns = classes(table);
        body_ += fmt::format("<thead>{}</thead>\n<tbody>\n", head_text(table, columns));
        for (auto const& row : table.rows)
            body_ += row_text(table, row, columns);
        body_ += "</tbody></table></div>\n";
    }

    void operator()(Figure const& figure) {
        bool const has_data = !figure.data.rows.empty();
        auto const picture =
            svg_text(figure.plot, drawn_ + 1, has_data ? "The numbers are below the picture." : std::string_view{});
        if (picture.empty() && !has_data)
            return;
        body_ += picture.empty() ? "<figure class=\"wide\">\n" : "<figure>\n";
        if (picture.empty()) {
            (*this)(figure.data);
        } else {
            ++drawn_;
            if (figure.plot.title != last_heading_)
                body_ += fmt::format("<p class=\"title\">{}</p>\n", html_escaped(figure.plot.title));
            body_ += picture;
        }
        bool const has_notes = !picture.empty() && !figure.notes.empty();
        body_ += fmt::format("<figcaption>{}{}{}</figcaption>\n", html_escaped(figure.caption), has_notes ? " " : "",
                             has_notes ? html_escaped(figure.notes) : std::string{});
        if (!picture.empty() && has_data) {
            body_ += "<details class=\"numbers\"><summary>Numbers</summary>\n";
            (*this)(figure.data);
            body_ += "</details>\n";
        }
        body_ += "</figure>\n";
    }

    void operator()(Tiles const& tiles) {
        body_ += "<dl class=\"tiles\">\n";
        for (Tile const& tile : tiles.tiles) {
            body_ += fmt::format("<div><dt>{}</dt><dd class=\"number\">{}</dd>", html_escaped(tile.label),
                                 html_escaped(tile.number));
            if (!tile.error.empty())
                body_ += fmt::format("<dd>{}</dd>", html_escaped(tile.error));
            if (!tile.word.empty())
                body_ += fmt::format("<dd{}>{}</dd>", tone_text(tile.tone), html_escaped(tile.word));
            body_ += "</div>\n";
        }
        body_ += "</dl>\n";
    }

    void operator()(HeatMap const& map) {
        body_ += fmt::format("<figure class=\"wide\">\n<p class=\"title\">{}</p>\n{}</figure>\n",
                             html_escaped(map.caption), svg_text(map));
    }

    [[nodiscard]] std::string body() {
        stand_figures(false);
        close_folds(0);
        return std::move(body_);
    }

private:
    void stand_figures(bool is_figure) {
        if (is_figure != has_figures_)
            body_ += is_figure ? "<div class=\"figures\">\n" : "</div>\n";
        has_figures_ = is_figure;
    }

    void close_folds(int level) {
        for (; !folds_.empty() && folds_.back() >= level; folds_.pop_back())
            body_ += "</details>\n";
    }

    static std::string_view tone_text(Tone tone) {
        return tone == Tone::good ? " class=\"good\"" : tone == Tone::bad ? " class=\"bad\"" : "";
    }

    void add_items(std::span<std::string const> items) {
        body_ += "<ul>\n";
        for (auto const& item : items)
            body_ += fmt::format("<li>{}</li>\n", html_escaped(item));
        body_ += "</ul>\n";
    }

    std::string body_{};
    std::vector<int> folds_{};  ///< levels of the headings that are open
    std::size_t headings_ = 0;
    std::size_t drawn_ = 0;
    bool has_figures_ = false;  ///< whether a group of figures is open
    std::string last_heading_{};
};

/// The headings of the first two levels; empty for short pages, which need no table of contents.
std::vector<std::string> contents(Document const& document) {
    constexpr std::size_t fewest = 3;
    std::vector<std::string> entries;
    std::size_t number = 0;
    for (Element const& element : document.elements)
        if (auto const* const heading = std::get_if<Heading>(&element); heading != nullptr)
            if (++number; heading->level <= 2)
                entries.push_back(fmt::format("<li class=\"l{}\"><a href=\"#s{}\">{}</a></li>\n", heading->level,
                                              number, html_escaped(heading->text)));
    return entries.size() < fewest ? std::vector<std::string>{} : entries;
}

/// The table of contents. It is at the end of the page, because readers want the results first.
std::string navigation(std::vector<std::string> const& entries) {
    constexpr std::size_t longest = 30;
    auto const list = fmt::format("<ul>\n{}</ul>\n", fmt::join(entries, ""));
    auto const heading = "<h2>Contents</h2>";
    return fmt::format("<nav id=\"contents\" aria-label=\"Contents\">\n{}</nav>\n",
                       entries.size() > longest
                           ? fmt::format("<details><summary>{}</summary>\n{}</details>\n", heading, list)
                           : fmt::format("{}\n{}", heading, list));
}

}  // namespace

std::string html_page(std::string_view title, std::string_view body, std::string_view script_policy) {
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "style-src 'unsafe-inline'{}{}\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n<h1>{}</h1>\n{}</body>\n"
                       "</html>\n",
                       script_policy.empty() ? "" : "; script-src ", script_policy, html_escaped(title), style,
                       svg_style(), html_escaped(title), body);
}

std::string html_text(Document const& document) {
    Writer writer;
    for (Element const& element : document.elements)
        writer.add(element);
    auto const entries = contents(document);
    if (entries.empty())
        return html_page(document.title, writer.body());
    return html_page(document.title,
                     "<p class=\"way\"><a href=\"#contents\">Contents</a></p>\n" + writer.body() + navigation(entries));
}

}  // namespace page
