// SPDX-License-Identifier: BSD-3-Clause
/// Reference: what an earlier run measured of the same pairs. Pure, local.
#pragma once

#include "pairs/result.hpp"

#include <measure/units.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace measure_tool::pairs {

/// A rank of either run: host and rank.
using Member = std::pair<std::string, int>;

/// What a run has of a pair: one quantity, and of bandwidths one direction.
struct KnownPair {
    Metric quantity = Metric::latency;
    Mode mode = Mode::hosts;
    PairClass of_class = PairClass::hosts;
    Member from{};
    Member to{};
    measure::Bytes bytes = 0;  ///< of a message
    double time = 0;           ///< median over repetitions, > 0: seconds, or seconds per byte
    std::size_t repetitions = 1;
    bool oversubscribed = false;
};

/// The pairs of a record of one run, or of a table that --csv wrote; at least one.
/// \throws program::ParseErrors, or measure::UsageError that begins with the file's name
[[nodiscard]] std::vector<KnownPair> known_pairs(std::string const& text, std::string const& file);

/// Logarithms of the times of a run, for the nodes of another one; `not_measured` for a pair that the run does not
/// have. Pairs are the same by their hosts, whatever their ranks, where each node here and there is a host of its own;
/// otherwise by hosts and ranks. Of bandwidths the mean of both directions; of directions one over the other.
/// \throws measure::UsageError where the run has no such pair, or messages of another size
[[nodiscard]] PairTable<double> reference_logs(std::vector<KnownPair> const& run, Metric quantity, Mode mode,
                                               std::vector<Node> const& nodes, ExchangeRules const& rules);

/// Two runs without a new one: what looks slower in the later one. Nothing of it is confirmed.
/// \param options  of quantities and the threshold
/// \throws measure::UsageError where they have no pair in common that they measured alike
[[nodiscard]] Result compared(std::vector<KnownPair> const& before, std::vector<KnownPair> const& after,
                              Options const& options);

}  // namespace measure_tool::pairs
