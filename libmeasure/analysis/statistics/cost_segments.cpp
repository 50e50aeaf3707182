// SPDX-License-Identifier: BSD-3-Clause
#include "statistics/cost_segments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

namespace measure::detail {

namespace {

constexpr std::size_t most_sizes = 200;
constexpr std::size_t most_left_out = 8;
constexpr std::size_t points_per_outlier = 5;
/// The median of |x| of a normal x is its standard deviation divided by this.
constexpr double normal_mad = 1.4826;

double square(double x) { return x * x; }

bool is_time(CostPoint const& p) {
    return std::isfinite(p.bytes) && std::isfinite(p.seconds) && p.bytes >= 0 && p.seconds > 0;
}

/// Merges points of equal size into their mean. Its error is at least their deviation from each other.
CostPoint joined(std::span<CostPoint const> same) {
    if (same.size() == 1)
        return same.front();
    std::vector<double> times;
    double squares = 0;
    for (auto const& p : same) {
        times.push_back(p.seconds);
        squares += square(p.standard_error);
    }
    auto const n = static_cast<double>(same.size());
    return {same.front().bytes, mean(times), std::max(std::sqrt(squares) / n, standard_error(times))};
}

std::vector<CostPoint> distinct(std::span<CostPoint const> points) {
    std::vector<CostPoint> all;
    std::copy_if(points.begin(), points.end(), std::back_inserter(all), is_time);
    for (auto& p : all)
        if (!(p.standard_error > 0) || !std::isfinite(p.standard_error))
            p.standard_error = 0;
    std::stable_sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.bytes < b.bytes; });
    std::vector<CostPoint> result;
    for (auto from = all.begin(); from != all.end();) {
        auto const to = std::find_if(from, all.end(), [&](auto const& p) { return p.bytes != from->bytes; });
        result.push_back(joined({from, to}));
        from = to;
    }
    return result;
}

std::vector<CostPoint> thinned(std::vector<CostPoint> points) {
    if (points.size() <= most_sizes)
        return points;
    std::vector<CostPoint> result;
    for (std::size_t i = 0; i < most_sizes; ++i)
        result.push_back(points[i * (points.size() - 1) / (most_sizes - 1)]);
    return result;
}

/// Median time of a point and its neighbours, so that an outlier far below does not get a large weight.
double typical(std::span<CostPoint const> points, std::size_t i) {
    if (i == 0 || i + 1 == points.size())
        return points[i].seconds;
    std::array near{points[i - 1].seconds, points[i].seconds, points[i + 1].seconds};
    std::sort(near.begin(), near.end());
    return near[1];
}

/// Relative scatter of the points about the lines through their neighbours. A break affects only two points, which
/// hardly changes the median.
double local_scatter(std::span<CostPoint const> points) {
    std::vector<double> departures;
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
        auto const& [a, b, c] = std::tie(points[i - 1], points[i], points[i + 1]);
        double const share = (c.bytes - b.bytes) / (c.bytes - a.bytes);
        double const left = share * a.seconds;
        double const right = (1 - share) * c.seconds;
        double const spread = std::sqrt(square(b.seconds) + square(left) + square(right));
        departures.push_back(std::abs(b.seconds - left - right) / spread);
    }
    return departures.empty() ? 0 : normal_mad * median(departures);
}

/// Weighted sums about running means, which avoids cancellation.
struct Sums {
    double w = 0;
    double x = 0;  ///< means
    double y = 0;
    double xx = 0;  ///< sums of squares about the means
    double xy = 0;
    double yy = 0;

    void add(double px, double py, double weight) {
        double const before = w;
        w += weight;
        double const dx = px - x;
        double const dy = py - y;
        double const share = weight * before / w;
        x += dx * weight / w;
        y += dy * weight / w;
        xx += dx * dx * share;
        xy += dx * dy * share;
        yy += dy * dy * share;
    }

    [[nodiscard]] double slope() const { return xx > 0 ? xy / xx : 0; }
    [[nodiscard]] bool falls() const { return !(xy > 0); }
    /// Sum of squared deviations from the best line that does not fall.
    [[nodiscard]] double rest() const { return std::max(0.0, falls() ? yy : yy - xy * slope()); }
    [[nodiscard]] double line_at(double px) const { return falls() ? y : y + slope() * (px - x); }
    /// Leverage of a point: the share of its deviation that the line follows.
    [[nodiscard]] double leverage(double px, double weight) const {
        return weight * (1 / w + (falls() || !(xx > 0) ? 0 : square(px - x) / xx));
    }
};

double weight_of(CostRow const& row, std::size_t i) { return 1 / square(row.deviations[i]); }

