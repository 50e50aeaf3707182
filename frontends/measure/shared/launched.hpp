// SPDX-License-Identifier: BSD-3-Clause
/// Launched: whether an MPI launcher has started several processes of this tool. Local.
#pragma once

#include "program/runtime/session.hpp"

#include <string_view>

namespace measure::tool {

/// For commands that start programs themselves: several of them would disturb each other's measurements.
/// \return true for a single process; false on all processes but the first of several, which end with exit code 2 and
///         without a word
/// \throws measure::UsageError on the first of several
[[nodiscard]] bool is_started_once(program::Session& session, std::string_view command);

}  // namespace measure::tool
