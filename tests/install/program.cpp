// SPDX-License-Identifier: BSD-3-Clause
// How long does MPI_Allreduce of one number take?
#include <measure/run.hpp>

#include <iostream>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        measure::Comm comm{MPI_COMM_WORLD};
        double number = 1.0;
        auto const m = measure::run(comm, {.stop = measure::stop::Count{20}}, [&] {
            MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        });
        if (comm.is_root())
            std::cout << comm.size() << " processes: " << measure::text(m) << '\n';
    }
    MPI_Finalize();
}
