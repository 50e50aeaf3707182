// How does the halo exchange of my code scale with the width of the halo, and where does its cost jump?
// SPDX-License-Identifier: BSD-3-Clause
//
// Each process of a ring sends its edges to both neighbours. The sweep doubles the width, then adds points where times
// cannot be predicted from the neighbouring points. `--bytes 8..64K --ranks 2..8` selects other widths and
// rings.
#include <measure/main.hpp>

#include <vector>

namespace {

/// The buffers and neighbours of one exchange, as a real code has them.
class Halo {
public:
    Halo(measure::Comm const& team, measure::Bytes bytes)
        : comm_{team.native()}, left_{(team.rank() + team.size() - 1) % team.size()},
          right_{(team.rank() + 1) % team.size()}, count_{measure::to_int(bytes, "bytes of the halo")},
          out_(static_cast<std::size_t>(2 * bytes), 'o'), in_(static_cast<std::size_t>(2 * bytes), 'i') {}

    void exchange() {
        MPI_Request requests[4];
        MPI_Irecv(in_.data(), count_, MPI_BYTE, left_, 0, comm_, &requests[0]);
        MPI_Irecv(in_.data() + count_, count_, MPI_BYTE, right_, 1, comm_, &requests[1]);
        MPI_Isend(out_.data(), count_, MPI_BYTE, right_, 0, comm_, &requests[2]);
        MPI_Isend(out_.data() + count_, count_, MPI_BYTE, left_, 1, comm_, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }

private:
    MPI_Comm comm_;
    int left_;
    int right_;
    int count_;
    std::vector<char> out_;
    std::vector<char> in_;
};

}  // namespace

int main(int argc, char** argv) {
    measure::Program program{.name = "own_exchange", .summary = "Exchanges halos in a ring of processes."};
    program.axes = {measure::powers_of_two("bytes", 8, 1 << 18)};
    program.refine = measure::Refinement{.tolerance = 0.2, .at_most = 24};
    program.benchmarks = {{"halo", [](measure::Comm const& team, measure::Point const& at) {
                               return [halo = Halo(team, at.bytes("bytes"))]() mutable { halo.exchange(); };
                           }}};
    return measure::run_main(argc, argv, program);
}
