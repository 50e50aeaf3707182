// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/alarm.hpp"

#include <cerrno>
#include <cmath>
#include <system_error>

namespace program {

void Alarm::create(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, &before_);

    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = signal;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) {
        int const error = errno;
        sigaction(signal, &before_, nullptr);
        throw std::system_error(error, std::generic_category(), "timer_create");
    }
    signal_ = signal;
    exists_ = true;
}

void Alarm::destroy() noexcept {
    if (!exists_)
        return;
    exists_ = false;
    timer_delete(timer_);
    sigaction(signal_, &before_, nullptr);
}

void Alarm::set(double seconds) noexcept {
    if (!exists_)
        return;
    itimerspec when{};
    when.it_value.tv_sec = static_cast<time_t>(seconds);
    when.it_value.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9);
    timer_settime(timer_, 0, &when, nullptr);
}

}  // namespace program
