// SPDX-License-Identifier: BSD-3-Clause
#include "page/html.hpp"

#include "page/style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace page {

namespace {

void replace_all(std::string& text, std::string_view from, std::string const& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

/// Takes out everything from `begin` to `end`, both included.
void cut(std::string& text, std::string_view begin, std::string_view end) {
    std::size_t const from = text.find(begin);
    std::size_t const to = from == std::string::npos ? from : text.find(end, from);
    if (to != std::string::npos)
        text.erase(from, to + end.size() - from);
}

/// gnuplot opens a group for every change of a pen, most of them for nothing: half of a picture.
void drop_empty_groups(std::string& svg) {
    constexpr std::string_view end = ">\n</g>\n";
    std::string kept;
    std::size_t begin = 0;
    for (std::size_t at = svg.find(end); at != std::string::npos; at = svg.find(end, at + 1)) {
        std::size_t const group = svg.rfind("<g ", at);
        if (group == std::string::npos || group < begin || svg.find('>', group) != at || svg.find("id=", group) < at)
            continue;
        kept += svg.substr(begin, group - begin);
        begin = at + end.size();
    }
    svg = kept + svg.substr(begin);
}

/// "rgb(  0, 114, 178)" to "#0072b2", which is what the style knows.
void shorten_colours(std::string& svg) {
    constexpr std::string_view begin = "rgb(";
    for (std::size_t at = svg.find(begin); at != std::string::npos; at = svg.find(begin, at + 1)) {
        std::size_t const end = svg.find(')', at);
        std::array<unsigned, 3> parts{};
        if (end == std::string::npos ||
            std::sscanf(svg.c_str() + at, "rgb(%u ,%u ,%u", &parts[0], &parts[1], &parts[2]) != 3)
            continue;
        svg.replace(at, end + 1 - at, fmt::format("#{:02x}{:02x}{:02x}", parts[0], parts[1], parts[2]));
    }
}

/// Length of the UTF-8 character at the begin of the text; 0 where there is none.
std::size_t character(std::string_view text) {
    auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    unsigned char const first = byte(0);
    std::size_t const length = first < 0x80   ? 1
                               : first < 0xC2 ? 0
                               : first < 0xE0 ? 2
                               : first < 0xF0 ? 3
                               : first < 0xF5 ? 4
                                              : 0;
    if (length == 0 || length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0U) != 0x80U)
            return 0;
    // Too long forms, halves of pairs, and what lies behind the last plane.
    bool const wrong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
                       (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F);
    return wrong ? 0 : length;
}

/// Short texts are not broken into lines.
bool is_short(Table const& table, std::size_t column) {
    constexpr std::size_t longest = 28;
    return std::all_of(table.rows.begin(), table.rows.end(),
                       [&](auto const& row) { return row[column].text.size() <= longest; });
}

/// Classes of a table's columns.
std::vector<std::string_view> classes(Table const& table) {
    std::vector<std::string_view> result;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        result.push_back(is_numeric(table, i) ? "n" : is_short(table, i) ? "s" : "w");
    return result;
}

std::string class_text(std::string_view column, Cell const& cell) {
    std::vector<std::string_view> names;
    for (std::string_view const name : {column, std::string_view{cell.marked ? "m" : ""},
                                        std::string_view{cell.tone == Tone::better  ? "better"
                                                         : cell.tone == Tone::worse ? "worse"
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

/// Writes element by element; folds are closed where the next heading says so.
class Writer {
public:
    explicit Writer(SvgPictures const& pictures) : pictures_{pictures} {}

    void operator()(Heading const& heading) {
        close_folds(heading.level);
        ++headings_;
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
        body_ += list.warning ? "<ul class=\"warnings\">\n" : "<ul>\n";
        for (auto const& item : list.items)
            body_ += fmt::format("<li>{}</li>\n", html_escaped(item));
        body_ += "</ul>\n";
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
        auto const found = pictures_.find(figure.plot.stem);
        std::string const picture =
            found == pictures_.end() ? std::string{}
                                     : embedded_svg(found->second, drawn_ + 1, figure.plot.title, description(figure));
        bool const has_data = !figure.data.rows.empty();
        if (picture.empty()) {
            if (has_data)
                put(figure.caption, "", [&] { (*this)(figure.data); });
            return;
        }
        ++drawn_;
        put(figure.caption, figure.notes, [&] { body_ += picture; });
        if (has_data) {
            body_ += "<details class=\"numbers\"><summary>Numbers</summary>\n";
            (*this)(figure.data);
            body_ += "</details>\n";
        }
    }

    [[nodiscard]] std::string body() {
        close_folds(0);
        return std::move(body_);
    }

private:
    void close_folds(int level) {
        for (; !folds_.empty() && folds_.back() >= level; folds_.pop_back())
            body_ += "</details>\n";
    }

    static std::string description(Figure const& figure) {
        std::string text = fmt::format("{} over {}.", figure.plot.y.label, figure.plot.x.label);
        for (Curve const& curve : figure.plot.curves)
            if (!curve.label.empty())
                text += fmt::format(" {}: {} points.", curve.label, curve.points.size());
        return text + (figure.data.rows.empty() ? "" : " The numbers stand below the picture.");
    }

    template <class Content>
    void put(std::string const& caption, std::string const& notes, Content content) {
        body_ += "<figure>\n";
        content();
        body_ += fmt::format("<figcaption>{}{}{}</figcaption>\n</figure>\n", html_escaped(caption),
                             notes.empty() ? "" : " ", html_escaped(notes));
    }

    SvgPictures const& pictures_;
    std::string body_{};
    std::vector<int> folds_{};  ///< levels of the headings that are open
    std::size_t headings_ = 0;
    std::size_t drawn_ = 0;
};

/// Headings of the first two levels; none where there are so few that the page is its own overview.
std::string contents(Document const& document) {
    std::string text = "<nav aria-label=\"Contents\"><ul>\n";
    std::size_t number = 0;
    for (Element const& element : document.elements)
        if (auto const* const heading = std::get_if<Heading>(&element); heading != nullptr)
            if (++number; heading->level <= 2)
                text += fmt::format("<li class=\"l{}\"><a href=\"#s{}\">{}</a></li>\n", heading->level, number,
                                    html_escaped(heading->text));
    return text += "</ul></nav>\n";
}

}  // namespace

std::string html_escaped(std::string_view text) {
    std::string escaped;
    while (!text.empty()) {
        std::size_t const length = character(text);
        auto const c = static_cast<unsigned char>(text[0]);
        if (length == 0 || (c < ' ' && c != '\n' && c != '\t') || c == 0x7F)
            escaped += "\xEF\xBF\xBD";
        else if (c == '&')
            escaped += "&amp;";
        else if (c == '<')
            escaped += "&lt;";
        else if (c == '>')
            escaped += "&gt;";
        else if (c == '"')
            escaped += "&quot;";
        else
            escaped += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return escaped;
}

std::string embedded_svg(std::string const& svg, std::size_t number, std::string_view title,
                         std::string_view description) {
    std::size_t const begin = svg.find("<svg");
    std::size_t const head = begin == std::string::npos ? begin : svg.find('>', begin);
    if (head == std::string::npos)
        return {};
    std::string result = svg.substr(begin);
    cut(result, "<title>Gnuplot", "</title>\n");
    cut(result, "<desc>Produced", "</desc>\n");
    // Names of no meaning, which browsers show beside the pointer.
    while (result.find("<title>gnuplot_plot_") != std::string::npos)
        cut(result, "<title>gnuplot_plot_", "</title>");
    drop_empty_groups(result);
    shorten_colours(result);
    for (char const* const mark : {"id='", "id=\"", "href='#", "href=\"#", "url(#"})
        replace_all(result, mark, fmt::format("{}p{}-", mark, number));
    result.insert(head - begin, fmt::format(" role=\"img\" aria-labelledby=\"p{0}-title p{0}-text\"", number));
    result.insert(result.find('>') + 1,
                  fmt::format("\n<title id=\"p{0}-title\">{1}</title>\n<desc id=\"p{0}-text\">{2}</desc>", number,
                              html_escaped(title), html_escaped(description)));
    return result;
}

std::string html_page(std::string_view title, std::string_view body) {
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n{2}</body>\n"
                       "</html>\n",
                       html_escaped(title), style, body);
}

std::string html_text(Document const& document, SvgPictures const& pictures) {
    Writer writer{pictures};
    for (Element const& element : document.elements)
        std::visit(writer, element);
    return html_page(document.title, contents(document) + writer.body());
}

}  // namespace page
