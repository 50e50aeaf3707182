// SPDX-License-Identifier: BSD-3-Clause
/// Batch: how many iterations of the body lie between two clock reads.
#pragma once

#include "measure/units.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <variant>

#pragma GCC visibility push(default)
namespace measure {

/// A fixed number, >= 1.
struct FixedCount {
    std::int64_t iterations = 1;  ///< executions of the body between two clock readings, >= 1
};

/// As many as bring the duration of a sample into [low, high]: steered after each stage by the longest rank.
struct TargetDuration {
    seconds low{2.5e-3};                                              ///< of a sample
    seconds high{5e-3};                                               ///< of a sample, not below `low`
    std::int64_t first = 1;                                           ///< iterations of the first sample
    std::int64_t at_most = std::numeric_limits<std::int64_t>::max();  ///< iterations
};

/// Iterations until `budget` has no room for one more by the root's timer, at least one. All ranks agree: the root
/// looks after each block of `next_block` and tells the others (a broadcast inside the timed region; none on a single
/// rank).
struct TimeBudget {
    seconds budget{1};  ///< duration of a sample
};

/// As many as bring a sample to 50 readings or steps of the clock, whichever is more, where that changes nothing but
/// the number: on one rank with a free start, for a body without hooks, phases and lap. Otherwise one, because a loop
/// of calls after a common start pipelines.
struct AutoBatch {};

/// How many iterations form a sample.
using Batch = std::variant<FixedCount, TargetDuration, TimeBudget, AutoBatch>;

/// A batch from text, as command lines have it: "16" (FixedCount), "auto" (AutoBatch), "time:2ms" (TargetDuration from
/// two thirds of that duration to four thirds), "until:1s" (TimeBudget); units ns, us, ms, s, min. \throws UsageError
[[nodiscard]] Batch batch_from(std::string_view text);

/// Iterations of the first sample. \throws UsageError for values out of range
[[nodiscard]] std::int64_t first_iterations(Batch const& batch);

/// Iterations of the next samples after samples of `iterations` took `typical` each: TargetDuration scales to the
/// middle of its window, by at most 16 at once; all others stay.
[[nodiscard]] std::int64_t next_iterations(Batch const& batch, std::int64_t iterations, seconds typical);

/// How often a loop whose end the ranks agree on looks whether to go on.
enum class Termination {
    geometric,  ///< after blocks that double, and that are short where the end is near
    classic,    ///< after each call
};

/// When such a loop ends: at a time, after a number of calls, or at whichever comes first. At least one call is made.
struct LoopLimit {
    std::optional<seconds> until{};  ///< no call is begun that would end later; nothing: the number alone counts
    std::int64_t at_most = std::numeric_limits<std::int64_t>::max();  ///< calls
    Termination termination = Termination::geometric;                 ///< how often the ranks agree
};

/// Seconds of a call, as a loop knows them that goes on.
struct CallTime {
    seconds mean{0};    ///< of all calls so far
    seconds latest{0};  ///< of those of the latest block
};

/// How many calls come next, 0: the loop ends. With left = (until - elapsed) / mean, the calls that still fit, and c,
/// the smaller time of a call:
///
///     geometric  min(2 block, floor(left), max(1, floor(until / (8 c))), at_most - done)
///     classic    1 while elapsed (done + 1) / done <= until and done < at_most
///
/// A block is planned for an eighth of the time, because calls may become slower: that, or one call, is by how much a
/// loop of steady calls may run over. A first call that is slow makes the blocks behind it no shorter. Pure.
/// \param block  calls of the last block, >= 1
/// \param done   calls so far, >= block
/// \param elapsed  since the loop's time began
/// \param call   without what the agreement on blocks costs, where that is known
[[nodiscard]] std::int64_t next_block(LoopLimit const& limit, std::int64_t block, std::int64_t done, seconds elapsed,
                                      CallTime call) noexcept;
/// The same where all of the time is that of calls.
[[nodiscard]] inline std::int64_t next_block(LoopLimit const& limit, std::int64_t block, std::int64_t done,
                                             seconds elapsed) noexcept {
    auto const mean = elapsed / static_cast<double>(done);
    return next_block(limit, block, done, elapsed, {mean, mean});
}

}  // namespace measure
#pragma GCC visibility pop
