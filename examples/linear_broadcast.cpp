// What does a loop of calls, the common way to time a collective, report for a broadcast whose time is known?
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: linear_broadcast [BYTES [CALLS]]      (65536 bytes, 4 calls)
//
// Rank 0 sends to 1, 2, .. n - 1, one after another, with MPI_Ssend. If that takes a time t per rank, rank i has the
// data after i t. In a loop of k calls rank i enters its next call while the root still serves the ranks above it, so
// the wait for these ranks counts as its own time. It measures (k - 1) (n - 1) t + i t in k calls, which is
// ((n - 1) (k - 1) + i) / (i k) times the true value. With a common start of each call every rank measures its own
// time.
#include <measure/measure.hpp>

#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <vector>

namespace {

/// The broadcast, as a user-defined operation.
class LinearBroadcast {
public:
    LinearBroadcast(measure::Comm const& comm, int bytes)
        : comm_{comm.native()}, rank_{comm.rank()}, size_{comm.size()}, data_(static_cast<std::size_t>(bytes), 'x') {}

    void operator()() {
        int const n = static_cast<int>(data_.size());
        if (rank_ > 0)
            MPI_Recv(data_.data(), n, MPI_BYTE, 0, 0, comm_, MPI_STATUS_IGNORE);
        else
            for (int to = 1; to < size_; ++to)
                MPI_Ssend(data_.data(), n, MPI_BYTE, to, 0, comm_);
    }

private:
    MPI_Comm comm_;
    int rank_;
    int size_;
    std::vector<char> data_;
};

/// The time per call of each rank; [ranks] on the root.
std::vector<measure::RankSummary> times(measure::Comm const& comm, measure::Plan plan, int bytes) {
    plan.keep = measure::Keep::ranks;
    return measure::run(comm, plan, LinearBroadcast(comm, bytes)).ranks;
}

/// The time that rank i measures in a loop, divided by its true time.
double expected_ratio(int i, int n, int calls) {
    return i == 0 ? 1 : static_cast<double>((n - 1) * (calls - 1) + i) / (i * calls);
}

/// Converts a text to a number from 1 to 2^30; returns 0 for other texts.
int number(char const* text) {
    char* end = nullptr;
    long const value = std::strtol(text, &end, 10);
    return *end == '\0' && value >= 1 && value <= 1 << 30 ? static_cast<int>(value) : 0;
}

void print(std::vector<measure::RankSummary> const& slots, std::vector<measure::RankSummary> const& loop, int bytes,
           int calls) {
    int const n = static_cast<int>(slots.size());
    std::cout << "# linear broadcast of " << bytes << " bytes to " << n << " ranks, loops of " << calls << " calls\n"
              << "# median time of a call in us, with a common start and in the loop; measured and expected ratio\n"
              << "# rank     start      loop     ratio  expected\n"
              << std::fixed << std::setprecision(3);
    for (int i = 0; i < n; ++i) {
        auto const& slot = slots[static_cast<std::size_t>(i)];
        double const looped = loop[static_cast<std::size_t>(i)].median;
        std::cout << std::setw(6) << i;
        for (double const x : {slot.median * 1e6, looped * 1e6, looped / slot.median, expected_ratio(i, n, calls)})
            std::cout << ' ' << std::setw(9) << x;
        std::cout << '\n';
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int exit_code = 0;
    {
        measure::Comm const comm{MPI_COMM_WORLD};
        int const bytes = argc > 1 ? number(argv[1]) : 65536;
        int const calls = argc > 2 ? number(argv[2]) : 4;
        if (argc > 3 || bytes == 0 || calls == 0 || comm.size() < 2) {
            if (comm.is_root())
                std::cerr
                    << "linear_broadcast: error: needs at least 2 ranks; usage: linear_broadcast [BYTES [CALLS]]\n";
            exit_code = 2;
        } else {
            auto const enough = measure::stop::Count{.valid = 30, .at_most = 400};
            // A barrier before each loop, but no synchronisation between its calls.
            auto const loop = times(
                comm, {.start = measure::FreeStart{}, .batch = measure::FixedCount{calls}, .stop = enough, .stage = 1},
                bytes);
            auto const slots = times(comm, {.start = measure::AutoStart{}, .stop = enough}, bytes);
            if (comm.is_root())
                print(slots, loop, bytes, calls);
        }
    }
    MPI_Finalize();
    return exit_code;
}
