// SPDX-License-Identifier: BSD-3-Clause
/// Text: appends formatted parts to a text.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

namespace b_eff {

template <class... T>
void put(std::string& text, fmt::format_string<T...> form, T&&... values) {
    fmt::format_to(std::back_inserter(text), form, std::forward<T>(values)...);
}

}  // namespace b_eff
