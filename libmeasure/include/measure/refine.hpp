// SPDX-License-Identifier: BSD-3-Clause
/// Adaptive refinement of a varied coordinate: takes measured (x, t) pairs and returns the next x. Pure computation,
/// local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Accuracy and limits of a refinement (SKaMPI paper, section on adaptive refinement).
struct Refinement {
    double tolerance = 0.1;         ///< epsilon: stop when the largest segment error is below this; > 0
    std::size_t at_most = 100;      ///< maximum number of points, including the initial ones
    std::int64_t multiple_of = 1;   ///< new x are rounded to multiples of this, half up; >= 1
    std::int64_t min_distance = 1;  ///< minimum distance of a new x from its neighbours; >= 1
    bool logarithmic = true;        ///< split a segment from b to c at sqrt(b c); otherwise at (b + c) / 2
    /// Ignore differences below 2 max(E_b, E_c) as noise. E_b and E_c are the half widths of the intervals at the ends
    /// of the segment. This rule is not in the paper.
    bool noise_guard = true;
};

/// Reason for the end of a refinement.
enum class RefinementEnd {
    open,         ///< not ended: a further point was proposed
    accuracy,     ///< the largest error is below the tolerance
    limit,        ///< the maximum number of points is reached
    exhausted,    ///< all remaining segments are too narrow to split
    noise_guard,  ///< the largest error is below the tolerance only because differences within the noise are ignored
};
[[nodiscard]] std::string_view name(RefinementEnd end) noexcept;  ///< name of the enumerator

/// Stores the measured points and proposes the next one.
class Refiner {
public:
    /// \throws UsageError unless tolerance > 0, multiple_of >= 1, min_distance >= 1
    explicit Refiner(Refinement rule);

    /// Adds a measured point.
    /// \param x  >= 0, different from all earlier x
    /// \param t  measured time; if it is <= 0 or NaN (no valid sample), segments with the end x are never split
    /// \param half_width  half width E of the interval of t, 0 if unknown; infinite: do not refine next to x
    /// \throws UsageError for an x that is negative or was added before
    void add(std::int64_t x, double t, double half_width = 0);

    /// Next x to measure; empty when the refinement has ended (see `end`). Each x is proposed once. Add it before the
    /// next call.
    [[nodiscard]] std::optional<std::int64_t> next();

    [[nodiscard]] RefinementEnd end() const noexcept { return end_; }  ///< result of the last `next`
    /// Largest segment error at the last call of `next`; 0 if no segment remained.
    [[nodiscard]] double max_error() const noexcept { return max_error_; }
    /// Error by the paper's rule, which has no noise guard: the largest segment error of all added points. A segment
    /// that is too narrow to split is left out, unless its error is below the tolerance. 0 if no segment remains.
    [[nodiscard]] double paper_error() const;
    [[nodiscard]] std::size_t points() const noexcept { return points_.size(); }  ///< number of points added

    /// Segment error of points i and i + 1 in ascending order of x: min(|D1|/t_b, |D2|/t_c, (c - b)/b). D1 and D2 are
    /// the differences between the measured time and the linear extrapolation of the neighbouring segment. The minimum
    /// prevents a jump from attracting points into the smooth segments next to it. Terms without a neighbour are left
    /// out. 0 if b = 0 or a time is not > 0. \param i  < points() - 1
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

/// Initial points of a logarithmic range: low * factor^k < high, and high. They are rounded to `multiple_of` (half up),
/// clipped to [low, high], ascending and distinct. For low = 0, they are 0 and the points from max(1, multiple_of).
/// \throws UsageError unless 0 <= low <= high <= 2^53, factor > 1, 1 <= multiple_of <= 2^53
[[nodiscard]] std::vector<std::int64_t> geometric_points(std::int64_t low, std::int64_t high, double factor,
                                                         std::int64_t multiple_of = 1);
/// Initial points of a linear range: low + k * step < high, and high. They are rounded, clipped and distinct as for
/// `geometric_points`.
/// \throws UsageError unless 0 <= low <= high <= 2^53, 0 < step, 1 <= multiple_of <= 2^53
[[nodiscard]] std::vector<std::int64_t> linear_points(std::int64_t low, std::int64_t high, double step,
                                                      std::int64_t multiple_of = 1);

/// Removes points: keeps every j-th point, beginning with index 0, and the last one. j is the smallest number that
/// leaves at most `at_most` points. \return j; 1 if all are kept  \throws UsageError unless at_most >= 2, or >= 1 for
/// one point
std::size_t thin_out(std::vector<std::int64_t>& points, std::size_t at_most);

}  // namespace measure
#pragma GCC visibility pop
