// SPDX-License-Identifier: BSD-3-Clause
/// Proof: measures the gain of a file in separate launches with and without it. Local.
#pragma once

#include "tune/context.hpp"

#include <string>
#include <vector>

namespace measure::tool::tune {

/// Launches the ranks with and without this file in turn, and fills the proofs of the segments. A segment of the file
/// that lacks a value with it, at one or all of its sizes, stays without proof and counts as slower.
/// \param rules  the rules of the file  \return whether nothing is slower with the file
[[nodiscard]] bool prove_once(Context& c, std::vector<TunedCollective> const& rules, std::string const& path);

/// Proves the file of the decisions. A segment that is slower gets the default back, and the others are proved again,
/// up to three proofs in all. A segment without a gain in the last proof gets the default back too. The outcome has the
/// proved file, or none; then all segments have the default. \throws std::runtime_error if the file has no effect
void prove_all(Context& c);

}  // namespace measure::tool::tune
