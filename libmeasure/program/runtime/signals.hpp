// SPDX-License-Identifier: BSD-3-Clause
/// Signals: SIGINT, SIGTERM and SIGHUP ask the run to stop at its next decision point. SIGXFSZ is ignored: a write
/// beyond the limit on the size of files fails with EFBIG, which is reported. SIGPIPE, SIGQUIT, SIGXCPU, SIGUSR1 and
/// SIGUSR2 end the process at once, without its temporary files.
#pragma once

#include <signal.h>

#include <array>
#include <atomic>

namespace program {

/// Handlers for the life of the object. The first signal sets `stop_flag`. A second one, or 5 s without a decision
/// point after the first, ends the process from within the handler: crash report, temporary files removed, and a little
/// later (crash_report::exit_grace_seconds; at once with a third signal) _exit(128 + signal). A signal that is ignored
/// stays ignored; UCX, a part of MPICH, catches SIGHUP before, unless UCX_DEBUG_SIGNO=0. At most one exists.
class SignalHandlers {
public:
    SignalHandlers();
    ~SignalHandlers();
    SignalHandlers(SignalHandlers const&) = delete;
    SignalHandlers& operator=(SignalHandlers const&) = delete;

private:
    static constexpr std::array<int, 3> signals_{SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, signals_.size()> before_{};
    struct sigaction before_limit_ {};
    static constexpr std::array<int, 5> fatal_{SIGPIPE, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2};
    std::array<struct sigaction, fatal_.size()> before_fatal_{};
};

/// Value of the stop flag when the run is to stop because it failed on one rank; above every signal's number.
inline constexpr int stop_failed = 256;

/// 0, the signal that came first, or `stop_failed`; what measure::Control looks at.
[[nodiscard]] std::atomic<int>& stop_flag() noexcept;

/// A decision point was reached, or a part of what is to be kept is complete: an interrupted process is given another
/// 5 s. Async-signal-safe.
void put_off_exit() noexcept;

}  // namespace program
