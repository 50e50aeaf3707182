// SPDX-License-Identifier: BSD-3-Clause
/// One epoch of a point: warm-up, measured stages, decisions. The root decides and broadcasts its decision.
#pragma once

#include "measure/run.hpp"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace measure::detail {

/// The start of a plan, resolved for one communicator.
struct StartChoice {
    StartKind kind = StartKind::free;
    Sync sync = NoSync{};
    std::optional<GlobalClock> clock{};
    std::optional<seconds> resync_after{};
    double broadcast_factor = 1.5;
    bool check = false;              ///< measure the residual after the point
    SlotStart slot{};                ///< the slot rules, for StartKind::slot
    std::optional<seconds> limit{};  ///< time limit per epoch, if the start defines one
    [[nodiscard]] bool scheduled() const noexcept { return kind == StartKind::slot || kind == StartKind::roundtime; }
};

/// Fixed parameters of an epoch.
struct EpochSetting {
    Comm const& comm;
    Plan const& plan;
    StartChoice const& start;
    GlobalClock const& clock;
    double reading;                  ///< cost of a timer reading in seconds, maximum over ranks
    seconds step;                    ///< resolution of the timer by `seen_step`, maximum over ranks
    std::optional<double> overhead;  ///< this rank's correction, in seconds
    Batch batch;                     ///< the plan's, with AutoBatch resolved
};

/// Result of an epoch; complete only on the root.
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
    double page_faults = 0;  ///< page faults of this rank in the samples of this epoch
    std::vector<double>
        stage_medians;  ///< median valid sample of each stage that counts, NaN without valid samples; root
    std::int64_t iterations = 1;
    std::vector<double> mine;       ///< this rank's durations of the valid samples, in seconds per iteration
    std::vector<double> mine_kept;  ///< this rank's durations of the kept samples, in seconds per iteration
    std::vector<std::array<double, max_phases>> mine_phases;  ///< phases of `mine`; empty without phases
};

/// An epoch: call warm_up, then stage while it returns true, then finish. All are collective and throw Interrupted,
/// BodyError, MpiError.
class Epoch {
public:
    Epoch(EpochSetting const& setting, Loop& loop);
    Epoch(Epoch&&) noexcept;
    ~Epoch();
    /// Warms up until the operation has settled, as the plan defines. \param keep_last  whether the stage that shows
    /// this counts
    void warm_up(bool keep_last);
    /// Measures one more stage, unless the stopping rule has ended the point. With `anyway` it continues unless a limit
    /// was reached. \return false if the rule has ended the point
    bool stage(bool anyway = false);
    [[nodiscard]] EpochOutcome finish();

private:
    class State;
    std::unique_ptr<State> state_;
};

/// This rank's stop flag; 0 if there is none.
[[nodiscard]] int stop_flag(Control const& control) noexcept;

}  // namespace measure::detail
