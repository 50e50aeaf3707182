// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/rules.hpp"

#include <algorithm>
#include <cmath>

namespace b_eff {

namespace {

constexpr double aim = 3.75e-3;  // seconds, the middle of the window
constexpr double shortest = 2.5e-3;
constexpr double longest = 5e-3;

/// Converts any number to a value that fits in int64.
std::int64_t whole(double x) noexcept { return static_cast<std::int64_t>(std::clamp(x, 0.0, 1e15)); }

}  // namespace

std::int64_t next_classic(std::int64_t k, double time, double growth) noexcept {
    double const next = time * growth;
    double const fit = static_cast<double>(k) * aim / next;
    if (next > longest)
        return std::max<std::int64_t>(1, whole(std::floor(fit)));
    if (time < shortest && k < longest_loop)
        return std::min(longest_loop, whole(std::ceil(fit)));
    return k;
}

std::int64_t first_calibrated(double each) noexcept {
    return std::clamp<std::int64_t>(whole(std::floor(aim / each)), 1, longest_loop);
}

TimedRule TimedRule::after(double budget, double calibration) noexcept {
    // If the timer did not move, the calibration has no meaning.
    double const cap = calibration > 0 ? calibration_loop * budget / calibration : 0;
    return {budget, std::max(calibration_loop, whole(cap))};
}

std::int64_t TimedRule::next(std::int64_t k, double spent, double growth) const noexcept {
    double const wanted = static_cast<double>(k) / growth * std::max(1.0, budget / spent);
    return std::clamp<std::int64_t>(whole(wanted), 1, cap);
}

double last_two(double each, Lengths const& l, std::size_t patterns, std::size_t repetitions,
                std::size_t method_count) noexcept {
    double const a = static_cast<double>(l[last_length]) / static_cast<double>(l[first_of_last_two]);
    return each * static_cast<double>(patterns) * 4 * (a + a * a) * static_cast<double>(repetitions * method_count);
}

namespace {

double size_of_step(measure::Bytes length) noexcept {
    return static_cast<double>(std::max<measure::Bytes>(length, 4096));
}

/// The measured or predicted times of a length, before anything is left out.
Row row(Forecast const& f, std::size_t length) {
    if (length < f.rows.size())
        return f.rows[length];
    Row const& last = f.rows.back();
    double const each = last.each * size_of_step(f.lengths[length]) / size_of_step(f.lengths[f.rows.size() - 1]);
    return {std::max(last.elapsed, each * (length < warmed_up ? 2 : 1)), each};
}

double with_cuts(Forecast const& f, std::size_t repetition, std::size_t length, Cuts cuts) {
    Row const whole_row = row(f, length);
    double const share = cuts.no_extra && length >= fixed_count ? f.share : 1;
    if (!cuts.last_two || length < first_of_last_two)
        return whole_row.elapsed * share;
    if (length == last_length && repetition >= repetitions_of_last)
        return 0;
    return whole_row.each * share / static_cast<double>(f.methods);
}

}  // namespace

double rest(Forecast const& f, Cuts cuts) {
    double sum = 0;
    for (std::size_t r = f.repetition; r < f.repetitions; ++r)
        for (std::size_t l = r == f.repetition ? f.next : 0; l < length_count; ++l)
            sum += with_cuts(f, r, l, cuts);
    return sum;
}

Cuts cut(Forecast const& f, Cuts cuts, double left) {
    if (f.rows.empty() || rest(f, cuts) <= left)
        return cuts;
    cuts.no_extra = true;
    if (rest(f, cuts) > left)
        cuts.last_two = true;
    return cuts;
}

}  // namespace b_eff
