// SPDX-License-Identifier: BSD-3-Clause
/// Groups: hosts that share a switch, a rack or a rail, as listed by the user.
#pragma once

#include "pairs/fit.hpp"
#include "pairs/suspects.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace measure::tool::pairs {

/// The group of each host, from lines "host group". `#` starts a comment.
/// \throws program::ParseErrors  for any other line, and for a host that is listed twice
[[nodiscard]] std::map<std::string, std::string> groups_in(std::string const& text, std::string const& file);

/// With only two groups, slow pairs between them could be due to either.
inline constexpr std::size_t fewest_groups = 3;

/// Initial effects for the fit, from the pairs between groups. With three groups, one slow group makes more than half
/// of these pairs slow, which the fit alone would take as their level.
/// Two groups are compared by their pairs with each third group. A group's effect is the median of its comparisons, and
/// the median of all groups' effects is 0. The process with the row of a group's first node collects the group's pairs.
/// Collective over the processes with rows. \param group  [node] 0 .. count - 1, each value at least once
/// \return [node]; empty with fewer than `fewest_groups`
[[nodiscard]] std::vector<double> group_effects(measure::Comm const& comm, Rows<double> const& logs,
                                                std::span<int const> group, std::size_t count);

/// Groups in which every node is slower by more than the threshold: sign test over nodes, Holm over groups. The suspect
/// of a finding has the group and the quantity, and `trials` is the number of its nodes. Pure, local.
/// \param quantity  index of the quantity, for the suspect
[[nodiscard]] std::vector<Finding> slow_groups(Fit const& fit, std::size_t quantity, std::span<int const> group,
                                               std::size_t count, Rules const& rules);

/// Slow groups of all quantities without direction. They share alpha, the probability of a false alarm in any of them.
[[nodiscard]] std::vector<Finding> slow_groups(std::span<Seen const> seen, std::span<int const> group,
                                               std::size_t count, Rules rules);

/// The fewest members that a group needs to become a finding: 2^-members times the groups is at most alpha.
/// \param groups  number of groups, summed over the quantities
[[nodiscard]] std::size_t fewest_members(std::size_t groups, double alpha);

}  // namespace measure::tool::pairs
