// SPDX-License-Identifier: BSD-3-Clause
/// AfterDeath: a command that is run when this process has ended without a word: killed, or ended by a launcher or by
/// the MPI library. It cleans up what no signal handler could.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace program {

/// A shell that waits asleep, in a session of its own, until this process ends; a second later it runs the command,
/// unless the object was destroyed before. The command has neither input nor output, and of the environment only what
/// programs need to start: it is not part of the MPI job. Where no shell can be started, nothing is run. Move-only.
/// Local.
class AfterDeath {
public:
    /// No command.
    AfterDeath() = default;
    /// \param command  name and arguments; the name is looked for in PATH unless it has a slash
    explicit AfterDeath(std::vector<std::string> command);
    AfterDeath(AfterDeath&& other) noexcept
        : shell_{std::exchange(other.shell_, -1)}, call_off_{std::exchange(other.call_off_, -1)} {}
    AfterDeath& operator=(AfterDeath&& other) noexcept {
        std::swap(shell_, other.shell_);
        std::swap(call_off_, other.call_off_);
        return *this;
    }
    AfterDeath(AfterDeath const&) = delete;
    AfterDeath& operator=(AfterDeath const&) = delete;
    /// The command is not run.
    ~AfterDeath();

private:
    int shell_ = -1;     ///< its process; -1: none
    int call_off_ = -1;  ///< end of a pipe: a line says that all is well
};

/// The path of this program's file; empty where it is not known.
[[nodiscard]] std::string own_program();

}  // namespace program
