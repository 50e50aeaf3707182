// SPDX-License-Identifier: BSD-3-Clause
/// Plan: all settings of a measurement as one copyable value.
#pragma once

#include "measure/batch.hpp"
#include "measure/control.hpp"
#include "measure/sample.hpp"
#include "measure/schedule.hpp"
#include "measure/settle.hpp"
#include "measure/statistics.hpp"
#include "measure/stopping.hpp"
#include "measure/timer.hpp"

#include <cstdint>
#include <limits>
#include <optional>

#pragma GCC visibility push(default)
namespace measure {

/// Systematic overhead that is measured and reported with the value. The value itself is not corrected.
enum class Correction {
    none,        ///< do not measure overhead
    empty_loop,  ///< time of an empty body on the same code path: two clock readings (SKaMPI paper)
    barrier,     ///< time of one MPI_Barrier: for operations that end with a barrier
};

/// Data that a measurement keeps.
enum class Keep {
    summary,  ///< only values joined over all ranks
    ranks,    ///< also one summary per rank, on the root
    samples,  ///< also every sample tried, with begin and end on each rank, on the root
};

/// Number of epochs when operations are compared and the plan has one epoch. Each epoch has new buffers. Their place in
/// memory changes times by a few per cent, and further stages in the same place do not average this out.
inline constexpr int placements = 8;
/// Smallest number of stages of each operation in each epoch of a comparison. Stages of the same round give one pair
/// of values for the ratio.
[[nodiscard]] constexpr int least_stages_in_turn(int epochs) noexcept { return epochs < 4 ? 16 / epochs : 4; }

/// How to measure. An aggregate with defaults, to be set by designated initialisers. It must be the same on all ranks,
/// except for `overhead` and the clock in `start`, which belong to each rank.
struct Plan {
    AnyTimer timer{};  ///< timer of the samples; default: MPI_Wtime
    Start start{};     ///< how ranks begin a sample; default: AutoStart
    /// If slots lose all samples of a point, measure it again with barriers and set the flag `start_fell_back`. Has no
    /// effect with Combine::span.
    bool start_falls_back = true;
    Batch batch{std::in_place_type<AutoBatch>};  ///< number of iterations in a sample
    Combine combine = Combine::max;              ///< how the durations of all ranks are joined
    StoppingRule stop{};                         ///< when to stop; default: stop::Default
    EstimateRule estimate{};                     ///< how the valid samples are turned into the estimate
    Correction correction = Correction::none;    ///< overhead to measure and report; the value is not corrected
    std::optional<seconds> overhead{};           ///< known overhead on this rank, s; empty: `correction` measures it
    int warm_up = 4;                             ///< samples in the warm-up stage, which are discarded; >= 0
    /// Further warm-up until the operation has settled; empty: the `warm_up` samples are the only warm-up, as in the
    /// papers.
    std::optional<Settling> settling = Settling{};
    /// Time limit of a point, s, > 0; empty: no limit. Each epoch has an equal part of it. An epoch that has reached
    /// its part and has at least 3 valid samples ends as exhausted, with reason "budget". Stages are planned to last at
    /// most a twentieth of the limit.
    std::optional<seconds> limit = seconds{10};
    int stage = 8;  ///< samples between two decisions; >= 1
    /// Target time of a stage, s, > 0. A stage that would last more than twice this time is shortened to about this
    /// time. Empty: only `limit` shortens stages.
    std::optional<seconds> stage_time{};
    /// If > 0: once `stage` samples are valid, the next stage has `stage_share` times the number of samples that are
    /// valid so far, but at least one sample. 0: all stages have `stage` samples.
    double stage_share = 0;
    /// Number of valid samples that are enough; >= 1. A stage takes at most the samples that are still missing, but at
    /// least one.
    std::int64_t at_most = std::numeric_limits<std::int64_t>::max();
    int epochs = 1;             ///< repetitions of the point, each with its own warm-up and synchronisation; >= 1
    Keep keep = Keep::summary;  ///< data that the measurement keeps
    Control control{};          ///< stop flag, hooks and deadline
};

/// Hash of the settings that must be the same on all ranks. Local. `run` compares it between ranks.
/// \throws UsageError for a batch out of range
[[nodiscard]] std::uint64_t digest(Plan const& plan);

}  // namespace measure
#pragma GCC visibility pop
