// SPDX-License-Identifier: BSD-3-Clause
/// Rules: how many executions a loop has, and what is left out where time is short. Pure; decided on the root.
#pragma once

#include "b_eff/lengths.hpp"

#include <cstdint>
#include <span>

namespace b_eff {

inline constexpr std::int64_t longest_loop = 300;      ///< of the classic rule
inline constexpr std::int64_t calibration_loop = 10;   ///< of timed mode and of oversubscribed hosts
inline constexpr double timer_steps = 10;              ///< a loop shorter than so many steps of the timer is repeated
inline constexpr int most_doublings = 10;              ///< before its value is given up
inline constexpr double largest_spread = 0.1;          ///< median over cells of (max - min) / max over repetitions
inline constexpr double least_agreement = 0.9;         ///< share of cells whose best repetitions agree
inline constexpr double dedicated = 0.05;              ///< share of the elapsed time outside single measurements
inline constexpr std::size_t repetitions_of_last = 2;  ///< of the longest length, by the rule for the last two

/// The classic rule: loops of 2.5 to 5 ms, of 1 to 300 executions. \param k  executions at the previous length
/// \param time  of one loop there, s, the mean over the patterns of b_eff \param growth  next length / previous one
[[nodiscard]] std::int64_t next_classic(std::int64_t k, double time, double growth) noexcept;

/// First loop of the classic rule on an oversubscribed host. \param each  s per execution, calibrated
[[nodiscard]] std::int64_t first_calibrated(double each) noexcept;

/// The timed rule: `budget` seconds for all patterns together.
struct TimedRule {
    double budget = 0.5;
    std::int64_t cap = calibration_loop;
    /// \param calibration  s of calibration_loop executions of all patterns with 1 byte
    [[nodiscard]] static TimedRule after(double budget, double calibration) noexcept;
    [[nodiscard]] std::int64_t first() const noexcept { return cap / 2; }
    /// \param spent  s of the loops of all patterns at the previous length
    [[nodiscard]] std::int64_t next(std::int64_t k, double spent, double growth) const noexcept;
};

/// Predicted time for the two longest lengths. \param each  shortest time of an execution at the length before, s
[[nodiscard]] double last_two(double each, Lengths const& lengths, std::size_t patterns, std::size_t repetitions,
                              std::size_t methods) noexcept;

/// What is left out.
struct Cuts {
    bool no_extra = false;  ///< patterns for analysis, at lengths above 4 KiB
    bool last_two = false;  ///< at the two longest lengths one execution by the best method
    [[nodiscard]] bool any() const noexcept { return no_extra || last_two; }
    friend bool operator==(Cuts const&, Cuts const&) = default;
};

/// What of an order has an effect at a length: before it the order can still be taken back.
[[nodiscard]] constexpr Cuts in_effect(Cuts ordered, std::size_t length) noexcept {
    return {ordered.no_extra && length >= fixed_count, ordered.last_two && length >= first_of_last_two};
}

/// What a length took in a repetition, s.
struct Row {
    double elapsed = 0;  ///< in all
    double each = 0;     ///< sum over patterns and methods of one execution
};

/// What is known when the rest of a run is predicted.
struct Forecast {
    Lengths const& lengths;
    std::span<Row const> rows{};  ///< of the lengths measured so far, in this repetition or the one before
    std::size_t repetition = 0;   ///< under way, from 0
    std::size_t next = 0;         ///< length to come
    std::size_t repetitions = 3;
    std::size_t methods = 3;
    double share = 1;  ///< of the patterns of b_eff among all
};

/// Seconds that the rest of the run takes. A length that was never measured: an execution takes as long as one of the
/// length before, above 4 KiB in proportion to the length; with it the whole row, at the least.
[[nodiscard]] double rest(Forecast const& forecast, Cuts cuts);

/// The first of: nothing, patterns for analysis, also the last two, with which the rest fits. \param cuts  had an
/// effect so far
[[nodiscard]] Cuts cut(Forecast const& forecast, Cuts cuts, double left);

}  // namespace b_eff
