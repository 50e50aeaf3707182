// SPDX-License-Identifier: BSD-3-Clause
/// Suppresses the signals of failing writes. Local.
#pragma once

#include <signal.h>

#include <ctime>
#include <pthread.h>

namespace measure::detail {

/// During its lifetime, a write beyond the file size limit or to a closed pipe returns an error instead of sending a
/// signal that ends the process.
class WriteSignalsBlocked {
public:
    WriteSignalsBlocked() noexcept {
        ::sigemptyset(&signals_);
        ::sigaddset(&signals_, SIGXFSZ);
        ::sigaddset(&signals_, SIGPIPE);
        ::sigpending(&pending_);
        ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
    }
    WriteSignalsBlocked(WriteSignalsBlocked const&) = delete;
    WriteSignalsBlocked& operator=(WriteSignalsBlocked const&) = delete;
    ~WriteSignalsBlocked() {
        // Signals that were already pending belong to the program.
        for (int const signal : {SIGXFSZ, SIGPIPE})
            if (::sigismember(&pending_, signal) != 0)
                ::sigdelset(&signals_, signal);
        ::timespec const at_once{};
        while (::sigtimedwait(&signals_, nullptr, &at_once) > 0) {
        }
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

private:
    ::sigset_t signals_{};
    ::sigset_t pending_{};
    ::sigset_t before_{};
};

}  // namespace measure::detail
