// SPDX-License-Identifier: BSD-3-Clause
/// Binding: ranks whose times do not fit where they are bound. Pure, local.
#pragma once

#include "pairs/result.hpp"

#include <cstddef>
#include <vector>

namespace measure_tool::pairs {

/// Nodes most of whose pairs, at least five, lie nearer to the level of the class that they would have beside another
/// node of the host: suspects of the kind `binding`, `a` as if beside `b`. Of each node the place that fits best.
/// \param quantity  number in `judged`, of times
[[nodiscard]] std::vector<Suspect> displaced(Result const& result, std::size_t quantity);

/// Gives the pairs of a node the classes that they behave as.
void move(Suspect const& suspect, PairTable<int>& classes);

/// What else is to be known of bindings, a line each: "rank 1 and rank 2 are bound to one core".
[[nodiscard]] std::vector<std::string> binding_notes(Result const& result);

}  // namespace measure_tool::pairs
