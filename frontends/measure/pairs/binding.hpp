// SPDX-License-Identifier: BSD-3-Clause
/// Binding: ranks whose times do not match the place they are bound to.
#pragma once

#include "pairs/result.hpp"

#include <cstddef>
#include <vector>

namespace measure::tool::pairs {

/// Finds nodes whose times would fit better next to another node of their host. Considers the pairs whose class would
/// change there, at least five; most of them must be nearer to the level of the new class. Returns suspects of the kind
/// `binding`: node `a` behaves as if it were next to `b`, the place that fits best.
/// Collective over the processes with rows. \param quantity  index in `judged`, of times  \return on the root
[[nodiscard]] std::vector<Suspect> displaced(measure::Comm const& comm, Result const& result, std::size_t quantity);

/// Gives the pairs of these suspects the classes that their times match. Collective over all processes; the suspects of
/// the root are used.
void move_pairs(measure::Comm const& comm, std::vector<Suspect> const& suspects, Result& result);

/// Further notes about bindings, one line each: "rank 1 and rank 2 are bound to the same core". Pure.
[[nodiscard]] std::vector<std::string> binding_notes(Result const& result);

}  // namespace measure::tool::pairs
