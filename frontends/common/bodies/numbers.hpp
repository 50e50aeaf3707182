// SPDX-License-Identifier: BSD-3-Clause
/// Numbers: the types of reduced numbers, as bytes in memory. Pure, no MPI.
#pragma once

#include <measure/units.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bodies {

enum class NumberKind { real64, real32, int64, int32, int8 };

/// Bytes of a number.
[[nodiscard]] constexpr measure::Bytes number_size(NumberKind kind) noexcept {
    switch (kind) {
    case NumberKind::real64:
    case NumberKind::int64:
        break;
    case NumberKind::real32:
    case NumberKind::int32:
        return 4;
    case NumberKind::int8:
        return 1;
    }
    return 8;
}

/// Writes an integer as this type. Integer types that are too small keep the low bits, as sums in these types do.
/// \param to  [number_size(kind)]
inline void write_number(std::byte* to, NumberKind kind, double value) noexcept {
    auto const whole = static_cast<std::int64_t>(value);
    auto const copy = [to](auto const& number) { std::memcpy(to, &number, sizeof number); };
    switch (kind) {
    case NumberKind::real64:
        return copy(value);
    case NumberKind::real32:
        return copy(static_cast<float>(value));
    case NumberKind::int64:
        return copy(whole);
    case NumberKind::int32:
        return copy(static_cast<std::int32_t>(whole));
    case NumberKind::int8:
        return copy(static_cast<std::int8_t>(whole));
    }
}

}  // namespace bodies
