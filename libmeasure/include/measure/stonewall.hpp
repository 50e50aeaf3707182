// SPDX-License-Identifier: BSD-3-Clause
/// Stonewall loop: calls until a scheduled time or a number is reached, by the root's clock, the same number on all
/// ranks; and what agreeing on it cost.
#pragma once

#include "measure/batch.hpp"
#include "measure/comm.hpp"
#include "measure/timer.hpp"
#include "measure/units.hpp"

#include <cstdint>

#pragma GCC visibility push(default)
namespace measure {

/// What one rank saw of a stonewall loop. The number of calls and the word are the same on all ranks.
struct StonewallLoop {
    std::int64_t calls = 0;      ///< that were made
    std::int64_t decisions = 0;  ///< how often the ranks agreed, one per block
    seconds calling{0};          ///< in the calls
    seconds barrier{0};          ///< in the reductions that hold all ranks until the last has come
    seconds broadcast{0};        ///< in the root's answers
    seconds last_call{0};        ///< the last call alone
    seconds last_agreement{0};   ///< the last reduction and answer
    int word = 0;                ///< the largest of all ranks at the last decision; not 0: it ended the loop
    bool is_backward = false;    ///< this rank's clock went back: its times are wrong
};

/// Calls `call(i)` with i = 0, 1, .. until `limit` says that the loop ends. After each block of `next_block` calls the
/// ranks decide: they reduce what `word()` says on each of them, which is a barrier as well; the root reads its clock
/// and, where the limit has a time, broadcasts how many calls come next. A word other than 0 (a signal, a failed call)
/// ends the loop on all ranks at the next decision, and none is left waiting in a collective call. With blocks that
/// double the time is that of the calls on the slowest rank: what agreeing costs neither ends the loop nor makes its
/// blocks shorter. It comes on top of the time of the limit: at steady speed log2(calls) + 12 decisions at most, which
/// is little unless ranks share cores; `barrier` and `broadcast` say how much it was.
///
/// Collective over `comm`. The clock is read four times for a block and its decision; nothing is allocated.
/// \param opened  where the time of classic termination began, by this rank's timer; the root's counts
/// \param call    takes the index; throws nothing, because the other ranks would wait: what fails is told by the word
/// \param word    local; from 0 to 2^20
template <Timer T, class Call, class Word>
[[nodiscard]] StonewallLoop stonewall_loop(Comm const& comm, T const& timer, typename T::stamp opened,
                                           LoopLimit const& limit, Call&& call, Word&& word) {
    // One reduction carries the largest word or, where none is, the time of the slowest rank: no block takes so long.
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
        // Another rank's clock may be wrong, but what it has timed lies between these two readings.
        seconds const between = timer.between(from, met);
        seconds const latest = between < seconds{largest} ? between : seconds{largest};
        calling += latest;
        // Without a time every rank computes the same number from the same numbers.
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
