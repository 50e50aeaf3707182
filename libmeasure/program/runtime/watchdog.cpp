// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/watchdog.hpp"

#include "analysis/core/text.hpp"
#include "program/runtime/alarm.hpp"
#include "program/runtime/crash_report.hpp"
#include "program/runtime/temporary_file.hpp"

#include <measure/heartbeat.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace program {
namespace {

Alarm timer;
std::atomic<bool> expired{false};
constexpr int under_way = -1;
std::atomic<int> ended_with{under_way};

// A loop only counts heartbeats, because setting a timer would disturb a timed region. The timer therefore checks the
// count several times within the limit.
constexpr int looks = 8;
std::atomic<double> between_looks{0};  ///< time between two checks, s
std::atomic<std::uint64_t> heard{0};   ///< heartbeats at the last check
std::atomic<int> quiet{0};             ///< consecutive checks without new heartbeat while this rank should progress
std::atomic<int> waiting{0};           ///< consecutive checks without new heartbeat while this rank waits for the root

void listen(double limit) noexcept {
    between_looks.store(limit / looks);
    heard.store(measure::detail::heartbeats());
    quiet.store(0);
    waiting.store(0);
    timer.set(limit / looks);
}

/// Number of checks for which a rank waits for the root: ten limits, at least a minute. It is bounded because launchers
/// (Hydra, srun) do not always end the ranks of other hosts after the root has left with an exit code.
double longest_wait() noexcept {
    constexpr double limits = 10;
    constexpr double least = 60;  // s
    return std::max(limits * looks, least / between_looks.load());
}

/// Whether this rank has made no progress for the whole limit.
bool is_still() noexcept {
    auto const beats = measure::detail::heartbeats();
    if (heard.exchange(beats) != beats || measure::detail::is_unwatched()) {
        quiet.store(0);
        waiting.store(0);
        return false;
    }
    bool const waits = crash_report::waits_for_root();
    (waits ? quiet : waiting).store(0);
    return waits ? waiting.fetch_add(1) + 1 >= longest_wait() : quiet.fetch_add(1) + 1 >= looks;
}

/// Signal handler: called at each check, and once more after all ranks had time to write their lines.
void expire(int /*signal*/) {
    int const code = ended_with.load();
    if (code == under_way && !expired.load() && !is_still()) {
        timer.set(between_looks.load());
        return;
    }
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

/// An expired watchdog has already reported that the run ends with an error. This rank must not continue until the
/// second signal ends it.
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
    crash_report::limit(measure::detail::duration_text(limit_));
    listen(limit_.count());
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
    crash_report::limit(measure::detail::duration_text(limit_));
    alive();
}

void Watchdog::alive() noexcept {
    stay_if_expired();
    if (limit_.count() > 0)
        listen(limit_.count());
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
