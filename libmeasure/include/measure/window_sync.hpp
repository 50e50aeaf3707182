// SPDX-License-Identifier: BSD-3-Clause
/// WindowSync: synchronised starts for codes that keep their own loop: windows of equal length on the global clock.
#pragma once

#include "measure/clock_sync.hpp"
#include "measure/comm.hpp"
#include "measure/units.hpp"

#include <cstdint>

#pragma GCC visibility push(default)
namespace measure {

/// Windows one after another, which all ranks enter at the same instants. Between two collective calls of `adapt` each
/// rank counts its own entries: the k-th entry of every rank is to the same window. A value; differs on each rank.
class WindowSync {
public:
    /// Collective. The first window begins as soon as a broadcast of the root has reached all ranks
    /// (`broadcast_bound`).
    /// \param length  > 0, the same on all ranks
    /// \throws UsageError for another length and for a clock that is not synchronised, on all ranks; MpiError
    WindowSync(Comm const& comm, GlobalClock clock, seconds length);

    /// Spins until this rank's next window begins. Local.
    /// \return zero: in time, by the tolerance of a slot's start (with more ranks than cores, within the time that the
    ///         root's broadcast may take); positive: so late, and it did not wait for a later one; negative: the
    ///         clocks disagree, and it did not wait
    [[nodiscard]] seconds enter();

    /// Collective. New windows from here on, 1.1 times as long as the longest time that any rank took from one `enter`
    /// to the next or to this call, and at least ten tolerances of a start; where there was none, as long as before.
    void adapt(Comm const& comm);

    [[nodiscard]] seconds length() const noexcept { return length_; }  ///< of the windows from the last `adapt` on
    /// Entries of this rank since the last `adapt`.
    [[nodiscard]] std::int64_t entries() const noexcept { return entries_; }

private:
    void schedule(Comm const& comm, seconds length);
    void look(seconds now) noexcept;
    [[nodiscard]] seconds shortest() const;

    GlobalClock clock_;
    seconds length_{};
    seconds ahead_{};    ///< from the root's broadcast to the first window
    seconds first_{};    ///< root time
    seconds entered_{};  ///< root time of the last entry
    seconds need_{};     ///< longest time between entries
    std::int64_t entries_ = 0;
    bool crowded_ = false;  ///< more ranks than cores
};

}  // namespace measure
#pragma GCC visibility pop
