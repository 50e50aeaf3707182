// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/pace.hpp"

#include <measure/statistics.hpp>

#include <algorithm>
#include <span>

namespace b_eff {

void Pace::begin(std::size_t method, std::optional<double> time, int patterns) {
    if (!time) {
        loops_[method] = longest_loop;
    } else if (setup_.loop == LoopRule::timed) {
        timed_[method] = TimedRule::after(setup_.row_budget, *time);
        loops_[method] = timed_[method].first();
    } else {
        loops_[method] = first_calibrated(*time / std::max(patterns, 1) / calibration_loop);
    }
}

Order Pace::order(std::size_t repetition, std::size_t length, Cuts cuts, std::optional<double> left) {
    Order order{.loops = loops_, .cuts = cuts};
    if (left)
        order.cuts = cut({.lengths = setup_.lengths,
                          .rows = std::span{rows_}.first(known_),
                          .repetition = repetition,
                          .next = length,
                          .repetitions = results_.repetitions,
                          .methods = setup_.methods.size(),
                          .share = share()},
                         cuts, *left);
    if (length != first_of_last_two)
        return order;
    if (setup_.loop == LoopRule::timed && predicted_last_two(repetition) > setup_.last_two_limit)
        order.cuts.last_two = true;
    find_best_methods(repetition);
    return order;
}

/// Computes the next loop lengths and the input of predictions. Predictions use the median over patterns, because a
/// loop that was interrupted for a time slice says nothing about longer messages.
void Pace::learn(std::size_t repetition, std::size_t length, double elapsed, Cuts cuts) {
    if (cuts.last_two)
        return;
    std::array<double, methods.size()> all{};
    std::array<double, methods.size()> of_b_eff{};
    std::array<int, methods.size()> count{};
    std::array<std::vector<double>, methods.size()> each{};
    for_cells(repetition, length, [&](Pattern const& p, std::size_t m, Cell const& c) {
        each[m].push_back(c.time.max / static_cast<double>(c.loop));
        double const time = each[m].back() * static_cast<double>(loops_[m]);
        all[m] += time;
        if (p.counts()) {
            of_b_eff[m] += time;
            ++count[m];
        }
    });
    // Scale up to all patterns: a prediction applies the cuts again.
    double const part = cuts.no_extra ? share() : 1;
    rows_[length] = {elapsed / part, 0};
    for (auto const& times : each)
        if (!times.empty())
            rows_[length].each += measure::median(times) * static_cast<double>(times.size()) / part;
    known_ = std::max(known_, length + 1);
    if (length == last_length)
        return;
    double const growth = static_cast<double>(setup_.lengths[length + 1]) / static_cast<double>(setup_.lengths[length]);
    for (std::size_t m = 0; m < setup_.methods.size(); ++m)
        loops_[m] = setup_.loop == LoopRule::timed
                        ? timed_[m].next(loops_[m], all[m], growth)
                        : next_classic(loops_[m], of_b_eff[m] / std::max(count[m], 1), growth);
}

/// Share of the patterns of b_eff among all patterns.
double Pace::share() const {
    auto const n = std::count_if(setup_.patterns.begin(), setup_.patterns.end(), [](auto& p) { return p.counts(); });
    return static_cast<double>(n) / static_cast<double>(setup_.patterns.size());
}

double Pace::predicted_last_two(std::size_t repetition) const {
    double least = 0;
    for_cells(repetition, first_of_last_two - 1, [&](Pattern const&, std::size_t, Cell const& c) {
        double const each = c.time.max / static_cast<double>(c.loop);
        least = least > 0 ? std::min(least, each) : each;
    });
    return last_two(least, setup_.lengths, setup_.patterns.size(), results_.repetitions, setup_.methods.size());
}

void Pace::find_best_methods(std::size_t repetition) {
    for (std::size_t p = 0; p < setup_.patterns.size(); ++p) {
        Number most;
        best_methods_[p] = 0;
        for (std::size_t m = 0; m < setup_.methods.size(); ++m) {
            auto const v = results_.value({repetition, first_of_last_two - 1, p, m});
            if (v && (!most || *v > *most)) {
                most = v;
                best_methods_[p] = static_cast<int>(m);
            }
        }
    }
}

/// Calls f(pattern, method, cell) for all measured cells.
template <class F>
void Pace::for_cells(std::size_t repetition, std::size_t length, F f) const {
    for (std::size_t p = 0; p < setup_.patterns.size(); ++p)
        for (std::size_t m = 0; m < setup_.methods.size(); ++m)
            if (Cell const& c = results_.at({repetition, length, p, m}); c.loop > 0 && c.state != Cell::State::copied)
                f(setup_.patterns[p], m, c);
}

}  // namespace b_eff
