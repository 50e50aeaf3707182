// SPDX-License-Identifier: BSD-3-Clause
/// Plan: all choices of a measurement as one copyable value.
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

/// Systematic overhead that is measured and reported beside the raw value.
enum class Correction {
    none,        ///< nothing is measured beside the value
    empty_loop,  ///< an empty body through the same code path: two clock readings (SKaMPI paper)
    barrier,     ///< a body that is one MPI_Barrier: for operations that end with a barrier
};

/// What a measurement keeps.
enum class Keep {
    summary,  ///< joined values only
    ranks,    ///< one summary per rank on the root
    samples,  ///< every attempt with begin and end of each rank on the root
};

/// Epochs of operations that are compared, where the plan has one. Each has new buffers: their place in memory changes
/// times by some per cent, which no number of stages averages out.
inline constexpr int placements = 8;
/// The least number of stages of each epoch of operations that are compared: pairs for the ratio.
[[nodiscard]] constexpr int least_stages_in_turn(int epochs) noexcept { return epochs < 4 ? 16 / epochs : 4; }

/// How to measure. An aggregate with defaults: designated initialisers replace setters. The same on all ranks, but for
/// a clock inside `start` and `overhead`, which are each rank's own.
struct Plan {
    AnyTimer timer{};  ///< by default MPI_Wtime
    Start start{};     ///< how ranks begin a sample
    /// A point of which slots lose every sample is measured again after barriers, with the flag `start_fell_back`; not
    /// for Combine::span.
    bool start_falls_back = true;
    Batch batch{std::in_place_type<AutoBatch>};  ///< how many iterations form a sample
    Combine combine = Combine::max;              ///< which number of a sample counts, over ranks
    StoppingRule stop{};                         ///< when it is enough; by default stop::Default
    EstimateRule estimate{};                     ///< how the estimate is made of the valid samples
    Correction correction = Correction::none;    ///< what is measured as overhead; the value stays as it is
    std::optional<seconds> overhead{};           ///< this rank's, where known; otherwise `correction` measures it
    int warm_up = 4;                             ///< samples of the warm-up stage, discarded; >= 0
    /// What follows the warm-up stage until the operation has settled; nothing: `warm_up` samples are all, as in the
    /// papers.
    std::optional<Settling> settling = Settling{};
    /// A point ends after so long once 3 samples are valid, exhausted by "budget"; shared out over the epochs. Where
    /// it is set, no stage is planned to last longer than a twentieth of it.
    std::optional<seconds> limit = seconds{10};
    int stage = 8;  ///< samples between two decisions; >= 1
    /// A stage that would last longer than twice this is cut to about so long; nothing: only where `limit` says so.
    std::optional<seconds> stage_time{};
    /// > 0: once `stage` samples are valid, later stages have this share of the valid ones, at least one.
    double stage_share = 0;
    /// No stage takes more samples than are missing to so many valid ones; >= 1.
    std::int64_t at_most = std::numeric_limits<std::int64_t>::max();
    int epochs = 1;             ///< how often the point is measured from nothing; >= 1
    Keep keep = Keep::summary;  ///< what is kept beside the joined values
    Control control{};          ///< stop flag, hooks, deadline
};

/// A digest of all choices of the plan that ranks must share. Local. `run` compares it over ranks.
[[nodiscard]] std::uint64_t digest(Plan const& plan);

}  // namespace measure
#pragma GCC visibility pop
