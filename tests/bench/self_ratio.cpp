// SPDX-License-Identifier: BSD-3-Clause
// Compares a broadcast with itself, to show that the order of benchmarks measured in turn has no effect.
#include <measure/main.hpp>

#include <mpi.h>

#include <vector>

namespace {

auto broadcast(measure::Comm const& comm, measure::Point const& at) {
    return measure::op([&comm, data = std::vector<char>(static_cast<std::size_t>(at.bytes("bytes")), 1)]() mutable {
        return MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_CHAR, 0, comm.native());
    });
}

}  // namespace

int main(int argc, char** argv) {
    return measure::run_main(argc, argv,
                             {.name = "self_ratio",
                              .summary = "A broadcast against itself.",
                              .axes = {measure::values("bytes", {64, 4096})},
                              .benchmarks = {{"first", broadcast, "the reference"}, {"second", broadcast, "the same"}},
                              .reference = "first"});
}
