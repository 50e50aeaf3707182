// SPDX-License-Identifier: BSD-3-Clause
/// Shown: the value of an option as a user would write it, by its conversion or by its type. Pure and local.
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

/// A value as a user would write it; nothing for an empty text.
/// \{
[[nodiscard]] std::string shown(std::string const& value);
[[nodiscard]] std::string shown(bool value);
[[nodiscard]] std::string shown(std::int64_t value);
[[nodiscard]] std::string shown(std::uint64_t value);
[[nodiscard]] std::string shown(int value);
[[nodiscard]] std::string shown(double value);
[[nodiscard]] std::string shown(measure::seconds value);
template <class T>
std::string shown(T*) = delete;  ///< which would be a bool
/// \}
/// "a,b,c"
[[nodiscard]] std::string joined(std::vector<std::string> const& texts);

/// The conversion of an element, of that of a list; any other one.
template <class Convert>
[[nodiscard]] auto const& element_of(Convert const& convert) {
    if constexpr (requires { convert.each; })
        return convert.each;
    else
        return convert;
}

/// \param convert  of the option: its `text(value)` where it has one; of a list, that of an element
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

/// The help with the default behind it, where there is one to show: "time of a point (default 2 s)".
[[nodiscard]] std::string with_default(std::string help, std::string const& value);

}  // namespace program::detail
