// SPDX-License-Identifier: BSD-3-Clause
/// Offset of a pair of clocks, computed from the readings of its exchanges. Arithmetic only, no messages.
#pragma once

#include "measure/clock_sync.hpp"
#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace measure::detail {

/// Collects the exchanges of a pair. MPIPerf paper, section 5: RTT = b - a, o = p - RTT/2 - a; the exchange with the
/// smallest RTT is used. Also tracks the envelope low = max(p - b), high = min(p - a), which contains the offset for
/// any delays.
class OffsetSearch {
public:
    /// \param step  resolution of the clocks in seconds; a reading may be too small by this much
    OffsetSearch(PairOptions const& options, double step) : options_{options}, step_{step}, warm_{options.warm_up} {
        best_.rtt = infinity;
        best_.low = -infinity;
        best_.high = infinity;
    }

    /// \param a, p  readings at the client before its question and at the server  \param rtt  time from question to
    ///     answer
    void add(double a, double p, double rtt) {
        begin_ = std::min(begin_, a);
        bool const out_of_time = a + rtt - begin_ > options_.time_limit.count();
        if (warm_ > 0 && !out_of_time) {
            --warm_;
            return;
        }
        ++best_.exchanges;
        if (!(rtt < 0)) {
            best_.low = std::max(best_.low, p - a - rtt - step_);
            best_.high = std::min(best_.high, p - a + step_);
        }
        // An exchange during which the clock went backwards is ignored.
        if (rtt >= 0 && rtt < best_.rtt) {
            best_.rtt = rtt;
            best_.offset = p - rtt / 2 - a;
            best_.when = a + rtt / 2;
            misses_ = 0;
        } else {
            ++misses_;
        }
        done_ = misses_ >= options_.patience || best_.exchanges >= options_.at_most || out_of_time;
    }
    [[nodiscard]] bool done() const noexcept { return done_; }

    [[nodiscard]] PairOffset result() const {
        PairOffset found = best_;
        found.inconsistent = found.low > found.high;
        if (found.inconsistent)
            return found;
        if (options_.estimator == OffsetEstimator::envelope)
            found.offset = (found.low + found.high) / 2;
        // Rounding may put the estimate of a symmetric exchange slightly outside its envelope.
        found.offset = std::clamp(found.offset, found.low, found.high);
        return found;
    }

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    PairOptions options_;
    double step_;
    int warm_;
    int misses_ = 0;
    bool done_ = false;
    double begin_ = infinity;
    PairOffset best_;
};

/// Joins both directions of a pair: the result of the client, and of its server in the role of the client. The client
/// is slower on the way out than on the way back. This shifts both results equally, with opposite signs in the offset,
/// so their mean is unbiased. If one direction had much longer round trips (a rank was not running), only the other one
/// is used.
[[nodiscard]] inline PairOffset both_ways(PairOffset const& forward, PairOffset const& backward) {
    constexpr double comparable = 1.5;
    PairOffset joined = forward;
    joined.low = std::max(forward.low, -backward.high);
    joined.high = std::min(forward.high, -backward.low);
    joined.rtt = std::min(forward.rtt, backward.rtt);
    joined.exchanges = forward.exchanges + backward.exchanges;
    joined.inconsistent = forward.inconsistent || backward.inconsistent || joined.low > joined.high;
    double const when_backward = backward.when + backward.offset;
    if (forward.rtt > comparable * backward.rtt) {
        joined.offset = -backward.offset;
        joined.when = when_backward;
    } else if (backward.rtt <= comparable * forward.rtt) {
        joined.offset = (forward.offset - backward.offset) / 2;
        joined.when = (forward.when + when_backward) / 2;
    }
    if (!joined.inconsistent)
        joined.offset = std::clamp(joined.offset, joined.low, joined.high);
    return joined;
}

/// Longest round trip that is accepted without a retry if nothing is known about the pair. A transfer between cores
/// takes 0.1 to 1 us; 10 us mean that a rank was not running.
[[nodiscard]] inline double longest_sane(PairOptions const& options, bool shared) noexcept {
    constexpr seconds longest_shared{10e-6};
    return (shared ? std::min(options.poor, longest_shared) : options.poor).count();
}

