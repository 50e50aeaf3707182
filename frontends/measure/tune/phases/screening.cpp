// SPDX-License-Identifier: BSD-3-Clause
#include "tune/phases/screening.hpp"

#include <algorithm>
#include <cmath>

namespace measure::tool::tune {

Screen::Screen(std::size_t algorithms, ScreenRules const& rules)
    : rules_{rules}, left_(algorithms, true), evidence_(algorithms * algorithms, 0) {}

std::size_t Screen::left() const noexcept {
    return static_cast<std::size_t>(std::count(left_.begin(), left_.end(), true));
}

void Screen::add(std::span<std::optional<double> const> times) {
    constexpr double slower = 1.9;
    constexpr double otherwise = 0.1;
    std::size_t const k = left_.size();
    auto const pairs = static_cast<double>(k * (k - 1));
    double const enough = std::log(pairs / rules_.alpha);
    ++blocks_;
    std::vector<bool> left = left_;
    for (std::size_t a = 1; a < k; ++a)
        for (std::size_t b = 0; b < k; ++b) {
            if (a == b || !left_[a] || !left_[b] || !times[a] || !times[b])
                continue;
            double& evidence = evidence_[a * k + b];
            evidence += std::log(*times[a] > (1 + rules_.margin) * *times[b] ? slower : otherwise);
            if (evidence >= enough)
                left[a] = false;
        }
    left_ = std::move(left);
}

}  // namespace measure::tool::tune
