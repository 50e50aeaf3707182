// SPDX-License-Identifier: BSD-3-Clause
/// Compare: decides for each operation whether two sides differ, with the method of `measure compare`. It compares
/// launches, not samples. Pure functions, local.
#pragma once

#include "measure/machine_states.hpp"
#include "measure/read.hpp"
#include "measure/record.hpp"
#include "measure/statistics.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Identifies a point, or an operation. An operation is the set of points that differ only in their size.
struct PointName {
    std::string group{};                 ///< value of the coordinate `CompareRules::by`; empty without grouping
    std::string benchmark{};             ///< name given by its program, such as "Bcast"
    Quantity quantity = Quantity::time;  ///< quantity of its value
    Point at{};                          ///< coordinates; for an operation without the size
};

/// Identifies a launch: number of the record on its side, and number of the launch within a merged record; both from 0.
using LaunchNumber = std::pair<std::size_t, std::size_t>;

/// States of the machine that the controls show, for the launches of several sides.
struct SideStates {
    MachineStates found{};                                       ///< states found in the launches of all sides together
    std::vector<std::map<LaunchNumber, std::size_t>> of_side{};  ///< [side] state of each launch that is in a state

    /// Number of launches of a side that are in a state.
    [[nodiscard]] std::size_t count(std::size_t side, std::size_t state) const;
    /// The state with most launches of a side.
    [[nodiscard]] std::size_t most_frequent(std::size_t side) const;
};

/// Verdict for one point or operation. Side A is the baseline.
enum class Verdict {
    faster,      ///< a time is shorter, or a rate larger, on side B
    slower,      ///< a time is longer, or a rate smaller, on side B
    higher,      ///< larger on side B, for a quantity that is neither a time nor a rate
    lower,       ///< smaller on side B, for a quantity that is neither a time nor a rate
    same,        ///< the interval of the ratio is within the threshold around 1
    unclear,     ///< not decided; `why` gives the reason
    one_launch,  ///< a side has a single launch, which allows no test
    machine,     ///< too few launches in common states of the machine, or the change of a control explains the ratio
};
/// Text of a verdict: "faster", "one launch".
[[nodiscard]] std::string_view name(Verdict verdict) noexcept;

/// Whether the verdict says that the sides differ, or that they are the same.
[[nodiscard]] constexpr bool is_decided(Verdict verdict) noexcept { return verdict <= Verdict::same; }
/// Whether the verdict says that the sides differ.
[[nodiscard]] constexpr bool is_difference(Verdict verdict) noexcept { return verdict <= Verdict::lower; }

/// Parameters of a comparison.
struct CompareRules {
    double alpha = 0.05;      ///< probability of at least one false alarm over all operations, in (0, 1)
    double threshold = 0.02;  ///< smallest change that counts, as a share: ratios up to 1 + threshold are the same
    bool own_noise = false;   ///< use the spread of the launches of a side as noise floor: the larger of both
    bool single = false;      ///< give ratios and intervals also for single launches
    std::string by{};         ///< coordinate that groups points, such as "ranks"; empty: no groups
};

/// Comparison of the launches in one state of the machine.
struct StateChange {
    std::size_t state = 0;               ///< number in `SideStates::found`
    std::string controls{};              ///< controls in this state, such as "cache line 158 ns"
    double a = 0;                        ///< median of side A, in the unit of the quantity
    double b = 0;                        ///< median of side B, in the unit of the quantity
    std::size_t n_a = 0;                 ///< launches of side A
    std::size_t n_b = 0;                 ///< launches of side B
    double ratio = 1;                    ///< b / a
    std::optional<Interval> interval{};  ///< interval of the ratio
    std::optional<double> p{};           ///< p-value, adjusted for the number of operations and states
    Verdict verdict = Verdict::unclear;  ///< verdict in this state
};

