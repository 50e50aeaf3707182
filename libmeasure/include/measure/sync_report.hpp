// SPDX-License-Identifier: BSD-3-Clause
/// Sync report: how a synchronisation of clocks went.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// How a synchronisation went. The same on all ranks but for the values marked "root".
struct SyncReport {
    std::string algorithm = "none";       ///< that was used: "auto" is resolved
    double duration = 0;                  ///< wall time, s
    std::optional<double> bound;          ///< largest guaranteed error over ranks, s; nothing for "none"
    std::optional<double> uncertainty{};  ///< largest standard error of a drift model's offset, s; else nothing
    std::optional<double> drift{};        ///< largest |rate| of a drift model, ppm
    std::optional<double> closure;        ///< ring of three or more edges, or of two: sum of all offsets; 0 if perfect
    double closure_bound = 0;             ///< sum of the half widths: |closure| above it means a broken pair
    double rtt_min = 0;                   ///< a pair's smallest round trip: smallest over pairs, s
    double rtt_median = 0;                ///< the same: median over pairs, s
    double rtt_max = 0;                   ///< the same: largest over pairs, s
    double offset_max = 0;                ///< largest |offset| over ranks, s
    bool consistent = true;     ///< no pair was inconsistent after its last try, and a ring closes within its bounds
    std::int64_t poor = 0;      ///< pairs whose round trips were long to the last try
    std::int64_t kept = 0;      ///< later synchronisations that were worse without need, and were dropped for this one
    int hosts = 1;              ///< that the ranks are on
    std::int64_t edges = 0;     ///< pairs that were measured
    std::int64_t shared = 0;    ///< pairs that were measured through the memory of a host
    std::int64_t messages = 0;  ///< sent from rank to rank, collective calls apart

    /// What a user should be told; empty where all is well.
    [[nodiscard]] std::vector<std::string> warnings() const;
};

}  // namespace measure
#pragma GCC visibility pop
