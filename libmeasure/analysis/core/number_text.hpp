// SPDX-License-Identifier: BSD-3-Clause
/// Numbers in texts of options: plain ones, and durations with a unit.
#pragma once

#include "measure/units.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace measure::detail {

/// A finite decimal number and nothing else.
[[nodiscard]] inline std::optional<double> number_from(std::string_view text) {
    double value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool const whole = error == std::errc{} && end == text.data() + text.size();
    return whole && std::isfinite(value) ? std::optional{value} : std::nullopt;
}

inline constexpr char const* duration_units = "ns, us, ms, s, min";

/// A number with a unit of time.
[[nodiscard]] inline std::optional<seconds> duration_from(std::string_view text) {
    constexpr std::pair<std::string_view, double> units[] = {
        {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"min", 60}, {"s", 1}};
    for (auto const& [unit, factor] : units)
        if (text.ends_with(unit)) {
            auto const number = number_from(text.substr(0, text.size() - unit.size()));
            return number ? std::optional{seconds{*number * factor}} : std::nullopt;
        }
    return std::nullopt;
}

}  // namespace measure::detail
