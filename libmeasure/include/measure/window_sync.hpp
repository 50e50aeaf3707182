// SPDX-License-Identifier: BSD-3-Clause
/// WindowSync: synchronised starts for programs with their own loop, as windows of equal length on the global clock.
#pragma once

#include "measure/clock_sync.hpp"
#include "measure/comm.hpp"
#include "measure/units.hpp"

#include <cstdint>

#pragma GCC visibility push(default)
namespace measure {

/// Successive windows that all ranks enter at the same instants. Each rank counts its entries since the last `adapt`.
/// The k-th entry of every rank is into the same window. A value that differs between ranks.
class WindowSync {
public:
    /// Collective. The root broadcasts the start of the first window, which is `broadcast_bound` in the future.
    /// \param clock   a clock that `synchronise` has made on the same communicator
    /// \param length  length of the windows, s, > 0; the same on all ranks
    /// \throws UsageError on all ranks for a length out of range and for a clock that is not synchronised
    /// \throws MpiError
    WindowSync(Comm const& comm, GlobalClock clock, seconds length);

    /// Spins until this rank's next window begins. Local.
    /// \return zero if the rank is in time: within `slot_tolerance` or, on an oversubscribed communicator, within
    ///         `broadcast_bound`. A positive value is the delay after the start of the window; the rank does not wait
    ///         for a later window. A negative value means that the clocks disagree; the rank did not wait
    [[nodiscard]] seconds enter();

    /// Starts a new sequence of windows. Collective. Their length is 1.1 times the longest time from one `enter` to the
    /// next, or to this call, on any rank. It is at least 10 x `slot_tolerance` plus four times the bound of the
    /// clocks. If no rank has entered a window, the length remains unchanged.
    /// \throws MpiError
    void adapt(Comm const& comm);

    [[nodiscard]] seconds length() const noexcept { return length_; }  ///< length of the current windows, s
    /// Number of entries of this rank since the last `adapt`.
    [[nodiscard]] std::int64_t entries() const noexcept { return entries_; }

private:
    void schedule(Comm const& comm, seconds length);
    void look(seconds now) noexcept;
    [[nodiscard]] seconds shortest() const;

    GlobalClock clock_;
    seconds length_{};
    seconds ahead_{};    ///< time from the root's broadcast to the first window
    seconds first_{};    ///< root time of the first window
    seconds entered_{};  ///< root time of the last entry
    seconds need_{};     ///< longest time between two entries
    std::int64_t entries_ = 0;
    bool crowded_ = false;  ///< more ranks than cores
};

}  // namespace measure
#pragma GCC visibility pop