/// Comparison of a point that has a value on both sides, or of an operation.
struct ComparedPoint {
    PointName point{};       ///< name; without the size for an operation
    std::size_t points = 1;  ///< number of points of the operation
    std::size_t n_a = 0;     ///< launches of side A
    std::size_t n_b = 0;     ///< launches of side B
    double a = 0;  ///< median over the launches of side A, in the quantity's unit; for an operation the geometric mean
                   ///< over its points
    double b = 0;  ///< median over the launches of side B, like `a`
    double ratio = 1;  ///< b / a; with several states of the machine, the typical ratio within a state
    std::optional<Interval> interval{};  ///< interval of the ratio
    std::optional<double> p{};           ///< p-value of the Mann-Whitney test; empty: not tested
    std::optional<double> adjusted_p{};  ///< p-value with Holm's correction
    std::optional<double> floor{};       ///< noise floor as a share: the difference between launches of one setup
    double between_runs = 0;  ///< difference that runs at other times may have, as a share; infinite: unknown
    Verdict verdict = Verdict::unclear;   ///< verdict over all states
    std::vector<StateChange> by_state{};  ///< for each state, if the ratio depends on the state; otherwise empty
    std::string only_with{};              ///< controls of the state that values and verdict refer to; empty: all states
    std::string why{};                   ///< reason for `unclear`, `one_launch` or `machine`; empty with other verdicts
    std::vector<std::string> remarks{};  ///< remarks for readers

    /// Replaces the verdict. \param undecided  `unclear`, `one_launch` or `machine`  \param reason  becomes `why`
    void leave_undecided(Verdict undecided, std::string reason) {
        verdict = undecided;
        why = std::move(reason);
        by_state.clear();
    }
};

/// A point that has a value on only one side.
struct MissingPoint {
    PointName point{};     ///< name with the size
    bool in_a = false;     ///< whether side A has the value; otherwise side B
    bool tried = false;    ///< whether the other side tried to measure the point
    std::string reason{};  ///< reason given by the side that lacks the value
};

/// Geometric mean of the ratios of a group's points with one quantity.
struct GroupMean {
    std::string group{};                 ///< see `PointName::group`
    Quantity quantity = Quantity::time;  ///< quantity of these points
    double ratio = 1;                    ///< B / A
    std::size_t points = 0;              ///< number of points in the mean
    std::size_t missing = 0;             ///< points with a value on only one side, which are not in the mean
};

/// Result of a comparison.
struct Comparison {
    std::vector<ComparedPoint> operations{};  ///< in the order in which they first appear
    std::vector<ComparedPoint> points{};      ///< in the order in which they first appear
    std::vector<MissingPoint> missing{};      ///< points with a value on only one side
    std::vector<PointName> without_value{};   ///< points of B that have a value on neither side
    std::vector<GroupMean> means{};           ///< one for each group and quantity
    std::vector<ComparedPoint> controls{};    ///< measurements without MPI, each tested alone
    SideStates states{};                      ///< states of the machine for the launches of both sides
};

/// Compares the launches of two sides, operation by operation, then point by point (rules: docs/measure-compare.md).
/// Points are matched by benchmark, quantity and coordinates. `Comparison::missing` lists the points that only one side
/// has.
/// \param a, b  at least one launch each  \param noise  launches of one setup, whose spread is the noise floor
/// \throws UsageError if a side has no launch, and for `alpha` outside (0, 1)
[[nodiscard]] Comparison compare_records(std::span<RunRecord const> a, std::span<RunRecord const> b,
                                         CompareRules const& rules = {}, std::span<RunRecord const> noise = {});

/// Differences between the conditions of the two sides' first launches: "'A' and 'B' differ in options.start: "slot"
/// and "barrier"". Differences in program, options, number of ranks and MPI settings come first, because they may
/// explain different results. Empty if there are no differences.
/// \param a, b  at least one launch each  \throws UsageError otherwise
[[nodiscard]] std::vector<std::string> differing_conditions(std::span<RunRecord const> a, std::span<RunRecord const> b);

}  // namespace measure
#pragma GCC visibility pop
