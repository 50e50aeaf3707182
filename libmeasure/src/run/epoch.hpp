// SPDX-License-Identifier: BSD-3-Clause
/// One epoch of a point: warm-up stage, measured stages, decisions. The root decides, everyone is told.
#pragma once

#include "measure/run.hpp"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace measure::detail {

/// A plan's start with everything resolved for one communicator.
struct StartChoice {
    StartKind kind = StartKind::free;
    Sync sync = NoSync{};
    std::optional<GlobalClock> clock{};
    std::optional<seconds> resync_after{};
    double broadcast_factor = 1.5;
    bool check = false;              ///< measure the residual after the point
    SlotStart slot{};                ///< the slot rules, for StartKind::slot
    std::optional<seconds> limit{};  ///< per epoch, where the start brings one
    [[nodiscard]] bool scheduled() const noexcept { return kind == StartKind::slot || kind == StartKind::roundtime; }
};

/// What is fixed for an epoch.
struct EpochSetting {
    Comm const& comm;
    Plan const& plan;
    StartChoice const& start;
    GlobalClock const& clock;
    double reading;                  ///< cost of a timer reading, largest over ranks, s
    seconds step;                    ///< of the timer, by `seen_step`, largest over ranks
    std::optional<double> overhead;  ///< this rank's correction, s
    Batch batch;                     ///< the plan's, with AutoBatch resolved
};

/// What came out of an epoch; complete on the root.
struct EpochOutcome {
    std::optional<Estimate> estimate;
    Decision decision;
    InvalidCounts invalid;
    std::vector<Sample> samples;              ///< every attempt; root
    std::vector<double> valid_times;          ///< root
    std::vector<std::vector<double>> phases;  ///< [phases][valid]; root
    std::optional<double> corrected;
    std::optional<double> span;
    std::optional<double> start_imbalance;
    std::optional<double> exit_imbalance;
    std::optional<double> first_call;
    std::optional<double> second_call;
    std::vector<double> slot_lengths;
    std::optional<double> broadcast_bound;
    bool clocks_disagree = false;
    SettlingReport settling{};
    double page_faults = 0;             ///< of this rank, in the samples of this epoch
    std::vector<double> stage_medians;  ///< of the valid samples of each stage that counts, NaN without one; root
    std::int64_t iterations = 1;
    std::vector<double> mine;       ///< this rank's durations of the valid samples, s per iteration
    std::vector<double> mine_kept;  ///< of the kept ones
    std::vector<std::array<double, max_phases>> mine_phases;  ///< of the valid ones; nothing without phases
};

/// An epoch, stage by stage: warm_up, stages while they return true, finish. All are collective and throw Interrupted,
/// BodyError, MpiError.
class Epoch {
public:
    Epoch(EpochSetting const& setting, Loop& loop);
    Epoch(Epoch&&) noexcept;
    ~Epoch();
    /// Until the operation has settled, by the plan. \param keep_last  the stage that shows it counts already
    void warm_up(bool keep_last);
    /// One stage more, unless the stopping rule has ended the point; then only if `anyway`, and if no limit struck.
    /// \return false: the rule has ended the point
    bool stage(bool anyway = false);
    [[nodiscard]] EpochOutcome finish();

private:
    class State;
    std::unique_ptr<State> state_;
};

/// This rank's stop flag; 0 where there is none.
[[nodiscard]] int stop_flag(Control const& control) noexcept;

}  // namespace measure::detail
