// SPDX-License-Identifier: BSD-3-Clause
/// Numbers: the types that reductions are measured with, as bytes in memory. Pure, no MPI.
#pragma once

#include <measure/units.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bodies {

enum class NumberKind { real64, real32, int64, int32, int8 };

/// Bytes of one.
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

/// Writes a whole number as that type; integers that do not hold it keep its last bits, as their sums do.
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
