// SPDX-License-Identifier: BSD-3-Clause
/// Alarm: a POSIX timer that raises a signal of its own.
#pragma once

#include <signal.h>
#include <time.h>

namespace program {

/// A one-shot timer on CLOCK_MONOTONIC and the handler that it calls. To be kept in static storage where the handler
/// arms it again.
class Alarm {
public:
    /// Creates timer and handler. \param signal  not used otherwise in the process \throws std::system_error
    void create(int signal, void (*handler)(int));
    /// Disarms and frees the timer, and restores the signal's former handler.
    void destroy() noexcept;
    /// Expires once, after this time from now; replaces what was set before. 0 disarms. Async-signal-safe.
    void set(double seconds) noexcept;

private:
    timer_t timer_{};
    int signal_ = 0;
    struct sigaction before_ {};
    bool exists_ = false;
};

}  // namespace program
