// SPDX-License-Identifier: BSD-3-Clause
/// What recording takes of a call of MPI: with libmeasure_profile.so preloaded, calls by their MPI_ names beside the
/// same by their PMPI_ names, which no tool sees. Rounds alternate between the two. One rank; nothing is asserted.
#include "measure/comm.hpp"
#include "measure/keep.hpp"
#include "measure/statistics.hpp"
#include "short_loop.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using bench::loop;

constexpr int rounds = 301;

template <class Recorded, class Bare>
void compare(char const* what, Recorded recorded, Bare bare) {
    std::vector<double> with;
    std::vector<double> without;
    for (int round = 0; round < rounds; ++round) {
        with.push_back(loop(recorded));
        without.push_back(loop(bare));
    }
    double const bare_ns = measure::median(without);
    double const recorded_ns = measure::median(with);
    std::printf("%-20s %8.1f ns bare %8.1f ns recorded %8.1f ns more\n", what, bare_ns, recorded_ns,
                recorded_ns - bare_ns);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    auto const variable = [](char const* name) {
        char const* const value = std::getenv(name);
        return value != nullptr && *value != '\0' ? value : "-";
    };
    std::printf("timer %s, counts only %s\n", variable("MEASURE_PROFILE_TIMER"),
                variable("MEASURE_PROFILE_COUNTS_ONLY"));
    int data = 0;
    int flag = 0;
    MPI_Request none = MPI_REQUEST_NULL;
    compare(
        "Bcast, 4 B", [&] { MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_SELF); },
        [&] { PMPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_SELF); });
    compare(
        "Barrier", [] { MPI_Barrier(MPI_COMM_SELF); }, [] { PMPI_Barrier(MPI_COMM_SELF); });
    compare(
        "Allreduce, 4 B", [&] { MPI_Allreduce(MPI_IN_PLACE, &data, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF); },
        [&] { PMPI_Allreduce(MPI_IN_PLACE, &data, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF); });
    compare(
        "Test of nothing", [&] { MPI_Test(&none, &flag, MPI_STATUS_IGNORE); },
        [&] { PMPI_Test(&none, &flag, MPI_STATUS_IGNORE); });
    compare(
        "Isend, Recv, Wait",
        [&] {
            MPI_Request request;
            int other = 0;
            MPI_Isend(&data, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
            MPI_Recv(&other, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        },
        [&] {
            MPI_Request request;
            int other = 0;
            PMPI_Isend(&data, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
            PMPI_Recv(&other, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
            PMPI_Wait(&request, MPI_STATUS_IGNORE);
        });
    measure::keep(data);
    MPI_Finalize();
}
