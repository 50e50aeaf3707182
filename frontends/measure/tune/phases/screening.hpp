// SPDX-License-Identifier: BSD-3-Clause
/// Screening: drops algorithms that are clearly slower than another, during the measurement. Pure, local.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace measure::tool::tune {

struct ScreenRules {
    double margin = 0.1;   ///< algorithms slower by at most this share are kept, except with probability alpha
    double alpha = 0.05;   ///< probability of a wrong drop among all algorithms of a point
    int most_blocks = 40;  ///< maximum blocks of a point
};

/// The algorithms of one point. The first is the default, which is never dropped.
///
/// Each ordered pair (a, b) has an e-value that begins at 1. A block in which a takes more than 1 + margin times as
/// long as b multiplies it by 1.9, any other block by 0.1. If a is slower by more than the margin with a probability of
/// at most one half, the e-value is a supermartingale. By Ville's inequality it then reaches k (k - 1) / alpha at any
/// time with a probability of at most alpha / (k (k - 1)) (Ramdas et al. 2023). At that value, a is dropped. Blocks are
/// assumed to be independent.
class Screen {
public:
    /// \param algorithms  k, at least 1
    explicit Screen(std::size_t algorithms, ScreenRules const& rules = {});

    /// Adds a block. \param times  [k] in s; empty for an algorithm without a value, and for dropped algorithms
    void add(std::span<std::optional<double> const> times);

    [[nodiscard]] bool is_left(std::size_t algorithm) const { return left_[algorithm]; }
    [[nodiscard]] std::size_t left() const noexcept;
    [[nodiscard]] int blocks() const noexcept { return blocks_; }
    /// Whether the screen is over: one algorithm is left, or the maximum of blocks is reached.
    [[nodiscard]] bool is_over() const noexcept { return left() == 1 || blocks_ >= rules_.most_blocks; }

private:
    ScreenRules rules_;
    std::vector<bool> left_;
    std::vector<double> evidence_;  ///< [k][k] logarithm of the e-value that a is slower than b
    int blocks_ = 0;
};

}  // namespace measure::tool::tune
