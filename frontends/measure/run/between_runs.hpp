// SPDX-License-Identifier: BSD-3-Clause
/// Between runs: the amount by which runs at different times differ although nothing has changed. It only withdraws
/// verdicts of a comparison. Sides that were measured in alternation do not need it: drift affects both. Pure, local.
#pragma once

#include "analysis/compare/controls.hpp"
#include "analysis/runs/launch.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace measure::tool::runs {

/// The smallest number of earlier runs that shows how much runs differ.
inline constexpr std::size_t runs_that_tell = 5;

/// The drift of an operation during a run, as a share: 1.96 sqrt(2) times the standard deviation between four parts of
/// the run, less the part that scatter explains. It does not see a level that a run keeps from its first launch to its
/// last, so runs may differ by more although nothing has changed. 0 for fewer than 12 launches.
[[nodiscard]] double drift(std::span<Launch const> launches, std::string_view operation);

/// Whether two launches have the same number of ranks on the same hosts.
[[nodiscard]] bool is_same_place(Launch const& a, Launch const& b);
/// Whether their MPI settings are equal. The file of the MPI library is ignored, because it may have been updated.
[[nodiscard]] bool has_same_settings(Launch const& a, Launch const& b);
/// Whether place, MPI library and MPI settings are equal, including the file of the library.
[[nodiscard]] bool is_same_kind(Launch const& a, Launch const& b);

/// Two runs at different times.
struct TwoRuns {
    std::span<Launch const> before{};  ///< launches of the earlier run in its most frequent machine state
    std::span<Launch const> now{};     ///< launches of this run in its most frequent machine state
    /// For each operation of the comparison, in its order: ratios of the time now to the time in each earlier run,
    /// including `before`.
    std::vector<std::vector<double>> ratios{};
    bool is_unsteady = false;  ///< controls varied in one of the runs without showing distinct states
    double of_controls = 0;    ///< largest change among the controls that count as unchanged, as a share
};

/// Turns differences into `unclear` if runs without any change may differ equally, and states the reason in `why`.
///
/// With k >= 5 earlier runs, an operation differs if the mean logarithm of its ratios to them is farther from 0 than
/// t(k - 1) s sqrt(1 + 1/k). Here s is their standard deviation, and t is the quantile for alpha divided by the number
/// of operations. This is the prediction interval for one more run. With fewer earlier runs, no operation differs if
/// the controls vary; otherwise the limit is the drift during either run (`drift`), at least `share_of_two_runs`. The
/// change of the controls (`of_controls`) is added to the limit, because a processor that runs 2 % faster speeds up
/// everything. Points have the limit of their operation.
/// \return the limit of each operation, as a share; smaller differences are `unclear`. Nothing if no difference counts
std::vector<std::optional<double>> judge_between_runs(Comparison& comparison, TwoRuns const& runs, double alpha);

}  // namespace measure::tool::runs
