// SPDX-License-Identifier: BSD-3-Clause
/// Fit: what of a pair's time is its class's, what its two nodes', and what its own. Collective over those who have
/// rows of the values.
#pragma once

#include "pairs/rows.hpp"

#include <measure/comm.hpp>

#include <functional>
#include <limits>
#include <vector>

namespace measure::tool::pairs {

/// Of a pair that was not measured.
inline constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

/// The median; this where there is no value.
[[nodiscard]] double median_or(std::vector<double> const& xs, double without);

/// Fewer nodes cannot be told from their links: a node of four has three links, and their median is one of them.
inline constexpr int fewest_nodes = 5;

/// Number of the class of two nodes, in either order.
using ClassOf = std::function<int(int i, int j)>;

enum class Form {
    both_ways,  ///< values of pairs without order: logarithms of times
    directed,   ///< y(j, i) = -y(i, j): logarithms of the time from i to j over that from j to i; levels are 0
};

/// y(i, j) = level of the pair's class + effect of i + effect of j + residual; all of them logarithms of times, so that
/// 0.05 is 5 % slower. Of directed values the effect of j is subtracted: what i sends is slower than what it receives.
struct Fit {
    Form form = Form::both_ways;
    std::vector<double> levels{};   ///< [class]; `not_measured` without a pair
    std::vector<double> effects{};  ///< [node], their median is 0; 0 for a node without a pair
    std::vector<double> scales{};   ///< [class] how far residuals of sound links scatter, as a standard deviation
    double effect_scale = 0;        ///< the same of effects
    double partners = 0;            ///< with which a node was measured, in the mean
    Rows<double> residuals{};       ///< of this process's nodes; `not_measured` where y is

    [[nodiscard]] double predicted(int i, int j, int of_class) const {
        return levels[index(of_class)] + effects[index(i)] + (form == Form::directed ? -1 : 1) * effects[index(j)];
    }
};

/// By median polish (Tukey 1977), ten sweeps: a level is the median of what the effects leave, an effect moves by 0.7
/// of the median of what is left of its node's pairs. Less than half of the pairs of a class or a node may be anywhere.
/// Scales are 1.4826 times the median distance from zero, those of residuals times sqrt((n - 1) / (n - 2)); at least
/// 0.2 %. Classes of fewer than ten pairs have the scale of all pairs.
/// Collective. \param logs  of times, > -inf or `not_measured`  \param class_of  0 .. class_count - 1
/// \param start  [node] effects to begin with; empty: zeros
[[nodiscard]] Fit fit(measure::Comm const& comm, Rows<double> const& logs, ClassOf const& class_of, int class_count,
                      Form form = Form::both_ways, std::vector<double> start = {});

/// The nodes with which an own node was measured, in ascending order. Local.
[[nodiscard]] std::vector<int> partners_of(Fit const& fit, int node);

}  // namespace measure::tool::pairs
