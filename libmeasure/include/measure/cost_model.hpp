// SPDX-License-Identifier: BSD-3-Clause
/// Cost model: the duration of an operation as a function of its size m, in straight pieces alpha + beta m. The breaks
/// are the sizes at which one piece changes to the next. Pure functions of measured times, local.
#pragma once

#include "measure/statistics.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// A measured time at one size.
struct CostPoint {
    double bytes = 0;           ///< size in bytes, >= 0
    double seconds = 0;         ///< time, > 0
    double standard_error = 0;  ///< standard error of `seconds`; 0: unknown
};

/// Parameters of the fit.
struct CostRule {
    double resolution = 0.005;  ///< relative deviations below this are ignored, however exact the times are; > 0
    double confidence = 0.95;   ///< confidence level of all intervals, in (0, 1)
    /// Cost of a further piece. Breaks are accepted while n log(scatter) + q * parameters * log(n) decreases. Each
    /// further piece has three parameters (its line and its break), and q = penalty * (1.6 + 4 / n). q = 1 is the BIC,
    /// which accepts too many breaks if their positions were searched for. The default q was found by simulation: it
    /// divides about one in twenty noisy straight lines at any n, also with long tails or correlated neighbours.
    double penalty = 1;
    std::size_t most_pieces = 8;  ///< maximum number of pieces, >= 1
};

/// The line alpha + beta m, with standard errors from the scatter about it.
struct CostLine {
    double alpha = 0;        ///< seconds; may be negative if the line does not extend to size 0
    double beta = 0;         ///< seconds per byte, >= 0
    double alpha_error = 0;  ///< standard error of alpha, seconds
    double beta_error = 0;   ///< standard error of beta, seconds per byte
    double covariance = 0;   ///< covariance of alpha and beta, seconds^2 per byte
    [[nodiscard]] double at(double bytes) const noexcept { return alpha + beta * bytes; }  ///< seconds at a size
    [[nodiscard]] double error_at(double bytes) const noexcept;  ///< standard error of `at`, seconds
};

/// One piece: the sizes between two breaks.
struct CostPiece {
    double low = 0;             ///< smallest measured size, bytes; in the first piece, outliers do not count
    double high = 0;            ///< largest measured size, bytes; in the last piece, outliers do not count
    CostLine line{};            ///< time of the sizes low .. high
    Interval alpha_interval{};  ///< Student's interval of alpha, seconds
    Interval beta_interval{};   ///< Student's interval of beta, seconds per byte; its lower end is not below 0
    std::size_t points = 0;     ///< measured sizes; at least three if there are several pieces
    double relative_error = 0;  ///< root mean square of (time - line) / line, without outliers
    double largest_error = 0;   ///< largest |time - line| / line, without outliers
};

/// The change from one piece to the next.
struct CostBreak {
    double low = 0;   ///< last size of the previous piece, bytes
    double high = 0;  ///< first size of the next piece, bytes; the break is in (low, high]
    /// Lower end of the range in which the break is almost as likely, bytes. The break is in (earliest, latest] with
    /// about the confidence of the rule.
    double earliest = 0;
    double latest = 0;  ///< upper end of this range, bytes
    /// Size at which the model changes to the next line, bytes. If the lines cross in (low, high], it is the crossing.
    /// Otherwise, it is the middle of low and high (sqrt(low * high), or high / 2 if low is 0), or the size from which
    /// on the next line is at least half of its time at `high`, if this is larger.
    double at = 0;
    double ratio = 1;        ///< next line / previous line, at `at`
    double ratio_error = 0;  ///< standard error of `ratio`
    /// Whether the break is a jump: the ratio differs from 1 by more than chance and resolution, and the lines do not
    /// cross within the break's range. Otherwise it is a bend.
    bool jump = false;
};

/// A model of times as straight pieces.
struct CostModel {
    std::vector<CostPiece> pieces{};    ///< ascending, at least one
    std::vector<CostBreak> breaks{};    ///< one fewer than pieces
    std::vector<CostPoint> outliers{};  ///< single sizes that do not fit the pieces
    double confidence = 0.95;           ///< confidence level of the intervals, as in the rule
    double relative_error = 0;          ///< root mean square of the relative deviations over all pieces
    double largest_error = 0;           ///< largest relative deviation over all pieces
    std::size_t sizes = 0;              ///< number of sizes in the fit

    [[nodiscard]] double low() const noexcept { return pieces.front().low; }   ///< smallest size, bytes
    [[nodiscard]] double high() const noexcept { return pieces.back().high; }  ///< largest size, bytes
    /// Number of the piece for a size: the last piece whose break is below the size. A size at a break belongs to the
    /// previous piece.
    [[nodiscard]] std::size_t piece_of(double bytes) const noexcept;
    /// Time of the model, seconds. Empty outside low() .. high(), because protocols may change at other sizes.
    [[nodiscard]] std::optional<double> at(double bytes) const noexcept;
};

/// Fits a model to times. Lines minimise the squares of the relative deviations, weighted by the scatter that exceeds
/// the points' own standard errors. The positions of the breaks are optimal for their number (dynamic programming). The
/// number follows from CostRule::penalty.
///
/// A piece may have outliers: one point in five, at most eight, not two in succession. An outlier costs as much as a
/// deviation of five times the scatter. Errors follow from the scatter of all pieces, or from a piece's own deviations
/// (with five points or more) if these are larger.
///
/// Several times of one size are replaced by their mean. If there are more than 200 sizes, 200 evenly chosen ones are
/// used.
/// \param points  in any order; points that are not finite, have a time <= 0 or a size < 0 are ignored
/// \return empty for fewer than three sizes; a single piece for fewer than six
[[nodiscard]] std::optional<CostModel> fit_cost(std::span<CostPoint const> points, CostRule const& rule = {});

/// A break that looks misplaced: the neighbouring piece predicts a shorter time.
struct SwitchFault {
    std::size_t at = 0;  ///< index of the break
    /// true: the previous piece would be faster after the break; false: the next piece would be faster before the
    /// break.
    bool too_early = false;
    double low = 0;   ///< smallest size for which the other piece would be faster, bytes
    double high = 0;  ///< largest size for which the other piece would be faster, bytes
    /// Whether the lines do not cross within the range. The range then ends where extrapolation ends or the saving is
    /// not certain.
    bool open = false;
    double size = 0;          ///< measured size next to the break, on its slow side, bytes
    double saving = 0;        ///< share of the time at `size` that the other piece would save, (0, 1)
    double saving_error = 0;  ///< standard error of `saving`
};

/// Breaks that look misplaced. Lines are extrapolated by at most a factor of four, and to smaller sizes only if their
/// alpha is not below 0.
/// \param least  savings below this, and below twice their error, are ignored
[[nodiscard]] std::vector<SwitchFault> switch_faults(CostModel const& model, double least = 0.05);

}  // namespace measure
#pragma GCC visibility pop
