// SPDX-License-Identifier: BSD-3-Clause
/// Rules: the number of executions of a loop, and the measurements to leave out if time is short. Pure; decided on the
/// root.
#pragma once

#include "b_eff/lengths.hpp"

#include <cstdint>
#include <span>

namespace b_eff {

inline constexpr std::int64_t longest_loop = 300;     ///< largest number of executions, classic rule
inline constexpr std::int64_t calibration_loop = 10;  ///< executions of a calibration (timed rule, oversubscription)
inline constexpr double timer_steps = 10;             ///< a loop shorter than this number of timer steps is repeated
inline constexpr int most_doublings = 10;             ///< doublings of a loop before it remains without a value
inline constexpr double largest_spread = 0.1;         ///< largest median over cells of (max - min) / max of repetitions
inline constexpr double least_agreement = 0.9;        ///< smallest share of cells whose best repetitions agree
inline constexpr double dedicated = 0.05;             ///< largest share of the elapsed time outside single measurements
inline constexpr std::size_t repetitions_of_last = 2;  ///< repetitions of the longest length with Cuts::last_two

/// The classic rule: loops of 2.5 to 5 ms with 1 to 300 executions. \param k  executions at the previous length
/// \param time  of one loop there in seconds, the mean over the patterns of b_eff
/// \param growth  next length divided by the previous one
[[nodiscard]] std::int64_t next_classic(std::int64_t k, double time, double growth) noexcept;

/// First loop length of the classic rule on an oversubscribed host. \param each  calibrated seconds per execution
[[nodiscard]] std::int64_t first_calibrated(double each) noexcept;

/// The timed rule: `budget` seconds for all patterns together.
struct TimedRule {
    double budget = 0.5;
    std::int64_t cap = calibration_loop;
    /// \param calibration  seconds of calibration_loop executions of all patterns with 1 byte
    [[nodiscard]] static TimedRule after(double budget, double calibration) noexcept;
    [[nodiscard]] std::int64_t first() const noexcept { return cap / 2; }
    /// \param spent  seconds of the loops of all patterns at the previous length
    [[nodiscard]] std::int64_t next(std::int64_t k, double spent, double growth) const noexcept;
};

/// Predicted seconds for the two longest lengths. \param each  shortest time of an execution at the length before, in
/// seconds
[[nodiscard]] double last_two(double each, Lengths const& lengths, std::size_t patterns, std::size_t repetitions,
                              std::size_t methods) noexcept;

/// The measurements that are left out.
struct Cuts {
    bool no_extra = false;  ///< no patterns for analysis at lengths above 4 KiB
    bool last_two = false;  ///< only one execution with the best method at the two longest lengths
    [[nodiscard]] bool any() const noexcept { return no_extra || last_two; }
    friend bool operator==(Cuts const&, Cuts const&) = default;
};

/// The part of an order that affects a length. The order can be revoked until it affects one.
[[nodiscard]] constexpr Cuts in_effect(Cuts ordered, std::size_t length) noexcept {
    return {ordered.no_extra && length >= fixed_count, ordered.last_two && length >= first_of_last_two};
}

/// Times of one length in one repetition, in seconds.
struct Row {
    double elapsed = 0;  ///< total time
    double each = 0;     ///< sum over patterns and methods of the time of one execution
};

/// The input for predicting the rest of a run.
struct Forecast {
    Lengths const& lengths;
    std::span<Row const> rows{};  ///< measured lengths, in this repetition or the previous one
    std::size_t repetition = 0;   ///< current repetition, from 0
    std::size_t next = 0;         ///< index of the next length
    std::size_t repetitions = 3;
    std::size_t methods = 3;
    double share = 1;  ///< share of the patterns of b_eff among all patterns
};

/// Predicts the seconds that the rest of the run takes. For a length that was never measured, an execution takes as
/// long as at the previous length; above 4 KiB, its time grows in proportion to the length. Such a length takes at
/// least one execution of all patterns and methods (two with warm-up), and at least as long as the last measured one.
[[nodiscard]] double rest(Forecast const& forecast, Cuts cuts);

/// Returns the first set of cuts with which the rest fits: the present cuts, then without patterns for analysis, then
/// also with the rule for the last two lengths. \param cuts  in effect so far
[[nodiscard]] Cuts cut(Forecast const& forecast, Cuts cuts, double left);

}  // namespace b_eff
