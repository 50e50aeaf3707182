// SPDX-License-Identifier: BSD-3-Clause
/// Compares the loop of run_each with the published loop written by hand: a ping-pong of 8 bytes on two ranks, with
/// each iteration between two readings of MPI_Wtime. Nothing is asserted.
///
/// usage: mpiexec -n 2 osu_bench
#include "bodies/point_to_point.hpp"

#include <measure/run_each.hpp>
#include <measure/statistics.hpp>

#include <mpi.h>

#include <array>
#include <cstdio>
#include <vector>

namespace {

constexpr int iterations = 10'000;
constexpr int warm_up = 100;

/// \return mean time of an iteration, in ns
double by_hand(MPI_Comm comm, int rank) {
    static std::array<char, 4096> send{};
    static std::array<char, 4096> receive{};
    constexpr int bytes = 8;
    double total = 0;
    MPI_Barrier(comm);
    for (int i = 0; i < warm_up + iterations; ++i) {
        double const begin = MPI_Wtime();
        if (rank == 0) {
            MPI_Send(send.data(), bytes, MPI_CHAR, 1, 1, comm);
            MPI_Recv(receive.data(), bytes, MPI_CHAR, 1, 1, comm, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(receive.data(), bytes, MPI_CHAR, 0, 1, comm, MPI_STATUS_IGNORE);
            MPI_Send(send.data(), bytes, MPI_CHAR, 0, 1, comm);
        }
        double const end = MPI_Wtime();
        if (i >= warm_up)
            total += end - begin;
    }
    return total / iterations * 1e9;
}

double by_library(measure::Comm const& comm) {
    auto const maker = [](measure::Comm const& team) {
        bodies::Link const link{.comm = team.native(),
                                .count = 8,
                                .type = MPI_CHAR,
                                .first = team.rank() == 0,
                                .peer = 1 - team.rank(),
                                .from = 1 - team.rank(),
                                .with = bodies::Link::tag};
        constexpr bodies::BufferPolicy one_block{.alignment = 4096};
        return measure::op(bodies::PointToPoint<bodies::PingPong>{link, bodies::Buffers{one_block, {8, 8}}});
    };
    auto const loop = measure::run_each(comm, {.warm_up = warm_up, .iterations = iterations}, maker);
    return comm.is_root() ? loop.measurement.estimate->value * 1e9 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        measure::Comm const comm{MPI_COMM_WORLD};
        constexpr int rounds = 101;
        std::vector<double> hand;
        std::vector<double> library;
        std::vector<double> ratio;
        // Rounds alternate between the two, so that a slow phase of the machine affects both.
        for (int i = 0; i < rounds; ++i) {
            hand.push_back(by_hand(comm.native(), comm.rank()));
            library.push_back(by_library(comm));
            ratio.push_back(library.back() / hand.back());
        }
        if (comm.is_root())
            std::printf(
                "ping-pong of 8 bytes   by hand %7.1f ns   run_each %7.1f ns   ratio %.3f   (medians of %d rounds)\n",
                measure::median(hand), measure::median(library), measure::median(ratio), rounds);
    }
    MPI_Finalize();
}
