// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: the whole run of `measure pairs`: who takes part, tournaments, confirmation.
#pragma once

#include "pairs/result.hpp"
#include "program/runtime/session.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace measure::tool::pairs {

/// \throws measure::UsageError where there is no pair of ranks
void check_ranks(std::size_t ranks);

/// Who takes part, one for each rank, host or other part. Pure. \param all  [rank] its place
/// \throws measure::UsageError  for fewer than two, and for a rank of which the part is not known
[[nodiscard]] std::vector<Node> nodes_of(std::vector<Place> const& all, Per per);

/// Gives the place of each of the result's nodes its group. Pure. \param text  of the file
/// \throws measure::UsageError for a host without one, and as `groups_in`
void give_groups(std::string const& text, std::string const& file, Result& result);

/// Says who takes part and what meets whom, and measures nothing. Collective.
void list(Options const& options, program::Session& session);

/// Collective. \param result  filled as far as the run came, also where it throws measure::Interrupted
/// \throws measure::UsageError where fewer than two take part
void measure_pairs(Options const& options, program::Session& session, Result& result);

}  // namespace measure::tool::pairs
