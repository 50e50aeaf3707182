// SPDX-License-Identifier: BSD-3-Clause
/// ProgressTimeout: a limit on waiting for other processes that counts only time in which this process ran.
#pragma once

#include <measure/units.hpp>

#include <algorithm>
#include <chrono>

namespace program {

/// Waiting in many looks. Between two of them a moment counts at most: while this process was stopped, or others had
/// its core, the awaited ones could do nothing either. Local.
class ProgressTimeout {
public:
    explicit ProgressTimeout(measure::seconds limit) noexcept : left_{limit} {}
    /// False when it is over. To be asked at each look.
    [[nodiscard]] bool lasts() noexcept {
        auto const now = Clock::now();
        left_ -= std::min(measure::seconds{now - last_}, moment);
        last_ = now;
        return left_ > measure::seconds{0};
    }

private:
    using Clock = measure::SteadyClock;
    static constexpr measure::seconds moment{0.05};
    measure::seconds left_;
    Clock::time_point last_ = Clock::now();
};

}  // namespace program
