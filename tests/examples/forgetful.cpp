// SPDX-License-Identifier: BSD-3-Clause
// Regions that are destroyed after MPI_Finalize with an open scope: never ended, or ended too late if an argument is
// given.
#include "measure/regions.hpp"

#include <cstdio>
#include <optional>
#include <string>

int main(int argc, char** argv) {
    std::optional<measure::Regions> regions;
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    regions.emplace(MPI_COMM_WORLD);
    auto const whole = (*regions)["whole"].enter();
    MPI_Finalize();
    auto const problem = argc > 1 ? regions->end() : std::string{"done"};
    if (rank == 0)
        std::puts(problem.c_str());
}
