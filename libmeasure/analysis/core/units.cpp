// SPDX-License-Identifier: BSD-3-Clause
#include "measure/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace measure {
namespace {

struct Unit {
    double per_second;
    char const* name;
};

constexpr std::array<Unit, 3> fractions{{{1e9, "ns"}, {1e6, "us"}, {1e3, "ms"}}};
constexpr std::array binary_units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

}  // namespace

SteadyClock::time_point SteadyClock::now() noexcept {
    thread_local time_point last = time_point::min();
    thread_local duration lost{0};
    auto const reading = std::chrono::steady_clock::now();
    if (reading < last)
        lost += last - reading;
    last = reading;
    return reading + lost;
}

std::string text(seconds t) {
    auto const value = t.count();
    if (value == 0)
        return "0 s";
    // From 999.5 on, three digits would print "1000", which is 1 of the next unit.
    for (auto const& unit : fractions)
        if (auto const scaled = value * unit.per_second; std::abs(scaled) < 999.5)
            return fmt::format("{:.3g} {}", scaled, unit.name);
    // Above 1000 s, three digits would need an exponent.
    return std::abs(value) < 999.5 ? fmt::format("{:.3g} s", value) : fmt::format("{:.0f} s", value);
}

std::string text_bytes(Bytes n) {
    auto value = static_cast<double>(n);
    std::size_t unit = 0;
    // From 1023.95 on, one decimal would print "1024.0", which is 1 of the next unit.
    for (; std::abs(value) >= 1023.95; ++unit)
        value /= 1024;
    return fmt::format("{:g} {}", std::round(value * 10) / 10, binary_units[unit]);
}

}  // namespace measure
