// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/page.hpp"

#include "pairs/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace measure::tool::pairs {

namespace {

/// Maximum cells of a map in each dimension. Four such maps with a tooltip per cell keep the page below 5 MB.
constexpr int most_cells = 80;

/// Deviation at either end of the colour scale, as a share.
constexpr double end_of_scale = 0.5;

/// Confirmed findings, or the suspects of a comparison, which are not shown as warnings.
page::List findings_of(Result const& result) {
    page::List list{.warning = !result.is_comparison};
    for (auto const& pair : result.unanswered)
        list.items.push_back(no_answer_text(result, pair));
    for (auto const& wrong : result.wrong)
        list.items.push_back(sentence(result, wrong));
    for (auto const& finding : result.verdict.findings)
        if (finding.confirmed)
            list.items.push_back(sentence(result, finding) + "; " + evidence_text(finding));
        else if (result.is_comparison)
            list.items.push_back("suspect: " + sentence(result, finding));
    return list;
}

/// Whether `one` replaces `other` in a cell that several pairs share. The cell shows a marked pair, otherwise the
/// slowest pair, and the first of equal pairs. If none was measured, it shows the last pair.
bool is_worse(page::Shade const& one, page::Shade const& other) {
    if (one.marked != other.marked)
        return one.marked;
    return !other.value || (one.value && *one.value > *other.value);
}

/// Values shown for an ordered pair.
struct Look {
    double above = not_measured;  ///< logarithm of its time over the expected time
    double time = not_measured;
};

/// \param number  index in `judged`  \param with_nodes  whether to mark the pairs of a node that is a finding
/// \param look  f(row, i, j): a Look
template <class LookAt>
page::HeatMap map_of(Result const& result, std::size_t number, RowOf const& rows, std::string caption, bool with_nodes,
                     LookAt look) {
    auto const quantity = result.judged[number].quantity;
    int const n = static_cast<int>(result.nodes.size());
    int const together = (n + most_cells - 1) / most_cells;
    int const cells = (n + together - 1) / together;
    page::HeatMap map{.caption = std::move(caption),
                      .low = fmt::format("{:.0f} % faster", 100 * end_of_scale),
                      .high = fmt::format("{:.0f} % slower, or more", 100 * end_of_scale)};
    for (int cell = 0; cell < cells; ++cell) {
        int const last = std::min(n, (cell + 1) * together) - 1;
        map.names.push_back(together == 1 ? result.name_of(cell)
                                          : result.name_of(cell * together) + " .. " + result.name_of(last));
    }
    map.cells.assign(index(cells), std::vector<page::Shade>(index(cells)));
    // The pair that each cell shows. Tooltips are made for these pairs only.
    struct Shown {
        Pair pair{-1, -1};
        double time = not_measured;
        std::size_t count = 0;
    };
    std::vector shown(index(cells), std::vector<Shown>(index(cells)));
    for (int i = 0; i < n; ++i) {
        auto const row = rows({0, quantity}, i);
        for (int j = 0; j < n; ++j) {
            if (i == j)
                continue;
            Look const seen = look(row, i, j);
            page::Shade shade;
            if (!std::isnan(seen.above)) {
                shade.value = seen.above / std::log1p(end_of_scale);
                shade.marked = is_marked(result, number, i, j, with_nodes);
            }
            auto& cell = map.cells[index(i / together)][index(j / together)];
            if (!is_worse(shade, cell))
                continue;
            cell = shade;
            shown[index(i / together)][index(j / together)] = {
                {i, j}, seen.time, count_of(row.values[index(j)], quantity)};
        }
    }
    for (std::size_t a = 0; a < shown.size(); ++a)
        for (std::size_t b = 0; b < shown.size(); ++b) {
            auto const& [pair, time, count] = shown[a][b];
            if (pair.first < 0)
                continue;
            auto const link = result.link_name(pair.first, pair.second);
            auto& cell = map.cells[a][b];
            cell.words = cell.value
                             ? fmt::format("{}: {}, {} times, {}", link, time_text(quantity, time), count,
                                           name(static_cast<PairClass>(result.pair_class(pair.first, pair.second))))
                             : fmt::format("{}: not measured", link);
        }
    return map;
}

page::Section section_of(Result const& result, std::size_t number, RowOf const& rows) {
    auto const& judged = result.judged[number];
    auto const quantity = judged.quantity;
    page::Section section{.title = quantity == Metric::latency ? "Latency" : "Bandwidth"};
    if (auto const reach = reach_text(result, judged); !reach.empty())
        section.elements.emplace_back(page::Paragraph{reach + "."});
    section.elements.emplace_back(levels_table(judged));
    section.elements.emplace_back(
        map_of(result, number, rows,
               fmt::format("{} of each pair relative to {}{}", name(quantity), like_text(judged),
                           quantity == Metric::bandwidth ? ": rows send, columns receive" : ""),
               true, [&](ShownRow const& row, int i, int j) {
                   double const time = one_way(row.values[index(j)], quantity, i, j);
                   double const referred = row.reference.empty() ? 0 : row.reference[index(j)];
                   return Look{std::log(time) - referred - judged.fit.levels[index(result.pair_class(i, j))], time};
               }));
    if (result.untested.empty())
        section.elements.emplace_back(
            map_of(result, number, rows,
                   fmt::format("{}: residuals, after subtracting the effects of both nodes", name(quantity)), false,
                   [&](ShownRow const& row, int, int j) {
                       return Look{row.residuals[index(j)], time_of(row.values[index(j)], quantity)};
                   }));
    if (result.untested.empty()) {
        page::Table effects{.caption = "Nodes relative to the median node",
                            .columns = {"node", "rank", "host", "slower by %"},
                            .row_headings = true};
        std::vector<int> order(result.nodes.size());
        for (std::size_t k = 0; k < order.size(); ++k)
            order[k] = static_cast<int>(k);
        std::stable_sort(order.begin(), order.end(),
                         [&](int a, int b) { return judged.fit.effects[index(a)] > judged.fit.effects[index(b)]; });
        for (int const i : order)
            effects.rows.push_back(
                {result.name_of(i), std::to_string(result.nodes[index(i)].rank), result.nodes[index(i)].place.host,
                 fmt::format("{:.1f}", std::round(1000 * std::expm1(judged.fit.effects[index(i)])) / 10 + 0.0)});
        section.elements.emplace_back(std::move(effects));
    }
    return section;
}

}  // namespace

page::Document page_of(Result const& result, RowOf const& rows) {
    page::Document document{.title = "Pairs"};
    auto findings = findings_of(result);
    if (!findings.items.empty())
        document.elements.emplace_back(std::move(findings));
    if (auto notes = notes_of(result); !notes.empty())
        document.elements.emplace_back(page::List{.items = std::move(notes)});
    document.elements.emplace_back(page::Paragraph{outcome_text(result)});
    document.elements.emplace_back(page::Paragraph{result.where});
    for (std::size_t number = 0; number < result.judged.size(); ++number)
        if (result.judged[number].quantity != Metric::direction)
            document.add(section_of(result, number, rows));
    return document;
}

}  // namespace measure::tool::pairs
