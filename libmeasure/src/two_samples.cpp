// SPDX-License-Identifier: BSD-3-Clause
#include "measure/two_samples.hpp"

#include "require.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace measure {

namespace {

/// Up to so many pairs the distribution of U is counted: below a millisecond, and all counts are exact as doubles.
constexpr std::size_t exact_pairs = 400;

/// The pooled values as twice their ranks, which are whole numbers also where equal values share a mean rank.
struct Ranks {
    std::vector<std::size_t> twice{};  ///< [n + m], first those of xs, then those of ys
    double ties = 0;                   ///< sum(t^3 - t)
};

Ranks ranks_of(std::span<double const> xs, std::span<double const> ys) {
    std::vector<double> pooled(xs.begin(), xs.end());
    pooled.insert(pooled.end(), ys.begin(), ys.end());
    std::vector<std::size_t> order(pooled.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return pooled[a] < pooled[b]; });
    Ranks ranks{.twice = std::vector<std::size_t>(pooled.size())};
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        while (end < order.size() && pooled[order[end]] == pooled[order[begin]])
            ++end;
        for (std::size_t i = begin; i < end; ++i)
            ranks.twice[order[i]] = begin + 1 + end;
        auto const t = static_cast<double>(end - begin);
        ranks.ties += t * t * t - t;
    }
    return ranks;
}

/// In how many ways `size` of the ranks have each sum: [sum].
std::vector<double> ways(std::span<std::size_t const> ranks, std::size_t size) {
    std::size_t const most = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
    // counts[k][s]: subsets of k of the ranks seen so far with sum s, which is at most the sum of all of them.
    std::vector<std::vector<double>> counts(size + 1, std::vector<double>(most + 1));
    counts[0][0] = 1;
    std::size_t seen = 0;
    std::size_t reached = 0;
    for (std::size_t const rank : ranks) {
        reached += rank;
        ++seen;
        for (std::size_t k = std::min(size, seen); k > 0; --k)
            for (std::size_t sum = rank; sum <= reached; ++sum)
                counts[k][sum] += counts[k - 1][sum - rank];
    }
    return std::move(counts[size]);
}

/// Share of the ways whose rank sum is as far from its mean as `observed`, or farther.
double exact_p(std::span<std::size_t const> ranks, std::size_t size, std::size_t observed) {
    // The mean of twice the rank sum is size (N + 1): a whole number, so that comparisons are exact.
    auto const mean = static_cast<std::ptrdiff_t>(size * (ranks.size() + 1));
    auto const distance = [&](std::size_t sum) { return std::abs(static_cast<std::ptrdiff_t>(sum) - mean); };
    // Small ranks first: sums stay small for long.
    std::vector<std::size_t> ascending(ranks.begin(), ranks.end());
    std::sort(ascending.begin(), ascending.end());
    auto const counts = ways(ascending, size);
    double far = 0;
    double all = 0;
    for (std::size_t sum = 0; sum < counts.size(); ++sum) {
        all += counts[sum];
        if (distance(sum) >= distance(observed))
            far += counts[sum];
    }
    return far / all;
}

double normal_p(double n, double m, double ties, double u) {
    double const all = n + m;
    double const variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
    double const distance = std::max(0.0, std::abs(u - n * m / 2) - 0.5);
    return variance > 0 ? std::erfc(distance / std::sqrt(2 * variance)) : 1;
}

// The draws below are written out because those of the standard library differ from one to the next.

/// Uniform in (0, 1), 53 bits.
double draw_uniform(std::mt19937_64& random) { return (static_cast<double>(random() >> 11U) + 0.5) * 0x1p-53; }

double draw_normal(std::mt19937_64& random) {
    constexpr double two_pi = 6.283185307179586;
    double const radius = std::sqrt(-2 * std::log(draw_uniform(random)));
    return radius * std::cos(two_pi * draw_uniform(random));
}

/// For few, as the sum of so many exponential ones; otherwise after Marsaglia and Tsang 2000. \param shape  whole, >= 1
double draw_gamma(std::mt19937_64& random, double shape) {
    constexpr double few = 16;  // the product is not below 2^-864
    if (shape <= few) {
        double product = 1;
        for (double k = 0; k < shape; ++k)
            product *= draw_uniform(random);
        return -std::log(product);
    }
    double const d = shape - 1.0 / 3;
    double const c = 1 / std::sqrt(9 * d);
    for (;;) {
        double const x = draw_normal(random);
        double const root = 1 + c * x;
        double const v = root * root * root;
        if (v > 0 && std::log(draw_uniform(random)) < x * x / 2 + d - d * v + d * std::log(v))
            return d * v;
    }
}

