// SPDX-License-Identifier: BSD-3-Clause
/// Start: an application that is recorded. Local.
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
    std::vector<std::string> command{};  ///< launcher and all
};

/// The library that is preloaded: where it is installed, or of the build that this tool is of.
/// \throws measure::UsageError where it is in neither place
[[nodiscard]] std::string profile_library();

/// The command's words, with the library in front of what its launcher is told to preload itself ("-genv LD_PRELOAD F",
/// "LD_PRELOAD=F"). Pure.
[[nodiscard]] std::vector<std::string> with_preload(std::vector<std::string> words, std::string const& library);

/// Starts the command and keeps the record in the file of --json; the session ends with its exit code. \return the
/// record's text; empty where nothing was recorded, which is a failure. \throws measure::UsageError before anything is
/// started, measure::Interrupted once what is known is kept
[[nodiscard]] std::string start_profiled(ProfileOrder const& order, program::Session& session);

}  // namespace measure::tool
