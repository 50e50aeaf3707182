// SPDX-License-Identifier: BSD-3-Clause
/// Answer: what a run says: how good, how sure, and what has changed. Pure, local.
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

/// How far the numbers can be relied on.
enum class Trust { good, fair, poor };
[[nodiscard]] std::string_view name(Trust trust) noexcept;

/// Median over starts of one operation at one size.
struct AnswerCell {
    measure::Bytes bytes = 0;
    /// Of the value, see measure::estimate_of_value; with the interval of this run alone, without earlier ones.
    std::optional<measure::Estimate> estimate{};
    std::size_t starts = 0;                 ///< with a value
    bool disagrees = false;                 ///< starts are far apart
    std::string message{};                  ///< why there is no value
    std::optional<ComparedPoint> change{};  ///< of this size
};

struct AnswerRow {
    std::string operation{};
    std::vector<AnswerCell> cells{};        ///< by size, ascending
    std::optional<ComparedPoint> change{};  ///< of the operation, since the run that this is compared with
};

/// From a value to the farther end of its interval: what stands behind +-.
[[nodiscard]] double margin(double value, measure::Interval const& interval) noexcept;

/// A rate.
struct AnswerRate {
    double value = 0;                ///< B/s, or messages per second
    std::optional<double> margin{};  ///< of the 95 % interval, a share
    measure::Bytes bytes = 0;        ///< of a message
};

/// What this run is compared with.
struct Opponent {
    std::string name{};     ///< of the run, or of the side
    std::string started{};  ///< of its first start
    std::vector<Launch> starts{};
    bool is_side = false;  ///< was measured in turn with this one
    /// Runs before that one of the same kind: what runs differ by although nothing has changed.
    std::vector<std::vector<Launch>> earlier{};
};

/// What operations take in a state of the machine that is not the most frequent one.
struct OtherState {
    std::size_t state = 0;  ///< among `Answer::states`
    /// By how many times each operation takes longer than in the most frequent state, the middle one of its points; the
    /// largest first.
    std::vector<std::pair<std::string, double>> ratios{};
};

/// How far the levels of earlier runs differ.
struct RunsDiffer {
    std::size_t runs = 0;
    double share = 0;  ///< a standard deviation, of the middle one of the operations
};

struct Answer {
    std::string machine{};  ///< "MPICH 4.0.2, 2 ranks (bound: 0|1) on vm (AMD EPYC, 2 cores)"
    std::vector<AnswerRow> rows{};
    std::optional<AnswerRow> stream{};             ///< windows of messages, which both rates are of
    std::optional<AnswerRate> bandwidth{};         ///< of long messages
    std::optional<AnswerRate> message_rate{};      ///< of short messages
    std::optional<ComparedPoint> stream_change{};  ///< of the times behind both
    std::vector<AnswerOverlap> overlaps{};         ///< of operations that do not block
    std::vector<ControlChange> controls{};         ///< against the opponent
    bool machine_changed = false;                  ///< a control differs
    std::vector<std::string> guidelines{};         ///< that are violated, worst first
    std::size_t guidelines_checked = 0;
    measure::MachineStates states{};          ///< in which the starts saw the machine
    std::vector<OtherState> other_states{};   ///< by state, without those that no operation has a value in
    std::size_t all_starts = 0;               ///< complete ones
    std::size_t starts = 0;                   ///< that count, in the most frequent state
    std::vector<Disturbance> disturbed{};     ///< starts that were out of line
    std::size_t left_out = 0;                 ///< of these
    std::vector<Disturbance> disturbed_b{};   ///< starts of side B that were out of line
    std::size_t left_out_b = 0;               ///< of these
    std::size_t starts_b = 0;                 ///< complete ones of side B
    std::vector<std::string> unsteady{};      ///< controls that vary without states
    std::optional<RunsDiffer> runs_differ{};  ///< where there are runs enough to tell
    Trust trust = Trust::good;
    std::vector<std::string> doubts{};  ///< why it is not good
    std::optional<Comparison> comparison{};
    std::string opponent{};              ///< "run NAME of DATE"
    std::vector<std::string> differs{};  ///< what else is not as in the opponent: library, settings
    /// The smallest difference that can be found, a share; 0: not known. In a comparison, for the median operation:
    /// half of the interval of its change, and between runs at least what these differ by. Otherwise, for the median
    /// point: the 95 % interval of a ratio of two values with intervals like this run's.
    double resolution = 0;
    std::vector<measure::Record> merged{};      ///< all points
    std::vector<Launch> used{};                 ///< the starts that count, in the most frequent state
    std::vector<Launch> in_states{};            ///< the starts that count, in all states
    measure::MachineStates states_of_merged{};  ///< of `in_states`, which `merged` is of
    std::vector<Launch> compared{};             ///< the starts that are compared with the opponent's
    std::vector<Launch> others{};               ///< the starts of the opponent that are compared
    bool is_beside = false;  ///< the opponent is a side that was measured in turn: side B, otherwise side A
};

/// \param starts   at least one
/// \param earlier  joined runs before this one of its kind (`is_same_kind`), the latest first: their medians are in the
///                 intervals of operations that the comparison does not call different
[[nodiscard]] Answer answer(std::span<Launch const> starts, std::optional<Opponent> const& opponent,
                            std::span<Launch const> earlier = {});

/// In one word: "same", "faster", "SLOWER", "unclear", "machine".
[[nodiscard]] std::string word(ComparedPoint const& change);

}  // namespace measure::tool::runs
