// SPDX-License-Identifier: BSD-3-Clause
#include "cachebench/frequency.hpp"

#include <measure/units.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

namespace cachebench {

namespace {

#if defined(__x86_64__) || defined(__aarch64__)
#define CACHEBENCH_CHAIN

constexpr std::int64_t per_turn = 64;
constexpr std::int64_t turns = 1500;  // about 30 us, so that most bursts are not interrupted
constexpr std::size_t bursts = 200;

/// A chain of additions, each of which waits for the previous one. Adds registers, because some cores add small
/// constants in zero cycles.
void add_in_a_chain() {
    std::uint64_t sum = 0;
    for (std::int64_t i = 0; i < turns; ++i) {
#if defined(__x86_64__)
        asm volatile(".rept 64\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(i) : "cc");
#else
        asm volatile(".rept 64\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(i));
#endif
    }
}
#endif

}  // namespace

std::optional<double> frequency_of(std::span<double const> times, std::int64_t cycles) {
    constexpr double tolerance = 1.02;
    if (times.empty())
        return std::nullopt;
    double const fastest = *std::min_element(times.begin(), times.end());
    auto const agree = std::count_if(times.begin(), times.end(), [&](double t) { return t <= tolerance * fastest; });
    if (!(fastest > 0) || 10 * agree < std::ssize(times))
        return std::nullopt;
    return static_cast<double>(cycles) / fastest;
}

std::optional<double> core_frequency() {
#ifdef CACHEBENCH_CHAIN
    using Clock = measure::SteadyClock;
    std::array<double, bursts> times{};
    // An idle core needs time to reach its full frequency, so only the second round counts.
    for (int round = 0; round < 2; ++round)
        for (double& time : times) {
            auto const begin = Clock::now();
            add_in_a_chain();
            time = std::chrono::duration<double>(Clock::now() - begin).count();
        }
    return frequency_of(times, per_turn * turns);
#else
    return std::nullopt;
#endif
}

}  // namespace cachebench
