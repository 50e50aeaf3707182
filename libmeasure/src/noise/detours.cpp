// SPDX-License-Identifier: BSD-3-Clause
#include "measure/detours.hpp"

#include "core/require.hpp"
#include "measure/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace measure {

namespace {

constexpr std::size_t most_detours = 65536;

/// The shortest gap between readings of this clock; zero if it does not advance.
template <class T>
seconds shortest_gap(T const& timer) {
    constexpr int looks = 1000;
    seconds shortest{0};
    auto last = timer.now();
    for (int i = 0; i < looks; ++i) {
        auto const now = timer.now();
        auto const gap = timer.between(last, now);
        if (gap > seconds{0} && (shortest == seconds{0} || gap < shortest))
            shortest = gap;
        last = now;
    }
    return shortest;
}

template <class T>
Detours observe(T const& timer, DetourRule const& rule) {
    constexpr seconds usual{1e-6};
    constexpr double steps = 10;
    Detours noise;
    noise.threshold = rule.threshold.value_or(std::max(usual, steps * shortest_gap(timer)));
    noise.detours.reserve(most_detours);
    auto const first = timer.now();
    auto last = first;
    // The buffer was reserved in advance, so that recording a detour does not cause another one.
    while (noise.detours.size() < most_detours && timer.between(first, last) < rule.duration) {
        auto const now = timer.now();
        // Measurement is impossible after a clock went backwards.
        if (now < last)
            break;
        ++noise.readings;
        if (auto const gap = timer.between(last, now); gap > noise.threshold)
            noise.detours.push_back(gap.count());
        last = now;
    }
    noise.duration = timer.between(first, last);
    return noise;
}

bool is_slice(double detour) {
    constexpr double slice = 4e-3;
    constexpr double tolerance = 0.1e-3;
    auto const whole = std::round(detour / slice);
    return whole >= 1 && std::abs(detour - whole * slice) <= tolerance;
}

}  // namespace

Detours observe_detours(AnyTimer const& timer, DetourRule const& rule) {
    require(rule.duration > seconds{0}, "noise: the duration must be > 0");
    require(!rule.threshold || *rule.threshold > seconds{0}, "noise: the threshold must be > 0");
    return timer.visit([&](auto const& t) { return observe(t, rule); });
}

DetourSummary summarise(std::span<Detours const> observations) {
    constexpr double pause = 2e-3;
    DetourSummary s;
    std::vector<double> detours;
    for (auto const& noise : observations) {
        s.duration += noise.duration.count();
        s.threshold = std::max(s.threshold, noise.threshold.count());
        detours.insert(detours.end(), noise.detours.begin(), noise.detours.end());
    }
    s.detours = std::ssize(detours);
    if (detours.empty())
        return s;
    s.lost = std::accumulate(detours.begin(), detours.end(), 0.0);
    s.shortest = *std::min_element(detours.begin(), detours.end());
    s.median = median(detours);
    s.longest = *std::max_element(detours.begin(), detours.end());
    s.slices = std::count_if(detours.begin(), detours.end(), is_slice);
    s.pauses = std::count_if(detours.begin(), detours.end(), [](double d) { return d >= pause; });
    return s;
}

std::string detour_warning(std::span<DetourSummary const> ranks) {
    std::int64_t slices = 0;
    std::int64_t pauses = 0;
    double longest = 0;
    double share = 0;
    for (auto const& rank : ranks) {
        slices += rank.slices;
        pauses += rank.pauses;
        longest = std::max(longest, rank.longest);
        share = std::max(share, rank.share());
    }
    if (pauses == 0)
        return {};
    auto const what =
        fmt::format("ranks were interrupted {} times for 2 ms or more (longest {}, losing up to {:.1f} % of a "
                    "core)",
                    pauses, text(seconds{longest}), share * 100);
    // By chance, one pause in twenty looks like whole time slices.
    if (slices < 3 || 5 * slices < pauses)
        return what;
    return what + fmt::format("; {} of them lasted whole time slices of 4 ms: other processes use these cores", slices);
}

}  // namespace measure
