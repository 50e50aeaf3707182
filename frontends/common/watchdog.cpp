// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/watchdog.hpp"

#include "frontend/alarm.hpp"
#include "frontend/last_words.hpp"
#include "frontend/temporary_file.hpp"
#include "frontend/values.hpp"

#include <unistd.h>

#include <atomic>

namespace frontend {
namespace {

Alarm timer;
std::atomic<bool> expired{false};

/// Twice: when the limit is reached, and when all ranks have had the time to speak.
void expire(int /*signal*/) {
    if (expired.exchange(true))
        _exit(1);
    last_words::no_progress();
    unlink_temporary_files();
    timer.set(last_words::farewell_seconds());
}

}  // namespace

Watchdog::~Watchdog() { timer.destroy(); }

void Watchdog::watch(measure::seconds limit) {
    limit_ = limit;
    if (limit_.count() <= 0)
        return;
    expired.store(false);
    last_words::limit(duration_text(limit_));
    timer.create(SIGRTMIN + 7, expire);
    timer.set(limit_.count());
}

void Watchdog::alive() noexcept {
    if (limit_.count() > 0 && !expired.load(std::memory_order_relaxed))
        timer.set(limit_.count());
}

void Watchdog::suspend() noexcept {
    if (limit_.count() > 0 && !expired.load(std::memory_order_relaxed))
        timer.set(0);
}

}  // namespace frontend
