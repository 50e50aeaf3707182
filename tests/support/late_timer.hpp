// SPDX-License-Identifier: BSD-3-Clause
/// A clock that is read late on request, so that its answers in a comparison are delayed.
#pragma once

#include "measure/timer.hpp"

#include <cstdint>

namespace test {

class LateTimer {
public:
    using stamp = std::int64_t;
    /// \param is_late  whether readings take 40 us from now on; must outlive the timer
    explicit LateTimer(bool const& is_late) : late_{&is_late} {}
    [[nodiscard]] stamp now() const noexcept {
        stamp const begin = base_.now();
        stamp end = begin;
        while (*late_ && end < begin + 40'000)
            end = base_.now();
        return end;
    }
    [[nodiscard]] measure::seconds between(stamp a, stamp b) const noexcept { return base_.between(a, b); }
    [[nodiscard]] stamp after(stamp a, measure::seconds d) const noexcept { return base_.after(a, d); }
    [[nodiscard]] measure::seconds resolution() const noexcept { return base_.resolution(); }

private:
    measure::MonotonicTimer base_;
    bool const* late_;
};

}  // namespace test
