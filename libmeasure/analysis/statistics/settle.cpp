// SPDX-License-Identifier: BSD-3-Clause
#include "measure/settle.hpp"

#include "measure/two_samples.hpp"

#include <algorithm>
#include <cmath>

namespace measure {

namespace {

/// Two levels read from a clock may each be wrong by up to one step.
constexpr double steps_of_two = 2;

/// Returns the place and value of K = max |U_t|. U_t is the sum of sgn(x_j - x_i) over i < t <= j. It follows from the
/// mid-ranks R: U_t = t (n + 1) - 2 (R_0 + .. + R_(t-1)).
std::pair<std::size_t, double> largest_step(std::span<double const> xs) {
    auto const n = xs.size();
    std::vector<double> sorted(xs.begin(), xs.end());
    std::sort(sorted.begin(), sorted.end());
    double sum = 0;
    std::pair<std::size_t, double> best{0, 0};
    for (std::size_t t = 1; t < n; ++t) {
        auto const [low, high] = std::equal_range(sorted.begin(), sorted.end(), xs[t - 1]);
        sum += static_cast<double>((low - sorted.begin()) + (high - sorted.begin()) + 1) / 2;
        double const u = std::abs(static_cast<double>(t) * static_cast<double>(n + 1) - 2 * sum);
        if (u > best.second)
            best = {t, u};
    }
    return best;
}

}  // namespace

bool is_unsettled(double page_faults, double runs) noexcept {
    constexpr double share = 0.01;
    constexpr double stray = 2;
    return page_faults > std::max(stray, share * runs);
}

std::optional<Trend> find_trend(std::span<double const> xs, double alpha, double least, double clock_step) {
    constexpr std::size_t fewest = 16;
    if (xs.size() < fewest)
        return std::nullopt;
    auto const n = static_cast<double>(xs.size());
    auto const [place, k] = largest_step(xs);
    Trend step{.at = place, .p = std::min(1.0, 2 * std::exp(-6 * k * k / (n * n * n + n * n)))};
    auto const half = xs.size() / 2;
    Trend halves{.at = half, .p = mann_whitney_u(xs.first(half), xs.subspan(half)).p};
    for (Trend* const trend : {&step, &halves}) {
        if (trend->p >= alpha || trend->at == 0)
            continue;
        double const before = median(xs.first(trend->at));
        double const after = median(xs.subspan(trend->at));
        trend->ratio = before > 0 ? after / before : 1;
        if (std::abs(trend->ratio - 1) > least && std::abs(after - before) >= steps_of_two * clock_step)
            return *trend;
    }
    return std::nullopt;
}

namespace detail {

namespace {

/// Whether two stages took the same time: the Mann-Whitney test finds no difference at 1 %, or the medians differ by at
/// most the largest of 5 %, three standard errors of their difference and two steps of the clock.
bool are_alike(std::span<double const> xs, std::span<double const> ys, double clock_step) {
    constexpr double alpha = 0.01;
    constexpr double close = 0.05;
    double const x = median(xs);
    double const y = median(ys);
    // Standard error of a median, from the quartiles: a single run in which a rank lost its core must not hide
    // differences.
    auto const error = [](std::span<double const> some) {
        constexpr double of_median = 1.2533 / 1.349;
        return of_median * (quantile(some, 0.75) - quantile(some, 0.25)) / std::sqrt(static_cast<double>(some.size()));
    };
    double const tolerance =
        std::max({close * std::min(x, y), 3 * std::hypot(error(xs), error(ys)), steps_of_two * clock_step});
    // The test has no power with few samples, for example four against four.
    bool const sees = smallest_p(xs.size(), ys.size()) <= alpha;
    return std::abs(x - y) <= tolerance || (sees && mann_whitney_u(xs, ys).p > alpha);
}

}  // namespace

std::optional<double> Settler::ratio() const {
    if (!first_median_ || !last_median_ || *first_median_ <= 0)
        return std::nullopt;
    return *last_median_ / *first_median_;
}

/// Detects page faults that never end: the rate per run has dropped by at most 10 % since the previous stage. This
/// needs the minimum number of warm-up runs, because a body that touches new memory in its first calls looks the same
/// until then.
bool Settler::has_steady_faults() const {
    constexpr double steady = 0.9;
    constexpr std::int64_t enough = 1000;
    return runs_ >= std::min(enough, rule_.at_most) && rates_.size() > 1 &&
           rates_.back() >= steady * rates_[rates_.size() - 2];
}

void Settler::add(SettlingStage const& stage) {
    constexpr double stages_at_most = 50;
    constexpr int largest = 64;
    runs_ += stage.runs;
    elapsed_ += stage.elapsed;
    // Other processes may prolong a stage, but hardly all of them: the fastest stage counts.
    quickest_ = std::min(quickest_, stage.elapsed / static_cast<double>(std::max<std::int64_t>(stage.runs, 1)));
    rates_.push_back(stage.runs > 0 ? stage.faults / static_cast<double>(stage.runs) : 0);
    bool const clean = stage.faults <= 0;
    // A stage with mostly invalid samples is not evidence about time.
    bool const telling = !stage.times.empty() && 2 * static_cast<std::int64_t>(stage.times.size()) >= stage.runs;
    bool alike = false;
    if (telling) {
        last_median_ = median(stage.times);
        alike = !previous_.empty() && are_alike(previous_, stage.times, stage.clock_step);
        if (!first_median_)
            first_median_ = last_median_;
        previous_.assign(stage.times.begin(), stage.times.end());
    }
    if (alike && stage.runs <= stage_ && clean)
        reason_ = "settled";
    else if (alike && stage.runs <= stage_ && has_steady_faults())
        reason_ = "steady_faults";
    else if (runs_ >= rule_.at_most)
        reason_ = "runs";
    else if (elapsed_ >= std::max(rule_.at_most_time.count(), stages_at_most * stage_ * quickest_))
        reason_ = "time";
    bool const many_faults = !clean && runs_ < std::min<std::int64_t>(1000, rule_.at_most);
    next_ = many_faults ? std::max(stage_, std::min(largest, 2 * static_cast<int>(stage.runs))) : stage_;
}

}  // namespace detail
}  // namespace measure
