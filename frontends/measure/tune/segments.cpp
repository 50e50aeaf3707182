// SPDX-License-Identifier: BSD-3-Clause
#include "tune/segments.hpp"

#include <algorithm>
#include <cmath>

namespace measure::tool::tune {

namespace {

/// Whether the times of two algorithms agree within `gain`; false if one of them was dropped.
bool are_close(ScreenedSize const& size, std::string const& a, std::string const& b, double gain) {
    auto const x = time_of(size, a);
    auto const y = time_of(size, b);
    return x && y && std::max(*x, *y) <= (1 + gain) * std::min(*x, *y);
}

}  // namespace

std::optional<double> time_of(ScreenedSize const& size, std::string_view algorithm) {
    auto const found = std::find(size.algorithms.begin(), size.algorithms.end(), algorithm);
    if (found == size.algorithms.end())
        return std::nullopt;
    return size.times[static_cast<std::size_t>(found - size.algorithms.begin())];
}

std::vector<std::string> leaders(std::span<ScreenedSize const> sizes, double gain) {
    std::vector<std::string> result;
    for (auto const& size : sizes) {
        auto const quickest = std::min_element(size.times.begin(), size.times.end()) - size.times.begin();
        double const best = size.times[static_cast<std::size_t>(quickest)];
        if (size.times.front() <= (1 + gain) * best)
            result.push_back(size.algorithms.front());
        else if (auto const before = result.empty() ? std::nullopt : time_of(size, result.back());
                 before && *before <= (1 + gain) * best)
            result.push_back(std::string{result.back()});
        else
            result.push_back(size.algorithms[static_cast<std::size_t>(quickest)]);
    }
    return result;
}

std::vector<measure::Bytes> sizes_between(std::span<ScreenedSize const> sizes, double gain,
                                          std::set<measure::Bytes> const& asked) {
    auto const leading = leaders(sizes, gain);
    std::vector<measure::Bytes> result;
    for (std::size_t i = 1; i < sizes.size(); ++i) {
        auto const low = static_cast<double>(sizes[i - 1].bytes);
        auto const high = static_cast<double>(sizes[i].bytes);
        if (leading[i - 1] == leading[i] || high <= narrow_bracket * low ||
            (are_close(sizes[i - 1], leading[i - 1], leading[i], gain) &&
             are_close(sizes[i], leading[i - 1], leading[i], gain)))
            continue;
        constexpr measure::Bytes unit = 8;
        auto const middle = std::llround(std::sqrt(low * high) / unit) * unit;
        if (middle > sizes[i - 1].bytes && middle < sizes[i].bytes && !asked.contains(middle))
            result.push_back(middle);
    }
    return result;
}

std::vector<Segment> segments_of(std::span<ScreenedSize const> sizes, double gain, bool sized) {
    auto const leading = leaders(sizes, gain);
    std::vector<Segment> result;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (result.empty() || (sized && result.back().leader != leading[i])) {
            if (!result.empty())
                result.back().high = sizes[i].bytes - 1;
            result.push_back({.low = sizes[i].bytes, .algorithms = sizes[i].algorithms, .leader = leading[i]});
        }
        auto& segment = result.back();
        segment.sizes.push_back(sizes[i].bytes);
        segment.high = sizes[i].bytes;
        std::erase_if(segment.algorithms, [&](auto const& name) { return !time_of(sizes[i], name); });
    }
    return result;
}

}  // namespace measure::tool::tune
