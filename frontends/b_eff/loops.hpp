// SPDX-License-Identifier: BSD-3-Clause
/// Loops: how the processes of a world measure one loop of one pattern together.
#pragma once

#include "b_eff/exchange.hpp"
#include "b_eff/options.hpp"
#include "b_eff/teams.hpp"

#include <measure/comm.hpp>
#include <measure/control.hpp>
#include <measure/kernel_counts.hpp>
#include <measure/sample.hpp>
#include <measure/settle.hpp>
#include <measure/timer.hpp>
#include <measure/units.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace b_eff {

/// A loop as all processes saw it. Complete on the root; `loop`, `fault` and `text` on all.
struct Joined {
    enum class Failure : int { none, data, mpi };
    std::int64_t loop = 1;       ///< executions
    measure::RankSpread time{};  ///< s, over the processes of the pattern
    bool is_resolved = true;     ///< false: too short for the timer, or none
    bool is_backward = false;    ///< the clock of a process went back in each try
    bool by_barrier = false;     ///< began with a barrier, which with --start slot means that no common start was kept
    std::int64_t runs = 1;       ///< executions in which the kernel was watched: of all slots that were tried
    measure::SettlingReport settling{};
    Failure fault = Failure::none;
    std::string text{};  ///< what went wrong, and on which rank
    bool halts = false;  ///< a signal came, or the time budget is spent: all ranks are to meet
};

class Loops {
public:
    /// Collective. All arguments outlive it. \throws std::bad_alloc on this rank alone
    Loops(measure::Comm const& world, Setup const& setup, Mailbox& box);

    /// Collective; before the first loop. \param resolution  of the timer; the root's counts
    void use(measure::AnyTimer const& timer, measure::seconds resolution, measure::Control control);
    /// Collective: what is to be done anew from time to time.
    void refresh();
    /// Barrier of all, a warm-up for the shorter lengths, `loop` executions between two readings of the clock; or,
    /// with slots, the same from an instant of the global clock that the root announces. Where three such instants are
    /// missed, the loop begins with a barrier. A loop that is too short for the timer is doubled and measured again;
    /// one in which a clock went back is measured again, up to three times. Collective over the world, also for those
    /// that are idle.
    [[nodiscard]] Joined measure(std::size_t pattern, Method method, std::size_t length, std::int64_t loop);

    /// The rank at each place of each random polygon; on the root.
    [[nodiscard]] std::vector<std::vector<int>> const& orders() const noexcept { return orders_; }

private:
    using Clock = measure::SteadyClock;
    /// What this process saw.
    struct Local {
        double time = 0;
        bool is_valid = true;
        int error = 0;                   ///< of MPI
        measure::KernelCounts counts{};  ///< in slots: the most of a process
        double page_faults = 0;          ///< of all that it speaks for: itself; in slots, the first for its team
        std::int64_t runs = 0;           ///< executions in which they were counted
        std::int64_t warm_up = 0;        ///< executions before
    };
    void find_exchanges();
    [[nodiscard]] Local by_barrier(Job& job, Method method, bool warm_up, std::int64_t loop) const;
    [[nodiscard]] Local by_slot(Job& job, Method method, measure::Comm const& team, Team which,
                                std::int64_t loop) const;
    [[nodiscard]] Local once(Pattern const& pattern, std::span<Exchange const> exchanges, Method method,
                             std::size_t length, Joined const& joined);
    /// What follows a loop that was measured. The same on all ranks.
    enum class Next : int { done, doubled, by_barrier };
    /// The steps that may follow a loop.
    struct Allowed {
        bool doubled;
        bool again;
    };
    [[nodiscard]] Next join(Local const& mine, Pattern const& pattern, Allowed allowed, Joined& joined);
    void tell_fault(Local const& mine, std::optional<Defect> const& defect, Joined& joined) const;

    measure::Comm const& world_;
    Setup const& setup_;
    Mailbox& box_;
    Teams teams_;
    Counts counts_;
    std::vector<std::vector<Exchange>> exchanges_;  ///< [patterns] of this process
    std::vector<std::vector<int>> orders_;
    measure::AnyTimer timer_{};
    measure::seconds resolution_{0};
    measure::Control control_{};  ///< of loops: without what would let one team leave alone
    measure::StopFlag stop_ = nullptr;
    std::optional<Clock::time_point> deadline_{};
};

}  // namespace b_eff
