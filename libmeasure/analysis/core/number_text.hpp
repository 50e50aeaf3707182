// SPDX-License-Identifier: BSD-3-Clause
/// Parsing of numbers and of durations with a unit.
#pragma once

#include "measure/units.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace measure::detail {

/// The whole text as a decimal number; empty if the text contains anything else.
template <class T>
[[nodiscard]] std::optional<T> number_from(std::string_view text) {
    T value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional{value} : std::nullopt;
}

/// The text as a finite number; empty otherwise.
[[nodiscard]] inline std::optional<double> finite_from(std::string_view text) {
    auto const value = number_from<double>(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Number of decimals that shows at least one non-zero digit of an error: `wanted`, or up to six more.
[[nodiscard]] inline int digits_for_error(double error, int wanted) noexcept {
    double const size = std::abs(error);
    if (!(size > 0) || !std::isfinite(size))
        return wanted;
    return std::clamp(static_cast<int>(-std::floor(std::log10(size))), wanted, wanted + 6);
}

inline constexpr char const* duration_units = "ns, us, ms, s, min";

/// A number followed by a unit of time.
[[nodiscard]] inline std::optional<seconds> duration_from(std::string_view text) {
    constexpr std::pair<std::string_view, double> units[] = {
        {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"min", 60}, {"s", 1}};
    for (auto const& [unit, factor] : units)
        if (text.ends_with(unit)) {
            auto const number = finite_from(text.substr(0, text.size() - unit.size()));
            return number ? std::optional{seconds{*number * factor}} : std::nullopt;
        }
    return std::nullopt;
}

}  // namespace measure::detail
