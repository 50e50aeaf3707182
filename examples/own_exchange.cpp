// How does the halo exchange of my code scale with the width of the halo, and where does its cost jump?
// SPDX-License-Identifier: BSD-3-Clause
//
// A ring of processes sends its edges to both neighbours. The sweep doubles the width, then adds points where the times
// in between cannot be predicted from their neighbours. Every point is a line of the table on standard output and, with
// a file name on the command line, a line of JSON there.
#include <measure/measure.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <iostream>
#include <vector>

namespace {

/// The buffers and neighbours of one exchange: what a real code has anyway.
class Halo {
public:
    Halo(measure::Comm const& team, measure::Bytes bytes)
        : comm_{team.raw()}, left_{(team.rank() + team.size() - 1) % team.size()},
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
    MPI_Init(&argc, &argv);
    int exit_code = 0;
    {
        measure::Comm const comm{MPI_COMM_WORLD};
        char const* const path = argc > 1 ? argv[1] : "/dev/null";
        int const file = comm.is_root() ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644) : 0;
        measure::Plan const plan = measure::pattern::slotted();
        auto run = measure::environment(comm, plan.timer);
        run.suite = run.program = "halo";
        run.version = measure::version();
        run.command.assign(argv, argv + argc);

        // Rank 0 alone knows whether the file could be opened: agree before the first collective that needs it.
        if (comm.max(file < 0 ? 1 : 0) > 0) {
            if (comm.is_root())
                std::cerr << "own_exchange: error: cannot write " << path << '\n';
            exit_code = 2;
        } else {
            measure::JsonLinesSink lines{file};
            if (comm.is_root())
                lines.begin(run);
            auto const result = measure::sweep(
                comm, plan, {measure::powers_of_two("bytes", 8, 1 << 18)},
                [](measure::Comm const& team, measure::Point const& at) {
                    return measure::op([halo = Halo(team, at.bytes("bytes"))]() mutable { halo.exchange(); });
                },
                {.benchmark = "halo", .refine = measure::Refinement{.tolerance = 0.2, .at_most = 24}},
                measure::Tee{measure::TableSink{std::cout}, lines});
            exit_code = result.incomplete > 0 ? 4 : 0;
            if (comm.is_root())
                lines.end({.exit_code = exit_code});
        }
    }
    MPI_Finalize();
    return exit_code;
}
