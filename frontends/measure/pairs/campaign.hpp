// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: the whole run of `measure pairs`: choice of nodes, tournaments, confirmation.
#pragma once

#include "pairs/result.hpp"
#include "program/runtime/session.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace measure::tool::pairs {

/// \throws measure::UsageError for fewer than two ranks
void check_ranks(std::size_t ranks);

/// The participating nodes: one per host, socket or core, or every rank. Pure. \param all  [rank] its place
/// \throws measure::UsageError  for fewer than two nodes, and for a rank that is not bound to a socket or core
[[nodiscard]] std::vector<Node> nodes_of(std::vector<Place> const& all, Per per);

/// Sets the group in the place of each node of the result. Pure. \param text  content of the file
/// \throws measure::UsageError for a host without a group, and as `groups_in`
void give_groups(std::string const& text, std::string const& file, Result& result);

/// Prints the nodes and which pairs meet in which round, without measuring. Collective.
void list(Options const& options, program::Session& session);

/// Runs the whole campaign. Collective. \param result  keeps the measured values even after measure::Interrupted
/// \throws measure::UsageError for fewer than two nodes
void measure_pairs(Options const& options, program::Session& session, Result& result);

}  // namespace measure::tool::pairs
