// SPDX-License-Identifier: BSD-3-Clause
#include "report/html.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace skampi::report {

namespace {

constexpr std::string_view style = R"(body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff;
       max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; }
h2 { margin-top: 3rem; border-bottom: 2px solid #ccc; }
h3 { margin-top: 2.5rem; }
nav { columns: 18rem; font-size: 0.9rem; }
nav ul { margin: 0; padding: 0; list-style: none; }
.l1 { margin-top: 0.5rem; font-weight: 600; break-after: avoid; }
.l2 { padding-left: 1rem; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
th, td { padding: 0.15rem 0.7rem; text-align: left; vertical-align: top; }
th { border-bottom: 1.5px solid #333; vertical-align: bottom; }
td { border-bottom: 1px solid #ddd; overflow-wrap: anywhere; }
.n { text-align: right; white-space: nowrap; }
.s { white-space: nowrap; }
figure { margin: 1.5rem 0; break-inside: avoid; }
figure svg { width: 100%; height: auto; max-width: 50rem; }
figcaption, summary { font-size: 0.9rem; color: #444; }
summary { cursor: pointer; }
@media print {
  body { font-size: 10pt; max-width: none; margin: 0; }
  nav a { color: inherit; text-decoration: none; }
  h2, h3 { break-after: avoid; }
  thead { display: table-header-group; }
  tr { break-inside: avoid; }
  th.n { white-space: normal; overflow-wrap: anywhere; }
  .scroll { overflow-x: visible; }
  details { display: none; }
}
)";

void replace_all(std::string& text, std::string_view from, std::string const& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

/// The picture as a part of the page: without what makes it a file, and with names that no other picture has.
std::string embedded(std::string const& svg, std::size_t number) {
    std::size_t const begin = svg.find("<svg");
    if (begin == std::string::npos)
        return {};
    std::string result = svg.substr(begin);
    for (char const* const mark : {"id='", "id=\"", "href='#", "href=\"#", "url(#"})
        replace_all(result, mark, fmt::format("{}p{}-", mark, number));
    return result;
}

/// Short texts are not broken into lines.
bool is_short(Table const& table, std::size_t column) {
    constexpr std::size_t longest = 20;
    return std::all_of(table.rows.begin(), table.rows.end(),
                       [&](auto const& row) { return row[column].size() <= longest; });
}

std::string_view class_of(Table const& table, std::size_t column) {
    return is_numeric(table, column) ? " class=\"n\"" : is_short(table, column) ? " class=\"s\"" : "";
}

std::string cells_text(Table const& table, std::vector<std::string> const& cells, std::string_view tag) {
    std::string text = "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i)
        text += fmt::format("<{}{}>{}</{}>", tag, class_of(table, i), html_escaped(cells[i]), tag);
    return text += "</tr>\n";
}

class Page {
public:
    explicit Page(std::map<std::string, std::string> const& pictures) : pictures_{pictures} {}

    void operator()(Heading const& heading) {
        ++headings_;
        body_ +=
            fmt::format("<h{0} id=\"s{1}\">{2}</h{0}>\n", heading.level + 1, headings_, html_escaped(heading.text));
    }

    void operator()(Paragraph const& paragraph) { body_ += fmt::format("<p>{}</p>\n", html_escaped(paragraph.text)); }

    void operator()(Table const& table) {
        body_ += "<div class=\"scroll\"><table>\n";
        if (!table.caption.empty())
            body_ += fmt::format("<caption>{}</caption>\n", html_escaped(table.caption));
        body_ += fmt::format("<thead>{}</thead>\n<tbody>\n", cells_text(table, table.columns, "th"));
        for (auto const& row : table.rows)
            body_ += cells_text(table, row, "td");
        body_ += "</tbody></table></div>\n";
    }

    void operator()(Figure const& figure) {
        auto const found = pictures_.find(figure.plot.stem);
        std::string const picture = found == pictures_.end() ? std::string{} : embedded(found->second, ++drawn_);
        bool const has_data = !figure.data.rows.empty();
        if (picture.empty()) {
            if (has_data)
                put(figure.caption, "", [&] { (*this)(figure.data); });
            return;
        }
        put(figure.caption, figure.notes, [&] { body_ += picture; });
        if (has_data) {
            body_ += "<details><summary>Numbers</summary>\n";
            (*this)(figure.data);
            body_ += "</details>\n";
        }
    }

    [[nodiscard]] std::string const& body() const noexcept { return body_; }

private:
    template <class Content>
    void put(std::string const& caption, std::string const& notes, Content content) {
        body_ += "<figure>\n";
        content();
        body_ += fmt::format("<figcaption>{}{}{}</figcaption>\n</figure>\n", html_escaped(caption),
                             notes.empty() ? "" : " ", html_escaped(notes));
    }

    std::map<std::string, std::string> const& pictures_;
    std::string body_{};
    std::size_t headings_ = 0;
    std::size_t drawn_ = 0;
};

std::string contents(Document const& document) {
    std::string text = "<nav><ul>\n";
    std::size_t number = 0;
    for (Element const& element : document.elements)
        if (auto const* const heading = std::get_if<Heading>(&element); heading != nullptr)
            text += fmt::format("<li class=\"l{}\"><a href=\"#s{}\">{}</a></li>\n", heading->level, ++number,
                                html_escaped(heading->text));
    return text += "</ul></nav>\n";
}

}  // namespace

std::string html_escaped(std::string_view text) {
    std::string escaped;
    for (char const c : text) {
        if (c == '&')
            escaped += "&amp;";
        else if (c == '<')
            escaped += "&lt;";
        else if (c == '>')
            escaped += "&gt;";
        else if (c == '"')
            escaped += "&quot;";
        else
            escaped += c;
    }
    return escaped;
}

std::string html_text(Document const& document, std::map<std::string, std::string> const& pictures) {
    Page page{pictures};
    for (Element const& element : document.elements)
        std::visit(page, element);
    std::string const title = html_escaped(document.title);
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n{2}{3}</body>\n"
                       "</html>\n",
                       title, style, contents(document), page.body());
}

}  // namespace skampi::report
