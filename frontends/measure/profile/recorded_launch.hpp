// SPDX-License-Identifier: BSD-3-Clause
/// Start: runs an application and records it. Local.
#pragma once

#include "program/runtime/session.hpp"

#include <string>
#include <vector>

namespace measure::tool {

struct ProfileOrder {
    std::string json = "profile.jsonl";
    std::string timer = "monotonic";
    bool counts_only = false;
    bool sites = false;
    bool waiting = false;
    std::vector<std::string> command{};  ///< complete command, including the launcher
};

/// Path of the library to preload, as installed or in the build folder of this tool.
/// \throws measure::UsageError if it is in neither place
[[nodiscard]] std::string profile_library();

/// The command with the library added in front of anything that its launcher already preloads ("-genv LD_PRELOAD F",
/// "LD_PRELOAD=F"). Pure.
[[nodiscard]] std::vector<std::string> with_preload(std::vector<std::string> words, std::string const& library);

/// Starts the command and writes the record to the file of --json. The session ends with the command's exit code.
/// \return the text of the record; empty if nothing was recorded, which is a failure \throws measure::UsageError before
/// anything is started, measure::Interrupted after the data known so far are saved
[[nodiscard]] std::string launch_profiled(ProfileOrder const& order, program::Session& session);

}  // namespace measure::tool
