// SPDX-License-Identifier: BSD-3-Clause
/// Batch: the number of iterations of the body between two clock readings.
#pragma once

#include "measure/units.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <variant>

#pragma GCC visibility push(default)
namespace measure {

/// Uses a fixed number of iterations.
struct FixedCount {
    std::int64_t iterations = 1;  ///< executions of the body between two clock readings, >= 1
};

/// Chooses the number of iterations so that a sample takes between `low` and `high`. Adjusts after each stage, using
/// the slowest rank.
struct TargetDuration {
    seconds low{2.5e-3};                                              ///< shortest duration of a sample, s, > 0
    seconds high{5e-3};                                               ///< longest duration of a sample, s, >= `low`
    std::int64_t first = 1;                                           ///< iterations of the first sample, >= 1
    std::int64_t at_most = std::numeric_limits<std::int64_t>::max();  ///< largest number of iterations, >= `first`
};

/// Iterates until another iteration would not fit into `budget` by the root's timer, but at least once. All ranks do
/// the same number of iterations: after each block (`next_block`), the root decides whether to continue and broadcasts
/// the decision. The broadcast is inside the timed region, except for a single rank, which needs no broadcast.
struct TimeBudget {
    seconds budget{1};  ///< duration of a sample, s, > 0
};

/// Uses enough iterations for a sample to last at least 50 times as long as a clock reading or a clock step, whichever
/// is longer. It does so only where this cannot change the result: on one rank with a free start, for a body without
/// hooks, phases and lap. Otherwise, a sample has one iteration, because successive calls after a common start overlap.
struct AutoBatch {};

/// The number of iterations in a sample.
using Batch = std::variant<FixedCount, TargetDuration, TimeBudget, AutoBatch>;

/// Parses a batch as given on command lines: "16" (FixedCount), "auto" (AutoBatch), "time:2ms" (TargetDuration from 2/3
/// to 4/3 of this duration) or "until:1s" (TimeBudget). Units are ns, us, ms, s and min. Local.
/// \throws UsageError for any other text
[[nodiscard]] Batch batch_from(std::string_view text);

/// Number of iterations of the first sample. Local. \throws UsageError for members out of range
[[nodiscard]] std::int64_t first_iterations(Batch const& batch);

/// Number of iterations of the next samples, after samples of `iterations` iterations took `typical` each.
/// TargetDuration keeps the number if `typical` is within [low, high]. Otherwise, it aims at the geometric mean of
/// `low` and `high`, and changes the number by a factor of at most 16. The other batches keep the number. Pure.
[[nodiscard]] std::int64_t next_iterations(Batch const& batch, std::int64_t iterations, seconds typical);

/// When the ranks check whether a loop should end.
enum class Termination {
    geometric,  ///< after each block of calls; blocks double in length, and become short near the end
    classic,    ///< after each call
};

/// The end of a loop: at a time, after a number of calls, or at whichever comes first. At least one call is made.
struct LoopLimit {
    std::optional<seconds> until{};  ///< do not begin calls that would end later; empty: no time limit
    std::int64_t at_most = std::numeric_limits<std::int64_t>::max();  ///< largest number of calls
    Termination termination = Termination::geometric;                 ///< when the ranks check
};

/// Time of a call, measured while the loop runs.
struct CallTime {
    seconds mean{0};    ///< mean over all calls, s
    seconds latest{0};  ///< mean over the calls of the latest block, s; 0: not known
};

/// Number of calls in the next block; 0 ends the loop. With left = (until - elapsed) / mean, the number of calls that
/// still fit, and c = min(mean, latest), the time of a call:
///
///     geometric  min(2 block, floor(left), max(1, floor(until / (8 c))), at_most - done)
///     classic    1 while elapsed (done + 1) / done <= until and done < at_most
///
/// Blocks are limited to an eighth of the time, because calls may become slower. A loop of steady calls may therefore
/// last longer by an eighth of the time, or by one call. A slow first call does not shorten later blocks. Pure.
/// \param block    number of calls in the last block, >= 1
/// \param done     number of all calls, >= block
/// \param elapsed  time since the loop began, s
/// \param call     time of a call, without the cost of the agreement, if this cost is known
[[nodiscard]] std::int64_t next_block(LoopLimit const& limit, std::int64_t block, std::int64_t done, seconds elapsed,
                                      CallTime call) noexcept;
/// Overload for loops without an agreement: `elapsed` is the time of the calls.
[[nodiscard]] inline std::int64_t next_block(LoopLimit const& limit, std::int64_t block, std::int64_t done,
                                             seconds elapsed) noexcept {
    auto const mean = elapsed / static_cast<double>(done);
    return next_block(limit, block, done, elapsed, {mean, mean});
}

}  // namespace measure
#pragma GCC visibility pop
