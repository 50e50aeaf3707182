// SPDX-License-Identifier: BSD-3-Clause
#include "report/report.hpp"
#include "shared/summaries.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace measure::tool {

std::vector<page::Figure> headline_figures(std::span<Series const> series, ReportSettings const& settings) {
    std::vector<page::Figure> figures;
    for (auto& [plot, of, differing] : headline_plots(series)) {
        std::vector<std::string> notes;
        if (!differing.empty())
            notes.push_back(fmt::format("Curves join runs that differ in {}.", fmt::join(differing, ", ")));
        std::size_t const all = limit_curves(plot, settings.most_curves);
        if (all > plot.curves.size())
            notes.push_back(fmt::format("{} of {} curves are drawn, chosen evenly; the table has all numbers.",
                                        plot.curves.size(), all));
        plot.stem = slug(fmt::format("headline-{}", plot.title));
        auto caption = fmt::format("{}: the summary {} of each run. It has no error.", plot.title, of);
        figures.push_back({.plot = std::move(plot),
                           .caption = std::move(caption),
                           .notes = fmt::format("{}", fmt::join(notes, " "))});
    }
    return figures;
}

}  // namespace measure::tool
