// SPDX-License-Identifier: BSD-3-Clause
#include "clock/clock_check.hpp"

namespace measure::detail {

std::optional<Residual> compare_clocks(Comm const& comm, StartChoice const& choice, GlobalClock const& clock,
                                       Measurement& m) {
    m.sync.algorithm = clock.report().algorithm;
    m.sync.bound = clock.report().bound;
    if (clock.synchronised() && comm.size() > 1)
        m.sync.age = clock.age().count();
    // If the start does not use clocks, the span may still depend on them.
    if (choice.scheduled() ? !choice.check : m.combine != Combine::span)
        return std::nullopt;
    auto residual = measure::residual(comm, clock);
    if (residual) {
        m.sync.residual = residual->largest.count();
        m.sync.residual_rms = residual->rms.count();
        m.sync.residual_bound = residual->bound.count();
        m.sync.residual_of_ranks = residual->of_ranks;
    }
    return residual;
}

}  // namespace measure::detail
