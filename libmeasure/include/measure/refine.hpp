// SPDX-License-Identifier: BSD-3-Clause
/// Adaptive refinement of a varied parameter: measured (x, t) pairs in, next x out. A pure engine; local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// How far and how finely to refine (SKaMPI paper, section on adaptive refinement).
struct Refinement {
    double tolerance = 0.1;         ///< epsilon: stop when the largest segment error is below; > 0
    std::size_t at_most = 100;      ///< largest number of points, the initial ones included
    std::int64_t multiple_of = 1;   ///< new x are rounded to multiples of this, half up; >= 1
    std::int64_t min_distance = 1;  ///< a new x keeps this distance from its neighbours; >= 1
    bool logarithmic = true;        ///< midpoint sqrt(b c); otherwise (b + c) / 2
    /// A difference below 2 max(E_b, E_c) is noise and is not refined. The paper has no such rule.
    bool noise_guard = true;
};

/// Why a refinement ended.
enum class RefinementEnd {
    open,         ///< a next point was given
    accuracy,     ///< the largest error is below the tolerance
    limit,        ///< the number of points is used up
    exhausted,    ///< everything left is too narrow to split
    noise_guard,  ///< the largest error is below the tolerance only because differences within the noise count as 0
};
[[nodiscard]] std::string_view name(RefinementEnd end) noexcept;  ///< as the enumerator reads

/// The points measured so far, and which one to measure next.
class Refiner {
public:
    /// \throws UsageError unless tolerance > 0, multiple_of >= 1, min_distance >= 1
    explicit Refiner(Refinement rule);

    /// A measured point.
    /// \param x  distinct, >= 0
    /// \param t  a segment with a t <= 0 or NaN (no valid sample) at an end is never split
    /// \param half_width  half width E of the interval of t, 0 if unknown; infinite: nothing beside t is refined
    /// \throws UsageError
    void add(std::int64_t x, double t, double half_width = 0);

    /// The next x to measure, or nothing when done (see `end`). Every x is given once and must be added before the
    /// next call.
    [[nodiscard]] std::optional<std::int64_t> next();

    [[nodiscard]] RefinementEnd end() const noexcept { return end_; }  ///< what `next` said last
    /// The largest segment error when `next` last decided; 0 where no segment was left.
    [[nodiscard]] double max_error() const noexcept { return max_error_; }
    /// The error by which the paper's rule, which has no noise guard, decides about the points that are there: the
    /// largest segment error, of segments that can be split where it is not below the tolerance. 0 where no segment is
    /// left.
    [[nodiscard]] double paper_error() const;
    [[nodiscard]] std::size_t points() const noexcept { return points_.size(); }  ///< how many were added

    /// Segment error of points i and i + 1 in ascending order of x: min(|D1|/t_b, |D2|/t_c, (c - b)/b), where D1 and
    /// D2 are the differences between the measured time and the linear extrapolation of the neighbouring segment. The
    /// minimum, so that a jump does not draw points into the smooth segments beside it. A term whose neighbour is
    /// missing is left out. 0 where b = 0 or a time is not > 0. \param i  < points() - 1
    [[nodiscard]] double segment_error(std::size_t i) const { return segment_error(i, rule_.noise_guard); }

private:
    struct Measured {
        std::int64_t x;
        double t;
        double half_width;
        bool dropped = false;  ///< the segment that begins here is too narrow, until one of its ends changes
    };
    [[nodiscard]] double segment_error(std::size_t i, bool guarded) const;
    [[nodiscard]] std::optional<std::size_t> worst_segment() const;
    [[nodiscard]] std::optional<std::int64_t> midpoint(std::size_t i) const;
    [[nodiscard]] static double relative_difference(Measured const& at, Measured const& p, Measured const& q,
                                                    double noise);

    Refinement rule_;
    std::vector<Measured> points_;  // ascending x
    RefinementEnd end_ = RefinementEnd::open;
    double max_error_ = 0;
};

/// Initial points of a logarithmic range: low * factor^k < high, and high; rounded to `multiple_of` (half up), clipped
/// to [low, high], ascending, distinct. low = 0: 0, then from max(1, multiple_of).
/// \throws UsageError unless 0 <= low <= high <= 2^53, factor > 1, 1 <= multiple_of <= 2^53
[[nodiscard]] std::vector<std::int64_t> geometric_points(std::int64_t low, std::int64_t high, double factor,
                                                         std::int64_t multiple_of = 1);
/// Initial points of a linear range: low + k * step < high, and high; rounded, clipped and distinct as above.
/// \throws UsageError unless 0 <= low <= high <= 2^53, 0 < step, 1 <= multiple_of <= 2^53
[[nodiscard]] std::vector<std::int64_t> linear_points(std::int64_t low, std::int64_t high, double step,
                                                      std::int64_t multiple_of = 1);

/// Thins points out: keeps those of index 0, j, 2 j, .. and the last one, with the smallest j for which at most
/// `at_most` remain. \return j, 1 where all are kept  \throws UsageError unless at_most >= 2, or >= 1 for one point
std::size_t thin_out(std::vector<std::int64_t>& points, std::size_t at_most);

}  // namespace measure
#pragma GCC visibility pop
