// SPDX-License-Identifier: BSD-3-Clause
/// Lengths: the 21 message lengths that follow from the memory of a process. Pure.
#pragma once

#include <measure/units.hpp>

#include <array>
#include <cstddef>

namespace b_eff {

inline constexpr std::size_t length_count = 21;
inline constexpr std::size_t fixed_count = 13;  ///< 1 B to 4 KiB, whatever the memory
inline constexpr std::size_t last_length = length_count - 1;
inline constexpr std::size_t first_of_last_two = length_count - 2;
/// Lengths below this index have one execution before the clock is read.
inline constexpr std::size_t warmed_up = 18;

/// Ascending, bytes.
using Lengths = std::array<measure::Bytes, length_count>;

/// memory / 128, at most 128 MiB. \param memory  bytes of one process
[[nodiscard]] measure::Bytes largest_length(measure::Bytes memory) noexcept;

/// 1, 2, 4 .. 4096, then 4096 a^k with a = (largest / 4096)^(1/8), k = 1 .. 8, to the nearest byte.
/// \param largest  > 4096
[[nodiscard]] Lengths lengths(measure::Bytes largest);

}  // namespace b_eff
