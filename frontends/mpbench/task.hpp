// SPDX-License-Identifier: BSD-3-Clause
/// Task: what one task of the program measures with, over any transport.
#pragma once

#include "bench.hpp"
#include "bodies/buffers.hpp"
#include "check.hpp"
#include "timing.hpp"

#include <measure/control.hpp>
#include <measure/timer.hpp>
#include <measure/units.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace mpbench {

template <Transport T>
class Task : public Bench {
public:
    /// \param all   the tasks of the program
    /// \param pair  the first and the last one; nothing on the others
    /// \param timer outlives the task \param resolution  of the timer, on the master \throws std::bad_alloc
    Task(T all, std::optional<T> pair, Terms const& terms, measure::AnyTimer const& timer, measure::seconds resolution,
         measure::Control control)
        : all_{std::move(all)}, pair_{std::move(pair)}, rules_{terms.rules},
          buffers_{{}, {terms.largest, terms.largest}}, flush_{terms.flush}, watch_{.timer = timer,
                                                                                    .resolution = resolution,
                                                                                    .flush = &flush_,
                                                                                    .control = std::move(control)} {
        fill(message(terms.largest));
    }

    /// The stopwatch refers to what lies beside it.
    Task(Task const&) = delete;
    Task& operator=(Task const&) = delete;

    void warm_up(Test const& test, measure::Bytes bytes) override {
        if (T* const t = tasks_of(test))
            static_cast<void>(time_loop(*t, test.kind, message(bytes), 1, false, watch_));
    }

    std::vector<double> check(Test const& test, measure::Bytes bytes, bool damage) override {
        T* const t = tasks_of(test);
        return t != nullptr ? check_size(*t, test.kind, message(bytes), watch_, damage) : std::vector<double>{};
    }

    Timed measure(Test const& test, measure::Bytes bytes, bool flush) override {
        T* const t = tasks_of(test);
        return t != nullptr ? time_size(*t, test.kind, message(bytes), rules_, watch_, flush) : Timed{};
    }

private:
    /// Nothing on a task that is idle in the test.
    [[nodiscard]] T* tasks_of(Test const& test) noexcept {
        if (!test.pair)
            return &all_;
        return pair_ ? &*pair_ : nullptr;
    }

    [[nodiscard]] Message message(measure::Bytes bytes) const {
        return {static_cast<std::byte*>(buffers_.send({})), static_cast<std::byte*>(buffers_.receive({})), bytes};
    }

    T all_;
    std::optional<T> pair_;
    Rules rules_;
    bodies::Buffers buffers_;
    llcbench::Flush flush_;
    Stopwatch watch_;
};

}  // namespace mpbench
