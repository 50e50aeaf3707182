// SPDX-License-Identifier: BSD-3-Clause
/// Binding: ranks whose times do not fit where they are bound.
#pragma once

#include "pairs/result.hpp"

#include <cstddef>
#include <vector>

namespace measure::tool::pairs {

/// Nodes most of whose pairs, at least five, lie nearer to the level of the class that they would have beside another
/// node of the host: suspects of the kind `binding`, `a` as if beside `b`. Of each node the place that fits best.
/// Collective over those who have rows. \param quantity  number in `judged`, of times  \return on the root
[[nodiscard]] std::vector<Suspect> displaced(measure::Comm const& comm, Result const& result, std::size_t quantity);

/// Gives pairs of these suspects, which the root knows, the classes that they behave as. Collective: on all processes.
void move_pairs(measure::Comm const& comm, std::vector<Suspect> const& suspects, Result& result);

/// What else is to be known of bindings, a line each: "rank 1 and rank 2 are bound to one core". Pure.
[[nodiscard]] std::vector<std::string> binding_notes(Result const& result);

}  // namespace measure::tool::pairs
