// SPDX-License-Identifier: BSD-3-Clause
#include "measure/stonewall.hpp"
#include "support/catch.hpp"
#include "support/fake_timer.hpp"
#include "support/gather_check.hpp"

#include <cstdint>

using measure::Comm;
using measure::LoopLimit;
using measure::seconds;
using measure::stonewall_loop;
using measure::StonewallLoop;
using measure::Termination;
using test::FakeTimer;

namespace {

/// Calls of that many ns each, by this rank's own clock; `word(calls)` is what this rank contributes to the decision.
template <class Word>
StonewallLoop loop_of(Comm const& comm, LoopLimit const& limit, std::int64_t call, Word&& word) {
    auto const timer = FakeTimer::counting(0);
    std::int64_t calls = 0;
    auto const advance = [&](std::int64_t) {
        timer.advance(call);
        ++calls;
    };
    return stonewall_loop(comm, timer, timer.now(), limit, advance, [&] { return word(calls); });
}

constexpr auto silent = [](std::int64_t) { return 0; };

}  // namespace

TEST_CASE("the root's clock ends the loop of all ranks", "[stonewall]") {
    Comm const comm{MPI_COMM_WORLD};
    // By the clocks of the other ranks not even one call fits into the time.
    std::int64_t const call = comm.is_root() ? 1'000'000 : 10'000'000'000;
    for (auto const termination : {Termination::geometric, Termination::classic}) {
        auto const loop = loop_of(comm, {.until = seconds{0.1}, .termination = termination}, call, silent);
        bool const same = test::same_on_all_ranks(loop.calls) && test::same_on_all_ranks(loop.decisions);
        CHECK(same);
        CHECK(loop.calls >= 99);
        CHECK(loop.calls <= 100);
        CHECK(loop.word == 0);
    }
}

TEST_CASE("a number of calls is the same on all ranks", "[stonewall]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const loop = loop_of(comm, {.at_most = 10}, 1000 * (comm.rank() + 1), silent);
    CHECK(loop.calls == 10);
    CHECK(loop.decisions == 4);  // 1 + 2 + 4 + 3
}

TEST_CASE("one word on one rank ends the loop on all ranks", "[stonewall]") {
    Comm const comm{MPI_COMM_WORLD};
    for (int speaker = 0; speaker < comm.size(); ++speaker) {
        auto const word = [&](std::int64_t calls) { return comm.rank() == speaker && calls >= 4 ? 15 : 0; };
        for (auto const& limit : {LoopLimit{.at_most = 1000}, LoopLimit{.until = seconds{1}}}) {
            auto const loop = loop_of(comm, limit, 1000, word);
            CHECK(loop.word == 15);
            CHECK(loop.calls == 7);  // 1 + 2 + 4: the block of four was already running
            CHECK(loop.decisions == 3);
        }
    }
}

TEST_CASE("if ranks give different words, all ranks get the largest", "[stonewall]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const loop = loop_of(comm, {.at_most = 1000}, 1000, [&](std::int64_t) { return comm.rank() + 1; });
    CHECK(loop.word == comm.size());
    CHECK(loop.calls == 1);
}
