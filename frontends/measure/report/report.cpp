// SPDX-License-Identifier: BSD-3-Clause
#include "report/report.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace measure::tool {

namespace {

/// Takes the first figures out of a section: at most two, because they are shown side by side.
std::vector<page::Element> take_first_figures(page::Section& section) {
    constexpr std::ptrdiff_t most = 2;
    auto const is_figure = [](page::Element const& element) { return std::holds_alternative<page::Figure>(element); };
    auto const begin = std::find_if(section.elements.begin(), section.elements.end(), is_figure);
    auto const last = begin + std::min(most, section.elements.end() - begin);
    auto const end = std::find_if_not(begin, last, is_figure);
    std::vector<page::Element> figures(std::make_move_iterator(begin), std::make_move_iterator(end));
    if (!figures.empty()) {
        *begin = page::Paragraph{figures.size() > 1 ? "The plots are at the top of the page."
                                                    : "The plot is at the top of the page."};
        section.elements.erase(begin + 1, end);
    }
    return figures;
}

}  // namespace

page::Document report(std::span<Series const> series, ReportSettings const& settings, std::vector<page::Section> more) {
    page::Document document{.title = settings.title};
    document.elements.emplace_back(page::Paragraph{lead_text(series)});
    if (auto tiles = main_numbers(series); !tiles.tiles.empty())
        document.elements.emplace_back(std::move(tiles));
    auto results = results_section(series, settings);
    auto programs = programs_section(series, settings);
    auto headlines = headline_figures(series, settings);
    for (auto& figure : headlines)
        document.elements.emplace_back(std::move(figure));
    if (headlines.empty())
        for (auto& figure : take_first_figures(programs.elements.empty() ? results : programs))
            document.elements.emplace_back(std::move(figure));
    std::vector<page::Section> sections{warnings_section(series, settings.notices), summary_section(series),
                                        std::move(programs), std::move(results)};
    for (auto& section : more)
        sections.push_back(std::move(section));
    sections.push_back(ranks_section(series, settings));
    sections.push_back(clocks_section(series));
    sections.push_back(samples_section(series, settings));
    sections.push_back(environment_section(series));
    for (auto& section : sections)
        if (!section.elements.empty())
            document.add(std::move(section));
    return document;
}

std::string slug(std::string_view text) {
    constexpr std::size_t longest = 60;
    std::string result;
    for (char const c : text.substr(0, longest)) {
        bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (plain)
            result += c;
        else if (!result.empty() && result.back() != '-')
            result += '-';
    }
    return result;
}

std::size_t limit_curves(page::Plot& plot, std::size_t most) {
    std::size_t const all = plot.curves.size();
    if (all <= most)
        return all;
    std::vector<page::Curve> kept;
    for (std::size_t i = 0; i < most; ++i)
        kept.push_back(std::move(plot.curves[i * (all - 1) / (most - 1)]));
    plot.curves = std::move(kept);
    return all;
}

std::size_t thin_out(page::Plot& plot, std::size_t most) {
    std::size_t dropped = 0;
    for (auto& curve : plot.curves) {
        std::size_t const all = curve.points.size();
        if (all <= most)
            continue;
        std::vector<page::PlotPoint> kept;
        for (std::size_t i = 0; i < most; ++i)
            kept.push_back(curve.points[i * (all - 1) / (most - 1)]);
        curve.points = std::move(kept);
        dropped += all - most;
    }
    return dropped;
}

std::vector<page::Table> in_columns(page::Table const& table) {
    constexpr std::size_t most = 5;  // fits on a sheet of paper
    std::vector<page::Table> result;
    for (std::size_t begin = 1; begin < table.columns.size(); begin += most) {
        std::size_t const end = std::min(begin + most, table.columns.size());
        page::Table part{.caption = table.caption, .columns = {table.columns[0]}, .row_headings = table.row_headings};
        part.columns.insert(part.columns.end(), table.columns.begin() + static_cast<std::ptrdiff_t>(begin),
                            table.columns.begin() + static_cast<std::ptrdiff_t>(end));
        for (auto const& row : table.rows) {
            std::vector<page::Cell> cells{row[0]};
            cells.insert(cells.end(), row.begin() + static_cast<std::ptrdiff_t>(begin),
                         row.begin() + static_cast<std::ptrdiff_t>(end));
            if (std::any_of(cells.begin() + 1, cells.end(), [](page::Cell const& c) { return !c.text.empty(); }))
                part.rows.push_back(std::move(cells));
        }
        result.push_back(std::move(part));
    }
    return result;
}

}  // namespace measure::tool
