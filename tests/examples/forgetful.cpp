// SPDX-License-Identifier: BSD-3-Clause
// Regions that are never ended and die after MPI_Finalize, with a scope open.
#include "measure/regions.hpp"

#include <cstdio>
#include <optional>

int main(int argc, char** argv) {
    std::optional<measure::Regions> regions;
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    regions.emplace(MPI_COMM_WORLD);
    auto const whole = (*regions)["whole"].enter();
    MPI_Finalize();
    if (rank == 0)
        std::puts("done");
}
