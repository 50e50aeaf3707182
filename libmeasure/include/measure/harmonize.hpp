// SPDX-License-Identifier: BSD-3-Clause
/// Harmonize: all ranks continue at the same instant, and each rank learns whether it was in time.
#pragma once

#include "measure/clock_sync.hpp"
#include "measure/comm.hpp"
#include "measure/units.hpp"

#include <optional>

#pragma GCC visibility push(default)
namespace measure {

/// Result of `harmonize` on this rank.
struct Harmony {
    seconds start{};       ///< the common instant, in root time, s
    seconds lateness{};    ///< delay of this rank after the instant, by its own clock, s; negative: it did not wait
    bool in_time = false;  ///< this rank continued within the tolerance, and its clock is synchronised
};

/// Returns on all ranks at the same instant of the root's clock. The root chooses the instant and broadcasts it.
/// Collective. The result differs between ranks.
///
/// A rank is in time if it continued within `slot_tolerance` or, on an oversubscribed communicator, within `ahead`. A
/// rank whose clock is not synchronised is never in time. If a rank's clock shows that the instant is more than
/// `ahead` + 0.1 s in the future, the rank does not wait and is not in time.
/// \param ahead  time from the root's broadcast to the instant, s; by default measured with ten broadcasts
///               (`broadcast_bound`)
[[nodiscard]] Harmony harmonize(Comm const& comm, GlobalClock const& clock, std::optional<seconds> ahead = {});

}  // namespace measure
#pragma GCC visibility pop
