// SPDX-License-Identifier: BSD-3-Clause
/// Compares the timed loop of mpbench with the same loop written by hand: bandwidth, roundtrip and latency on two
/// ranks, with short and long messages. Nothing is asserted.
#include "mpbench/catalogue.hpp"
#include "mpbench/method.hpp"
#include "mpbench/mpi_loops.hpp"
#include "mpbench/mpi_transport.hpp"

#include <measure/statistics.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using measure::Bytes;
using mpbench::Kind;

/// Mean time of an iteration, in seconds.
double by_hand(Kind kind, MPI_Comm comm, int rank, mpbench::Message const& m, std::int64_t n) {
    auto const bytes = static_cast<int>(m.bytes);
    int answer = 0;
    MPI_Barrier(comm);
    double const begin = MPI_Wtime();
    for (std::int64_t i = 0; i < n; ++i)
        if (rank == 0) {
            MPI_Send(m.send, bytes, MPI_BYTE, 1, 1, comm);
            if (kind == Kind::roundtrip)
                MPI_Recv(m.receive, bytes, MPI_BYTE, 1, 2, comm, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(m.receive, bytes, MPI_BYTE, 0, 1, comm, MPI_STATUS_IGNORE);
            if (kind == Kind::roundtrip)
                MPI_Send(m.send, bytes, MPI_BYTE, 0, 2, comm);
        }
    auto const acknowledge = [&] {
        if (rank == 0)
            MPI_Recv(&answer, 4, MPI_BYTE, 1, 2, comm, MPI_STATUS_IGNORE);
        else
            MPI_Send(&answer, 4, MPI_BYTE, 0, 2, comm);
    };
    if (kind == Kind::bandwidth)
        acknowledge();
    double const end = MPI_Wtime();
    if (kind == Kind::latency)
        acknowledge();
    MPI_Barrier(comm);
    return (end - begin) / static_cast<double>(n);
}

/// Rounds alternate between the two, and the first one alternates too, so that a slow phase of the machine affects
/// both.
void compare(measure::Comm const& comm, char const* name, Bytes bytes) {
    int const rounds = 201;
    Kind const kind = mpbench::test(name).kind;
    std::int64_t const n = mpbench::by_volume({.iterations = 5000, .max_volume = 64 * measure::mebi}, kind, bytes);
    std::vector<std::byte> memory(static_cast<std::size_t>(2 * bytes), std::byte{1});
    mpbench::Message const m{memory.data(), memory.data() + bytes, bytes};
    mpbench::MpiTransport t{comm};
    mpbench::Rules const rules{.iterations = n, .exact = true};
    auto const plan = mpbench::plan();
    llcbench::Flush flush{0};
    std::vector<double> hand;
    std::vector<double> ours;
    std::vector<double> ratio;
    auto const by_loop = [&] {
        mpbench::MpiLoops loops{comm, t, kind, m, rules, plan, flush};
        auto const measured = mpbench::SizeLoops{loops, rules, kind, bytes, {}}.measure(false);
        if (comm.is_root())
            ours.push_back(measured.time().count() * 1e6);
    };
    for (int i = 0; i < rounds; ++i) {
        if (i % 2 == 0)
            by_loop();
        hand.push_back(by_hand(kind, comm.native(), comm.rank(), m, n) * 1e6);
        if (i % 2 == 1)
            by_loop();
        if (comm.is_root())
            ratio.push_back(ours.back() / hand.back());
    }
    if (comm.is_root())
        std::printf("%-10s %8lld B   by hand %9.4f us   mpbench %9.4f us   ratio of medians %.3f   of minima %.3f   "
                    "median of ratios %.3f   (%d rounds)\n",
                    name, static_cast<long long>(bytes), measure::median(hand), measure::median(ours),
                    measure::median(ours) / measure::median(hand),
                    *std::min_element(ours.begin(), ours.end()) / *std::min_element(hand.begin(), hand.end()),
                    measure::median(ratio), rounds);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        measure::Comm const comm{MPI_COMM_WORLD};
        for (auto const* const name : {"bandwidth", "roundtrip", "latency"})
            for (Bytes const bytes : {Bytes{4}, measure::mebi})
                compare(comm, name, bytes);
    }
    MPI_Finalize();
}