/// The median of n draws with replacement from n sorted values, without drawing them: draws are values at floor(n u) of
/// uniform u, of which the k-th smallest has a beta distribution with k and n + 1 - k.
class ResampledMedian {
public:
    explicit ResampledMedian(std::span<double const> xs) : sorted_(xs.begin(), xs.end()) {
        std::sort(sorted_.begin(), sorted_.end());
    }

    double operator()(std::mt19937_64& random) const {
        auto const n = static_cast<double>(sorted_.size());
        bool const is_odd = sorted_.size() % 2 == 1;
        double const k = is_odd ? (n + 1) / 2 : n / 2;
        double const below = draw_gamma(random, k);
        double const u = below / (below + draw_gamma(random, n + 1 - k));
        if (is_odd)
            return at(u);
        // The next one is the smallest of the n - k that are left, uniform in (u, 1).
        double const next = 1 - (1 - u) * std::pow(draw_uniform(random), 1 / (n - k));
        return (at(u) + at(next)) / 2;
    }

private:
    [[nodiscard]] double at(double u) const {
        auto const index = static_cast<std::size_t>(u * static_cast<double>(sorted_.size()));
        return sorted_[std::min(index, sorted_.size() - 1)];
    }

    std::vector<double> sorted_;
};

}  // namespace

RankTest mann_whitney_u(std::span<double const> xs, std::span<double const> ys) {
    require(!xs.empty() && !ys.empty(), "mann_whitney_u: needs a value of either sample");
    auto const ranks = ranks_of(xs, ys);
    auto const twice_of_xs = std::span{ranks.twice}.first(xs.size());
    auto const twice_of_ys = std::span{ranks.twice}.subspan(xs.size());
    auto const n = static_cast<double>(xs.size());
    auto const m = static_cast<double>(ys.size());
    auto const sum_of = [](std::span<std::size_t const> some) {
        return std::accumulate(some.begin(), some.end(), std::size_t{0});
    };
    RankTest test{.u = static_cast<double>(sum_of(twice_of_ys)) / 2 - m * (m + 1) / 2};
    test.exact = xs.size() <= exact_pairs / ys.size();
    auto const fewer = xs.size() < ys.size() ? twice_of_xs : twice_of_ys;
    test.p = test.exact ? exact_p(ranks.twice, fewer.size(), sum_of(fewer)) : normal_p(n, m, ranks.ties, test.u);
    return test;
}

double smallest_p(std::size_t n, std::size_t m) {
    require(n > 0 && m > 0, "smallest_p: needs a value of either sample");
    double ways_to_share = 1;
    for (std::size_t i = 1; i <= n; ++i)
        ways_to_share *= static_cast<double>(m + i) / static_cast<double>(i);
    return std::min(1.0, 2 / ways_to_share);
}

std::vector<double> holm(std::span<double const> ps) {
    std::vector<std::size_t> order(ps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ps[a] < ps[b]; });
    std::vector<double> adjusted(ps.size());
    double largest = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        largest = std::max(largest, static_cast<double>(ps.size() - i) * ps[order[i]]);
        adjusted[order[i]] = std::min(1.0, largest);
    }
    return adjusted;
}

std::optional<Interval> ratio_of_medians_interval(std::span<double const> xs, std::span<double const> ys,
                                                  Bootstrap const& bootstrap) {
    require(bootstrap.confidence > 0 && bootstrap.confidence < 1, "confidence: must lie between 0 and 1");
    require(bootstrap.resamples > 0, "resamples: must be at least 1");
    if (xs.size() < 2 || ys.size() < 2)
        return std::nullopt;
    ResampledMedian const of_xs{xs};
    ResampledMedian const of_ys{ys};
    std::mt19937_64 random{bootstrap.seed};
    std::vector<double> ratios(static_cast<std::size_t>(bootstrap.resamples));
    for (double& ratio : ratios) {
        double const under = of_xs(random);
        ratio = of_ys(random) / under;
    }
    double const tail = (1 - bootstrap.confidence) / 2;
    return Interval{quantile(ratios, tail), quantile(ratios, 1 - tail)};
}

std::optional<double> noise_floor(std::span<double const> xs, double confidence) {
    require(confidence > 0 && confidence < 1, "confidence: must lie between 0 and 1");
    if (xs.size() < 2)
        return std::nullopt;
    // Of very many values some, evenly among the others, are enough.
    constexpr std::size_t most = 1000;
    std::vector<double> sorted_xs(xs.begin(), xs.end());
    std::sort(sorted_xs.begin(), sorted_xs.end());
    std::size_t const step = (xs.size() + most - 1) / most;
    std::vector<double> ratios;
    for (std::size_t i = step; i < xs.size(); i += step)
        for (std::size_t j = 0; j < i; j += step)
            ratios.push_back(sorted_xs[i] / sorted_xs[j]);
    return quantile(ratios, confidence);
}

}  // namespace measure
