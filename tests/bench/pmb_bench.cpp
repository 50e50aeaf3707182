// SPDX-License-Identifier: BSD-3-Clause
/// What PMB's timed loop costs against the same loop written by hand: PingPong and Barrier on two ranks. Nothing is
/// asserted.
#include "catalogue.hpp"

#include <measure/statistics.hpp>

#include <mpi.h>

#include <cstdio>
#include <vector>

namespace {

constexpr int repetitions = 1000;

void ping_pong_by_hand(MPI_Comm comm, int rank) {
    char byte = 0;
    for (int i = 0; i < repetitions; ++i)
        if (rank == 0) {
            MPI_Send(&byte, 0, MPI_BYTE, 1, 1, comm);
            MPI_Recv(&byte, 0, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&byte, 0, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
            MPI_Send(&byte, 0, MPI_BYTE, 0, 1, comm);
        }
}

void barrier_by_hand(MPI_Comm comm, int) {
    for (int i = 0; i < repetitions; ++i)
        MPI_Barrier(comm);
}

/// Rounds alternate between the two, so that a slow phase of the machine hits both.
void compare(measure::Comm const& comm, char const* name, void (*by_hand)(MPI_Comm, int)) {
    constexpr int rounds = 201;
    measure::AnyTimer const timer;
    pmb::Parameters const parameters;
    pmb::Verifier verifier{comm.rank()};
    pmb::Task const task{
        .team = comm, .timer = timer, .parameters = parameters, .verifier = verifier, .in_body = [](bool) {}};
    auto const kernel = pmb::find(pmb::Part::mpi1, name)->make(task);
    kernel->begin(0);
    std::vector<double> hand;
    std::vector<double> loop;
    std::vector<double> ratio;
    for (int i = 0; i < rounds; ++i) {
        comm.barrier();
        comm.barrier();
        double const begin = MPI_Wtime();
        by_hand(comm.raw(), comm.rank());
        hand.push_back((MPI_Wtime() - begin) / repetitions * 1e9);
        loop.push_back(kernel->loop(repetitions).time * 1e9);
        ratio.push_back(loop.back() / hand.back());
    }
    kernel->end();
    if (comm.is_root())
        std::printf("%-10s by hand %8.1f ns   PMB's loop %8.1f ns   ratio %.3f   (medians of %d rounds)\n", name,
                    measure::median(hand), measure::median(loop), measure::median(ratio), rounds);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        measure::Comm const comm{MPI_COMM_WORLD};
        compare(comm, "PingPong", ping_pong_by_hand);
        compare(comm, "Barrier", barrier_by_hand);
    }
    MPI_Finalize();
}
