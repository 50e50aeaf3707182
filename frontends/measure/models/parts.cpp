// SPDX-License-Identifier: BSD-3-Clause
#include "models/parts.hpp"

#include "page/columns.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace measure::tool {

namespace {

/// At least two significant digits, without an exponent for large values.
std::string short_text(double value) {
    return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.2g}", value);
}

std::string percent_text(double share) { return short_text(share * 100) + " %"; }

/// The metric prefix for a value: {1e-12, "p"}.
std::pair<double, std::string_view> prefix_of(double value) {
    static constexpr std::array<std::pair<double, std::string_view>, 9> prefixes{{{1e-15, "f"},
                                                                                  {1e-12, "p"},
                                                                                  {1e-9, "n"},
                                                                                  {1e-6, "u"},
                                                                                  {1e-3, "m"},
                                                                                  {1, ""},
                                                                                  {1e3, "k"},
                                                                                  {1e6, "M"},
                                                                                  {1e9, "G"}}};
    auto best = prefixes.front();
    for (auto const& p : prefixes)
        if (std::abs(value) >= p.first)
            best = p;
    return best;
}

/// "81.3 ps"
std::string with_prefix(double value, std::string_view unit) {
    auto const [scale, prefix] = prefix_of(value);
    return value == 0 ? fmt::format("0 {}", unit) : fmt::format("{:.3g} {}{}", value / scale, prefix, unit);
}

/// Value and error in the same unit.
std::string with_error(double value, double error, std::string_view unit) {
    if (value == 0)
        return fmt::format("0 {}", unit);
    auto const [scale, prefix] = prefix_of(value);
    return fmt::format("{:.3g} +- {} {}{}", value / scale, short_text(error / scale), prefix, unit);
}

/// The bandwidth 1 / beta; "-" if beta may be zero.
std::string rate_text(double beta, measure::Interval const& interval) {
    return interval.first > 0 ? measure::UnitText{measure::Quantity::bandwidth, 1 / beta}.text(1 / beta) + " " +
                                    std::string{measure::UnitText{measure::Quantity::bandwidth, 1 / beta}.unit()}
                              : "-";
}

std::string term_words(measure::RanksTerm const& term, std::string_view unit) {
    if (term.form == measure::RanksForm::constant)
        return with_error(term.c0, term.c0_error, unit);
    return fmt::format("({}) + ({}) {}", with_error(term.c0, term.c0_error, unit),
                       with_error(term.c1, term.c1_error, unit), measure::name(term.form));
}

}  // namespace

std::string title_of(BenchmarkCost const& cost) {
    return cost.label.empty() ? cost.benchmark : fmt::format("{}, {}", cost.benchmark, cost.label);
}

std::string headline_of(BenchmarkCost const& cost, RanksCost const& ranks) {
    auto const& m = ranks.model;
    if (!cost.has_sizes)
        return fmt::format("{} ranks: {}", ranks.ranks,
                           with_error(m.pieces.front().line.alpha, m.pieces.front().line.alpha_error, "s"));
    return fmt::format("{} ranks: {} sizes from {} to {}, {} piece{}, error {} (largest {})", ranks.ranks, m.sizes,
                       size_text(m.low()), size_text(m.high()), m.pieces.size(), m.pieces.size() == 1 ? "" : "s",
                       percent_text(m.relative_error), percent_text(m.largest_error));
}

page::Table pieces_table(RanksCost const& ranks) {
    using Piece = CostPiece;
    return page::table_of<Piece>(
        {.caption =
             fmt::format("Pieces with {} ranks: time = alpha + beta size; errors are standard errors", ranks.ranks)},
        ranks.model.pieces,
        {{"from", [](Piece const& p) { return size_text(p.low); }},
         {"to", [](Piece const& p) { return size_text(p.high); }},
         {"alpha", [](Piece const& p) { return with_error(p.line.alpha, p.line.alpha_error, "s"); }},
         {"beta", [](Piece const& p) { return with_error(p.line.beta, p.line.beta_error, "s/B"); }},
         {"1 / beta", [](Piece const& p) { return rate_text(p.line.beta, p.beta_interval); }},
         {"points", [](Piece const& p) { return std::to_string(p.points); }},
         {"error", [](Piece const& p) { return percent_text(p.relative_error); }},
         {"largest", [](Piece const& p) { return percent_text(p.largest_error); }}});
}

std::vector<std::string> breaks_of(BenchmarkCost const& cost, RanksCost const& ranks) {
    std::vector<std::string> lines;
    auto const& m = ranks.model;
    for (std::size_t k = 0; k < m.breaks.size(); ++k) {
        auto const& b = m.breaks[k];
        auto line = fmt::format("above {}, up to {}", size_text(b.low), size_text(b.high));
        if (b.earliest < b.low || b.latest > b.high)
            line += fmt::format(" (somewhere from {} to {})", size_text(b.earliest), size_text(b.latest));
        if (b.jump)
            line += fmt::format(": a jump by a factor of {:.3g} +- {}, ", b.ratio, short_text(b.ratio_error));
        else
            line += is_bend(m, k) ? ": a bend, " : ": a change, ";
        lines.push_back(line + reason_of(cost, ranks, k));
        for (auto const& fault : ranks.faults)
            if (fault.at == k)
                lines.push_back("badly placed: " + describe(ranks, fault));
    }
    for (auto const& p : m.outliers)
        lines.push_back(fmt::format("outlier: {} at {} belongs to no piece", measure::text(measure::seconds{p.seconds}),
                                    size_text(p.bytes)));
    return lines;
}

