// SPDX-License-Identifier: BSD-3-Clause
/// Canary: whether the ranks read a file of choices at all. Local.
#pragma once

#include "tune/context.hpp"

#include <map>
#include <vector>

namespace measure::tool::tune {

/// A file with an algorithm that is much slower than the default must make the default slow.
/// \param screened  among which one is looked for; where none is slow enough a note says so
/// \throws std::runtime_error where the file has no effect
void look_for_effect(Context& c, std::map<Place, std::vector<ScreenedTime>> const& screened);

}  // namespace measure::tool::tune
