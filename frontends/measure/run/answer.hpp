// SPDX-License-Identifier: BSD-3-Clause
/// Answer: the results of a run: values, their uncertainty, and changes since an earlier run. Pure, local.
#pragma once

#include "analysis/compare/compare.hpp"
#include "analysis/compare/controls.hpp"
#include "analysis/runs/overlap.hpp"
#include "run/campaign.hpp"
#include "run/control.hpp"

#include <measure/record.hpp>
#include <measure/statistics.hpp>
#include <measure/units.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace measure::tool::runs {

/// How far the numbers of a run can be relied on.
enum class Trust { good, fair, poor };
[[nodiscard]] std::string_view name(Trust trust) noexcept;

/// One operation at one size: the median over launches.
struct AnswerCell {
    measure::Bytes bytes = 0;
    /// Estimate of the value, see measure::estimate_of_value. Its interval covers this run alone, not earlier runs.
    std::optional<measure::Estimate> estimate{};
    std::size_t launches = 0;               ///< launches with a value
    bool disagrees = false;                 ///< launches disagree (flag `launches_disagree`)
    std::string message{};                  ///< reason if there is no value
    std::optional<ComparedPoint> change{};  ///< change at this size
};

struct AnswerRow {
    std::string operation{};
    std::vector<AnswerCell> cells{};        ///< in ascending order of size
    std::optional<ComparedPoint> change{};  ///< change of the operation over all sizes
};

/// The distance from a value to the farther end of its interval, which is shown after +-.
[[nodiscard]] double margin(double value, measure::Interval const& interval) noexcept;

/// A bandwidth or a message rate.
struct AnswerRate {
    double value = 0;                ///< B/s, or messages per second
    std::optional<double> margin{};  ///< margin of the 95 % interval, as a share of the value
    measure::Bytes bytes = 0;        ///< message size
};

/// The run or side that this run is compared with.
struct Opponent {
    std::string name{};     ///< name of the run, or label of the side
    std::string started{};  ///< time of its first launch
    std::vector<Launch> launches{};
    bool is_side = false;  ///< measured in alternation with this run
    /// Runs of the same kind before that run. They show how much runs differ although nothing has changed.
    std::vector<std::vector<Launch>> earlier{};
};

/// Times of the operations in a machine state other than the most frequent one.
struct OtherState {
    std::size_t state = 0;  ///< index in `Answer::states`
    /// For each operation, its time relative to the most frequent state (median over its points). The largest change is
    /// first.
    std::vector<std::pair<std::string, double>> ratios{};
};

/// The difference between earlier runs.
struct RunsDiffer {
    std::size_t runs = 0;  ///< number of earlier runs
    double share = 0;      ///< standard deviation, as a share of the value: the median over the operations
};

struct Answer {
    std::string machine{};  ///< "MPICH 4.0.2, 2 ranks (bound: 0|1) on vm (AMD EPYC, 2 cores)"
    std::vector<AnswerRow> rows{};
    std::optional<AnswerRow> stream{};             ///< windows of messages; both rates come from them
    std::optional<AnswerRate> bandwidth{};         ///< from messages of 4096 bytes and more
    std::optional<AnswerRate> message_rate{};      ///< from messages below 4096 bytes
    std::optional<ComparedPoint> stream_change{};  ///< change of the times that both rates come from
    std::vector<AnswerOverlap> overlaps{};         ///< of non-blocking operations
    std::vector<ControlChange> controls{};         ///< changes of the controls since the opponent
    bool machine_changed = false;                  ///< a control differs
    std::vector<std::string> guidelines{};         ///< violated guidelines, worst first
    std::size_t guidelines_checked = 0;
    measure::MachineStates states{};          ///< states of the machine, found from the controls of the launches
    std::vector<OtherState> other_states{};   ///< by state; states without any value are omitted
    std::size_t all_launches = 0;             ///< complete launches
    std::size_t launches = 0;                 ///< counted launches in the most frequent state
    std::vector<Disturbance> disturbed{};     ///< disturbed launches
    std::size_t left_out = 0;                 ///< number of disturbed launches that do not count
    std::vector<Disturbance> disturbed_b{};   ///< disturbed launches of side B
    std::size_t left_out_b = 0;               ///< number of these that do not count
    std::size_t launches_b = 0;               ///< complete launches of side B
    std::vector<std::string> unsteady{};      ///< controls that vary although the machine has one state
    std::optional<RunsDiffer> runs_differ{};  ///< set if there are enough earlier runs
    Trust trust = Trust::good;
    std::vector<std::string> doubts{};  ///< reasons why trust is not good
    std::optional<Comparison> comparison{};
    std::string opponent{};              ///< "run NAME of DATE"
    std::vector<std::string> differs{};  ///< other differences from the opponent: library, settings
    /// The smallest difference that can be found, as a share; 0: not known. In a comparison, for the median operation:
    /// half of the interval of its change, but between runs at least the amount by which runs differ. Without a
    /// comparison, for the median point: the 95 % interval of a ratio of two values with intervals like this run's.
    double resolution = 0;
    std::vector<measure::Record> merged{};      ///< merged points, controls included
    std::vector<Launch> used{};                 ///< counted launches in the most frequent state
    std::vector<Launch> in_states{};            ///< counted launches in all states
    measure::MachineStates states_of_merged{};  ///< states of `in_states`, from which `merged` is made
    std::vector<Launch> compared{};             ///< launches of this run that are compared
    std::vector<Launch> others{};               ///< launches of the opponent that are compared
    bool is_beside = false;  ///< the opponent is a second side, shown as B; otherwise it is an earlier run, shown as A
};

/// Evaluates the launches of a run.
/// \param launches  launches of the run, at least one
/// \param earlier   merged earlier runs of the same kind (`is_same_kind`), the latest first. Intervals are widened to
///                 contain their medians, except for operations that differ in the comparison
[[nodiscard]] Answer answer(std::span<Launch const> launches, std::optional<Opponent> const& opponent,
                            std::span<Launch const> earlier = {});

/// The verdict as shown: "same", "faster", "SLOWER", "unclear", "machine".
[[nodiscard]] std::string word(ComparedPoint const& change);

}  // namespace measure::tool::runs
