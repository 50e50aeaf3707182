// SPDX-License-Identifier: BSD-3-Clause
/// Segments: best partition of a row of points into lines. Used by fit_cost and fit_cost_over_ranks.
#pragma once

#include "measure/cost_model.hpp"

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace measure::detail {

inline constexpr std::size_t least_points = 3;
/// Cost of leaving out a point: a deviation of five standard deviations, squared.
inline constexpr double outlier_cost = 25;

/// Points of a fit with their expected scatter: ascending by size, one point per size.
struct CostRow {
    std::vector<CostPoint> points{};
    std::vector<double> relative{};    ///< expected deviation of each point, as a share of its time
    std::vector<double> deviations{};  ///< expected deviation in seconds; the weight of a point is 1 / deviation^2
    double resolution = 0;  ///< mean square of resolution / relative deviation: smaller scatter is not significant
    double scatter = 0;     ///< relative scatter beyond the points' own errors
};

/// Sorts the points, merges equal sizes, drops invalid times, thins out and sets the deviations.
[[nodiscard]] CostRow make_row(std::span<CostPoint const> points, CostRule const& rule);

/// Variances of a line's parameters.
struct LineSpread {
    double alpha = 0;
    double beta = 0;
    double covariance = 0;
};

/// The line through some points, and the points it leaves out as outliers.
struct SegmentFit {
    CostLine line{};   ///< its errors assume that the deviations are correct
    double slope = 0;  ///< slope without the constraint that it is >= 0
    double slope_error = 0;
    LineSpread spread{};  ///< variances of `line` from the deviations of its points; 0 for fewer than five points
    double cost =
        std::numeric_limits<double>::infinity();  ///< sum of squared deviations, plus outlier_cost per outlier
    std::vector<std::size_t> left_out{};  ///< indices of the points left out, ascending, relative to the first point
};
/// Fits points first .. last - 1 of a row, at least two.
[[nodiscard]] SegmentFit fit_segment(CostRow const& row, std::size_t first, std::size_t last);

/// Costs of all segments [i, j) of n columns; infinite for segments that are too short.
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

/// Parameters for choosing the number of pieces.
struct CutRule {
    double points = 0;      ///< number of points to fit
    double lines = 1;       ///< number of lines in each piece; each has two parameters
    double resolution = 0;  ///< CostRow::resolution
    double penalty = 1;     ///< CostRule::penalty
    std::size_t most_pieces = 1;
};
/// First columns of the pieces after the first one; empty for one piece.
[[nodiscard]] std::vector<std::size_t> best_cuts(SegmentCosts const& costs, CutRule const& rule);

/// Segment costs of a row after correcting its deviations. `local_scatter` is too large if breaks are close together or
/// single points are outliers. If fits of about five points scatter less, the deviations are reduced.
[[nodiscard]] SegmentCosts settle(CostRow& row, CostRule const& rule);

}  // namespace measure::detail
