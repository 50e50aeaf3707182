// SPDX-License-Identifier: BSD-3-Clause
#include "models/text.hpp"

#include "models/parts.hpp"
#include "models/roofline_plots.hpp"
#include "shared/plain_text.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace measure::tool {

namespace {

constexpr std::size_t rows_in_text = 4;
constexpr std::size_t rows_in_report = 12;
constexpr std::size_t curves_in_plot = 6;

void append_text(std::string& out, BenchmarkCost const& cost) {
    out += fmt::format("{}\n", printable(fmt::format("{} ({})", title_of(cost), cost.source)));
    if (!cost.quantity.empty())
        out += fmt::format("  times are {}\n", cost.quantity);
    for (auto const& ranks : cost.by_ranks) {
        out += fmt::format("  {}\n", headline_of(cost, ranks));
        if (cost.has_sizes)
            out += plain_rows(pieces_table(ranks), "  ");
        for (auto const& line : breaks_of(cost, ranks))
            out += fmt::format("    {}\n", line);
    }
    for (auto const& line : over_ranks_lines(cost))
        out += fmt::format("  {}\n", line);
    for (auto const& note : cost.notes)
        out += fmt::format("  note: {}\n", note);
    out += "\n";
}

std::string peak_words(Roofline const& roof) {
    std::vector<std::string> peaks;
    for (auto const& peak : roof.peaks) {
        auto const unit = measure::UnitText{measure::Quantity::flops, peak.rate};
        peaks.push_back(fmt::format("{} {} ({})", unit.text(peak.rate), unit.unit(), peak.of));
    }
    return fmt::format("The processor's roof is the highest measured rate: {}.", fmt::join(peaks, "; "));
}

constexpr char const* roofline_words =
    "flop/byte counts each operand once for each necessary read and write. 'memory gives' is the highest bandwidth of "
    "cachebench at that size (*: outside the measured range, so of the nearest measured size). A rate is "
    "bound by memory if the memory's roof is below the processor's roof. It is bound by neither if it is below half of "
    "its roof. If a rate is above its roof, the roof was measured too low: the machine was busy, or the loops of "
    "cachebench are slower than the routine.";

void add_benchmark(page::Section& section, BenchmarkCost const& cost, bool with_plot) {
    section.elements.push_back(page::Heading{2, title_of(cost), page::Fold::closed});
    section.elements.push_back(page::Paragraph{fmt::format("{}.", cost.source)});
    std::vector<std::string> lines;
    for (auto const& ranks : cost.by_ranks) {
        if (!cost.has_sizes) {
            lines.push_back(headline_of(cost, ranks));
            continue;
        }
        section.elements.push_back(page::Paragraph{headline_of(cost, ranks)});
        section.elements.push_back(pieces_table(ranks));
        if (auto breaks = breaks_of(cost, ranks); !breaks.empty())
            section.elements.push_back(page::List{std::move(breaks)});
    }
    for (auto& line : over_ranks_lines(cost))
        lines.push_back(std::move(line));
    lines.insert(lines.end(), cost.notes.begin(), cost.notes.end());
    if (!lines.empty())
        section.elements.push_back(page::List{std::move(lines)});
    if (with_plot)
        section.elements.push_back(page::Figure{.plot = cost_plot(cost, curves_in_plot),
                                                .caption = "marks: measured; lines: pieces of the model"});
}

/// The switch points that look badly placed, for the top of the section.
std::vector<std::string> all_faults(Models const& models) {
    std::vector<std::string> lines;
    for (auto const& cost : models.costs)
        for (auto const& ranks : cost.by_ranks)
            for (auto const& fault : ranks.faults)
                lines.push_back(fmt::format("{}, {} ranks: {}", title_of(cost), ranks.ranks, describe(ranks, fault)));
    return lines;
}

}  // namespace

std::string model_text(Models const& models) {
    std::string text;
    for (auto const& cost : models.costs)
        append_text(text, cost);
    for (auto const& parameters : models.loggp) {
        auto const table = loggp_table(parameters);
        text += fmt::format("{}\n{}\n", printable(table.caption), plain_rows(table, "  "));
    }
    if (models.roofline) {
        auto const table = roofline_table(*models.roofline, rows_in_text);
        text += fmt::format("{}\n{}", table.caption, plain_rows(table, "  "));
        text += fmt::format("  {}\n", printable(peak_words(*models.roofline)));
        for (auto const& note : models.roofline->notes)
            text += fmt::format("  note: {}\n", printable(note));
    }
    return text.empty() ? "Nothing to model: there are no times over sizes and no BLAS rates.\n" : text;
}

page::Section model_section(Models const& models, std::size_t most_plots) {
    page::Section section{.title = "Models", .elements = {}};
    if (models.costs.empty() && models.loggp.empty() && !models.roofline)
        return section;
    section.elements.push_back(page::Paragraph{
        "Times are fitted by pieces alpha + beta size that minimise relative deviations. The cause of a break is a "
        "guess from its shape. A switch point looks badly placed if another piece, extrapolated, would be faster; a "
        "program "
        "may have other reasons for it, such as memory."});
    if (auto faults = all_faults(models); !faults.empty())
        section.elements.push_back(page::List{std::move(faults)});
    std::size_t plots = 0;
    for (auto const& cost : models.costs) {
        bool const drawn = cost.has_sizes && !cost.by_ranks.empty() && plots < most_plots;
        plots += drawn ? 1 : 0;
        add_benchmark(section, cost, drawn);
    }
    for (auto const& parameters : models.loggp)
        section.elements.push_back(loggp_table(parameters));
    if (models.roofline) {
        section.elements.push_back(page::Heading{2, "BLAS against memory"});
        section.elements.push_back(page::Paragraph{fmt::format("{} {}", peak_words(*models.roofline), roofline_words)});
        section.elements.push_back(
            page::Figure{.plot = roofline_plot(*models.roofline), .caption = "lines: limits of memory and processor"});
        section.elements.push_back(page::Figure{.plot = bandwidth_plot(*models.roofline),
                                                .caption = "the bandwidth of a routine counts every operand of every "
                                                           "operation; if it exceeds the memory bandwidth, "
                                                           "operands come from registers and nearer caches"});
        section.elements.push_back(roofline_table(*models.roofline, rows_in_report));
        if (!models.roofline->notes.empty())
            section.elements.push_back(page::List{models.roofline->notes});
    }
    return section;
}

}  // namespace measure::tool
