// SPDX-License-Identifier: BSD-3-Clause
// The main of the test programs that run under the launcher: one Catch2 session on every rank.
//
// It refuses a world whose size differs from EXPECTED_PROCESSES: under the launcher of another library every process is
// a world of its own, and all tests would pass without testing anything. A rank that fails prints the failure and
// aborts the world, because the others may wait for it forever.
#include "support/session.hpp"

#include <mpi.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

namespace {

bool has_expected_size(int size) {
    char const* const expected = std::getenv("EXPECTED_PROCESSES");
    if (expected != nullptr && std::to_string(size) == expected)
        return true;
    std::cerr << "error: a world of " << size << " processes where EXPECTED_PROCESSES is "
              << (expected != nullptr ? expected : "not set") << ": does the launcher belong to the MPI library?\n";
    return false;
}

/// Output of ranks other than 0 is held back until they fail.
class HeldBack {
public:
    explicit HeldBack(int rank) : rank_{rank}, out_{std::cout.rdbuf()} {
        if (rank != 0)
            std::cout.rdbuf(held_.rdbuf());
    }
    HeldBack(HeldBack const&) = delete;
    HeldBack& operator=(HeldBack const&) = delete;
    ~HeldBack() { std::cout.rdbuf(out_); }

    void print() const {
        if (rank_ != 0)
            std::cerr << "rank " + std::to_string(rank_) + ":\n" + held_.str() << std::flush;
        std::cout.flush();
    }

private:
    int rank_;
    std::ostringstream held_;
    std::streambuf* out_;
};

int run_on_rank(int rank, int argc, char** argv) {
    HeldBack const output{rank};
    int const code = run_session(argc, argv, 1);
    if (code != 0)
        output.print();
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!has_expected_size(size) || run_on_rank(rank, argc, argv) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
}
