// SPDX-License-Identifier: BSD-3-Clause
/// Sync report: quality and cost of a clock synchronisation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Quality and cost of a clock synchronisation. The same on all ranks.
struct SyncReport {
    std::string algorithm = "none";       ///< name of the synchroniser used; "auto" is resolved
    double duration = 0;                  ///< wall time of the synchronisation, s
    std::optional<double> bound;          ///< largest guaranteed error over ranks, s; empty for "none"
    std::optional<double> uncertainty{};  ///< largest standard error over ranks, s; empty without a drift model
    std::optional<double> drift{};        ///< largest |rate| over ranks, ppm; empty without a drift model
    std::optional<double> closure;        ///< for a ring: sum of the offsets of all edges, s; ideally 0
    double closure_bound = 0;   ///< sum of the edges' bounds, s; a larger |closure| means that a pair is wrong
    double rtt_min = 0;         ///< smallest round trip of each pair: minimum over pairs, s
    double rtt_median = 0;      ///< smallest round trip of each pair: median over pairs, s
    double rtt_max = 0;         ///< smallest round trip of each pair: maximum over pairs, s
    double offset_max = 0;      ///< largest |offset| over ranks, s
    bool consistent = true;     ///< no pair was inconsistent in its last try, and a ring closes within its bounds
    std::int64_t poor = 0;      ///< number of pairs whose round trips were too long even in the last try
    std::int64_t kept = 0;      ///< number of later synchronisations that were less exact and therefore discarded
    int hosts = 1;              ///< number of hosts
    std::int64_t edges = 0;     ///< number of pairs measured
    std::int64_t shared = 0;    ///< number of pairs measured through shared memory
    std::int64_t messages = 0;  ///< number of messages between ranks, without collective calls

    /// Warnings for the user, one sentence each. Empty if the synchronisation was good.
    [[nodiscard]] std::vector<std::string> warnings() const;
};

}  // namespace measure
#pragma GCC visibility pop
