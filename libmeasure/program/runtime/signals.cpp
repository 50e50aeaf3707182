// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/signals.hpp"

#include "program/runtime/alarm.hpp"
#include "program/runtime/crash_report.hpp"
#include "program/runtime/temporary_file.hpp"

#include <unistd.h>

#include <cstddef>

namespace program {
namespace {

constexpr double grace_seconds = 5;

std::atomic<int> stop{0};
std::atomic<int> first_signal{0};
std::atomic<bool> leaving{false};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler sets the flag");
Alarm grace;

/// Called twice: first it writes the crash report, later it exits. The launcher kills all ranks when the first one
/// exits, so all ranks get time to write their lines.
void leave(int /*signal*/) {
    int const signal = first_signal.load();
    if (leaving.exchange(true))
        _exit(128 + signal);
    crash_report::interrupted(signal);
    unlink_temporary_files();
    grace.set(crash_report::exit_grace_seconds());
}

void interrupt(int signal) {
    int none = 0;
    if (!first_signal.compare_exchange_strong(none, signal)) {
        leave(signal);
        return;
    }
    stop.store(signal);
    grace.set(grace_seconds);
}

/// Removes the temporary files. The signal's default action ends the process when this returns.
void die(int signal) {
    unlink_temporary_files();
    ::raise(signal);
}

}  // namespace

SignalHandlers::SignalHandlers() {
    stop.store(0);
    first_signal.store(0);
    leaving.store(false);
    grace.create(SIGRTMIN + 6, leave);
    struct sigaction action {};
    action.sa_handler = interrupt;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < signals_.size(); ++i) {
        sigaction(signals_[i], nullptr, &before_[i]);
        if (before_[i].sa_handler != SIG_IGN)
            sigaction(signals_[i], &action, nullptr);
    }
    action.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &action, &before_limit_);
    action.sa_handler = die;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (std::size_t i = 0; i < fatal_.size(); ++i) {
        sigaction(fatal_[i], nullptr, &before_fatal_[i]);
        if (before_fatal_[i].sa_handler == SIG_DFL)
            sigaction(fatal_[i], &action, nullptr);
    }
}

SignalHandlers::~SignalHandlers() {
    for (std::size_t i = 0; i < signals_.size(); ++i)
        sigaction(signals_[i], &before_[i], nullptr);
    sigaction(SIGXFSZ, &before_limit_, nullptr);
    for (std::size_t i = 0; i < fatal_.size(); ++i)
        sigaction(fatal_[i], &before_fatal_[i], nullptr);
    grace.destroy();
}

std::atomic<int>& stop_flag() noexcept { return stop; }

void put_off_exit() noexcept {
    if (first_signal.load(std::memory_order_relaxed) != 0 && !leaving.load(std::memory_order_relaxed))
        grace.set(grace_seconds);
}

}  // namespace program
