// SPDX-License-Identifier: BSD-3-Clause
#include "measure/window_sync.hpp"

#include "clock/wait_until.hpp"
#include "core/mpi_state.hpp"
#include "core/require.hpp"
#include "measure/error.hpp"
#include "measure/schedule.hpp"

#include <algorithm>
#include <utility>

namespace measure {

namespace {

constexpr double window_factor = 1.5;  // safety factor for the measured broadcast time, as for slots
constexpr double window_growth = 1.1;

}  // namespace

WindowSync::WindowSync(Comm const& comm, GlobalClock clock, seconds length)
    : clock_{std::move(clock)}, crowded_{comm.oversubscribed()} {
    require(length > seconds{0}, "a window needs a length > 0");
    detail::need_mpi(comm);
    require(comm.max(clock_.synchronised() ? 0 : 1) == 0, "windows need synchronised clocks");
    ahead_ = broadcast_bound(comm, window_factor, seconds{clock_.report().bound.value_or(0)});
    schedule(comm, length);
}

seconds WindowSync::enter() {
    look(clock_.now());
    auto const start = first_ + static_cast<double>(entries_++) * length_;
    auto const arrival =
        detail::wait_for(clock_, start, ahead_ + length_, crowded_ ? std::optional{ahead_} : std::nullopt);
    entered_ = clock_.now();
    return arrival.in_time ? seconds{0} : arrival.lateness;
}

void WindowSync::adapt(Comm const& comm) {
    look(clock_.now());
    double const need = comm.max(need_.count());
    schedule(comm, need > 0 ? std::max(shortest(), seconds{window_growth * need}) : length_);
}

/// Lower limit, as for slots: shorter windows would consist of tolerance only.
seconds WindowSync::shortest() const {
    return 10 * slot_tolerance(seconds{0}, clock_.step()) +
           4 * std::min(detail::disagreement, seconds{clock_.report().bound.value_or(0)});
}

void WindowSync::look(seconds now) noexcept {
    if (entries_ > 0)
        need_ = std::max(need_, now - entered_);
}

/// The root broadcasts the length and the first start.
void WindowSync::schedule(Comm const& comm, seconds length) {
    struct {
        seconds length;
        seconds first;
    } windows{length, clock_.now() + ahead_};
    comm.broadcast(windows);
    length_ = windows.length;
    first_ = windows.first;
    need_ = seconds{0};
    entries_ = 0;
}

}  // namespace measure
