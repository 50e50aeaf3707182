// SPDX-License-Identifier: BSD-3-Clause
/// Rule file: the file by which Open MPI's component `tuned` chooses algorithms (coll_tuned_dynamic_rules_filename).
/// Pure.
///
/// The file has whole numbers in three levels: collectives, sizes of communicators, and sizes of messages with bytes,
/// algorithm, fan-out and bytes of a segment. The last line whose size does not exceed the message applies. The same is
/// true for communicators, but the first line also applies to smaller ones. Algorithm 0 is the library's own choice.
/// Open MPI ignores errors in the file silently.
#pragma once

#include "tune/library/selection_tree.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::tune {

/// The size that Open MPI compares with the rules of a collective.
enum class RuleSize {
    argument,  ///< bytes of one process's argument
    all,       ///< bytes of a block times the number of ranks
    share,     ///< bytes of all blocks divided by the number of ranks
    none,      ///< independent of the message: one rule holds for all sizes
};

/// A collective of Open MPI 4.1 whose algorithms can be chosen.
struct RuleCollective {
    std::string_view name{};  ///< MPI name without the prefix: "Bcast"
    int id = 0;               ///< number in rule files
    RuleSize size = RuleSize::argument;
};
/// The collective of this name; empty if Open MPI has no algorithms for it.
[[nodiscard]] std::optional<RuleCollective> rule_collective(std::string_view name) noexcept;

/// The text of a file with these rules. All other numbers of ranks and sizes keep the library's choice. For a
/// collective with RuleSize::none only the first rule counts. No number has a leading zero, because it would be read as
/// octal.
/// \param known  collectives with the numbers of their algorithms
/// \throws measure::UsageError for an unknown collective or algorithm, and for rules that are not ascending
[[nodiscard]] std::string rule_file(std::vector<TunedCollective> const& tuned, std::vector<Collective> const& known);

}  // namespace measure::tool::tune
