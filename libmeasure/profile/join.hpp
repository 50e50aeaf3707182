// SPDX-License-Identifier: BSD-3-Clause
/// Join: what the tables of ranks say together, and the record of it. Pure, local.
#pragma once

#include "profile/table.hpp"

#include <measure/environment_info.hpp>
#include <measure/record.hpp>

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace measure::profile {

/// A key of all ranks: what a rank's address is of is told by file and offset.
struct JoinedKey {
    std::uint16_t call = 0;
    std::uint16_t size_class = 0;
    std::int32_t ranks = 0;
    std::string site{};  ///< "/usr/bin/solver+0x1f3a"; empty: not asked for
    friend auto operator<=>(JoinedKey const&, JoinedKey const&) = default;
};

/// The smallest and largest number of a rank, and which rank that is.
struct Extremes {
    double least = 0;
    double most = 0;
    std::int32_t least_rank = -1;  ///< -1: no rank yet
    std::int32_t most_rank = -1;
    void add(double value, std::int32_t rank) noexcept { add(Extremes{value, value, rank, rank}); }
    void add(Extremes const& other) noexcept;
};

/// The calls of a key on all ranks. Times in seconds.
struct JoinedCalls {
    std::uint64_t calls = 0;
    Traffic moved{};
    double time = 0;     ///< sum
    double waiting = 0;  ///< sum, before the calls
    double shortest = 0;
    double longest = 0;
    double errors = 0;         ///< sum over ranks of calls times the standard error of the rank's mean; NaN: unknown
    std::uint64_t ranks = 0;   ///< that have made such calls
    std::uint64_t fewest = 0;  ///< calls of one of them
    double means = 0;          ///< sum of their mean times
    Extremes mean{};           ///< of their mean times
    Extremes median{};         ///< of their medians
    Extremes total{};          ///< of their sums
    Extremes total_waiting{};  ///< likewise, before the calls
    std::array<std::uint64_t, time_classes> classes{};
    void add(JoinedCalls const& other) noexcept;
};

/// One rank as a whole. Seconds.
struct JoinedRank {
    std::int32_t rank = 0;
    std::uint64_t calls = 0;
    double time = 0;              ///< from MPI_Init to MPI_Finalize, or to the end that is known; NaN: not known
    double in_mpi = 0;            ///< of it in recorded calls and the barriers before them
    double waiting = 0;           ///< of that in these barriers
    std::uint64_t preempted = 0;  ///< times that another program took the core
    Ending ending = Ending::none;
    std::int32_t signal = 0;
};

/// Some ranks, at the end all.
struct Joined {
    std::map<JoinedKey, JoinedCalls> calls{};
    std::vector<JoinedRank> ranks{};
    std::int32_t world = 1;
    std::uint64_t other_calls = 0;  ///< of keys that had no room
    std::uint64_t unrecorded = 0;
    std::uint64_t backward = 0;  ///< calls in which the clock went back
    std::uint64_t not_followed = 0;
    bool counts_only = false;
    bool waits = false;
    bool sites = false;

    void add(Joined const& other);
};

/// \throws UsageError for a table of another version or build of the library, and for one that no rank can have written
[[nodiscard]] Joined joined(RankTable const& table);

/// As bytes, for a message between processes of one program.
/// \{
[[nodiscard]] std::string packed(Joined const& joined);
[[nodiscard]] Joined unpacked(std::string_view bytes);
/// \}

/// What the run line has of a profile, under `profile`, and its warnings.
void describe(Joined const& joined, Environment& run);

/// A point for each key, in the order of their names.
[[nodiscard]] std::vector<Record> points(Joined const& joined);

/// The words of the command that a table has.
[[nodiscard]] std::vector<std::string> command_of(RankTable const& table);

}  // namespace measure::profile
