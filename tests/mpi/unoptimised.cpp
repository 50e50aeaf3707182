// SPDX-License-Identifier: BSD-3-Clause
// A program outside of this project: its points have the flag `unoptimised` if it is compiled without optimisation. It
// is compiled both ways.
#include "measure/run.hpp"
#include "measure/run_each.hpp"

#include <cstdio>

int main() {
#if defined(__OPTIMIZE__)
    constexpr bool expected = false;
#else
    constexpr bool expected = true;
#endif
    auto const solo = measure::Comm::solo();
    measure::MonotonicRawTimer const timer;
    auto const body = [] {};
    measure::Plan const plan{.timer = timer, .stop = measure::stop::Count{.valid = 8}};
    bool const run = measure::run(solo, plan, body).has_flag("unoptimised");
    bool const own_timer = measure::run(solo, plan, timer, measure::op(body)).has_flag("unoptimised");
    bool const each = measure::run_each(solo, {.timer = timer}, body).measurement.has_flag("unoptimised");
    bool const is_right = run == expected && own_timer == expected && each == expected;
    std::printf("run %d, own timer %d, run_each %d, expected %d\n", run, own_timer, each, expected);
    return is_right ? 0 : 1;
}
