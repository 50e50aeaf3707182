// SPDX-License-Identifier: BSD-3-Clause
#include "measure/cost_model.hpp"

#include "core/require.hpp"
#include "statistics/cost_segments.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace measure {

namespace {

using detail::CostRow;
using detail::SegmentFit;

constexpr double farthest = 4;  ///< a line is extrapolated by this factor at most

/// A piece under construction.
struct Part {
    std::size_t first = 0;
    std::size_t last = 0;
    SegmentFit fit{};
};

/// The line of a segment, refitted with weights from the line. Weights from the measured times would favour points that
/// came out too low.
SegmentFit refitted(CostRow row, std::size_t first, std::size_t last) {
    auto fit = detail::fit_segment(row, first, last);
    for (int pass = 0; pass < 2; ++pass) {
        for (std::size_t i = first; i < last; ++i)
            if (double const time = fit.line.at(row.points[i].bytes); time > 0)
                row.deviations[i] = time * row.relative[i];
        fit = detail::fit_segment(row, first, last);
    }
    return fit;
}

bool is_left_out(SegmentFit const& fit, std::size_t i) {
    return std::binary_search(fit.left_out.begin(), fit.left_out.end(), i);
}

/// Sum of squares, maximum and number of the relative deviations.
struct Departures {
    double squares = 0;
    double largest = 0;
    double used = 0;

