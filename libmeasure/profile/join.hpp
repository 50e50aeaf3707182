// SPDX-License-Identifier: BSD-3-Clause
/// Join: combines the tables of all ranks and creates the record. Pure functions, local.
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

/// A key for all ranks. Addresses differ between ranks, so a call site is identified by file and offset.
struct JoinedKey {
    std::uint16_t call = 0;
    std::uint16_t size_class = 0;
    std::int32_t ranks = 0;
    std::string site{};  ///< "/usr/bin/solver+0x1f3a"; empty: call sites are not recorded
    friend auto operator<=>(JoinedKey const&, JoinedKey const&) = default;
};

/// Smallest and largest number over ranks, with their ranks.
struct Extremes {
    double least = 0;
    double most = 0;
    std::int32_t least_rank = -1;  ///< -1: no rank yet
    std::int32_t most_rank = -1;
    void add(double value, std::int32_t rank) noexcept { add(Extremes{value, value, rank, rank}); }
    void add(Extremes const& other) noexcept;
};

/// Calls with one key on all ranks. Times in seconds.
struct JoinedCalls {
    std::uint64_t calls = 0;
    Traffic moved{};
    double time = 0;     ///< sum of the times in the calls
    double waiting = 0;  ///< sum of the times in the barriers before the calls
    double shortest = 0;
    double longest = 0;
    double errors = 0;         ///< sum over ranks of calls times the standard error of the rank's mean; NaN: unknown
    std::uint64_t ranks = 0;   ///< number of ranks with such calls
    std::uint64_t fewest = 0;  ///< smallest number of calls of a rank with such calls
    double means = 0;          ///< sum of the ranks' mean times
    Extremes mean{};           ///< over the ranks' mean times
    Extremes median{};         ///< over the ranks' median times
    Extremes total{};          ///< over the ranks' sums
    Extremes total_waiting{};  ///< over the ranks' sums of waiting before the calls
    std::array<std::uint64_t, time_classes> classes{};
    void add(JoinedCalls const& other) noexcept;
};

/// Totals of one rank. Times in seconds.
struct JoinedRank {
    std::int32_t rank = 0;
    std::uint64_t calls = 0;
    double time = 0;              ///< from MPI_Init to MPI_Finalize, or to the last known time; NaN: unknown
    double in_mpi = 0;            ///< part of `time` in recorded calls and the barriers before them
    double waiting = 0;           ///< part of `in_mpi` in these barriers
    std::uint64_t preempted = 0;  ///< involuntary context switches
    Ending ending = Ending::none;
    std::int32_t signal = 0;
};

/// Combined data of several ranks, finally of all ranks.
struct Joined {
    std::map<JoinedKey, JoinedCalls> calls{};
    std::vector<JoinedRank> ranks{};
    std::int32_t world = 1;
    std::uint64_t other_calls = 0;  ///< calls with keys that did not fit into a table
    std::uint64_t unrecorded = 0;
    std::uint64_t backward = 0;  ///< calls during which the clock went back
    std::uint64_t not_followed = 0;
    bool counts_only = false;
    bool waits = false;
    bool sites = false;

    void add(Joined const& other);
};

/// Reads the table of a rank. \throws UsageError for a table from another version or build of the library, and for a
/// damaged table
[[nodiscard]] Joined joined(RankTable const& table);

/// Serialisation for a message between processes of one program.
/// \{
[[nodiscard]] std::string packed(Joined const& joined);
[[nodiscard]] Joined unpacked(std::string_view bytes);
/// \}

/// Adds the member `profile` and the warnings to the run line.
void describe(Joined const& joined, Environment& run);

/// Creates a point for each key, in the order of their names.
[[nodiscard]] std::vector<Record> points(Joined const& joined);

/// Command line stored in a table, word by word.
[[nodiscard]] std::vector<std::string> command_of(RankTable const& table);

}  // namespace measure::profile
