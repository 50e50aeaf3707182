// SPDX-License-Identifier: BSD-3-Clause
/// The cost of a scope that is left in an application: with regions off, and with regions on relative to the two clock
/// readings that a scope needs. Rounds alternate between the ways, so that a slow phase of the machine affects all of
/// them. Nothing is asserted.
#include "measure/keep.hpp"
#include "measure/regions.hpp"
#include "measure/statistics.hpp"
#include "short_loop.hpp"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace {

using bench::loop;
using measure::Comm;
using measure::Regions;

constexpr int rounds = 301;

/// Work that the compiler must not remove from the loop.
[[gnu::always_inline]] inline void work() noexcept { asm volatile("" ::: "memory"); }

template <measure::Timer T>
double two_readings(T const& timer) {
    typename T::stamp sum{};
    double const ns = loop([&] {
        auto const opened = measure::begin_stamp(timer);
        work();
        sum += measure::end_stamp(timer) - opened;
    });
    measure::keep(sum);
    return ns;
}

double scope(measure::Region const& region) {
    return loop([&] {
        auto const inside = region.enter();
        work();
    });
}

struct Way {
    std::string name;
    std::function<double()> run;
    std::size_t beside;  ///< index of the way that the ratio refers to
    std::vector<double> ns{};
};

}  // namespace

int main() {
    Comm const comm = Comm::solo();
    bool const has_tsc = measure::TscTimer::available();
    measure::MonotonicRawTimer const raw;
    measure::AnyTimer const quick = has_tsc ? measure::timer_from("tsc", comm) : measure::AnyTimer{raw};
    Regions off{comm, {.file = ""}};
    Regions by_raw{comm, {.file = "/dev/null", .timer = raw}};
    Regions by_tsc{comm, {.file = "/dev/null", .timer = quick}};
    Regions kept{comm, {.file = "/dev/null", .timer = raw, .samples = 1000}};
    auto const nested = by_raw["nested"];
    auto const outer = by_raw["outer"];

    std::vector<Way> ways{{"empty loop", [] { return loop([] { work(); }); }, 0},
                          {"scope, regions off", [&, r = off["r"]] { return scope(r); }, 0},
                          {"two readings, monotonic_raw", [&] { return two_readings(raw); }, 2},
                          {"scope, monotonic_raw", [&, r = by_raw["r"]] { return scope(r); }, 2},
                          {"scope in a scope, monotonic_raw",
                           [&] {
                               auto const around = outer.enter();
                               return scope(nested);
                           },
                           2},
                          {"scope, 1000 samples kept", [&, r = kept["r"]] { return scope(r); }, 2}};
    if (has_tsc) {
        auto const two = [&] { return quick.visit([](auto const& t) { return two_readings(t); }); };
        ways.push_back({"two readings, tsc", two, 6});
        ways.push_back({"scope, tsc", [&, r = by_tsc["r"]] { return scope(r); }, 6});
    }
    for (int i = 0; i < rounds; ++i)
        for (auto& way : ways)
            way.ns.push_back(way.run());
    for (auto const& way : ways)
        std::printf("%-34s median %7.2f ns   %5.2f x %s\n", way.name.c_str(), measure::median(way.ns),
                    measure::median(way.ns) / measure::median(ways[way.beside].ns), ways[way.beside].name.c_str());
    (void)by_raw.end();
    (void)by_tsc.end();
    (void)kept.end();
}
