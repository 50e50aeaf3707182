// SPDX-License-Identifier: BSD-3-Clause
#include "report/tex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace skampi::report {

namespace {

constexpr std::string_view preamble = R"(\documentclass[10pt,a4paper]{article}
\usepackage[utf8]{inputenc}
\usepackage[margin=2cm]{geometry}
\usepackage{array}
\usepackage{graphicx}
\usepackage{longtable}
\usepackage{booktabs}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.5em}
\setlength{\tabcolsep}{4pt}
\setlength{\LTleft}{0pt}
\sloppy
)";

/// One byte of ASCII.
std::string ascii(char c) {
    switch (c) {
    case '\\':
        return "\\textbackslash{}";
    case '~':
        return "\\textasciitilde{}";
    case '^':
        return "\\textasciicircum{}";
    case '<':
        return "\\ensuremath{<}";
    case '>':
        return "\\ensuremath{>}";
    case '|':
        return "\\ensuremath{|}";
    case '_':
        return "\\_\\allowbreak{}";
    case '/':
        return "/\\allowbreak{}";
    case '[':  // behind the end of a row it would begin an argument, as the star would
    case '*':
        return {'{', c, '}'};
    case '#':
    case '$':
    case '%':
    case '&':
    case '{':
    case '}':
        return {'\\', c};
    default:
        return {static_cast<unsigned char>(c) < ' ' ? ' ' : c};
    }
}

/// A character beyond ASCII. The letters of Western European languages are in every font, but not these few.
std::string beyond_ascii(std::string_view bytes) {
    if (bytes == "µ")
        return "\\ensuremath{\\mu}";
    if (bytes == "×")
        return "\\ensuremath{\\times}";
    if (bytes == "±")
        return "\\ensuremath{\\pm}";
    constexpr unsigned char latin_letters = 0xC3;  // first byte of U+00C0 to U+00FF
    bool const letter = bytes.size() == 2 && static_cast<unsigned char>(bytes[0]) == latin_letters;
    bool const rare = bytes == "÷" || bytes == "Ð" || bytes == "Þ" || bytes == "ð" || bytes == "þ";
    return letter && !rare ? std::string{bytes} : "?";
}

/// Bytes of the character that begins so; 1 for a byte that begins none.
std::size_t bytes_of(unsigned char first) { return first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1; }

/// What a text in the size of tables takes, in points, roughly.
double width_of(std::string_view text) {
    double width = 0;
    for (char const c : text)
        width += c >= 'A' && c <= 'Z' ? 6.2 : 4.4;
    return width;
}

/// The widest text of each column.
std::vector<double> widths_of(Table const& table) {
    std::vector<double> widths;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        widths.push_back(width_of(table.columns[i]));
        for (auto const& row : table.rows)
            widths.back() = std::max(widths.back(), width_of(row[i].text));
    }
    return widths;
}

/// The width that no column may have more of, so that the table fits on the page: the wide ones share what the narrower
/// ones leave.
double widest_allowed(std::vector<double> widths) {
    constexpr double page = 480;  // points
    constexpr double gap = 8;     // between columns
    std::sort(widths.begin(), widths.end());
    double room = page - gap * static_cast<double>(widths.size());
    for (std::size_t i = 0; i < widths.size(); ++i) {
        double const share = room / static_cast<double>(widths.size() - i);
        if (widths[i] > share)
            return share;
        room -= widths[i];
    }
    return page;
}

std::string columns_text(Table const& table) {
    auto const widths = widths_of(table);
    double const allowed = widest_allowed(widths);
    std::string text;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        bool const number = is_numeric(table, i);
        if (widths[i] <= allowed)
            text += number ? "r" : "l";
        else
            text += fmt::format(">{{\\ragged{}\\arraybackslash}}p{{{:.1f}pt}}", number ? "left" : "right", allowed);
    }
    return text;
}

/// A table of many columns in parts that fit on a page, each with the first column.
std::vector<Table> parts_of(Table const& table) {
    constexpr std::size_t most = 9;
    std::vector<Table> parts;
    for (std::size_t begin = 1; begin < table.columns.size() || parts.empty(); begin += most) {
        auto const part_of = [&](auto const& cells) {
            auto part = cells;
            part.resize(1);
            for (std::size_t i = begin; i < std::min(begin + most, cells.size()); ++i)
                part.push_back(cells[i]);
            return part;
        };
        parts.push_back({.columns = part_of(table.columns)});
        for (auto const& row : table.rows)
            parts.back().rows.push_back(part_of(row));
    }
    return parts;
}

std::vector<std::string> texts_of(std::vector<page::Cell> const& cells) {
    std::vector<std::string> texts;
    for (page::Cell const& cell : cells)
        texts.push_back(cell.text);
    return texts;
}

std::string line_of(std::vector<std::string> const& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i)
        text += fmt::format("{}{}", i > 0 ? " & " : "", tex_escaped(cells[i]));
    return text += " \\\\\n";
}

struct Writer {
    std::string text{};

    void operator()(Heading const& heading) {
        text += fmt::format("\n\\{}section{{{}}}\n", heading.level > 1 ? "sub" : "", tex_escaped(heading.text));
    }

    void operator()(Paragraph const& paragraph) { text += fmt::format("\n{}\n", tex_escaped(paragraph.text)); }

    void operator()(List const& list) {
        for (auto const& item : list.items)
            (*this)(Paragraph{item});
    }

    void operator()(Table const& table) {
        if (!table.caption.empty())
            text += fmt::format("\n{{\\footnotesize\\textbf{{{}}}\\par}}\\nopagebreak\n", tex_escaped(table.caption));
        for (Table const& part : parts_of(table))
            write(part);
    }

    void write(Table const& table) {
        text += fmt::format("\n{{\\footnotesize\n\\begin{{longtable}}{{{}}}\n", columns_text(table));
        text += fmt::format("\\toprule\n{}\\midrule\n\\endhead\n", line_of(table.columns));
        for (auto const& row : table.rows)
            text += line_of(texts_of(row));
        text += "\\bottomrule\n\\end{longtable}\n}\n";
    }

    void operator()(Figure const& figure) {
        text += fmt::format("\n\\IfFileExists{{{0}.pdf}}{{\\begin{{center}}"
                            "\\includegraphics[width=0.85\\linewidth]{{{0}.pdf}}\\end{{center}}\n{1}}}{{%\n",
                            figure.plot.stem, caption_of(fmt::format("{} {}", figure.caption, figure.notes)));
        if (!figure.data.rows.empty()) {
            (*this)(figure.data);
            text += caption_of(figure.caption);
        }
        text += "}\n";
    }

    static std::string caption_of(std::string const& caption) {
        return fmt::format("\n{{\\small {}\\par}}\n", tex_escaped(caption));
    }
};

}  // namespace

std::string tex_escaped(std::string_view text) {
    std::string escaped;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t const bytes = std::min(bytes_of(static_cast<unsigned char>(text[i])), text.size() - i);
        escaped += static_cast<unsigned char>(text[i]) < 0x80 ? ascii(text[i]) : beyond_ascii(text.substr(i, bytes));
        i += bytes;
    }
    return escaped;
}

std::string tex_text(Document const& document) {
    Writer writer;
    for (Element const& element : document.elements)
        std::visit(writer, element);
    return fmt::format("{}\\title{{{}}}\n\\author{{}}\n\\date{{}}\n\\begin{{document}}\n\\maketitle\n"
                       "\\tableofcontents\n{}\n\\end{{document}}\n",
                       preamble, tex_escaped(document.title), writer.text);
}

}  // namespace skampi::report
