// SPDX-License-Identifier: BSD-3-Clause
/// Pace: decisions of the root between lengths: executions of the next loops, and measurements to leave out. Local.
#pragma once

#include "b_eff/options.hpp"
#include "b_eff/result.hpp"
#include "b_eff/rules.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace b_eff {

/// The orders of the root before a length. Trivially copyable, because it is broadcast.
struct Order {
    std::array<std::int64_t, methods.size()> loops{};
    Cuts cuts{};
};

class Pace {
public:
    /// Both arguments must outlive the object. \param results  filled during the run
    Pace(Setup const& setup, Results const& results)
        : setup_{setup}, results_{results}, best_methods_(setup.patterns.size()) {}

    /// Sets the first loop lengths of a repetition. \param time  seconds of calibration_loop executions of `patterns`
    /// patterns with 1 byte; missing without calibration
    void begin(std::size_t method, std::optional<double> time, int patterns);
    /// \param cuts  in effect so far \param left  seconds of the time budget; missing: no limit
    [[nodiscard]] Order order(std::size_t repetition, std::size_t length, Cuts cuts, std::optional<double> left);
    /// \param elapsed  seconds of the whole length \param cuts  in effect there
    void learn(std::size_t repetition, std::size_t length, double elapsed, Cuts cuts);

    /// [patterns] The best method of each pattern before the two longest lengths.
    [[nodiscard]] std::vector<int> const& best_methods() const noexcept { return best_methods_; }

private:
    [[nodiscard]] double share() const;
    [[nodiscard]] double predicted_last_two(std::size_t repetition) const;
    void find_best_methods(std::size_t repetition);
    template <class F>
    void for_cells(std::size_t repetition, std::size_t length, F f) const;

    Setup const& setup_;
    Results const& results_;
    std::vector<int> best_methods_;
    std::array<std::int64_t, methods.size()> loops_{};
    std::array<TimedRule, methods.size()> timed_{};
    std::array<Row, length_count> rows_{};
    std::size_t known_ = 0;  ///< number of known rows
};

}  // namespace b_eff