/// Sums of a segment without its outliers. Greedy: each step leaves out the point with the largest gain.
struct Cleaned {
    Sums sums{};
    std::vector<std::size_t> left_out{};
};

Sums sums_without(CostRow const& row, std::size_t first, std::size_t last, std::span<std::size_t const> left_out) {
    Sums sums;
    for (std::size_t i = first; i < last; ++i)
        if (std::find(left_out.begin(), left_out.end(), i) == left_out.end())
            sums.add(row.points[i].bytes, row.points[i].seconds, weight_of(row, i));
    return sums;
}

Cleaned cleaned(CostRow const& row, std::size_t first, std::size_t last, Sums const& all) {
    Cleaned result{all, {}};
    auto const allowed = std::min(most_left_out, (last - first) / points_per_outlier);
    while (result.left_out.size() < allowed && result.sums.rest() > outlier_cost) {
        double most = outlier_cost;
        std::size_t worst = last;
        for (std::size_t i = first; i < last; ++i) {
            // Adjacent outliers may be a separate piece, so at most one of them is left out.
            if (std::any_of(result.left_out.begin(), result.left_out.end(),
                            [&](std::size_t other) { return i <= other + 1 && other <= i + 1; }))
                continue;
            double const weight = weight_of(row, i);
            double const departure = row.points[i].seconds - result.sums.line_at(row.points[i].bytes);
            double const rest = 1 - result.sums.leverage(row.points[i].bytes, weight);
            double const gain = rest > 1e-9 ? weight * square(departure) / rest : 0;
            if (gain > most) {
                most = gain;
                worst = i;
            }
        }
        if (worst == last)
            break;
        result.left_out.push_back(worst);
        result.sums = sums_without(row, first, last, result.left_out);
    }
    return result;
}

/// Median of the points' own relative standard errors.
double known_error(CostRow const& row) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < row.points.size(); ++i)
        errors.push_back(row.points[i].standard_error / typical(row.points, i));
    return errors.empty() ? 0 : median(errors);
}

/// Sets the members that depend on the scatter. \param variance  relative, beyond the points' own errors
void set_scatter(CostRow& row, double variance, CostRule const& rule) {
    double const more = std::max(square(rule.resolution), variance);
    row.scatter = std::sqrt(more);
    row.relative.clear();
    row.deviations.clear();
    row.resolution = 0;
    for (std::size_t i = 0; i < row.points.size(); ++i) {
        double const time = typical(row.points, i);
        double const relative = std::sqrt(more + square(row.points[i].standard_error / time));
        row.relative.push_back(relative);
        row.deviations.push_back(relative * time);
        row.resolution += square(rule.resolution / relative) / static_cast<double>(row.points.size());
    }
}

/// Variances that also hold if some points of a segment scatter more than others. Computed from the deviations of the
/// points, each from the line without that point (jackknife).
LineSpread spread_of(CostRow const& row, std::size_t first, std::size_t last, Cleaned const& clean) {
    constexpr std::size_t fewest = 5;
    auto const& s = clean.sums;
    LineSpread spread;
    if (last - first - clean.left_out.size() < fewest || !(s.xx > 0))
        return spread;
    for (std::size_t i = first; i < last; ++i) {
        if (std::find(clean.left_out.begin(), clean.left_out.end(), i) != clean.left_out.end())
            continue;
        auto const& p = row.points[i];
        double const weight = weight_of(row, i);
        double const rest = std::max(1e-9, 1 - s.leverage(p.bytes, weight));
        double const departure = weight * (p.seconds - s.line_at(p.bytes)) / rest;
        double const beta = s.falls() ? 0 : departure * (p.bytes - s.x) / s.xx;
        double const alpha = departure / s.w - beta * s.x;
        spread.alpha += square(alpha);
        spread.beta += square(beta);
        spread.covariance += alpha * beta;
    }
    return spread;
}

double cost_of(Cleaned const& c) { return c.sums.rest() + outlier_cost * static_cast<double>(c.left_out.size()); }

}  // namespace

CostRow make_row(std::span<CostPoint const> points, CostRule const& rule) {
    CostRow row{.points = thinned(distinct(points))};
    double const own = square(local_scatter(row.points)) - square(known_error(row));
    set_scatter(row, std::max(own, 0.0), rule);
    return row;
}

