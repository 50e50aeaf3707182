// SPDX-License-Identifier: BSD-3-Clause
/// Between runs: what runs at different times differ by although nothing has changed. It takes verdicts away from a
/// comparison and gives none. Sides that were measured in turn need it not: what moves, moves for both. Pure, local.
#pragma once

#include "analysis/compare/controls.hpp"
#include "analysis/runs/launch.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace measure::tool::runs {

/// With so many earlier runs it is known what runs differ by.
inline constexpr std::size_t runs_that_tell = 5;

/// How far the values of an operation's points move from one part of a run to the next beyond what their scatter
/// explains: 1.96 sqrt(2) times that as a standard deviation, as a share. The level that a run keeps from its first
/// start to its last is not seen, so runs may differ by more although nothing has changed. 0 for fewer than twelve
/// starts.
[[nodiscard]] double drift(std::span<Launch const> starts, std::string_view operation);

/// Whether two starts are of as many ranks on the same hosts.
[[nodiscard]] bool is_same_place(Launch const& a, Launch const& b);
/// Whether their MPI settings are the same. The file of the MPI library is none: it may have been updated.
[[nodiscard]] bool has_same_settings(Launch const& a, Launch const& b);
/// Whether place, MPI library and settings are the same, the library's file included.
[[nodiscard]] bool is_same_kind(Launch const& a, Launch const& b);

/// Two runs at different times.
struct TwoRuns {
    std::span<Launch const> before{};  ///< starts in its most frequent state of the machine
    std::span<Launch const> now{};     ///< likewise
    /// By how many times each operation takes longer now than in each of the earlier runs, `before` among them; in the
    /// order of the comparison's operations.
    std::vector<std::vector<double>> ratios{};
    bool is_unsteady = false;  ///< controls varied in one of them, and showed no states
    double of_controls = 0;    ///< the largest change of the controls that do not differ, as a share
};

/// Makes differences `unclear` that are not beyond what runs differ by, and says so in `why`.
///
/// With k >= 5 earlier runs: an operation differs if the mean of the logarithms of its ratios to them is farther from 0
/// than t(k - 1) s sqrt(1 + 1/k), s their standard deviation, t for alpha over the number of operations: the interval
/// in which one more run like them would lie. With fewer, and controls that vary, nothing differs; otherwise
/// what moves during either run (`drift`), or `share_of_two_runs` if that is more, does not count. The change of the
/// controls, too small to differ, is added: a processor that runs 2 % faster moves everything. Points have
/// the limit of their operation.
/// \return for each operation the limit, a share: differences below it are `unclear`; nothing where no difference
/// counts
std::vector<std::optional<double>> judge_between_runs(Comparison& comparison, TwoRuns const& runs, double alpha);

}  // namespace measure::tool::runs