    void add(double departure) {
        squares += departure * departure;
        largest = std::max(largest, std::abs(departure));
        used += 1;
    }
    [[nodiscard]] double root_mean() const { return used > 0 ? std::sqrt(squares / used) : 0; }
};

Departures departures(CostRow const& row, Part const& part) {
    Departures result;
    for (std::size_t i = part.first; i < part.last; ++i)
        if (!is_left_out(part.fit, i - part.first))
            result.add(row.points[i].seconds / part.fit.line.at(row.points[i].bytes) - 1);
    return result;
}

/// Scatter of the points about the lines, in units of the expected deviations, with its degrees of freedom.
struct Scatter {
    double deviation = 0;
    double degrees = 0;
};

Scatter scatter(std::vector<Part> const& parts) {
    double rest = 0;
    double degrees = 0;
    for (auto const& p : parts) {
        auto const left_out = static_cast<double>(p.fit.left_out.size());
        rest += std::max(0.0, p.fit.cost - detail::outlier_cost * left_out);
        degrees += static_cast<double>(p.last - p.first) - left_out - 2;
    }
    return {std::sqrt(rest / std::max(degrees, 1.0)), std::max(degrees, 1.0)};
}

Interval about(double value, double error, double quantile) {
    return {value - quantile * error, value + quantile * error};
}

/// Errors are based on the scatter of all pieces. If the points of one piece scatter more, its own deviations are used.
void enlarge(CostLine& line, detail::LineSpread const& spread) {
    auto const larger = [](double error, double variance) { return std::max(error, std::sqrt(variance)); };
    double const alpha = larger(line.alpha_error, spread.alpha);
    double const beta = larger(line.beta_error, spread.beta);
    double const own = std::sqrt(spread.alpha * spread.beta);
    double const pooled = line.alpha_error * line.beta_error;
    if (own > pooled)
        line.covariance = spread.covariance / own * alpha * beta;
    else if (pooled > 0)
        line.covariance *= alpha * beta / pooled;
    line.alpha_error = alpha;
    line.beta_error = beta;
}

CostPiece make_piece(CostRow const& row, Part const& part, Scatter const& s, double confidence) {
    auto const all = departures(row, part);
    CostPiece piece{.low = row.points[part.first].bytes,
                    .high = row.points[part.last - 1].bytes,
                    .line = part.fit.line,
                    .alpha_interval = {},
                    .beta_interval = {},
                    .points = part.last - part.first,
                    .relative_error = all.root_mean(),
                    .largest_error = all.largest};
    auto& line = piece.line;
    line.alpha_error *= s.deviation;
    line.beta_error *= s.deviation;
    line.covariance *= s.deviation * s.deviation;
    double const slope_error = std::max(part.fit.slope_error * s.deviation, std::sqrt(part.fit.spread.beta));
    enlarge(line, part.fit.spread);
    double const t = student_quantile(confidence, s.degrees);
    piece.alpha_interval = about(line.alpha, line.alpha_error, t);
    piece.beta_interval = about(part.fit.slope, slope_error, t);
    piece.beta_interval.first = std::max(0.0, piece.beta_interval.first);
    piece.beta_interval.second = std::max(0.0, piece.beta_interval.second);
    return piece;
}

/// The size at which the model changes to the next line, if the lines do not cross between the sizes. It is the middle,
/// or farther up if a steep line would approach zero at the middle.
double change_over(double low, double high, CostLine const& behind) {
    double const middle = low > 0 ? std::sqrt(low * high) : (low + high) / 2;
    double const least = behind.at(high) / 2;
    if (behind.at(middle) >= least || !(least > 0))
        return middle;
    return std::clamp((least - behind.alpha) / behind.beta, middle, high);
}

/// The crossing of two lines, if it is above `low` and at most `high`.
std::optional<double> crossing(CostLine const& a, CostLine const& b, double low, double high) {
    double const slopes = a.beta - b.beta;
    double const x = slopes != 0 ? (b.alpha - a.alpha) / slopes : low;
    return x > low && x <= high ? std::optional{x} : std::nullopt;
}

CostBreak make_break(CostPiece const& before, CostPiece const& behind, CostRule const& rule, double degrees) {
    CostBreak b{.low = before.high, .high = behind.low, .earliest = before.high, .latest = behind.low};
    b.at = crossing(before.line, behind.line, b.low, b.high).value_or(change_over(b.low, b.high, behind.line));
    double const left = before.line.at(b.at);
    double const right = behind.line.at(b.at);
    b.ratio = right / left;
    b.ratio_error =
        std::abs(b.ratio) * std::hypot(before.line.error_at(b.at) / left, behind.line.error_at(b.at) / right);
    b.jump = std::abs(b.ratio - 1) >
             std::max(student_quantile(rule.confidence, degrees) * b.ratio_error, 2 * rule.resolution);
    return b;
}

/// Range of cuts between two pieces that are nearly as good as the best one: their additional cost, in units of the
/// variance, is at most the quantile of the likelihood ratio for the place of a jump (Hansen 2000).
void set_places(CostBreak& b, CostRow const& row, detail::SegmentCosts const& costs, Part const& before,
                Part const& behind, double allowed) {
    double const best = costs(before.first, before.last) + costs(behind.first, behind.last);
    for (std::size_t cut = before.first + detail::least_points; cut + detail::least_points <= behind.last; ++cut)
        if (costs(before.first, cut) + costs(cut, behind.last) <= best + allowed) {
            b.earliest = std::min(b.earliest, row.points[cut - 1].bytes);
            b.latest = std::max(b.latest, row.points[cut].bytes);
        }
}

std::vector<Part> make_parts(CostRow const& row, std::vector<std::size_t> const& cuts) {
    std::vector<Part> parts;
    for (std::size_t k = 0; k <= cuts.size(); ++k) {
        auto const first = k == 0 ? 0 : cuts[k - 1];
        auto const last = k == cuts.size() ? row.points.size() : cuts[k];
        parts.push_back({first, last, refitted(row, first, last)});
    }
    return parts;
}

/// First or last size that belongs to a piece. Outliers at the end are skipped: they may belong to another piece.
double end_of(CostRow const& row, Part const& part, bool first) {
    std::size_t i = first ? part.first : part.last - 1;
    while (is_left_out(part.fit, i - part.first))
        i = first ? i + 1 : i - 1;
    return row.points[i].bytes;
}

CostModel assemble(CostRow const& row, detail::SegmentCosts const& costs, std::vector<Part> const& parts,
                   CostRule const& rule) {
    CostModel model{.pieces = {}, .breaks = {}, .outliers = {}, .confidence = rule.confidence};
    model.sizes = row.points.size();
    auto const s = scatter(parts);
    Departures all;
    for (auto const& part : parts) {
        model.pieces.push_back(make_piece(row, part, s, rule.confidence));
        auto const own = departures(row, part);
        all = {all.squares + own.squares, std::max(all.largest, own.largest), all.used + own.used};
        for (auto const i : part.fit.left_out)
            model.outliers.push_back(row.points[part.first + i]);
    }
    model.pieces.front().low = end_of(row, parts.front(), true);
    model.pieces.back().high = end_of(row, parts.back(), false);
    model.relative_error = all.root_mean();
    model.largest_error = all.largest;
    double const variance = std::max(s.deviation * s.deviation, row.resolution);
    double const allowed = -2 * std::log(1 - std::sqrt(rule.confidence)) * variance;
    for (std::size_t k = 0; k + 1 < parts.size(); ++k) {
        model.breaks.push_back(make_break(model.pieces[k], model.pieces[k + 1], rule, s.degrees));
        auto& b = model.breaks.back();
        set_places(b, row, costs, parts[k], parts[k + 1], allowed);
        // The lines may cross within the range of the break, so a jump is not certain.
        if (crossing(model.pieces[k].line, model.pieces[k + 1].line, b.earliest, b.latest))
            b.jump = false;
    }
    return model;
}

/// Relative saving of `other` over `used` at a size, with its error.
std::pair<double, double> saving_at(double bytes, CostLine const& used, CostLine const& other) {
    double const slow = used.at(bytes);
    double const quick = other.at(bytes);
    return {1 - quick / slow,
            std::abs(quick / slow) * std::hypot(used.error_at(bytes) / slow, other.error_at(bytes) / quick)};
}

/// Farthest size from the fault towards `end` at which the other piece is faster by more than twice the error.
double sure_end(SwitchFault const& fault, double end, CostLine const& used, CostLine const& other) {
    auto const is_sure = [&](double bytes) {
        auto const [saving, error] = saving_at(bytes, used, other);
        return saving >= 2 * error;
    };
    if (is_sure(end) || !is_sure(fault.size))
        return end;
    double good = fault.size;
    for (int step = 0; step < 40; ++step) {
        double const middle = (good + end) / 2;
        (is_sure(middle) ? good : end) = middle;
    }
    return good;
}

SwitchFault look_at(CostModel const& model, std::size_t k) {
    auto const& before = model.pieces[k];
    auto const& behind = model.pieces[k + 1];
    SwitchFault fault{.at = k, .too_early = model.breaks[k].ratio > 1};
    fault.low = fault.high = model.breaks[k].at;
    if (fault.too_early) {
        fault.size = behind.low;
        std::tie(fault.saving, fault.saving_error) = saving_at(fault.size, behind.line, before.line);
        double const end = std::min(behind.high, farthest * fault.size);
        auto const x = crossing(before.line, behind.line, fault.size, end);
        fault.open = !x;
        fault.high = x ? *x : sure_end(fault, end, behind.line, before.line);
    } else {
        fault.size = before.high;
        std::tie(fault.saving, fault.saving_error) = saving_at(fault.size, before.line, behind.line);
        double const end = std::max(before.low, fault.size / farthest);
        auto const x = crossing(before.line, behind.line, end, fault.size);
        fault.open = !x;
        fault.low = x ? *x : sure_end(fault, end, before.line, behind.line);
    }
    return fault;
}

}  // namespace