/// A round trip is poor if it exceeds the normal or best known one by this factor.
inline constexpr double poor_factor = 4;

/// Whether a round trip is much longer than the best known. \param known  best round trip so far of the pair; 0: none
[[nodiscard]] inline bool is_worse(double rtt, double known) noexcept { return known > 0 && rtt > poor_factor * known; }

/// Whether a second measurement of a pair replaces the first.
[[nodiscard]] inline bool is_better(PairOffset const& second, PairOffset const& first) {
    return (first.inconsistent && !second.inconsistent) ||
           (first.inconsistent == second.inconsistent && second.rtt < first.rtt);
}

/// The best of several measurements of one pair. \param points  at least one
[[nodiscard]] inline PairOffset best_of(std::span<PairOffset const> points) {
    PairOffset best = points[0];
    for (auto const& p : points)
        if (is_better(p, best))
            best = p;
    return best;
}

/// Typical difference in rate between quartz oscillators, in s/s.
inline constexpr double quartz_drift = 50e-6;

/// Possible error of a pair's single offset (no line) at a later local time.
[[nodiscard]] inline double doubt_at(double local, PairOffset const& point) noexcept {
    return point.rtt / 2 + quartz_drift * (local - point.when);
}

/// The point with the smallest possible error at the time of the last one. Inconsistent points are used only if there
/// are no others.
/// \param points  at least one, in order of time
[[nodiscard]] inline PairOffset best_at_end(std::span<PairOffset const> points) {
    double const end = points.back().when;
    PairOffset best = points[0];
    for (auto const& p : points)
        if (p.inconsistent == best.inconsistent ? doubt_at(end, p) <= doubt_at(end, best) : best.inconsistent)
            best = p;
    return best;
}

/// A drift model from several measurements of one pair. Ignores points whose round trip exceeds four times the median
/// or four times the best known. Falls back to the best single offset if no line fits, or if at the end the line is
/// less accurate than that offset or contradicts it. \param points  at least one, in order of time  \param known  best
/// round trip so far of the pair; 0: none
[[nodiscard]] inline ClockModel model_from(std::span<PairOffset const> points, double known = 0) {
    std::vector<double> rtts;
    for (auto const& p : points)
        rtts.push_back(p.rtt);
    double const usual = median(rtts);
    double const limit = poor_factor * (known > 0 ? std::min(known, usual) : usual);
    std::vector<double> local;
    std::vector<double> offsets;
    std::vector<double> bounds;
    for (auto const& p : points)
        if (!p.inconsistent && p.rtt <= limit) {
            local.push_back(p.when);
            offsets.push_back(p.offset);
            bounds.push_back(p.bound());
        }
    constexpr double standard_errors = 3;
    auto const best = best_at_end(points);
    double const end = points.back().when;
    double const doubt = doubt_at(end, best);
    if (points.size() > 1)
        if (auto const line = fit_drift(local, offsets, bounds);
            line && std::abs(line->offset_at(end) - best.offset) <= doubt &&
            standard_errors * line->error_at(end) <= doubt)
            return *line;
    return {.offset = best.offset};
}

/// Flags pairs that should be measured again: their round trip exceeds four times the median of their class (on one
/// host, between hosts), or four times the best known. \param rtts  negative: no pair  \param classes, known  of the
/// same length; known is 0 if unknown
[[nodiscard]] inline std::vector<char> poor_pairs(std::span<double const> rtts, std::span<double const> classes,
                                                  std::span<double const> known) {
    std::vector<char> flags(rtts.size(), 0);
    for (double const kind : {0.0, 1.0}) {
        std::vector<double> of_class;
        for (std::size_t i = 0; i < rtts.size(); ++i)
            if (rtts[i] >= 0 && classes[i] == kind)
                of_class.push_back(rtts[i]);
        if (of_class.empty())
            continue;
        double const limit = poor_factor * median(of_class);
        for (std::size_t i = 0; i < rtts.size(); ++i)
            if (classes[i] == kind && (rtts[i] > limit || is_worse(rtts[i], known[i])))
                flags[i] = 1;
    }
    return flags;
}

}  // namespace measure::detail
