// SPDX-License-Identifier: BSD-3-Clause
/// Tune model: screening, switches and decisions of `measure tune` for algorithms with known times.
#pragma once

#include "tune/decide.hpp"
#include "tune/phases/screening.hpp"
#include "tune/segments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// Points with eight algorithms; the default is not the quickest.
struct ScreenModel {
    double noise = 0.1;    ///< standard deviation of the logarithm of a block's time
    double spikes = 0.02;  ///< share of the blocks that are three times slower
};

/// Totals over many points of a model.
struct ScreenedPoints {
    int lost = 0;          ///< points that dropped the best algorithm
    int measurements = 0;  ///< measured blocks
    int planned = 0;       ///< blocks without dropping algorithms
};

inline ScreenedPoints screened_points(ScreenModel const& model, int points, std::mt19937_64& random) {
    constexpr std::size_t best = 1;
    std::array const excess{0.15, 0.0, 0.02, 0.05, 0.3, 0.6, 1.0, 3.0};
    std::normal_distribution<double> noise{0, model.noise};
    std::uniform_real_distribution<double> uniform{0, 1};
    measure::tool::tune::ScreenRules const rules{};
    ScreenedPoints result{.planned = points * rules.most_blocks * static_cast<int>(excess.size())};
    for (int point = 0; point < points; ++point) {
        measure::tool::tune::Screen screen{excess.size(), rules};
        while (!screen.is_over()) {
            std::vector<std::optional<double>> times(excess.size());
            for (std::size_t a = 0; a < excess.size(); ++a)
                if (screen.is_left(a)) {
                    ++result.measurements;
                    times[a] = (1 + excess[a]) * std::exp(noise(random)) * (uniform(random) < model.spikes ? 3 : 1);
                }
            screen.add(times);
        }
        result.lost += screen.is_left(best) ? 0 : 1;
    }
    return result;
}

/// The default, and an algorithm with a higher start-up cost and a lower cost per byte.
struct CrossingModel {
    double crossing = 9000;  ///< bytes at which both take the same time
    double noise = 0.02;     ///< standard deviation of the logarithm of a block's time
    double gain = 0.05;      ///< smaller gains change nothing

    /// Times of the default and of the other algorithm, in microseconds.
    [[nodiscard]] std::array<double, 2> times(double bytes) const {
        return {start + 2 * per_byte * bytes, start + per_byte * crossing + per_byte * bytes};
    }
    /// The size at which the gain equals `gain`.
    [[nodiscard]] double switches_at() const {
        return (gain * start + (1 + gain) * per_byte * crossing) / ((1 - gain) * per_byte);
    }

    static constexpr double start = 10;
    static constexpr double per_byte = 0.01;
};

/// Two sizes between which the leader changes.
struct Bracket {
    double low = 0;
    double high = 0;
    [[nodiscard]] bool holds(double bytes) const { return low <= bytes && bytes <= high; }
};

/// Screens the sizes of a campaign and sizes between them. \return the first switch to the other algorithm
inline std::optional<Bracket> bracket_of(CrossingModel const& model, std::mt19937_64& random) {
    using measure::tool::tune::ScreenedSize;
    std::normal_distribution<double> scatter{0, model.noise};
    auto const screened = [&](measure::Bytes bytes) {
        constexpr std::ptrdiff_t blocks = 40;
        ScreenedSize size{bytes, {"auto", "a"}, {}};
        for (double const truth : model.times(static_cast<double>(bytes))) {
            std::vector<double> times;
            for (std::ptrdiff_t b = 0; b < blocks; ++b)
                times.push_back(truth * std::exp(scatter(random)));
            auto const middle = times.begin() + blocks / 2;
            std::nth_element(times.begin(), middle, times.end());
            size.times.push_back(*middle);
        }
        return size;
    };
    std::vector<ScreenedSize> sizes;
    for (measure::Bytes n = 8; n <= 1 << 20; n *= 4)
        sizes.push_back(screened(n));
    for (auto more = sizes_between(sizes, model.gain); !more.empty(); more = sizes_between(sizes, model.gain)) {
        for (auto const bytes : more)
            sizes.push_back(screened(bytes));
        std::sort(sizes.begin(), sizes.end(), [](auto const& a, auto const& b) { return a.bytes < b.bytes; });
    }
    auto const leading = measure::tool::tune::leaders(sizes, model.gain);
    for (std::size_t i = 1; i < sizes.size(); ++i)
        if (leading[i] == "a")
            return Bracket{static_cast<double>(sizes[i - 1].bytes), static_cast<double>(sizes[i].bytes)};
    return std::nullopt;
}

/// Campaigns of 40 segments.
struct DecisionModel {
    int better = 0;          ///< number of segments with a rival that gains 10 %; all other rivals gain nothing
    std::size_t rivals = 1;  ///< rivals of the default in each segment
    double noise = 0.05;     ///< standard deviation of the logarithm of a launch's gain
    std::size_t launches = 10;

    static constexpr int segments = 40;
};

/// Counts over many simulated campaigns.
struct DecidedCampaigns {
    int taken = 0;        ///< segments that select the better rival
    int false_ones = 0;   ///< segments that select a rival without a gain
    int with_change = 0;  ///< campaigns with any change
};

inline DecidedCampaigns decided_campaigns(DecisionModel const& model, int campaigns, std::mt19937_64& random) {
    using measure::tool::tune::Rival;
    using measure::tool::tune::SegmentLaunches;
    std::normal_distribution<double> scatter{0, model.noise};
    DecidedCampaigns result;
    for (int c = 0; c < campaigns; ++c) {
        std::vector<SegmentLaunches> segments;
        for (int s = 0; s < DecisionModel::segments; ++s) {
            SegmentLaunches one{.collective = "C" + std::to_string(s / 4)};
            for (std::size_t r = 0; r < model.rivals; ++r) {
                Rival rival{.algorithm = "r" + std::to_string(r)};
                double const gain = s < model.better && r == 0 ? std::log1p(0.1) : 0;
                for (std::size_t l = 0; l < model.launches; ++l)
                    rival.gains.push_back(gain + scatter(random));
                one.rivals.push_back(std::move(rival));
            }
            for (std::size_t l = 0; l < model.launches; ++l)
                one.noise.push_back(scatter(random));
            segments.push_back(std::move(one));
        }
        auto const choices = measure::tool::tune::decide(segments, {});
        int changed = 0;
        for (int s = 0; s < DecisionModel::segments; ++s) {
            auto const& name = choices[static_cast<std::size_t>(s)].algorithm;
            bool const is_better = s < model.better && name == "r0";
            result.taken += is_better ? 1 : 0;
            result.false_ones += !name.empty() && !is_better ? 1 : 0;
            changed += name.empty() ? 0 : 1;
        }
        result.with_change += changed > 0 ? 1 : 0;
    }
    return result;
}

}  // namespace test
