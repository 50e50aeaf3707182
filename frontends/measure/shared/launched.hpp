// SPDX-License-Identifier: BSD-3-Clause
/// Launched: detects that an MPI launcher has started several processes of this tool. Local.
#pragma once

#include "program/runtime/session.hpp"

#include <string_view>

namespace measure::tool {

/// For commands that launch programs themselves. Several of these commands would disturb each other's measurements.
/// \return true for a single process; false on all but the first of several processes, which must end silently with
///         exit code 2
/// \throws measure::UsageError on the first of several processes
[[nodiscard]] bool is_launched_once(program::Session& session, std::string_view command);

}  // namespace measure::tool
