// SPDX-License-Identifier: BSD-3-Clause
/// Signals: SIGINT, SIGTERM and SIGHUP stop the run at its next decision point. SIGXFSZ is ignored, so a write beyond
/// the file size limit fails with EFBIG, which is reported. SIGPIPE, SIGQUIT, SIGXCPU, SIGUSR1 and SIGUSR2 remove the
/// temporary files and end the process at once.
#pragma once

#include <signal.h>

#include <array>
#include <atomic>

namespace program {

/// Installs handlers for the life of the object. The first signal sets `stop_flag`. A second signal, or 5 s without a
/// decision point after the first, ends the process from within the handler: it writes the crash report, removes the
/// temporary files and calls _exit(128 + signal) about a second later (crash_report::exit_grace_seconds), or at once
/// with a third signal. Ignored signals stay ignored. UCX, a part of MPICH, catches SIGHUP first unless
/// UCX_DEBUG_SIGNO=0. At most one object exists.
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

/// Value of the stop flag if the run must stop because it failed on a rank; greater than every signal number.
inline constexpr int stop_failed = 256;

/// The flag that measure::Control reads: 0, the first signal, or `stop_failed`.
[[nodiscard]] std::atomic<int>& stop_flag() noexcept;

/// Gives an interrupted process another 5 s. Call it at decision points and after each saved part of the results.
/// Async-signal-safe.
void put_off_exit() noexcept;

}  // namespace program
