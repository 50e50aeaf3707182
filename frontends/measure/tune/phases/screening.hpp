// SPDX-License-Identifier: BSD-3-Clause
/// Screening: drops algorithms that are clearly slower than another one, while they are measured. Pure, local.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace measure::tool::tune {

struct ScreenRules {
    double margin = 0.1;   ///< what is not so much slower is never dropped, but for a chance of alpha
    double alpha = 0.05;   ///< of a point, for all its algorithms together
    int most_blocks = 40;  ///< of a point
};

/// The algorithms of one point, of which the first is the default, which stays.
///
/// For each ordered pair (a, b) an e-value begins at 1; a block in which a took more than 1 + margin times as long as b
/// multiplies it by 1.9, any other one by 0.1. Where a is more than that slower in at most half of the blocks this is a
/// supermartingale, so that by Ville's inequality it ever reaches k (k - 1) / alpha with a chance of alpha / (k (k -
/// 1)) at most (Ramdas et al. 2023). Then a is dropped. Blocks are taken to be independent.
class Screen {
public:
    /// \param algorithms  k, at least 1
    explicit Screen(std::size_t algorithms, ScreenRules const& rules = {});

    /// A block. \param times  [k]; nothing for what has no value in it, and for those that were dropped
    void add(std::span<std::optional<double> const> times);

    [[nodiscard]] bool is_left(std::size_t algorithm) const { return left_[algorithm]; }
    [[nodiscard]] std::size_t left() const noexcept;
    [[nodiscard]] int blocks() const noexcept { return blocks_; }
    /// Whether another block would change nothing, or is one too many.
    [[nodiscard]] bool is_over() const noexcept { return left() == 1 || blocks_ >= rules_.most_blocks; }

private:
    ScreenRules rules_;
    std::vector<bool> left_;
    std::vector<double> evidence_;  ///< [k][k] logarithm of the e-value that a is slower than b
    int blocks_ = 0;
};

}  // namespace measure::tool::tune