std::vector<std::string> over_ranks_lines(BenchmarkCost const& cost) {
    std::vector<std::string> lines;
    if (!cost.over_ranks)
        return lines;
    auto const& m = *cost.over_ranks;
    lines.push_back(fmt::format("over {} to {} ranks: error {} (largest {})", m.fewest, m.most,
                                percent_text(m.relative_error), percent_text(m.largest_error)));
    for (auto const& p : m.pieces) {
        auto const alpha = term_words(p.alpha, "s");
        if (cost.has_sizes)
            lines.push_back(fmt::format("{} to {}: alpha(p) = {}, beta(p) = {}", size_text(p.low), size_text(p.high),
                                        alpha, term_words(p.beta, "s/B")));
        else
            lines.push_back(fmt::format("t(p) = {}", alpha));
    }
    return lines;
}

page::Table loggp_table(LogGp const& parameters) {
    struct Parameter {
        char const* name;
        LogGpValue const& is;
        std::string_view unit;
    };
    return page::table_of<Parameter>(
        {.caption = fmt::format("LogGP parameters{}{}", parameters.label.empty() ? "" : " of ", parameters.label)},
        std::array{Parameter{"L, latency", parameters.latency, "s"}, Parameter{"o, overhead", parameters.overhead, "s"},
                   Parameter{"g, gap", parameters.gap, "s"},
                   Parameter{"G, gap per byte", parameters.gap_per_byte, "s/B"}},
        {{"parameter", [](Parameter const& p) { return p.name; }},
         {"value", [](Parameter const& p) { return p.is.value ? with_error(*p.is.value, p.is.error, p.unit) : "-"; }},
         {"from", [](Parameter const& p) { return p.is.from; }}});
}

page::Table roofline_table(Roofline const& roof, std::size_t most) {
    struct Row {
        RoofCurve const& curve;
        RoofPoint const& p;
        [[nodiscard]] std::string if_known(std::string text) const { return p.bandwidth > 0 ? text : "-"; }
    };
    std::vector<Row> rows;
    for (auto const& curve : roof.curves) {
        auto const n = curve.points.size();
        auto const shown = std::min(n, most);
        for (std::size_t i = 0; i < shown; ++i)
            rows.push_back({curve, curve.points[shown < 2 ? 0 : i * (n - 1) / (shown - 1)]});
    }
    return page::table_of<Row>(
        {.caption = "Rates under their roofs"}, rows,
        {{"routine", [](Row const& row) { return row.curve.label; }},
         {"size", [](Row const& row) { return size_text(row.p.bytes); }},
         {"n", [](Row const& row) { return fmt::format("{}", row.p.n); }},
         {"rate", [](Row const& row) { return with_prefix(row.p.rate, "flop/s"); }},
         {"flop/byte", [](Row const& row) { return fmt::format("{:.3g}", row.p.intensity); }},
         {"memory gives",
          [](Row const& row) { return row.if_known(with_prefix(row.p.bandwidth, row.p.beyond ? "B/s *" : "B/s")); }},
         {"bound by", [](Row const& row) { return row.if_known(std::string{bound_of(row.p)}); }},
         {"of the roof", [](Row const& row) { return row.if_known(percent_text(row.p.share)); }}});
}

page::Plot cost_plot(BenchmarkCost const& cost, std::size_t most_curves) {
    page::Plot plot{.stem = "model-" + cost.identifier,
                    .title = fmt::format("{}: measured points and model", title_of(cost)),
                    .x = {.label = "size", .log = true, .unit = page::Unit::bytes},
                    .y = {.label = "time", .log = true, .unit = page::Unit::seconds}};
    auto const n = cost.by_ranks.size();
    auto const curves = std::min(n, most_curves);
    for (std::size_t c = 0; c < curves; ++c) {
        auto const& ranks = cost.by_ranks[curves < 2 ? 0 : c * (n - 1) / (curves - 1)];
        page::Curve measured{.label = fmt::format("{} ranks", ranks.ranks), .shape = page::Shape::points, .style = c};
        for (auto const& p : ranks.points)
            measured.points.push_back({p.bytes, p.seconds});
        plot.curves.push_back(std::move(measured));
        auto const& m = ranks.model;
        for (std::size_t k = 0; k < m.pieces.size(); ++k) {
            page::Curve line{.shape = page::Shape::line, .style = c};
            double const low = std::max(1.0, k == 0 ? m.pieces[k].low : m.breaks[k - 1].at);
            double const high = k + 1 == m.pieces.size() ? m.pieces[k].high : m.breaks[k].at;
            constexpr int steps = 16;  // a line is curved between logarithmic axes
            for (int i = 0; i <= steps; ++i) {
                double const x = low * std::pow(high / low, i / double{steps});
                line.points.push_back({x, m.pieces[k].line.at(x)});
            }
            plot.curves.push_back(std::move(line));
        }
    }
    return plot;
}

}  // namespace measure::tool
