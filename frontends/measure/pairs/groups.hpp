// SPDX-License-Identifier: BSD-3-Clause
/// Groups: hosts that share a switch, a rack or a rail, as the user names them.
#pragma once

#include "pairs/fit.hpp"
#include "pairs/suspects.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace measure::tool::pairs {

/// [host] its group. Lines "host group"; the rest of a line behind # means nothing.
/// \throws program::ParseErrors  for another line, and for a host that is named twice
[[nodiscard]] std::map<std::string, std::string> groups_in(std::string const& text, std::string const& file);

/// Fewer groups cannot be told apart: pairs between two of them are slow by either.
inline constexpr std::size_t fewest_groups = 3;

/// Where the fit's effects begin: what pairs between groups say of a node's group. A group that is slow makes more than
/// half of all pairs between three groups slow, which the fit alone would take for their level.
/// Two groups are compared by their pairs with each third one; a group's effect is the median of these comparisons, and
/// the median of all groups' effects is 0. Who has the row of a group's first node holds what is known of its pairs.
/// Collective over those who have rows. \param group  [node] 0 .. count - 1, each of them at least once
/// \return [node]; empty with fewer than `fewest_groups`
[[nodiscard]] std::vector<double> group_effects(measure::Comm const& comm, Rows<double> const& logs,
                                                std::span<int const> group, std::size_t count);

/// Groups of which every node is slower by more than the threshold: sign test over nodes, Holm over groups. Group and
/// quantity stand in the suspect, the nodes in `trials`. Pure, local. \param quantity  of the suspect
[[nodiscard]] std::vector<Finding> slow_groups(Fit const& fit, std::size_t quantity, std::span<int const> group,
                                               std::size_t count, Rules const& rules);

/// The same of all quantities: those of pairs without order share alpha, which is the chance of a false alarm at any.
[[nodiscard]] std::vector<Finding> slow_groups(std::span<Seen const> seen, std::span<int const> group,
                                               std::size_t count, Rules rules);

/// The fewest members with which a group can be a finding: 2^-members times the groups is at most alpha.
/// \param groups  of all quantities
[[nodiscard]] std::size_t fewest_members(std::size_t groups, double alpha);

}  // namespace measure::tool::pairs
