// SPDX-License-Identifier: BSD-3-Clause
/// The cost of recording an MPI call, on one rank. With libmeasure_profile.so preloaded, calls by their MPI_ names are
/// compared with calls by their PMPI_ names, which no tool sees. Rounds alternate between the two. The exit code is 1
/// if recording takes longer than allowed, or if nothing was recorded.
#include "measure/comm.hpp"
#include "measure/keep.hpp"
#include "measure/statistics.hpp"
#include "short_loop.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

using bench::loop;

constexpr int rounds = 301;

char const* variable(char const* name) {
    char const* const value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : "-";
}

/// The allowed cost of recording a call, in ns.
double wanted() {
    constexpr double counts = 25;
    constexpr double tsc = 60;
    constexpr double other_timers = 100;
    if (variable("MEASURE_PROFILE_COUNTS_ONLY") != std::string_view{"-"})
        return counts;
    return variable("MEASURE_PROFILE_TIMER") == std::string_view{"tsc"} ? tsc : other_timers;
}

/// \return the cost of recording a call, in ns
template <class Recorded, class Bare>
double compare(char const* what, int calls, Recorded recorded, Bare bare) {
    std::vector<double> with;
    std::vector<double> without;
    for (int round = 0; round < rounds; ++round) {
        with.push_back(loop(recorded));
        without.push_back(loop(bare));
    }
    double const bare_ns = measure::median(without);
    double const recorded_ns = measure::median(with);
    std::printf("%-20s %8.1f ns not recorded %8.1f ns recorded %8.1f ns more\n", what, bare_ns, recorded_ns,
                recorded_ns - bare_ns);
    return (recorded_ns - bare_ns) / calls;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    std::printf("timer %s, counts only %s\n", variable("MEASURE_PROFILE_TIMER"),
                variable("MEASURE_PROFILE_COUNTS_ONLY"));
    int data = 0;
    int flag = 0;
    MPI_Request none = MPI_REQUEST_NULL;
    std::vector<double> more;
    more.push_back(compare(
        "Bcast, 4 B", 1, [&] { MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_SELF); },
        [&] { PMPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_SELF); }));
    more.push_back(compare(
        "Barrier", 1, [] { MPI_Barrier(MPI_COMM_SELF); }, [] { PMPI_Barrier(MPI_COMM_SELF); }));
    more.push_back(compare(
        "Allreduce, 4 B", 1, [&] { MPI_Allreduce(MPI_IN_PLACE, &data, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF); },
        [&] { PMPI_Allreduce(MPI_IN_PLACE, &data, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF); }));
    more.push_back(compare(
        "Test of nothing", 1, [&] { MPI_Test(&none, &flag, MPI_STATUS_IGNORE); },
        [&] { PMPI_Test(&none, &flag, MPI_STATUS_IGNORE); }));
    more.push_back(compare(
        "Isend, Recv, Wait", 3,
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
        }));
    measure::keep(data);
    MPI_Finalize();
    double const most = *std::max_element(more.begin(), more.end());
    constexpr double least = 3;  // below this, the recorder was not in use
    std::printf("at most %.1f ns more per call; allowed: %.0f to %.0f ns\n", most, least, wanted());
    return most >= least && most <= wanted() ? EXIT_SUCCESS : EXIT_FAILURE;
}
