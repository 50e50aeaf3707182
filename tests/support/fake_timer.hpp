// SPDX-License-Identifier: BSD-3-Clause
/// FakeTimer: a clock whose readings a test determines.
#pragma once

#include "measure/timer.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// A timer with integer nanoseconds. Copies share one time, so a copy inside a plan and the test's own copy see the
/// same readings. Not thread-safe.
class FakeTimer : public measure::detail::NanosecondStamps {
public:
    /// The first reading is `start_ns`; each later one is `step_ns` more. With `step_ns` = 0 time stands still until
    /// `set` or `advance` changes it.
    [[nodiscard]] static FakeTimer counting(std::int64_t step_ns, std::int64_t start_ns = 0) {
        return FakeTimer{State{.time = start_ns, .step = step_ns}};
    }
    /// Returns exactly these readings; later ones increase by `step_ns` per reading from the last one.
    [[nodiscard]] static FakeTimer scripted(std::vector<std::int64_t> readings_ns, std::int64_t step_ns = 0) {
        return FakeTimer{State{.script = std::move(readings_ns), .step = step_ns}};
    }

    [[nodiscard]] stamp now() const noexcept {
        auto& s = *state_;
        ++s.readings;
        if (s.next < s.script.size()) {
            auto const reading = s.script[s.next++];
            s.time = reading + s.step;
            return reading;
        }
        return std::exchange(s.time, s.time + s.step);
    }
    [[nodiscard]] measure::seconds resolution() const noexcept { return measure::seconds{1e-9}; }
    [[nodiscard]] std::string name() const { return "fake"; }

    /// Sets the next reading, if none is scripted.
    void set(std::int64_t time_ns) const noexcept { state_->time = time_ns; }
    /// Advances time between two readings, if none is scripted.
    void advance(std::int64_t ns) const noexcept { state_->time += ns; }
    /// How often the clock was read.
    [[nodiscard]] std::int64_t readings() const noexcept { return state_->readings; }

private:
    struct State {
        std::vector<std::int64_t> script{};
        std::size_t next = 0;
        std::int64_t time = 0;
        std::int64_t step = 0;
        std::int64_t readings = 0;
    };
    explicit FakeTimer(State state) : state_{std::make_shared<State>(std::move(state))} {}

    std::shared_ptr<State> state_;
};

static_assert(measure::Timer<FakeTimer>);

}  // namespace test
