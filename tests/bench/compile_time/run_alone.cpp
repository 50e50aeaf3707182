// ten_lines.cpp with only the header of `run`.
// SPDX-License-Identifier: BSD-3-Clause
#include <measure/run.hpp>

#include <iostream>
#include <vector>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        measure::Comm comm{MPI_COMM_WORLD};
        std::vector<double> field(1000, 1.0);
        auto const m = measure::run(comm, {.stop = measure::stop::RelativeError{0.05}}, [&] {
            MPI_Allreduce(MPI_IN_PLACE, field.data(), 1000, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        });
        if (comm.is_root())
            std::cout << measure::text(m) << '\n';
    }
    MPI_Finalize();
}
