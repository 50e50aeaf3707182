// SPDX-License-Identifier: BSD-3-Clause
#include "measure/refine.hpp"

#include "core/require.hpp"
#include "measure/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace measure {

namespace {

/// A double represents every integer up to this value.
constexpr std::int64_t largest_exact = std::int64_t{1} << 53;

/// Rounds halves up.
std::int64_t round_to_multiple(double x, std::int64_t multiple) {
    return static_cast<std::int64_t>(std::floor(x / static_cast<double>(multiple) + 0.5)) * multiple;
}

/// Collects ascending values: rounds and clips them, drops duplicates.
class Range {
public:
    Range(std::int64_t low, std::int64_t high, std::int64_t multiple_of)
        : low_{low}, high_{high}, multiple_of_{multiple_of} {
        require(low >= 0 && low <= high && high <= largest_exact, "range: needs 0 <= low <= high <= 2^53");
        require(multiple_of >= 1 && multiple_of <= largest_exact, "range: multiple_of must be in 1 .. 2^53");
    }

    void add(double x) {
        auto const value = std::clamp(round_to_multiple(x, multiple_of_), low_, high_);
        if (values_.empty() || values_.back() < value)
            values_.push_back(value);
    }

    [[nodiscard]] std::vector<std::int64_t> take() { return std::move(values_); }

private:
    std::int64_t low_;
    std::int64_t high_;
    std::int64_t multiple_of_;
    std::vector<std::int64_t> values_;
};

}  // namespace

std::string_view name(RefinementEnd end) noexcept {
    static constexpr std::array<std::string_view, 5> names{"open", "accuracy", "limit", "exhausted", "noise_guard"};
    return names[static_cast<std::size_t>(end)];
}

Refiner::Refiner(Refinement rule) : rule_{rule} {
    require(rule.tolerance > 0, "refinement: the tolerance must be > 0");
    require(rule.multiple_of >= 1 && rule.multiple_of <= largest_exact, "refinement: multiple_of must be in 1 .. 2^53");
    require(rule.min_distance >= 1, "refinement: the smallest distance must be >= 1");
}

void Refiner::add(std::int64_t x, double t, double half_width) {
    require(x >= 0, "refinement: x must be >= 0");
    auto const right =
        std::lower_bound(points_.begin(), points_.end(), x, [](Measured const& p, std::int64_t v) { return p.x < v; });
    require(right == points_.end() || right->x != x, "refinement: this x was already added");
    auto const added = points_.insert(right, {x, t, half_width});
    if (added != points_.begin())
        std::prev(added)->dropped = false;
}

std::optional<std::int64_t> Refiner::next() {
    while (auto const worst = worst_segment()) {
        max_error_ = segment_error(*worst);
        if (max_error_ < rule_.tolerance) {
            end_ = paper_error() < rule_.tolerance ? RefinementEnd::accuracy : RefinementEnd::noise_guard;
            return std::nullopt;
        }
        if (points_.size() >= rule_.at_most) {
            end_ = RefinementEnd::limit;
            return std::nullopt;
        }
        if (auto const x = midpoint(*worst)) {
            end_ = RefinementEnd::open;
            return x;
        }
        points_[*worst].dropped = true;
    }
    max_error_ = 0;
    end_ = RefinementEnd::exhausted;
    return std::nullopt;
}

double Refiner::paper_error() const {
    double largest = 0;
    for (std::size_t i = 0; i + 1 < points_.size(); ++i)
        if (auto const error = segment_error(i, false); error < rule_.tolerance || midpoint(i))
            largest = std::max(largest, error);
    return largest;
}

double Refiner::segment_error(std::size_t i, bool guarded) const {
    auto const& b = points_[i];
    auto const& c = points_[i + 1];
    if (b.x == 0 || !(b.t > 0) || !(c.t > 0))
        return 0;
    auto const noise = guarded ? 2 * std::max(b.half_width, c.half_width) : 0;
    auto error = static_cast<double>(c.x - b.x) / static_cast<double>(b.x);
    // fmin ignores a NaN term, which occurs if a neighbour has no time.
    if (i + 2 < points_.size())
        error = std::fmin(error, relative_difference(b, c, points_[i + 2], noise));
    if (i > 0)
        error = std::fmin(error, relative_difference(c, points_[i - 1], b, noise));
    return error;
}

/// Distance of `at` from the line through p and q, relative to its time; 0 if the distance is below `noise`.
double Refiner::relative_difference(Measured const& at, Measured const& p, Measured const& q, double noise) {
    auto const slope = (q.t - p.t) / static_cast<double>(q.x - p.x);
    auto const difference = std::abs(at.t - (p.t + slope * static_cast<double>(at.x - p.x)));
    return difference < noise ? 0 : difference / at.t;
}

/// First segment with the largest error. A linear scan suffices: there are at most hundreds of points, and measuring
/// each takes far longer.
std::optional<std::size_t> Refiner::worst_segment() const {
    std::optional<std::size_t> worst;
    for (std::size_t i = 0; i + 1 < points_.size(); ++i)
        if (!points_[i].dropped && (!worst || segment_error(i) > segment_error(*worst)))
            worst = i;
    return worst;
}

std::optional<std::int64_t> Refiner::midpoint(std::size_t i) const {
    auto const b = points_[i].x;
    auto const c = points_[i + 1].x;
    auto const left = static_cast<double>(b);
    auto const right = static_cast<double>(c);
    auto const x =
        round_to_multiple(rule_.logarithmic ? std::sqrt(left * right) : (left + right) / 2, rule_.multiple_of);
    if (x - b < rule_.min_distance || c - x < rule_.min_distance)
        return std::nullopt;
    return x;
}

std::vector<std::int64_t> geometric_points(std::int64_t low, std::int64_t high, double factor,
                                           std::int64_t multiple_of) {
    Range range{low, high, multiple_of};
    require(factor > 1, "range: the factor must be > 1");
    if (low == 0)
        range.add(0);
    auto const first = static_cast<double>(low == 0 ? multiple_of : low);
    for (int k = 0; first * std::pow(factor, k) < static_cast<double>(high); ++k)
        range.add(first * std::pow(factor, k));
    range.add(static_cast<double>(high));
    return range.take();
}

std::vector<std::int64_t> linear_points(std::int64_t low, std::int64_t high, double step, std::int64_t multiple_of) {
    Range range{low, high, multiple_of};
    require(step > 0, "range: the step must be > 0");
    auto const first = static_cast<double>(low);
    for (std::int64_t k = 0; first + static_cast<double>(k) * step < static_cast<double>(high); ++k)
        range.add(first + static_cast<double>(k) * step);
    range.add(static_cast<double>(high));
    return range.take();
}

std::size_t thin_out(std::vector<std::int64_t>& points, std::size_t at_most) {
    require(at_most >= 2 || points.size() <= at_most, "range: must keep at least two points");
    if (points.size() <= at_most)
        return 1;
    // The first, the last and every j-th in between: 1 + ceil((n - 1) / j) points.
    std::size_t const segments = points.size() - 1;
    std::size_t const j = (segments + at_most - 2) / (at_most - 1);
    std::vector<std::int64_t> kept;
    for (std::size_t i = 0; i < segments; i += j)
        kept.push_back(points[i]);
    kept.push_back(points.back());
    points = std::move(kept);
    return j;
}

}  // namespace measure
