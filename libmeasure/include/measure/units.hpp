// SPDX-License-Identifier: BSD-3-Clause
/// Units: times, sizes, and their texts.
#pragma once

#include <cstdint>
#include <string>

// Only durations and clocks: <chrono> also contains calendars and their formatting, which take longer to compile than
// mpi.h, strings and vectors together.
#if defined(__GLIBCXX__) && __has_include(<bits/chrono.h>)
#include <bits/chrono.h>
#else
#include <chrono>
#endif

#pragma GCC visibility push(default)
/// The public names of the library. Programs must not use `measure::detail`.
namespace measure {

/// A duration in seconds: a difference of two stamps, or a time relative to an origin from the same run. Never an
/// absolute time, because a double that counts seconds since 1970 has a step of 0.24 us.
using seconds = std::chrono::duration<double>;

/// Like std::chrono::steady_clock, for budgets and elapsed times. If the machine's clock goes back, as in some virtual
/// machines, this clock continues from its last reading. So waits do not become longer, and elapsed times are never
/// negative. Each thread has its own clock. Measurements use a Timer instead.
struct SteadyClock {
    /// \{
    /// As in std::chrono::steady_clock. Time points of both clocks may be compared.
    using rep = std::chrono::steady_clock::rep;
    using period = std::chrono::steady_clock::period;
    using duration = std::chrono::steady_clock::duration;
    using time_point = std::chrono::steady_clock::time_point;
    static constexpr bool is_steady = true;
    [[nodiscard]] static time_point now() noexcept;
    /// \}
};

/// A size in bytes: signed, 64 bits. `to_int` of mpi_error.hpp converts it to MPI's int.
using Bytes = std::int64_t;

/// A duration as a plain number of microseconds.
[[nodiscard]] constexpr double microseconds(seconds t) noexcept { return t.count() * 1e6; }
[[nodiscard]] constexpr double nanoseconds(seconds t) noexcept { return t.count() * 1e9; }  ///< the same in ns

/// Decimal prefix, 10^6. A megabyte has `mega` bytes, a mebibyte has `mebi` bytes.
inline constexpr double mega = 1e6;
inline constexpr Bytes kibi = Bytes{1} << 10;  ///< 2^10 bytes
inline constexpr Bytes mebi = Bytes{1} << 20;  ///< 2^20 bytes
inline constexpr Bytes gibi = Bytes{1} << 30;  ///< 2^30 bytes

/// A duration as text with three significant digits and a suitable unit: "431 ns", "4.31 us", "12.5 ms", "3.2 s".
[[nodiscard]] std::string text(seconds t);

/// A size as text in binary units with at most one decimal: "0 B", "96 KiB", "1.5 MiB".
[[nodiscard]] std::string text_bytes(Bytes n);

}  // namespace measure
#pragma GCC visibility pop
