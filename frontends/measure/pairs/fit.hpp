// SPDX-License-Identifier: BSD-3-Clause
/// Fit: splits a pair's time into the parts of its class, of its two nodes and of the pair alone. Collective over the
/// processes with rows of the values.
#pragma once

#include "pairs/rows.hpp"

#include <measure/comm.hpp>

#include <functional>
#include <limits>
#include <vector>

namespace measure::tool::pairs {

/// Value of a pair that was not measured.
inline constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

/// The median, or `without` if there are no values.
[[nodiscard]] double median_or(std::vector<double> const& xs, double without);

/// With fewer nodes, a slow node and a slow link cannot be distinguished: among four nodes each has three links, and
/// their median is one of them.
inline constexpr int fewest_nodes = 5;

/// Index of the class of two nodes, in either order.
using ClassOf = std::function<int(int i, int j)>;

enum class Form {
    both_ways,  ///< symmetric values: logarithms of times
    directed,   ///< y(j, i) = -y(i, j): logarithm of the time from i to j over that from j to i; levels are 0
};

/// y(i, j) = level of the pair's class + effect of i + effect of j + residual. All terms are logarithms of times, so
/// 0.05 means about 5 % slower. For directed values the effect of j is subtracted: a positive effect of i means that it
/// sends more slowly than it receives.
struct Fit {
    Form form = Form::both_ways;
    std::vector<double> levels{};   ///< [class]; `not_measured` for a class without pairs
    std::vector<double> effects{};  ///< [node], with median 0; meaningless for a node without pairs
    std::vector<double> scales{};   ///< [class] standard deviation of the residuals of healthy links
    double effect_scale = 0;        ///< standard deviation of the effects of healthy nodes
    double partners = 0;            ///< mean number of nodes with which a node was measured
    Rows<double> residuals{};       ///< for the nodes of this process; `not_measured` if y is

    [[nodiscard]] double predicted(int i, int j, int of_class) const {
        return levels[index(of_class)] + effects[index(i)] + (form == Form::directed ? -1 : 1) * effects[index(j)];
    }
};

/// Median polish (Tukey 1977) with ten sweeps. A level is the median of its class's values minus the effects. An effect
/// moves by 0.7 of the median residual of its node's pairs. The fit tolerates arbitrary values in less than half of the
/// pairs of a class or a node. Scales are 1.4826 times the median distance from zero, for residuals also times
/// sqrt((n - 1) / (n - 2)), and at least 0.2 %. A class of fewer than ten pairs has the scale of all pairs.
/// Collective. \param logs  logarithms of times, > -inf or `not_measured`  \param class_of  0 .. class_count - 1
/// \param start  [node] initial effects; empty: zeros
[[nodiscard]] Fit fit(measure::Comm const& comm, Rows<double> const& logs, ClassOf const& class_of, int class_count,
                      Form form = Form::both_ways, std::vector<double> start = {});

/// The nodes with which a node of this process was measured, in ascending order. Local.
[[nodiscard]] std::vector<int> partners_of(Fit const& fit, int node);

}  // namespace measure::tool::pairs
