// SPDX-License-Identifier: BSD-3-Clause
#include "measure/fwq.hpp"

#include "core/require.hpp"
#include "measure/statistics.hpp"

#include <algorithm>
#include <numeric>

namespace measure {

namespace {

constexpr std::size_t most_quanta = std::size_t{1} << 20;
constexpr std::size_t expected_quanta_per_second = 20'000;

/// A chain of steps of a linear congruential generator. The empty asm prevents the compiler from merging steps.
[[gnu::noinline]] std::uint64_t work(std::uint64_t x, std::int64_t steps) {
    for (std::int64_t i = 0; i < steps; ++i) {
        x = x * 6364136223846793005U + 1442695040888963407U;
        asm volatile("" : "+r"(x));
    }
    return x;
}

template <class T>
Fwq work_for(T const& timer, FwqRule const& rule) {
    Fwq seen{.steps = rule.steps};
    // A longer list is reallocated during the loop, which shows as one slow quantum among very many.
    seen.quanta.reserve(
        std::min(most_quanta, static_cast<std::size_t>(rule.duration.count() * expected_quanta_per_second) + 1024));
    std::uint64_t x = work(1, rule.steps);
    auto const first = timer.now();
    auto last = first;
    do {
        x = work(x, rule.steps);
        auto const now = timer.now();
        // Measurement is impossible after a clock went backwards.
        if (now < last)
            break;
        seen.quanta.push_back(timer.between(last, now).count());
        last = now;
    } while (seen.quanta.size() < most_quanta && timer.between(first, last) < rule.duration);
    return seen;
}

}  // namespace

Fwq observe_fwq(AnyTimer const& timer, FwqRule const& rule) {
    require(rule.duration > seconds{0}, "fixed work: the duration must be > 0");
    require(rule.steps > 0, "fixed work: a quantum must have steps");
    return timer.visit([&](auto const& t) { return work_for(t, rule); });
}

FwqSummary summary_of(Fwq const& work) {
    auto const& quanta = work.quanta;
    if (quanta.empty())
        return {};
    auto const [fastest, slowest] = std::minmax_element(quanta.begin(), quanta.end());
    return {.duration = std::accumulate(quanta.begin(), quanta.end(), 0.0),
            .quanta = std::ssize(quanta),
            .fastest = *fastest,
            .quick = quantile(quanta, 0.05),
            .median = median(quanta),
            .slowest = *slowest};
}

}  // namespace measure
