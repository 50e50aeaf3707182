// SPDX-License-Identifier: BSD-3-Clause
/// Shown: formats the value of an option as a user would write it, by its conversion or its type. Pure and local.
#pragma once

#include <measure/units.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace program::detail {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

/// A value as a user would write it.
/// \{
[[nodiscard]] std::string shown(std::string const& value);
[[nodiscard]] std::string shown(bool value);
[[nodiscard]] std::string shown(std::int64_t value);
[[nodiscard]] std::string shown(std::uint64_t value);
[[nodiscard]] std::string shown(int value);
[[nodiscard]] std::string shown(double value);
[[nodiscard]] std::string shown(measure::seconds value);
template <class T>
std::string shown(T*) = delete;  ///< a pointer would convert to bool
/// \}
/// "a,b,c"
[[nodiscard]] std::string joined(std::vector<std::string> const& texts);

/// The conversion of a list's elements; any other conversion is returned unchanged.
template <class Convert>
[[nodiscard]] auto const& element_of(Convert const& convert) {
    if constexpr (requires { convert.each; })
        return convert.each;
    else
        return convert;
}

/// The value as the option's conversion formats it, by `text(value)` if it has one. The elements of a list are
/// formatted separately. Empty for a type that has no format.
template <class Convert, class T>
[[nodiscard]] std::string text_of(Convert const& convert, T const& value) {
    if constexpr (IsOptional<T>::value) {
        return value ? text_of(convert, *value) : std::string{};
    } else if constexpr (requires {
                             { convert.text(value) } -> std::same_as<std::string>;
                         }) {
        return convert.text(value);
    } else if constexpr (IsVector<T>::value) {
        std::vector<std::string> texts;
        for (auto const& each : value)
            if (auto text = text_of(element_of(convert), each); !text.empty())
                texts.push_back(std::move(text));
        return joined(texts);
    } else if constexpr (requires { shown(value); }) {
        return shown(value);
    } else {
        return {};
    }
}

/// The help followed by the default, unless that is empty: "time of a point (default 2 s)".
[[nodiscard]] std::string with_default(std::string help, std::string const& value);

}  // namespace program::detail
