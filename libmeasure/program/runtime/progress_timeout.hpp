// SPDX-License-Identifier: BSD-3-Clause
/// ProgressTimeout: a limit on waiting for other processes that counts only the time in which this process ran.
#pragma once

#include <measure/units.hpp>

#include <algorithm>
#include <chrono>

namespace program {

/// For waiting with repeated checks. At most 0.05 s count between two checks: if this process was stopped or
/// descheduled for longer, the awaited processes may not have run either. Local.
class ProgressTimeout {
public:
    explicit ProgressTimeout(measure::seconds limit) noexcept : left_{limit} {}
    /// Whether time is left. Call it at each check.
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
