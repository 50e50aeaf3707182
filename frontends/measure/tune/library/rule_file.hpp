// SPDX-License-Identifier: BSD-3-Clause
/// Rule file: the file by which Open MPI's component `tuned` chooses algorithms (coll_tuned_dynamic_rules_filename).
/// Pure.
///
/// Whole numbers, in levels: collectives, for each sizes of communicators, for each sizes of messages: bytes,
/// algorithm, fan-out, bytes of a segment. The last size that is not above the message holds, and likewise of
/// communicators; where a communicator is smaller than the first size, the first holds. Algorithm 0 is the library's
/// own choice. Every fault is silent.
#pragma once

#include "tune/library/selection_tree.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::tune {

/// What Open MPI compares with the sizes of a collective's rules.
enum class RuleSize {
    argument,  ///< bytes of one process's argument
    all,       ///< the bytes of a block times the number of ranks
    share,     ///< the bytes of all blocks over the number of ranks
    none,      ///< nothing that depends on the message: one rule holds for all sizes
};

/// A collective of Open MPI 4.1 whose algorithms can be chosen.
struct RuleCollective {
    std::string_view name{};  ///< as MPI's, without the prefix
    int id = 0;               ///< in rule files
    RuleSize size = RuleSize::argument;
};
/// Nothing for one that has no algorithms.
[[nodiscard]] std::optional<RuleCollective> rule_collective(std::string_view name) noexcept;

/// The file of these rules; all other numbers of ranks, and all other sizes, keep the library's choice. Of a collective
/// of RuleSize::none only the first rule counts. No number has a leading zero, which would make it octal.
/// \param known  collectives with the numbers of their algorithms  \throws measure::UsageError for a collective or an
/// algorithm that is not known, and for rules that do not ascend
[[nodiscard]] std::string rule_file(std::vector<TunedCollective> const& tuned, std::vector<Collective> const& known);

}  // namespace measure::tool::tune
