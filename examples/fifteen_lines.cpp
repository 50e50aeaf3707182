// How long does it take to pass a message on in a ring, for any size and any number of ranks?
// SPDX-License-Identifier: BSD-3-Clause
#include <measure/main.hpp>

#include <vector>

auto ring(measure::Comm const& team, measure::Point const& at) {
    int const bytes = measure::to_int(at.bytes("bytes"), "bytes");
    int const right = (team.rank() + 1) % team.size();
    int const left = (team.rank() + team.size() - 1) % team.size();
    return [=, comm = team.native(), data = std::vector<char>(static_cast<std::size_t>(bytes))]() mutable {
        MPI_Sendrecv_replace(data.data(), bytes, MPI_BYTE, right, 0, left, 0, comm, MPI_STATUS_IGNORE);
    };
}

int main(int argc, char** argv) {
    measure::Program program{.name = "fifteen_lines", .summary = "Passes messages on in a ring of all ranks."};
    program.axes = {measure::powers_of_two("bytes", 8, 1 << 16)};
    program.benchmarks = {{"ring", ring}};
    return measure::run_main(argc, argv, program);
}
