// SPDX-License-Identifier: BSD-3-Clause
#include "measure/two_samples.hpp"

#include "core/require.hpp"
#include "measure/shuffle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace measure {

namespace {

/// Up to this many pairs, the exact distribution of U is computed: it takes less than a millisecond, and all counts are
/// exact as doubles.
constexpr std::size_t exact_pairs = 400;

/// Twice the ranks of the pooled values. Doubling keeps the mid-ranks of ties integer.
struct Ranks {
    std::vector<std::size_t> twice{};  ///< [n + m], first the ranks of xs, then of ys
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

/// Number of subsets of `size` ranks for each sum: [sum].
std::vector<double> ways(std::span<std::size_t const> ranks, std::size_t size) {
    std::size_t const most = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
    // counts[k][s]: number of subsets of k of the ranks seen so far that have the sum s.
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

/// Share of the subsets whose rank sum is at least as far from the mean as `observed`.
double exact_p(std::span<std::size_t const> ranks, std::size_t size, std::size_t observed) {
    // The mean of twice the rank sum is size (N + 1), an integer, so comparisons are exact.
    auto const mean = static_cast<std::ptrdiff_t>(size * (ranks.size() + 1));
    auto const distance = [&](std::size_t sum) { return std::abs(static_cast<std::ptrdiff_t>(sum) - mean); };
    // Small ranks first, so that the sums stay small as long as possible.
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

double variance_of_u(double n, double m, double ties) {
    double const all = n + m;
    return n * m / 12 * (all + 1 - ties / (all * (all - 1)));
}

double normal_p(double n, double m, double ties, double u) {
    double const variance = variance_of_u(n, m, ties);
    double const distance = std::max(0.0, std::abs(u - n * m / 2) - 0.5);
    return variance > 0 ? std::erfc(distance / std::sqrt(2 * variance)) : 1;
}

/// Number of the n m ratios below the confidence interval of the test at `alpha`: the largest c with 2 P(U < c) <
/// alpha. 0: no interval exists.
std::size_t pairs_beyond(std::size_t n, std::size_t m, double alpha) {
    double const pairs = static_cast<double>(n) * static_cast<double>(m);
    if (n > exact_pairs / m) {
        constexpr double many = 1e9;  // degrees of freedom, practically normal
        double const sigma = std::sqrt(pairs / 12 * static_cast<double>(n + m + 1));
        double const cut = std::floor(pairs / 2 + 0.5 - student_quantile(1 - alpha, many) * sigma);
        return cut > 0 ? static_cast<std::size_t>(cut) : 0;
    }
    std::vector<std::size_t> ranks(n + m);
    std::iota(ranks.begin(), ranks.end(), std::size_t{1});
    std::size_t const fewer = std::min(n, m);
    auto const counts = ways(ranks, fewer);
    double const all = std::accumulate(counts.begin(), counts.end(), 0.0);
    std::size_t const smallest = fewer * (fewer + 1) / 2;
    double below = 0;
    std::size_t cut = 0;
    while (2 * (below + counts[smallest + cut]) < alpha * all)
        below += counts[smallest + cut++];
    return cut;
}

std::vector<Stratum const*> of_both(std::span<Stratum const> strata) {
    std::vector<Stratum const*> both;
    for (auto const& stratum : strata)
        if (!stratum.xs.empty() && !stratum.ys.empty())
            both.push_back(&stratum);
    return both;
}

double pairs_in(Stratum const& stratum) {
    return static_cast<double>(stratum.xs.size()) * static_cast<double>(stratum.ys.size());
}

double values_in(Stratum const& stratum) { return static_cast<double>(stratum.xs.size() + stratum.ys.size()); }

double weight_of(Stratum const& stratum) { return 1 / (values_in(stratum) + 1); }

/// The ratios within strata, ascending, with cumulative weights.
struct WeighedRatios {
    std::vector<std::pair<double, double>> ratios{};  ///< ratio, and the total weight of the ratios up to it
    double variance = 0;  ///< variance of the total weight of the ratios below the true ratio

    [[nodiscard]] double weight() const { return ratios.empty() ? 0 : ratios.back().second; }
    /// The first ratio whose cumulative weight exceeds `below`. \param below  less than the total weight
    [[nodiscard]] double beyond(double below) const {
        auto const found = std::upper_bound(ratios.begin(), ratios.end(), below,
                                            [](double value, auto const& ratio) { return value < ratio.second; });
        return (found == ratios.end() ? ratios.back() : *found).first;
    }
};

WeighedRatios weighed_ratios(std::span<Stratum const> strata) {
    WeighedRatios result;
    for (auto const* const stratum : of_both(strata)) {
        double const weight = weight_of(*stratum);
        for (double const x : stratum->xs)
            for (double const y : stratum->ys)
                result.ratios.emplace_back(y / x, weight);
        result.variance += weight * weight * pairs_in(*stratum) * (values_in(*stratum) + 1) / 12;
    }
    std::sort(result.ratios.begin(), result.ratios.end());
    double sum = 0;
    for (auto& [ratio, weight] : result.ratios)
        weight = sum += weight;
    return result;
}

/// Correction factor that makes Q_n unbiased for n normal values.
double small_sample_factor(std::size_t n) {
    constexpr std::array<double, 10> small{0, 0, 0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872};
    auto const values = static_cast<double>(n);
    return n < small.size() ? small[n] : values / (values + (n % 2 == 0 ? 3.8 : 1.4));
}

}  // namespace

RankTest mann_whitney_u(std::span<double const> xs, std::span<double const> ys) {
    require(!xs.empty() && !ys.empty(), "mann_whitney_u: both samples need at least one value");
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
    require(n > 0 && m > 0, "smallest_p: both samples need at least one value");
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

Ratio inverse(Ratio const& ratio) {
    Ratio turned{.value = 1 / ratio.value, .confidence = ratio.confidence};
    if (ratio.standard_error)
        turned.standard_error = *ratio.standard_error / (ratio.value * ratio.value);
    if (ratio.interval)
        turned.interval = {1 / ratio.interval->second, 1 / ratio.interval->first};
    return turned;
}

std::optional<Ratio> paired_ratio(std::vector<std::vector<double>> const& groups, Bootstrap const& bootstrap) {
    require(bootstrap.confidence > 0 && bootstrap.confidence < 1, "confidence: must be between 0 and 1");
    require(bootstrap.resamples > 0, "resamples: must be at least 1");
    std::vector<std::vector<double> const*> filled;
    std::vector<double> all;
    for (auto const& group : groups) {
        if (group.empty())
            continue;
        filled.push_back(&group);
        all.insert(all.end(), group.begin(), group.end());
    }
    if (all.empty())
        return std::nullopt;
    Ratio ratio{.value = median(all), .confidence = bootstrap.confidence};
    auto const n = static_cast<double>(filled.size() > 1 ? filled.size() : all.size());
    if (all.size() < 2)
        return ratio;
    std::mt19937_64 random{bootstrap.seed};
    std::vector<double> medians(static_cast<std::size_t>(bootstrap.resamples));
    std::vector<double> drawn;
    for (double& each : medians) {
        drawn.clear();
        for (std::size_t g = 0; g < filled.size(); ++g) {
            auto const& group = filled.size() > 1 ? *filled[draw_below(random, filled.size())] : *filled.front();
            for (std::size_t i = 0; i < group.size(); ++i)
                drawn.push_back(group[draw_below(random, group.size())]);
        }
        each = median(drawn);
    }
    double const width = std::sqrt(n / (n - 1)) * student_quantile(bootstrap.confidence, n - 1);
    double const tail = std::erfc(width / std::sqrt(2.0)) / 2;
    ratio.interval = Interval{quantile(medians, tail), quantile(medians, 1 - tail)};
    ratio.standard_error = standard_error(medians) * std::sqrt(static_cast<double>(medians.size()));
    return ratio;
}

std::optional<Interval> ratio_interval(std::span<double const> xs, std::span<double const> ys, double confidence) {
    require(confidence > 0 && confidence < 1, "confidence: must be between 0 and 1");
    if (xs.empty() || ys.empty())
        return std::nullopt;
    auto const cut = pairs_beyond(xs.size(), ys.size(), 1 - confidence);
    if (cut == 0)
        return std::nullopt;
    std::vector<double> ratios;
    ratios.reserve(xs.size() * ys.size());
    for (double const x : xs)
        for (double const y : ys)
            ratios.push_back(y / x);
    auto const at = [&](std::size_t place) {
        auto const found = ratios.begin() + static_cast<std::ptrdiff_t>(place);
        std::nth_element(ratios.begin(), found, ratios.end());
        return *found;
    };
    double const low = at(cut - 1);
    return Interval{low, at(ratios.size() - cut)};
}

RankTest mann_whitney_u(std::span<Stratum const> strata) {
    auto const both = of_both(strata);
    if (both.size() == 1)
        return mann_whitney_u(both.front()->xs, both.front()->ys);
    RankTest test;
    double distance = 0;
    double variance = 0;
    for (auto const* const stratum : both) {
        auto const ranks = ranks_of(stratum->xs, stratum->ys);
        auto const of_ys = std::span{ranks.twice}.subspan(stratum->xs.size());
        auto const n = static_cast<double>(stratum->xs.size());
        auto const m = static_cast<double>(stratum->ys.size());
        double const sum = static_cast<double>(std::accumulate(of_ys.begin(), of_ys.end(), std::size_t{0})) / 2;
        double const u = sum - m * (m + 1) / 2;
        double const weight = weight_of(*stratum);
        test.u += weight * u;
        distance += weight * (u - n * m / 2);
        variance += weight * weight * variance_of_u(n, m, ranks.ties);
    }
    test.p = variance > 0 ? std::erfc(std::abs(distance) / std::sqrt(2 * variance)) : 1;
    return test;
}

std::optional<Interval> ratio_interval(std::span<Stratum const> strata, double confidence) {
    require(confidence > 0 && confidence < 1, "confidence: must be between 0 and 1");
    auto const both = of_both(strata);
    if (both.size() == 1)
        return ratio_interval(both.front()->xs, both.front()->ys, confidence);
    auto const ratios = weighed_ratios(strata);
    constexpr double many = 1e9;  // degrees of freedom, practically normal
    double const reach = student_quantile(confidence, many) * std::sqrt(ratios.variance);
    double const middle = ratios.weight() / 2;
    if (!(middle > reach))
        return std::nullopt;
    return Interval{ratios.beyond(middle - reach), ratios.beyond(middle + reach)};
}

std::optional<double> typical_ratio(std::span<Stratum const> strata) {
    auto const ratios = weighed_ratios(strata);
    if (ratios.ratios.empty())
        return std::nullopt;
    return ratios.beyond(ratios.weight() / 2);
}

double log_scale(std::span<double const> xs) {
    std::size_t const n = xs.size();
    if (n < 2)
        return 0;
    // An evenly spaced subset is enough for very many values.
    constexpr std::size_t most = 1000;
    std::vector<double> logs(xs.begin(), xs.end());
    std::sort(logs.begin(), logs.end());
    if (n > most) {
        for (std::size_t i = 0; i < most; ++i)
            logs[i] = logs[i * (n - 1) / (most - 1)];
        logs.resize(most);
    }
    for (double& x : logs)
        x = std::log(x);
    std::vector<double> distances;
    for (std::size_t i = 1; i < logs.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            distances.push_back(logs[i] - logs[j]);
    std::size_t const half = logs.size() / 2 + 1;
    auto const found = distances.begin() + static_cast<std::ptrdiff_t>(half * (half - 1) / 2 - 1);
    std::nth_element(distances.begin(), found, distances.end());
    return 2.2219 * small_sample_factor(logs.size()) * *found;
}

std::optional<double> noise_floor(std::span<double const> xs, double confidence) {
    require(confidence > 0 && confidence < 1, "confidence: must be between 0 and 1");
    if (xs.size() < 2)
        return std::nullopt;
    constexpr double many = 1e9;  // degrees of freedom, practically normal
    return std::exp(student_quantile(confidence, many) * std::sqrt(2.0) * log_scale(xs));
}

}  // namespace measure
