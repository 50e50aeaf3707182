// SPDX-License-Identifier: BSD-3-Clause
/// Loops: measures one loop of one pattern on all processes of a world together.
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

/// The combined result of all processes for a loop. Complete on the root; `loop`, `fault` and `text` on all ranks.
struct Joined {
    enum class Failure : int { none, data, mpi };
    std::int64_t loop = 1;       ///< number of executions
    measure::RankSpread time{};  ///< seconds, over the processes of the pattern
    bool is_resolved = true;     ///< false: too short for the timer, or without a time
    bool is_backward = false;    ///< in each attempt, the clock of a process went back
    bool by_barrier = false;     ///< began with a barrier; with --start slot: because the common start was missed
    std::int64_t runs = 1;  ///< executions over which kernel events were counted, including all slots that were tried
    measure::SettlingReport settling{};
    Failure fault = Failure::none;
    std::string text{};  ///< the error, and the rank on which it occurred
    bool halts = false;  ///< a signal arrived or the time budget is spent: all ranks must meet
};

class Loops {
public:
    /// Collective. All arguments must outlive the object. \throws std::bad_alloc on this rank alone
    Loops(measure::Comm const& world, Setup const& setup, Mailbox& box);

    /// Collective; call it before the first loop. \param resolution  of the timer; the root's value is used
    void use(measure::AnyTimer const& timer, measure::seconds resolution, measure::Control control);
    /// Synchronises the clocks again if slots are used. Collective.
    void refresh();
    /// Measures a loop: a barrier of all processes, a warm-up for the shorter lengths, and `loop` executions between
    /// two clock readings. With slots, the loop begins at an instant of the global clock that the root announces; after
    /// three missed instants, it begins with a barrier. A loop that is too short for the timer is doubled and measured
    /// again. A loop in which a clock went back is measured again, up to three times. Collective over the world,
    /// including idle processes.
    [[nodiscard]] Joined measure(std::size_t pattern, Method method, std::size_t length, std::int64_t loop);

    /// The rank at each place of each random polygon. Valid on the root.
    [[nodiscard]] std::vector<std::vector<int>> const& orders() const noexcept { return orders_; }

private:
    using Clock = measure::SteadyClock;
    /// The result of this process.
    struct Local {
        double time = 0;
        bool is_valid = true;
        int error = 0;                   ///< error code of MPI
        measure::KernelCounts counts{};  ///< with slots: the largest count of any process
        double page_faults = 0;          ///< page faults of this rank; with slots, the team's total on its rank 0
        std::int64_t runs = 0;           ///< executions over which events were counted
        std::int64_t warm_up = 0;        ///< executions before the timed ones
    };
    void find_exchanges();
    [[nodiscard]] Local by_barrier(Job& job, Method method, bool warm_up, std::int64_t loop) const;
    [[nodiscard]] Local by_slot(Job& job, Method method, measure::Comm const& team, Team which,
                                std::int64_t loop) const;
    [[nodiscard]] Local once(Pattern const& pattern, std::span<Exchange const> exchanges, Method method,
                             std::size_t length, Joined const& joined);
    /// The step after a loop. The same on all ranks.
    enum class Next : int { done, doubled, by_barrier };
    /// The steps that are still allowed.
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
    std::vector<std::vector<Exchange>> exchanges_;  ///< [patterns], for this process
    std::vector<std::vector<int>> orders_;
    measure::AnyTimer timer_{};
    measure::seconds resolution_{0};
    measure::Control control_{};  ///< control inside loops, without the stops that a single team must not act on
    measure::StopFlag stop_ = nullptr;
    std::optional<Clock::time_point> deadline_{};
};

}  // namespace b_eff
