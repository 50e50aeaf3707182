// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/watchdog.hpp"

#include "program/cli/values.hpp"
#include "program/runtime/alarm.hpp"
#include "program/runtime/crash_report.hpp"
#include "program/runtime/temporary_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace program {
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
        crash_report::no_progress();
    else
        crash_report::not_finalized();
    unlink_temporary_files();
    timer.set(crash_report::exit_grace_seconds());
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
    crash_report::limit(duration_text(limit_));
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
    crash_report::limit(duration_text(limit_));
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

}  // namespace program
