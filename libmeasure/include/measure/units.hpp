// SPDX-License-Identifier: BSD-3-Clause
/// Units: times, sizes, and text with a unit.
#pragma once

#include <cstdint>
#include <string>

// Durations and clocks. All of <chrono> also has calendars and their input and output, which take longer to compile
// than mpi.h, strings and vectors together.
#if defined(__GLIBCXX__) && __has_include(<bits/chrono.h>)
#include <bits/chrono.h>
#else
#include <chrono>
#endif

#pragma GCC visibility push(default)
/// The library: everything public. Programs do not use `measure::detail`.
namespace measure {

/// A duration in seconds. Absolute times never travel in this type alone: a double that counts seconds since 1970
/// steps by 0.24 us. A `seconds` is a difference of two stamps, or a time relative to an origin taken in the same run.
using seconds = std::chrono::duration<double>;

/// std::chrono::steady_clock for budgets and elapsed times. It does not move where the machine's clock goes back, as
/// that of a virtual machine may: nothing waits until the old time comes again, and no time is below zero. Each thread
/// has its own view. Measurements have a Timer.
struct SteadyClock {
    /// \{
    /// As std::chrono::steady_clock has it; instants of both may be compared.
    using rep = std::chrono::steady_clock::rep;
    using period = std::chrono::steady_clock::period;
    using duration = std::chrono::steady_clock::duration;
    using time_point = std::chrono::steady_clock::time_point;
    static constexpr bool is_steady = true;
    [[nodiscard]] static time_point now() noexcept;
    /// \}
};

/// A size in bytes. Signed and 64 bits wide; the conversion to MPI's int is `to_int` of error.hpp.
using Bytes = std::int64_t;

/// The same duration as a plain number of microseconds.
[[nodiscard]] constexpr double microseconds(seconds t) noexcept { return t.count() * 1e6; }
[[nodiscard]] constexpr double nanoseconds(seconds t) noexcept { return t.count() * 1e9; }  ///< the same in nanoseconds

/// The two megabytes have different names: mega = 10^6, mebi = 2^20.
inline constexpr double mega = 1e6;
inline constexpr Bytes kibi = Bytes{1} << 10;  ///< 2^10 bytes
inline constexpr Bytes mebi = Bytes{1} << 20;  ///< 2^20 bytes
inline constexpr Bytes gibi = Bytes{1} << 30;  ///< 2^30 bytes

/// "431 ns", "4.31 us", "12.5 ms", "3.2 s": three significant digits and the unit that fits.
[[nodiscard]] std::string text(seconds t);

/// "0 B", "96 KiB", "1.5 MiB": binary units, at most one decimal.
[[nodiscard]] std::string text_bytes(Bytes n);

}  // namespace measure
#pragma GCC visibility pop
