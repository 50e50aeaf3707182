// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: tables of the access methods, the pattern types and the patterns.
#pragma once

#include <measure/units.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace b_eff_io {

enum class Access : int { write, rewrite, read };
enum class Type : int { scatter, shared, separated, segmented, seg_coll, random };

inline constexpr std::array all_accesses{Access::write, Access::rewrite, Access::read};
/// The types whose values form b_eff_io.
inline constexpr std::array all_types{Type::scatter, Type::shared, Type::separated, Type::segmented, Type::seg_coll};
/// All types, including type random, which is measured only on request and is not part of the value.
inline constexpr std::array with_random{Type::scatter,   Type::shared,   Type::separated,
                                        Type::segmented, Type::seg_coll, Type::random};

[[nodiscard]] constexpr std::size_t index(Access a) noexcept { return static_cast<std::size_t>(a); }
[[nodiscard]] constexpr std::size_t index(Type t) noexcept { return static_cast<std::size_t>(t); }
[[nodiscard]] std::string_view name(Access a) noexcept;
[[nodiscard]] std::string_view name(Type t) noexcept;
/// The names in the order of `all_types`.
[[nodiscard]] std::vector<std::string> type_names();

/// Whether the type is 3 or 4, whose number of repetitions is computed instead of driven by time.
[[nodiscard]] constexpr bool is_segmented(Type t) noexcept { return t == Type::segmented || t == Type::seg_coll; }

/// Placeholders in the table for lengths that depend on the run.
inline constexpr measure::Bytes part_of_memory = -1;       ///< M_PART
inline constexpr measure::Bytes fill_up = -2;              ///< the rest of the segment
inline constexpr measure::Bytes megabyte = measure::mebi;  ///< "MB" of the table: 2^20

/// One pattern: a loop of equal calls.
struct Pattern {
    int number = 0;
    Type type{};
    measure::Bytes chunk = 0;   ///< l: contiguous bytes on the disk, or one of the above
    measure::Bytes length = 0;  ///< L: contiguous bytes in memory of a call, or one of the above
    int units = 0;              ///< U: share of the scheduled time; 0: executed exactly once
    int position = 0;           ///< row of the summary 1..7; 8: listed separately; 0: not listed
};

/// The 43 patterns of the benchmark in the order of execution, then random access.
inline constexpr std::size_t pattern_count = 51;
[[nodiscard]] std::array<Pattern, pattern_count> const& patterns() noexcept;
[[nodiscard]] std::span<Pattern const> patterns_of(Type type) noexcept;

/// The sum of the units of a type: 22, 12, 10, 10, 10; random 10.
[[nodiscard]] int units_of(Type type) noexcept;
inline constexpr int all_units = 64;  ///< sum over the types that form the value

/// M_PART = max(2 MB, memory / 128). \param megabytes  memory of one process, >= 1 \returns bytes, a multiple of 8
[[nodiscard]] measure::Bytes largest_chunk(std::int64_t megabytes) noexcept;

/// Replaces the placeholders of the table: M_PART by `m_part`, a fill-up by `fill`.
[[nodiscard]] measure::Bytes resolve(measure::Bytes length, measure::Bytes m_part, measure::Bytes fill) noexcept;

/// Returns a readable list of the 43 patterns. \param m_part  0: unknown
/// \param scheduled  seconds of one unit of time \param random  whether to include random access
[[nodiscard]] std::string list_of_patterns(measure::Bytes m_part, double scheduled, bool random);

}  // namespace b_eff_io
