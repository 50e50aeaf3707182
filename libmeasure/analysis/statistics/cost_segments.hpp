// SPDX-License-Identifier: BSD-3-Clause
/// Segments: the best cuts of a row of points into lines. What fit_cost and fit_cost_over_ranks have in common.
#pragma once

#include "measure/cost_model.hpp"

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace measure::detail {

inline constexpr std::size_t least_points = 3;
/// What a point that is passed by costs: a departure of five standard deviations.
inline constexpr double outlier_cost = 25;

/// Points of a fit, ascending by size, each size once, with what they may scatter.
struct CostRow {
    std::vector<CostPoint> points{};
    std::vector<double> relative{};    ///< deviation that is expected of each, as a share of its time
    std::vector<double> deviations{};  ///< seconds: the weight of a point is 1 / deviation^2
    double resolution = 0;             ///< mean square of resolution / relative deviation: a scatter that is none
    double scatter = 0;                ///< relative, beyond the points' own errors
};

/// Sorts, joins equal sizes, leaves out what is no time, thins out. Deviations are set.
[[nodiscard]] CostRow make_row(std::span<CostPoint const> points, CostRule const& rule);

/// Variances of a line's parameters.
struct LineSpread {
    double alpha = 0;
    double beta = 0;
    double covariance = 0;
};

/// The line through some points, and which of them it passes by.
struct SegmentFit {
    CostLine line{};   ///< errors as if the deviations were true
    double slope = 0;  ///< without the condition that it is not below 0
    double slope_error = 0;
    LineSpread spread{};  ///< of `line`, by the departures; 0 for fewer than five points
    double cost = std::numeric_limits<double>::infinity();  ///< sum of squared departures, with outlier_cost for each
    std::vector<std::size_t> left_out{};                    ///< ascending, relative to the first point
};
/// Points first .. last - 1 of a row, at least two.
[[nodiscard]] SegmentFit fit_segment(CostRow const& row, std::size_t first, std::size_t last);

/// Costs of all segments [i, j) of n columns; infinite for those that are too short.
class SegmentCosts {
public:
    explicit SegmentCosts(std::size_t n) : n_{n}, costs_(n * (n + 1), std::numeric_limits<double>::infinity()) {}
    [[nodiscard]] std::size_t columns() const noexcept { return n_; }
    [[nodiscard]] double operator()(std::size_t i, std::size_t j) const { return costs_[i * (n_ + 1) + j]; }
    double& operator()(std::size_t i, std::size_t j) { return costs_[i * (n_ + 1) + j]; }

private:
    std::size_t n_;
    std::vector<double> costs_;
};

/// What decides about the number of pieces.
struct CutRule {
    double points = 0;      ///< that are fitted
    double lines = 1;       ///< in each piece: two parameters each
    double resolution = 0;  ///< CostRow::resolution
    double penalty = 1;     ///< CostRule::penalty
    std::size_t most_pieces = 1;
};
/// Begins of the pieces behind the first one: empty for one piece.
[[nodiscard]] std::vector<std::size_t> best_cuts(SegmentCosts const& costs, CutRule const& rule);

/// Costs of a row whose deviations are made smaller, where pieces of about five points scatter less than neighbours
/// made believe: breaks that lie close together, and single outliers, disturb these.
[[nodiscard]] SegmentCosts settle(CostRow& row, CostRule const& rule);

}  // namespace measure::detail