SegmentFit fit_segment(CostRow const& row, std::size_t first, std::size_t last) {
    auto const clean = cleaned(row, first, last, sums_without(row, first, last, {}));
    auto const& s = clean.sums;
    SegmentFit fit{
        .line = {}, .slope = s.slope(), .slope_error = 0, .spread = {}, .cost = cost_of(clean), .left_out = {}};
    if (s.xx > 0)
        fit.slope_error = 1 / std::sqrt(s.xx);
    auto& line = fit.line;
    line.beta = s.falls() ? 0 : s.slope();
    line.alpha = s.y - line.beta * s.x;
    double const moves = s.falls() || !(s.xx > 0) ? 0 : 1 / s.xx;
    line.beta_error = std::sqrt(moves);
    line.alpha_error = std::sqrt(1 / s.w + square(s.x) * moves);
    line.covariance = -s.x * moves;
    fit.spread = spread_of(row, first, last, clean);
    for (auto const i : clean.left_out)
        fit.left_out.push_back(i - first);
    std::sort(fit.left_out.begin(), fit.left_out.end());
    return fit;
}

namespace {

constexpr double infinite_cost = std::numeric_limits<double>::infinity();

/// best[k][j]: cost of the first j columns in k + 1 pieces; from[k][j]: first column of the last of these pieces.
struct CutTable {
    std::vector<std::vector<double>> best{};
    std::vector<std::vector<std::size_t>> from{};
};

CutTable cut_table(SegmentCosts const& costs, std::size_t most) {
    auto const n = costs.columns();
    std::vector best(most, std::vector<double>(n + 1, infinite_cost));
    std::vector from(most, std::vector<std::size_t>(n + 1, 0));
    for (std::size_t j = 1; j <= n; ++j)
        best[0][j] = costs(0, j);
    for (std::size_t k = 1; k < most; ++k)
        for (std::size_t j = 1; j <= n; ++j)
            for (std::size_t i = 1; i < j; ++i)
                if (double const cost = best[k - 1][i] + costs(i, j); cost < best[k][j]) {
                    best[k][j] = cost;
                    from[k][j] = i;
                }
    return {std::move(best), std::move(from)};
}

SegmentCosts segment_costs(CostRow const& row) {
    auto const n = row.points.size();
    SegmentCosts costs{n};
    for (std::size_t i = 0; i < n; ++i) {
        Sums sums;
        for (std::size_t j = i + 1; j <= n; ++j) {
            sums.add(row.points[j - 1].bytes, row.points[j - 1].seconds, weight_of(row, j - 1));
            if (j - i >= least_points)
                costs(i, j) = cost_of(cleaned(row, i, j, sums));
        }
    }
    return costs;
}

}  // namespace

std::vector<std::size_t> best_cuts(SegmentCosts const& costs, CutRule const& rule) {
    auto const n = costs.columns();
    auto const most = std::max<std::size_t>(1, std::min(rule.most_pieces, n / least_points));
    auto const [best, from] = cut_table(costs, most);
    double const penalty = rule.penalty * (1.6 + 4 / static_cast<double>(n));
    std::size_t chosen = 0;
    double least = infinite_cost;
    for (std::size_t k = 0; k < most; ++k) {
        double const pieces = static_cast<double>(k) + 1;
        double const parameters = 2 * rule.lines * pieces + static_cast<double>(k);
        double const free = rule.points - parameters;
        if (best[k][n] == infinite_cost || (k > 0 && free < 1))
            continue;
        // Divided by the degrees of freedom; otherwise pieces of three points would follow any noise.
        double const scatter = best[k][n] / std::max(free, 1.0) + rule.resolution;
        double const score =
            rule.points * std::log(scatter) + penalty * parameters * std::log(std::max(rule.points, 2.0));
        if (score < least) {
            least = score;
            chosen = k;
        }
    }
    std::vector<std::size_t> cuts(chosen);
    for (std::size_t k = chosen, j = n; k > 0; --k)
        cuts[k - 1] = j = from[k][j];
    return cuts;
}

SegmentCosts settle(CostRow& row, CostRule const& rule) {
    constexpr std::size_t points_per_piece = 5;
    constexpr int most_passes = 4;
    constexpr double settled = 0.8;
    auto const n = row.points.size();
    auto const pieces = std::clamp<std::size_t>(n / points_per_piece, 1, rule.most_pieces);
    auto costs = segment_costs(row);
    double const free = static_cast<double>(n) - (3 * static_cast<double>(pieces) - 1);
    for (int pass = 0; pass < most_passes && free >= 2; ++pass) {
        double const variance = cut_table(costs, pieces).best.back()[n] / free;
        double const known = square(known_error(row));
        double const smaller = (square(row.scatter) + known) * variance - known;
        if (!(variance < settled) || row.scatter <= rule.resolution)
            break;
        set_scatter(row, std::max(smaller, 0.0), rule);
        costs = segment_costs(row);
    }
    return costs;
}

}  // namespace measure::detail
