// SPDX-License-Identifier: BSD-3-Clause
/// Child: another program that this one starts and waits for. Local.
#pragma once

#include <measure/units.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace program {

/// Names and values of environment variables.
using Variables = std::vector<std::pair<std::string, std::string>>;

struct Child {
    std::vector<std::string> command{};  ///< name and arguments; at least the name, which is searched in PATH
    Variables environment{};             ///< added to this program's environment or replacing its values; unique names
    std::string folder = ".";            ///< working directory
    /// File to which its output is appended, relative to `folder`. Empty: standard output is dropped, and standard
    /// error is this program's.
    std::string log{};
    measure::seconds limit{0};  ///< longest duration; a child that exceeds it is ended; 0: no limit
    /// The child uses this program's standard output, and its standard input unless that is a terminal, which belongs
    /// to the foreground process group. Ignores `log`.
    bool inherits = false;
    /// true: run_child throws the system's error if there are no resources for another process.
    bool is_needed = false;
};

/// The exit code for a child that exceeded its limit, as with timeout(1).
inline constexpr int timed_out = 124;

/// Whether PATH contains a program of that name.
[[nodiscard]] bool has_program(std::string_view name);

/// Runs the program and waits for its end. Do not run two children at the same time. The child has no input unless it
/// inherits this program's. It has its own process group, so that a signal from the terminal reaches it once. A file
/// size limit ends it as usual. This process sleeps until the child ends, and checks every 50 ms whether it should
/// stop.
///
/// If this program should stop, it forwards the signal, kills the child and its descendants if they do not end within
/// 3 s, and throws measure::Interrupted. Then 5 s are left to save results (put_off_exit). A child that exceeds its
/// limit is ended in the same way, with SIGTERM. If this thread or program is killed, the kernel sends SIGTERM to the
/// child; a launcher then ends its ranks.
/// \return its exit code; 127 if it cannot be started; `timed_out`; 128 + signal if a signal ended it
[[nodiscard]] int run_child(Child const& child);

}  // namespace program
