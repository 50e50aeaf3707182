// SPDX-License-Identifier: BSD-3-Clause
/// Proof: what a file gains, in launches of its own with it and without it. Local.
#pragma once

#include "tune/context.hpp"

#include <string>
#include <vector>

namespace measure::tool::tune {

/// Launches with this file and without it, in turn; fills the proofs of the segments. One of the file that has no value
/// with it, at one of its sizes or at all, stays without proof, and counts as slower.
/// \param rules  of the file  \return whether nothing is slower with it
[[nodiscard]] bool prove_once(Context& c, std::vector<TunedCollective> const& rules, std::string const& path);

/// Proves the file of the decisions. A segment that is slower gets the default back, and the others are proved again;
/// one that does not gain in the last proof gets it back too. The outcome has the file that holds. Where none does, all
/// segments have the default back. \throws std::runtime_error where the file has no effect
void prove_all(Context& c);

}  // namespace measure::tool::tune
