// SPDX-License-Identifier: BSD-3-Clause
/// Comparison: what two sides of launches say of the same points, and whether they differ. Pure, local.
#pragma once

#include "inputs.hpp"

#include <measure/record.hpp>
#include <measure/statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure_tool {

/// Quantities that are neither times nor rates are higher or lower: what is better is not known.
enum class Verdict { faster, slower, higher, lower, same, unclear };
[[nodiscard]] std::string_view name(Verdict verdict) noexcept;

/// What is compared.
enum class Basis {
    launches,   ///< a value of each launch: the only one that sees what differs from launch to launch
    samples,    ///< the samples of one launch of each side
    intervals,  ///< the intervals of one launch of each side
};
[[nodiscard]] std::string_view name(Basis basis) noexcept;

struct CompareRules {
    double alpha = 0.05;      ///< chance of a false alarm at any of the points; intervals have 1 - alpha
    double threshold = 0.02;  ///< what matters: one is more than 1 + threshold times the other
    bool own_noise = false;   ///< at least the noise floor of the launches of either side
    std::uint64_t seed = 1;   ///< of the bootstrap
    std::string by{};         ///< dimension that groups points; empty: none
};

/// Which point: benchmark, quantity and coordinates, in groups of one value of the dimension.
struct PointName {
    std::string group{};
    std::string benchmark{};
    measure::Quantity quantity = measure::Quantity::time;
    measure::Point at{};
};

/// A point that both sides have a value for.
struct ComparedPoint {
    PointName point{};
    Basis basis = Basis::launches;
    std::size_t n_a = 0;  ///< launches, or samples
    std::size_t n_b = 0;
    double a = 0;  ///< medians, in the quantity's unit
    double b = 0;
    double ratio = 1;                             ///< b / a
    std::optional<measure::Interval> interval{};  ///< of the ratio
    std::optional<double> p{};                    ///< of the test of Mann and Whitney, or from the intervals
    std::optional<double> adjusted_p{};           ///< by Holm, over all points
    double threshold = 0;
    Verdict verdict = Verdict::unclear;
    std::vector<std::string> remarks{};
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
    measure::Quantity quantity = measure::Quantity::time;
    double ratio = 1;
    std::size_t points = 0;
    std::size_t missing = 0;  ///< points that one side only has: the mean is not that of either side
};

struct Comparison {
    std::vector<ComparedPoint> points{};
    std::vector<MissingPoint> missing{};
    std::vector<GroupMean> means{};
};

/// Compares point by point. The k-th of equal points of a launch goes with the k-th of the others.
///
/// Each launch counts once, with its median (of a merged record: the medians of its launches). Where neither side has a
/// second launch of a point, its samples are compared (of autocorrelated ones as many as they are worth), and where it
/// has none its intervals (p as if they were of normal values).
///
/// faster, slower: the adjusted p is below alpha, the interval of the ratio is not around 1, and the ratio beyond the
/// threshold. same: the interval, of enough values of each side (5 for an alpha of 5 %, 8 for 1 %), lies within the
/// threshold; intervals of single launches never say that.
/// \param noise  launches of one and the same thing: no point's threshold is below its noise floor there
[[nodiscard]] Comparison compare_sides(std::span<Launch const> a, std::span<Launch const> b, CompareRules const& rules,
                                       std::span<Launch const> noise = {});

/// How many times one side takes as long as the other, at least 1.
[[nodiscard]] double factor(ComparedPoint const& point) noexcept;

/// A share in per cent, without exponent: "2", "58.7", "1598".
[[nodiscard]] std::string in_percent(double share);

/// The fewest launches of either side with which `points` points can show a difference. \param alpha  in (0, 1)
[[nodiscard]] std::size_t launches_needed(std::size_t points, double alpha);

}  // namespace measure_tool