double CostLine::error_at(double bytes) const noexcept {
    double const variance =
        alpha_error * alpha_error + 2 * bytes * covariance + bytes * bytes * beta_error * beta_error;
    return std::sqrt(std::max(0.0, variance));
}

std::size_t CostModel::piece_of(double bytes) const noexcept {
    return static_cast<std::size_t>(
        std::count_if(breaks.begin(), breaks.end(), [&](CostBreak const& b) { return b.at < bytes; }));
}

std::optional<double> CostModel::at(double bytes) const noexcept {
    if (!(bytes >= low() && bytes <= high()))
        return std::nullopt;
    return pieces[piece_of(bytes)].line.at(bytes);
}

std::optional<CostModel> fit_cost(std::span<CostPoint const> points, CostRule const& rule) {
    require(rule.resolution > 0, "cost model: the resolution must be above 0");
    require(rule.confidence > 0 && rule.confidence < 1, "cost model: the confidence must be in (0, 1)");
    require(rule.most_pieces >= 1, "cost model: at least one piece is needed");
    auto row = detail::make_row(points, rule);
    if (row.points.size() < detail::least_points)
        return std::nullopt;
    auto const costs = detail::settle(row, rule);
    auto const cuts = detail::best_cuts(costs, {.points = static_cast<double>(row.points.size()),
                                                .lines = 1,
                                                .resolution = row.resolution,
                                                .penalty = rule.penalty,
                                                .most_pieces = rule.most_pieces});
    return assemble(row, costs, make_parts(row, cuts), rule);
}

std::vector<SwitchFault> switch_faults(CostModel const& model, double least) {
    std::vector<SwitchFault> faults;
    for (std::size_t k = 0; k < model.breaks.size(); ++k) {
        auto const fault = look_at(model, k);
        // A line that extrapolates to negative times below its piece cannot predict smaller sizes.
        bool const has_sense = fault.too_early || model.pieces[k + 1].line.alpha >= 0;
        if (has_sense && model.breaks[k].jump && fault.saving >= least && fault.saving >= 2 * fault.saving_error)
            faults.push_back(fault);
    }
    return faults;
}

}  // namespace measure
