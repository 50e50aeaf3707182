// SPDX-License-Identifier: BSD-3-Clause
/// Cost model: what an operation costs as a function of its size, in straight pieces alpha + beta m, with the sizes at
/// which it changes over from one piece to the next. Pure functions of measured times, local.
#pragma once

#include "measure/statistics.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// A measured time.
struct CostPoint {
    double bytes = 0;           ///< >= 0
    double seconds = 0;         ///< > 0
    double standard_error = 0;  ///< of `seconds`; 0 where it is not known
};

/// How a model is found.
struct CostRule {
    double resolution = 0.005;  ///< relative departures below this are none, however exact the times; > 0
    double confidence = 0.95;   ///< of all intervals, in (0, 1)
    /// How much one more piece must gain: breaks are accepted while n log(scatter) + q parameters log(n) falls, with
    /// three parameters for each further piece (its line, its break) and q = penalty (1.6 + 4 / n). A q of 1 is the
    /// BIC, which is too generous to breaks that were searched for; this one was found by simulation: of straight lines
    /// with noise, also with long tails or neighbours that depart together, about one in twenty is cut at any n.
    double penalty = 1;
    std::size_t most_pieces = 8;  ///< >= 1
};

/// alpha + beta m, with the errors of both by the scatter about it.
struct CostLine {
    double alpha = 0;        ///< seconds; below 0 where a line does not go through all sizes down to none
    double beta = 0;         ///< seconds per byte, >= 0
    double alpha_error = 0;  ///< standard error of alpha, seconds
    double beta_error = 0;   ///< standard error of beta, seconds per byte
    double covariance = 0;   ///< of alpha and beta
    [[nodiscard]] double at(double bytes) const noexcept { return alpha + beta * bytes; }  ///< seconds
    [[nodiscard]] double error_at(double bytes) const noexcept;                            ///< standard error of `at`
};

/// The sizes between two breaks.
struct CostPiece {
    double low = 0;             ///< smallest measured size
    double high = 0;            ///< largest measured size; where the model begins and ends, those that are no outliers
    CostLine line{};            ///< the time of the sizes low .. high
    Interval alpha_interval{};  ///< Student's
    Interval beta_interval{};   ///< its lower end is not below 0
    std::size_t points = 0;     ///< measured sizes, at least three where there are several pieces
    double relative_error = 0;  ///< root mean square of (time - line) / line, outliers left out
    double largest_error = 0;   ///< largest |time - line| / line, outliers left out
};

/// Where one piece ends and the next begins.
struct CostBreak {
    double low = 0;   ///< last size of the piece before
    double high = 0;  ///< first size of the piece behind: the change lies above `low` and not above `high`
    /// The same for all places at which the break is nearly as likely: it lies in (earliest, latest] with about the
    /// rule's confidence.
    double earliest = 0;
    double latest = 0;  ///< the other end
    /// Where the model changes over: the lines' crossing, if in (low, high], or sqrt(low high), or where the line
    /// behind has half its time at `high`, if that is larger.
    double at = 0;
    double ratio = 1;        ///< line behind / line before, at `at`
    double ratio_error = 0;  ///< its standard error
    /// The ratio differs from 1 by more than chance and resolution, and the lines do not cross where the break may lie.
    /// Otherwise it is a bend.
    bool jump = false;
};

/// Times as lines in pieces.
struct CostModel {
    std::vector<CostPiece> pieces{};    ///< ascending, at least one
    std::vector<CostBreak> breaks{};    ///< one less than pieces
    std::vector<CostPoint> outliers{};  ///< single sizes that the pieces pass by
    double confidence = 0.95;           ///< of the intervals, as the rule asked for
    double relative_error = 0;          ///< over all pieces
    double largest_error = 0;           ///< over all pieces
    std::size_t sizes = 0;              ///< that the model was made of

    [[nodiscard]] double low() const noexcept { return pieces.front().low; }   ///< smallest size, bytes
    [[nodiscard]] double high() const noexcept { return pieces.back().high; }  ///< largest size, bytes
    /// The piece for a size: the last one whose break lies below it. A size at a break belongs to the piece before.
    [[nodiscard]] std::size_t piece_of(double bytes) const noexcept;
    /// The model's time, seconds. Nothing outside low() .. high(): a line says nothing about protocols not seen.
    [[nodiscard]] std::optional<double> at(double bytes) const noexcept;
};

/// The model of some times. Lines are fitted by least squares of the relative departures, weighted by what the points
/// scatter beyond their own standard errors; the breaks are the best of all for their number (dynamic programming), and
/// their number is the one that CostRule::penalty asks for. A piece may have one point in five, no two neighbours, that
/// does not belong to it (at most eight), which costs as much as a departure of five times the scatter. Errors are by
/// the scatter of all pieces, or by a piece's own departures (of five points or more) where these are larger.
///
/// Several times of one size count as their mean. Of more than 200 sizes, 200 are used, evenly chosen.
/// \param points  in any order; those that are not finite, have a time <= 0 or a size < 0 are left out
/// \return nothing for fewer than three sizes; fewer than six always are one piece
[[nodiscard]] std::optional<CostModel> fit_cost(std::span<CostPoint const> points, CostRule const& rule = {});

/// A break at which going on with the piece on its other side would be quicker.
struct SwitchFault {
    std::size_t at = 0;      ///< number of the break
    bool too_early = false;  ///< true: the piece before would be quicker behind the break; false: the piece behind
                             ///< would have been quicker before it
    double low = 0;          ///< sizes for which the other piece would be quicker
    double high = 0;         ///< the last of them
    /// The lines do not cross up to there: the range ends where extrapolating ends, or is not surely quicker any more.
    bool open = false;
    double size = 0;          ///< measured size next to the break on its slow side
    double saving = 0;        ///< at that size: share of the time that the other piece would save, (0, 1)
    double saving_error = 0;  ///< its standard error
};

/// The breaks that look badly placed. Extrapolated is by a factor of four at most, and to smaller sizes only a line
/// whose alpha is not below 0.
/// \param least  savings below this are none, and those below twice their error
[[nodiscard]] std::vector<SwitchFault> switch_faults(CostModel const& model, double least = 0.05);

}  // namespace measure
#pragma GCC visibility pop
