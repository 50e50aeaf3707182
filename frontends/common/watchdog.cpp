// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/watchdog.hpp"

#include "frontend/alarm.hpp"
#include "frontend/last_words.hpp"
#include "frontend/temporary_file.hpp"
#include "frontend/values.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace frontend {
namespace {

Alarm timer;
std::atomic<bool> expired{false};
constexpr int under_way = -1;
std::atomic<int> ended_with{under_way};

/// Twice: when the limit is reached, and when all ranks have had the time to speak.
void expire(int /*signal*/) {
    int const code = ended_with.load();
    if (expired.exchange(true))
        _exit(code == under_way ? 1 : code);
    if (code == under_way)
        last_words::no_progress();
    else
        last_words::not_finalized();
    unlink_temporary_files();
    timer.set(last_words::farewell_seconds());
}

}  // namespace

namespace {

/// An expired watchdog has said that the run ends with an error: nothing may go on until the second signal.
void stay_if_expired() noexcept {
    while (expired.load(std::memory_order_relaxed))
        ::pause();
}

}  // namespace

Watchdog::~Watchdog() { timer.destroy(); }

void Watchdog::watch(measure::seconds limit) {
    limit_ = limit;
    if (limit_.count() <= 0)
        return;
    create();
    last_words::limit(duration_text(limit_));
    timer.set(limit_.count());
}

void Watchdog::create() {
    if (exists_)
        return;
    expired.store(false);
    ended_with.store(under_way);
    timer.create(SIGRTMIN + 7, expire);
    exists_ = true;
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

void Watchdog::over(int code) {
    constexpr double longest = 30;
    stay_if_expired();
    if (limit_.count() <= 0)
        return;
    create();
    ended_with.store(code);
    timer.set(std::min(limit_.count(), longest));
}

}  // namespace frontend
