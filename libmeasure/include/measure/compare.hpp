// SPDX-License-Identifier: BSD-3-Clause
/// Compare: whether two sides of starts differ, operation by operation, as `measure compare` decides it. Texts call a
/// start a launch. Pure, local.
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

/// Names a point, or an operation, which is all points that differ only in their size.
struct PointName {
    std::string group{};                 ///< value of the dimension `CompareRules::by`; empty without one
    std::string benchmark{};             ///< as its program names it: "Bcast"
    Quantity quantity = Quantity::time;  ///< of its value
    Point at{};                          ///< coordinates; of an operation without its size
};

/// Number of a start on its side, and number of the start inside a merged record; both from 0.
using LaunchNumber = std::pair<std::size_t, std::size_t>;

/// The states of the machine that controls show, for the starts of several sides.
struct SideStates {
    MachineStates found{};                                       ///< of all sides together
    std::vector<std::map<LaunchNumber, std::size_t>> of_side{};  ///< [side] the state of each start that is in one

    /// Number of starts of a side that are in a state.
    [[nodiscard]] std::size_t count(std::size_t side, std::size_t state) const;
    /// The state that most starts of a side are in.
    [[nodiscard]] std::size_t most_frequent(std::size_t side) const;
};

/// The answer for one point or operation.
enum class Verdict {
    faster,      ///< a time is shorter, or a rate larger, on side B
    slower,      ///< a time is longer, or a rate smaller, on side B
    higher,      ///< larger on side B; of a quantity that is neither a time nor a rate
    lower,       ///< smaller on side B; of a quantity that is neither a time nor a rate
    same,        ///< the interval of the ratio is within the threshold
    unclear,     ///< none of these is certain; `why` gives the reason
    one_launch,  ///< a side has a single start, which allows no test
    machine,     ///< the machine was in no state in which both sides have starts, or its change explains the ratio
};
/// "faster", "one launch": the verdict as a word.
[[nodiscard]] std::string_view name(Verdict verdict) noexcept;

/// Whether the verdict is that the sides differ, or that they do not.
[[nodiscard]] constexpr bool is_decided(Verdict verdict) noexcept { return verdict <= Verdict::same; }
/// Whether the verdict is that the sides differ.
[[nodiscard]] constexpr bool is_difference(Verdict verdict) noexcept { return verdict <= Verdict::lower; }

/// Rules of a comparison.
struct CompareRules {
    double alpha = 0.05;      ///< probability of a false alarm at any of the operations, in (0, 1)
    double threshold = 0.02;  ///< smallest change that matters, as a share: ratios within 1 + threshold are the same
    bool own_noise = false;   ///< the spread of the starts of either side is a noise floor
    bool single = false;      ///< ratios and intervals also for single starts
    std::string by{};         ///< dimension that groups points, "ranks"; empty: none
};

/// The comparison within one state of the machine.
struct StateChange {
    std::size_t state = 0;               ///< number in `SideStates::found`
    std::string controls{};              ///< its controls: "cache line 158 ns"
    double a = 0;                        ///< median of side A, in the unit of the quantity
    double b = 0;                        ///< median of side B
    std::size_t n_a = 0;                 ///< starts of side A
    std::size_t n_b = 0;                 ///< starts of side B
    double ratio = 1;                    ///< b / a
    std::optional<Interval> interval{};  ///< of the ratio
    std::optional<double> p{};           ///< adjusted for the operations and for the states
    Verdict verdict = Verdict::unclear;  ///< in this state
};

/// A point that has a value on both sides, or an operation.
struct ComparedPoint {
    PointName point{};       ///< without its size if it is an operation
    std::size_t points = 1;  ///< of the operation
    std::size_t n_a = 0;     ///< starts of side A
    std::size_t n_b = 0;     ///< starts of side B
    double a = 0;      ///< median over the starts of side A, in the quantity's unit; of an operation the geometric mean
                       ///< over its points
    double b = 0;      ///< the same of side B
    double ratio = 1;  ///< b / a; of several states of the machine the typical ratio within a state
    std::optional<Interval> interval{};  ///< of the ratio
    std::optional<double> p{};           ///< of the test of Mann and Whitney; nothing: not tested
    std::optional<double> adjusted_p{};  ///< by Holm
    std::optional<double> floor{};       ///< noise floor as a share: starts of one setup differ by this much
    double between_runs = 0;  ///< difference that two runs at different times may have, as a share; infinite:
                              ///< not known
    Verdict verdict = Verdict::unclear;   ///< the answer
    std::vector<StateChange> by_state{};  ///< if the ratio differs between states of the machine; otherwise empty
    std::string only_with{};              ///< controls of the state that values and verdict are of; empty: all states
    std::string why{};                   ///< reason for `unclear`, `one_launch` or `machine`; empty with other verdicts
    std::vector<std::string> remarks{};  ///< for people

    /// Takes the verdict away. \param undecided  `unclear`, `one_launch` or `machine`  \param reason  becomes `why`
    void leave_undecided(Verdict undecided, std::string reason) {
        verdict = undecided;
        why = std::move(reason);
        by_state.clear();
    }
};

/// A point that has a value on one side only.
struct MissingPoint {
    PointName point{};     ///< with its size
    bool in_a = false;     ///< whether side A has it; otherwise side B
    bool tried = false;    ///< whether the other side measured it without getting a value
    std::string reason{};  ///< of the side that lacks it
};

/// Geometric mean of the ratios of a group's points of one quantity.
struct GroupMean {
    std::string group{};                 ///< see `PointName::group`
    Quantity quantity = Quantity::time;  ///< of all its points
    double ratio = 1;                    ///< B over A
    std::size_t points = 0;              ///< that the mean is of
    std::size_t missing = 0;             ///< points on one side only, which the mean lacks
};

/// All of a comparison.
struct Comparison {
    std::vector<ComparedPoint> operations{};  ///< in the order in which they first appear
    std::vector<ComparedPoint> points{};      ///< in the same order
    std::vector<MissingPoint> missing{};      ///< points that one side lacks
    std::vector<PointName> without_value{};   ///< points of B that have a value on neither side
    std::vector<GroupMean> means{};           ///< one for each group and quantity
    std::vector<ComparedPoint> controls{};    ///< measurements that no MPI library can change, each tested alone
    SideStates states{};                      ///< of the starts of both sides
};

/// Compares the starts of two sides, operation by operation, then point by point
/// (docs/measure-compare.md has the rules). Points are matched by benchmark, quantity and coordinates. `MissingPoint`
/// names each point that one side lacks.
/// \param a, b  at least one start each  \param noise  starts of one setup, whose spread is the noise floor
/// \throws UsageError where a side has no start, and for `alpha` outside (0, 1)
[[nodiscard]] Comparison compare_records(std::span<RunRecord const> a, std::span<RunRecord const> b,
                                         CompareRules const& rules = {}, std::span<RunRecord const> noise = {});

/// How the conditions of the two sides differ, in their first starts: "'A' and 'B' differ in options.start: "slot" and
/// "barrier"". Differences of program, options, number of ranks or MPI settings come first: they are a reason for
/// different numbers. Empty where nothing differs. \param a, b  at least one start each \throws UsageError otherwise
[[nodiscard]] std::vector<std::string> differing_conditions(std::span<RunRecord const> a, std::span<RunRecord const> b);

}  // namespace measure
#pragma GCC visibility pop
