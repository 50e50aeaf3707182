// SPDX-License-Identifier: BSD-3-Clause
/// Compares the timed loop of b_eff with the same calls written by hand: a ring of two ranks with MPI_Sendrecv, with
/// short and long messages, with and without the check of the data. Nothing is asserted.
#include "b_eff/exchange.hpp"
#include "b_eff/lengths.hpp"

#include <measure/comm.hpp>
#include <measure/statistics.hpp>
#include <measure/time_iterations.hpp>
#include <measure/timer.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using measure::Bytes;

/// Uses the same buffer positions as b_eff. \return seconds per exchange
double by_hand(MPI_Comm comm, int partner, b_eff::Mailbox& box, Bytes bytes, std::int64_t n) {
    box.open(bytes, 5, false);
    MPI_Barrier(comm);
    double const begin = MPI_Wtime();
    for (std::int64_t i = 0; i < n; ++i) {
        Bytes const at = box.next();
        MPI_Sendrecv(box.send() + at, static_cast<int>(bytes), MPI_BYTE, partner, 0, box.receive() + at,
                     static_cast<int>(bytes), MPI_BYTE, partner, 0, comm, MPI_STATUS_IGNORE);
    }
    double const end = MPI_Wtime();
    return (end - begin) / static_cast<double>(n);
}

double by_loop(measure::Comm const& comm, b_eff::Mailbox& box, b_eff::Counts& counts, Bytes bytes, bool check,
               std::int64_t n) {
    std::vector<b_eff::Exchange> const partner{{1 - comm.rank(), 1 - comm.rank()}};
    box.open(bytes, 5, check);
    b_eff::Job job{.comm = comm.native(), .exchanges = partner, .box = box, .counts = counts};
    auto operation = measure::op(b_eff::Sendrecv{&job});
    measure::AnyTimer const timer;
    comm.barrier();
    return measure::time_iterations(timer, operation, n).each().count();
}

/// Rounds alternate between the three, and the first one alternates too, so that a slow phase of the machine affects
/// all.
void compare(measure::Comm const& comm, Bytes bytes) {
    int const rounds = 201;
    Bytes const largest = measure::mebi;
    std::int64_t const n = std::clamp<std::int64_t>(16 * measure::mebi / bytes, 4, 300);
    b_eff::Mailbox box{largest};
    b_eff::Counts counts{comm.size()};
    std::vector<double> times[3];
    for (int i = 0; i < 3 * rounds; ++i) {
        int const which = (i % 3 + i / 3) % 3;
        times[which].push_back((which == 0 ? by_hand(comm.native(), 1 - comm.rank(), box, bytes, n)
                                           : by_loop(comm, box, counts, bytes, which == 2, n)) *
                               1e6);
    }
    if (!comm.is_root())
        return;
    auto const least = [&](int which) { return *std::min_element(times[which].begin(), times[which].end()); };
    auto const middle = [&](int which) { return measure::median(times[which]); };
    std::printf("%8lld B   by hand %9.4f us   b_eff %9.4f us, checked %9.4f us   ratio of medians %.3f, checked %.3f   "
                "of minima %.3f, %.3f   (%d rounds)\n",
                static_cast<long long>(bytes), middle(0), middle(1), middle(2), middle(1) / middle(0),
                middle(2) / middle(0), least(1) / least(0), least(2) / least(0), rounds);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        measure::Comm const comm{MPI_COMM_WORLD};
        for (Bytes const bytes : {Bytes{1}, 4 * measure::kibi, measure::mebi})
            compare(comm, bytes);
    }
    MPI_Finalize();
}
