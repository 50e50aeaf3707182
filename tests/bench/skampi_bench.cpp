// SPDX-License-Identifier: BSD-3-Clause
/// Compares the single samples of skampi with the same exchange in a long loop written by hand: a ping-pong of several
/// lengths on two ranks. Nothing is asserted.
#include "skampi/run/bench.hpp"
#include "skampi/run/point_runner.hpp"

#include <measure/statistics.hpp>

#include <mpi.h>

#include <cstdio>
#include <vector>

namespace {

/// Mean time of an exchange in a loop, in us.
double by_hand(MPI_Comm comm, int rank, std::vector<char>& send, std::vector<char>& receive) {
    constexpr int repetitions = 200;
    auto const bytes = static_cast<int>(send.size());
    MPI_Barrier(comm);
    double const begin = MPI_Wtime();
    for (int i = 0; i < repetitions; ++i)
        if (rank == 0) {
            MPI_Send(send.data(), bytes, MPI_BYTE, 1, 1, comm);
            MPI_Recv(receive.data(), bytes, MPI_BYTE, 1, 1, comm, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(receive.data(), bytes, MPI_BYTE, 0, 1, comm, MPI_STATUS_IGNORE);
            MPI_Send(send.data(), bytes, MPI_BYTE, 0, 1, comm);
        }
    return (MPI_Wtime() - begin) / repetitions * 1e6;
}

/// Rounds alternate between the two, so that a slow phase of the machine affects both.
void compare(skampi::Team& team, std::int64_t length) {
    constexpr int rounds = 101;
    skampi::Task task{.name = "MPI_Send-MPI_Recv", .routine = skampi::find_routine("MPI_Send-MPI_Recv")};
    task.variation = skampi::Variation::length;
    task.datatype = skampi::find_datatype("MPI_BYTE");
    skampi::PointRunner runner{{}};
    std::vector<char> send(static_cast<std::size_t>(length), 1);
    std::vector<char> receive(send.size(), 2);
    std::vector<double> hand;
    std::vector<double> measured;
    std::vector<double> ratio;
    for (int i = 0; i < rounds; ++i) {
        hand.push_back(by_hand(team.comm.native(), team.comm.rank(), send, receive));
        skampi::Bench bench{team.comm, skampi::setting(task, length), measure::gibi};
        measured.push_back(runner.measure(team, bench, {}).row.time);
        ratio.push_back(measured.back() / hand.back());
    }
    if (team.comm.is_root())
        std::printf("%8lld B   by hand %9.3f us   skampi %9.3f us   ratio %.3f   (medians of %d rounds)\n",
                    static_cast<long long>(length), measure::median(hand), measure::median(measured),
                    measure::median(ratio), rounds);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        skampi::Team team{measure::Comm{MPI_COMM_WORLD}};
        for (std::int64_t const length : {0, 1024, 65536, 1 << 20})
            compare(team, length);
    }
    MPI_Finalize();
}
