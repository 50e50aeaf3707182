// SPDX-License-Identifier: BSD-3-Clause
/// Reference: what an earlier run measured of the same pairs. Pure, local.
#pragma once

#include "pairs/result.hpp"

#include <measure/read.hpp>

namespace measure_tool::pairs {

/// Logarithms of the times of a run, for the nodes of this one; `not_measured` for a pair that the run does not have.
/// Pairs are the same by their hosts, whatever their ranks, where each node here and there is a host of its own;
/// otherwise by hosts and ranks. A time is the median over repetitions, of bandwidths the mean of both directions.
/// \throws measure::UsageError where the run has no such pair, or messages of another size
[[nodiscard]] PairTable<double> reference_logs(measure::RunRecord const& run, Metric quantity, Mode mode,
                                               std::vector<Node> const& nodes, ExchangeRules const& rules);

}  // namespace measure_tool::pairs
