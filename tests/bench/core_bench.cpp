// SPDX-License-Identifier: BSD-3-Clause
/// The cost of measuring, on two ranks. Nothing is asserted; each part prints its numbers.
#include "measure/clock_sync.hpp"
#include "measure/run.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using measure::Comm;

void show(Comm const& comm, char const* what, std::vector<double> ns) {
    if (!comm.is_root())
        return;
    std::sort(ns.begin(), ns.end());
    std::printf("%-42s min %8.1f   median %8.1f   95 %% %8.1f   max %8.1f ns\n", what, ns.front(), measure::median(ns),
                measure::quantile(ns, 0.95), ns.back());
}

void readings(Comm const& comm) {
    for (auto const name : measure::timer_names()) {
        if (name == "tsc" && !measure::TscTimer::available())
            continue;
        auto const info = measure::calibrate(measure::timer_from(name, comm));
        if (comm.is_root())
            std::printf("%-36s cost %6.1f   step %8.1f   99 %% %8.1f ns\n", info.name.c_str(),
                        measure::nanoseconds(info.overhead), measure::nanoseconds(info.resolution),
                        measure::nanoseconds(info.overhead_p99));
    }
}

struct Way {
    char const* name;
    bool both_ways;
    measure::OffsetChannel channel;
    std::vector<double> offset{};
    std::vector<double> bound{};
    std::vector<double> duration{};
};

/// Rounds alternate between the ways, so that a slow phase of the machine affects all of them.
void offsets(Comm const& comm) {
    constexpr int rounds = 50;
    for (std::string const algorithm : {"linear", "ring", "tree", "hier"}) {
        Way ways[] = {{", messages, one asks: ", false, measure::OffsetChannel::messages},
                      {", messages, both ask: ", true, measure::OffsetChannel::messages},
                      {", memory, both ask: ", true, measure::OffsetChannel::shared}};
        for (int i = 0; i < rounds; ++i)
            for (auto& way : ways) {
                measure::PairOptions const pair{.both_ways = way.both_ways, .channel = way.channel};
                auto const clock =
                    measure::synchronise(comm, measure::MonotonicTimer{}, measure::sync_from(algorithm, pair));
                way.offset.push_back(clock.report().offset_max * 1e9);
                way.bound.push_back(clock.report().bound.value_or(0) * 1e9);
                way.duration.push_back(clock.report().duration * 1e9);
            }
        for (auto const& way : ways) {
            auto const what = algorithm + way.name;
            show(comm, (what + "|offset|, truth 0").c_str(), way.offset);
            show(comm, (what + "bound").c_str(), way.bound);
            show(comm, (what + "duration").c_str(), way.duration);
        }
    }
}

void empty_samples(Comm const& comm) {
    for (char const* start : {"free", "barrier", "dissemination", "slot", "roundtime"}) {
        measure::Plan const plan{.timer = measure::MonotonicTimer{},
                                 .start = measure::start_from(start),
                                 .stop = measure::stop::Count{.valid = 200, .at_most = 400}};
        auto const m = measure::run(comm, plan, [] {});
        if (comm.is_root() && m.estimate)
            std::printf(
                "empty sample, start %-16s median %8.1f   95 %% %8.1f ns   %lld of %lld valid   %6.1f us each\n", start,
                m.estimate->median * 1e9, m.estimate->quantiles.at(0.95) * 1e9, static_cast<long long>(m.valid),
                static_cast<long long>(m.attempts), m.elapsed * 1e6 / static_cast<double>(m.attempts));
    }
}

struct PingPong {
    MPI_Comm comm;
    int rank;
    void operator()() const {
        if (rank == 0) {
            MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, comm);
            MPI_Recv(nullptr, 0, MPI_BYTE, 1, 0, comm, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
            MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, comm);
        }
    }
};

/// Rounds alternate between the two, so that a slow phase of the machine affects both.
void ping_pong(Comm const& comm) {
    constexpr int rounds = 21;
    constexpr int iterations = 20000;
    PingPong const once{comm.native(), comm.rank()};
    measure::Plan const plan{.start = measure::FreeStart{},
                             .batch = measure::FixedCount{iterations},
                             .combine = measure::Combine::root,
                             .stop = measure::stop::Count{.valid = 1},
                             .warm_up = 1,
                             .stage = 1};
    std::vector<double> by_hand;
    std::vector<double> by_library;
    std::vector<double> ratio;
    for (int i = 0; i < rounds; ++i) {
        comm.barrier();
        double const begin = MPI_Wtime();
        for (int k = 0; k < iterations; ++k)
            once();
        by_hand.push_back((MPI_Wtime() - begin) / iterations * 1e9);
        auto const m = measure::run(comm, plan, once);
        by_library.push_back(comm.is_root() ? m.estimate->value * 1e9 : 0);
        ratio.push_back(by_library.back() / by_hand.back());
    }
    show(comm, "0-byte ping-pong, written by hand", by_hand);
    show(comm, "0-byte ping-pong, measured by run", by_library);
    if (comm.is_root())
        std::printf("%-36s median %.3f of %d rounds\n", "ratio", measure::median(ratio), rounds);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        Comm const comm{MPI_COMM_WORLD};
        std::string const what = argc > 1 ? argv[1] : "";
        if (what == "readings")
            readings(comm);
        else if (what == "offsets")
            offsets(comm);
        else if (what == "empty_samples")
            empty_samples(comm);
        else if (what == "ping_pong")
            ping_pong(comm);
        else if (comm.is_root())
            std::fprintf(stderr, "usage: core_bench readings|offsets|empty_samples|ping_pong\n");
    }
    MPI_Finalize();
}
