// SPDX-License-Identifier: BSD-3-Clause
/// Alarm: a POSIX timer that raises a dedicated signal.
#pragma once

#include <signal.h>
#include <time.h>

namespace program {

/// A one-shot timer on CLOCK_MONOTONIC and the handler that it calls. It needs static storage if the handler arms it
/// again.
class Alarm {
public:
    /// Creates timer and handler. \param signal  not otherwise used in the process  \throws std::system_error
    void create(int signal, void (*handler)(int));
    /// Disarms and frees the timer, and restores the signal's previous handler.
    void destroy() noexcept;
    /// Arms the timer to expire once after this time; replaces an earlier setting. 0 disarms it. Async-signal-safe.
    void set(double seconds) noexcept;

private:
    timer_t timer_{};
    int signal_ = 0;
    struct sigaction before_ {};
    bool exists_ = false;
};

}  // namespace program
