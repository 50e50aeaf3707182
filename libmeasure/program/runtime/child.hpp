// SPDX-License-Identifier: BSD-3-Clause
/// Child: another program that this one starts and waits for. Local.
#pragma once

#include <measure/units.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace program {

/// Names and values of variables of the environment.
using Variables = std::vector<std::pair<std::string, std::string>>;

struct Child {
    std::vector<std::string> command{};  ///< name and arguments, at least the name, which is looked for in PATH
    Variables environment{};             ///< what it has besides this program's, or in place of it; once each
    std::string folder = ".";            ///< where it runs
    /// Gets what it prints, added to what is there; relative to `folder`. Empty: standard output is dropped, and
    /// standard error is this program's.
    std::string log{};
    measure::seconds limit{0};  ///< what lasts longer is ended; 0: nothing is
    /// It has this program's standard output, and its standard input where that is no terminal, which belongs to the
    /// group in front. No `log`.
    bool inherits = false;
    /// Without it nothing goes on: where the system has no room for one more process, run_child throws what it says.
    bool is_needed = false;
};

/// The exit code of a child that lasted too long, as of timeout(1).
inline constexpr int timed_out = 124;

/// Whether PATH has a program of that name.
[[nodiscard]] bool has_program(std::string_view name);

/// Runs the program to its end, not two at once, without input unless it inherits one, in a process group of its own,
/// so that a signal from the terminal reaches it once. A limit on the size of files ends it as usual. This process
/// sleeps until the child ends, and looks every 50 ms whether it is asked to stop.
///
/// Where this program is asked to stop, it passes the signal on, kills the child and its descendants where that does
/// not end it within 3 s, and throws measure::Interrupted; 5 s are left then to keep what there is (put_off_exit). A
/// child that lasts too long ends in the same way, by SIGTERM. Where this thread or its program is killed, the kernel
/// sends the child SIGTERM, on which a launcher ends its ranks.
/// \return its exit code; 127 where it cannot be started, `timed_out`, 128 + signal where one ended it
[[nodiscard]] int run_child(Child const& child);

}  // namespace program
