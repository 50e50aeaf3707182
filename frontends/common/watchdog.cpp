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

namespace {

/// An expired watchdog has said that the run ends with an error: nothing may go on until the second signal.
void stay_if_expired() noexcept {
    while (expired.load(std::memory_order_relaxed))
        pause();
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

void Watchdog::change(measure::seconds limit) {
    if (limit_.count() <= 0)
        return;
    limit_ = limit;
    last_words::limit(duration_text(limit_));
    alive();
}

void Watchdog::alive() noexcept {
    stay_if_expired();
    if (limit_.count() > 0)
        timer.set(limit_.count());
}

void Watchdog::suspend() noexcept {
    stay_if_expired();
    if (limit_.count() > 0)
        timer.set(0);
}

}  // namespace frontend
