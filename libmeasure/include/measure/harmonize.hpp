// SPDX-License-Identifier: BSD-3-Clause
/// Harmonize: all ranks go on at one physical instant, and each learns whether it did.
#pragma once

#include "measure/clock_sync.hpp"
#include "measure/comm.hpp"
#include "measure/units.hpp"

#include <optional>

#pragma GCC visibility push(default)
namespace measure {

/// How this rank left `harmonize`.
struct Harmony {
    seconds start{};       ///< the common instant in root time
    seconds lateness{};    ///< how long after it, by its own clock, this rank went on; negative: it did not wait
    bool in_time = false;  ///< within the tolerance, by a synchronised clock
};

/// Returns on all ranks at one instant of the root's clock, which the root chooses and broadcasts. In time is a rank
/// that went on within the tolerance of a slot's start (`slot_tolerance`; with more ranks than cores within `ahead`).
/// Never in time is a rank whose clock is not synchronised, and one whose clock puts the instant more than 0.1 s beyond
/// `ahead`: it does not wait. Collective; the answer differs between ranks.
/// \param ahead  from the root's broadcast to the instant; by default `broadcast_bound` is measured, ten broadcasts
[[nodiscard]] Harmony harmonize(Comm const& comm, GlobalClock const& clock, std::optional<seconds> ahead = {});

}  // namespace measure
#pragma GCC visibility pop
