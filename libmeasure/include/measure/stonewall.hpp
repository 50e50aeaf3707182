// SPDX-License-Identifier: BSD-3-Clause
/// Stonewall loop: repeats calls until a time by the root's clock or a number of calls is reached. All ranks make the
/// same number of calls. The result includes the cost of the agreement on this number.
#pragma once

#include "measure/batch.hpp"
#include "measure/comm.hpp"
#include "measure/timer.hpp"
#include "measure/units.hpp"

#include <cstdint>

#pragma GCC visibility push(default)
namespace measure {

/// Result of a stonewall loop on one rank. `calls`, `decisions` and `word` are the same on all ranks.
struct StonewallLoop {
    std::int64_t calls = 0;      ///< number of calls
    std::int64_t decisions = 0;  ///< number of agreements between the ranks, one per block
    seconds calling{0};          ///< time in the calls
    seconds barrier{0};          ///< time in the reductions, in which all ranks wait for the last one
    seconds broadcast{0};        ///< time in the broadcasts of the root's decisions
    seconds last_call{0};        ///< duration of the last call
    seconds last_agreement{0};   ///< duration of the last reduction and broadcast
    int word = 0;                ///< largest word of all ranks at the last decision; if not 0, it ended the loop
    bool is_backward = false;    ///< whether this rank's clock went back, so that its times are wrong
};

/// Calls `call(i)` with i = 0, 1, .. until `limit` is reached. After each block of `next_block` calls, the ranks decide
/// whether to continue. They reduce the results of `word()`, which is also a barrier. Then the root reads its clock
/// and, if the limit has a time, broadcasts the number of calls in the next block. A word other than 0 (a signal, a
/// failed call) ends the loop on all ranks at the next decision, so no rank is left waiting in a collective call.
///
/// With geometric termination, only the time of the calls on the slowest rank counts. The cost of the agreement neither
/// ends the loop nor shortens its blocks, but is added to the time of the limit. At constant speed there are at most
/// log2(calls) + 12 decisions, which cost little unless ranks share cores. `barrier` and `broadcast` report their cost.
///
/// Collective over `comm`. The clock is read four times per block, including its decision. No memory is allocated.
/// \param opened  begin of the time for classic termination, by this rank's timer; only the root's value is used
/// \param call    takes the index; must not throw, because the other ranks would wait; reports errors through `word`
/// \param word    local; returns 0 to 2^20
template <Timer T, class Call, class Word>
[[nodiscard]] StonewallLoop stonewall_loop(Comm const& comm, T const& timer, typename T::stamp opened,
                                           LoopLimit const& limit, Call&& call, Word&& word) {
    // One reduction sends the largest word or, if all words are 0, the time of the slowest rank. No block takes
    // `per_word` seconds.
    constexpr double per_word = 1e9;
    StonewallLoop loop;
    seconds calling{0};
    auto from = timer.now();
    for (std::int64_t block = 1; block > 0;) {
        std::int64_t const last = loop.calls + block - 1;
        while (loop.calls < last)
            call(loop.calls++);
        auto const before_last = timer.now();
        call(loop.calls++);
        auto const called = timer.now();

        int const mine = word();
        double const largest = comm.max(mine > 0 ? per_word * mine : timer.between(from, called).count());
        loop.word = static_cast<int>(largest / per_word);
        auto const met = timer.now();
        // Another rank's clock may be wrong, but its calls took place between these two readings.
        seconds const between = timer.between(from, met);
        seconds const latest = between < seconds{largest} ? between : seconds{largest};
        calling += latest;
        // Without a time limit, every rank computes the same number from the same values.
        seconds const elapsed = limit.termination == Termination::classic ? timer.between(opened, met) : calling;
        block = loop.word == 0
                    ? next_block(limit, block, loop.calls, elapsed,
                                 {calling / static_cast<double>(loop.calls), latest / static_cast<double>(block)})
                    : 0;
        if (limit.until)
            comm.broadcast(block);
        auto const told = timer.now();

        ++loop.decisions;
        loop.is_backward |= called < from || called < before_last || met < called || told < met;
        loop.calling += timer.between(from, called);
        loop.barrier += timer.between(called, met);
        loop.broadcast += timer.between(met, told);
        loop.last_call = timer.between(before_last, called);
        loop.last_agreement = timer.between(called, told);
        from = told;
    }
    return loop;
}

}  // namespace measure
#pragma GCC visibility pop
