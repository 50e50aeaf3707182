// SPDX-License-Identifier: BSD-3-Clause
/// Comparison: what two sides of launches say of the same points, and whether they differ. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"
#include "analysis/runs/points.hpp"
#include "analysis/runs/states.hpp"

#include <measure/record.hpp>
#include <measure/statistics.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace measure {

/// Quantities that are neither times nor rates are higher or lower: what is better is not known.
/// `one_launch`: a side has a single launch, and no verdict is known from that. `machine`: the machine was in no state
/// in which both sides have launches.
enum class Verdict { faster, slower, higher, lower, same, unclear, one_launch, machine };
[[nodiscard]] std::string_view name(Verdict verdict) noexcept;

/// Whether it says that the sides differ, or that they do not.
[[nodiscard]] constexpr bool is_decided(Verdict verdict) noexcept { return verdict <= Verdict::same; }
/// Whether it says that the sides differ.
[[nodiscard]] constexpr bool is_difference(Verdict verdict) noexcept { return verdict <= Verdict::lower; }

struct CompareRules {
    double alpha = 0.05;      ///< chance of a false alarm at any of the operations
    double threshold = 0.02;  ///< what matters: one is more than 1 + threshold times the other
    bool own_noise = false;   ///< what the launches of either side differ by takes verdicts away
    bool single = false;      ///< show ratios and intervals of single launches
    std::string by{};         ///< dimension that groups points; empty: none
};

/// A noise floor above that says nothing any more: its launches are of no use.
constexpr double useless_floor = 0.25;

/// What the launches in one state of the machine say.
struct StateChange {
    std::size_t state = 0;   ///< of both sides together
    std::string controls{};  ///< "cache line 158 ns"
    double a = 0;            ///< medians
    double b = 0;
    std::size_t n_a = 0;  ///< launches
    std::size_t n_b = 0;
    double ratio = 1;                    ///< b / a
    std::optional<Interval> interval{};  ///< of the ratio
    std::optional<double> p{};           ///< adjusted for the operations and for the states
    Verdict verdict = Verdict::unclear;
};

/// A point that both sides have a value for; or an operation, which is all points that differ in their size only.
struct ComparedPoint {
    PointName point{};       ///< of an operation without its size
    std::size_t points = 1;  ///< of the operation
    std::size_t n_a = 0;     ///< launches
    std::size_t n_b = 0;
    double a =
        0;  ///< medians over launches, in the quantity's unit; of an operation of geometric means over its points
    double b = 0;
    double ratio = 1;                    ///< b / a; of several states of the machine the typical ratio within a state
    std::optional<Interval> interval{};  ///< of the ratio
    std::optional<double> p{};           ///< of the test of Mann and Whitney; nothing: it was not tested
    std::optional<double> adjusted_p{};  ///< by Holm
    std::optional<double> floor{};       ///< what launches of one thing differ by, less 1
    double between_runs = 0;  ///< by how much two runs at different times may differ, a share; infinite: not known
    Verdict verdict = Verdict::unclear;
    std::vector<StateChange> by_state{};  ///< where the states of the machine differ in their ratio; otherwise empty
    std::string only_with{};              ///< controls of the state that values and verdict are of; empty: all states
    std::string why{};  ///< reason for `unclear`, `one_launch` or `machine`; empty with other verdicts
    std::vector<std::string> remarks{};

    /// Takes the verdict away. \param undecided  `unclear`, `one_launch` or `machine`
    void leave_undecided(Verdict undecided, std::string reason) {
        verdict = undecided;
        why = std::move(reason);
        by_state.clear();
    }
};

/// A point that only one side has a value for.
struct MissingPoint {
    PointName point{};
    bool in_a = false;     ///< the side that has it
    bool tried = false;    ///< the other side has it too, but without a value
    std::string reason{};  ///< of the side that lacks it
};

/// Geometric mean of the ratios of a group's points of one quantity.
struct GroupMean {
    std::string group{};
    Quantity quantity = Quantity::time;
    double ratio = 1;
    std::size_t points = 0;
    std::size_t missing = 0;  ///< points that one side only has: the mean is not that of either side
};

struct Comparison {
    std::vector<ComparedPoint> operations{};  ///< in the order in which they first appear
    std::vector<ComparedPoint> points{};
    std::vector<MissingPoint> missing{};
    std::vector<PointName> without_value{};  ///< points of B that neither side has a value for
    std::vector<GroupMean> means{};
    std::vector<ComparedPoint> controls{};  ///< what no MPI library can change, over their sizes, each tested alone
    States states{};                        ///< of the launches of both sides
};

/// Whether there is a state in which both sides have launches.
[[nodiscard]] bool have_shared_state(States const& states);

/// "Bcast, Scan: within the noise floor of 3 %": the operations that are not decided, by reason; their number where
/// more than three share the only reason. Operations with a single launch are left out.
[[nodiscard]] std::vector<std::string> undecided_texts(std::span<ComparedPoint const> operations);

/// Why there is no point to compare: "no point has a value above 0 on both sides", with an example of one that has
/// nothing but zeros on one side.
[[nodiscard]] std::string nothing_text(Comparison const& comparison);

/// Compares operation by operation, then point by point. The k-th of equal points of a launch goes with the k-th of the
/// others. Operations that have no size (Barrier) are one point, whatever sizes they were measured at.
///
/// Each launch counts once, with its median (of a merged record: the medians of its launches); for an operation with
/// the geometric mean of these over its points. Where a side has a single launch there is no test and no verdict.
///
/// Operations are tested first, p adjusted by Holm over them. Points are tested inside operations whose adjusted p is
/// below alpha, adjusted over the points of the operation, and never below that of the operation. An interval has the
/// level that its p is compared with: of k tests of which r find nothing, the i-th smallest p is compared with alpha /
/// max(k - i + 1, r), which is Holm's rule.
///
/// Controls (`is_control`) are not compared with the others unless a side has nothing else. They show the states of the
/// machine: launches are compared within states only, and all states give one test (van Elteren). Where the ratio
/// differs between states, at 1 % (the sum over states of the squared distances of the logarithms from their weighted
/// mean, in standard errors, against chi squared), each state has its own verdict (`by_state`), and the operation that
/// of the states together. Without a shared state the verdict is `machine`.
///
/// faster, slower: the adjusted p is below alpha, the interval is not around 1, and the ratio is beyond the threshold,
/// and beyond the noise floor where one is asked for. same: the interval lies within the threshold. \param noise
/// launches of one and the same thing
[[nodiscard]] Comparison compare_sides(std::span<Launch const> a, std::span<Launch const> b, CompareRules const& rules,
                                       std::span<Launch const> noise = {});

/// How many times one side takes as long as the other, at least 1.
[[nodiscard]] double factor(ComparedPoint const& point) noexcept;

/// A share in per cent, without exponent: "2", "58.7", "1598".
[[nodiscard]] std::string in_percent(double share);

/// The fewest launches of either side with which so many operations can show a difference. \param alpha  in (0, 1)
[[nodiscard]] std::size_t launches_needed(std::size_t operations, double alpha);

}  // namespace measure
