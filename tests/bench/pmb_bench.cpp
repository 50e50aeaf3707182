// SPDX-License-Identifier: BSD-3-Clause
/// Compares the timed loops of PMB with the same calls written by hand: PingPong and Barrier on two ranks, and
/// S_Write_Expl on rank 0 in the current directory. Nothing is asserted.
///
/// usage: mpiexec -n 2 pmb_bench [WRITE_ROUNDS]
#include "pmb/catalogue.hpp"

#include <measure/statistics.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int repetitions = 1000;

void ping_pong_by_hand(MPI_Comm comm, int rank) {
    char byte = 0;
    for (int i = 0; i < repetitions; ++i)
        if (rank == 0) {
            MPI_Send(&byte, 0, MPI_BYTE, 1, 1, comm);
            MPI_Recv(&byte, 0, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&byte, 0, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
            MPI_Send(&byte, 0, MPI_BYTE, 0, 1, comm);
        }
}

void barrier_by_hand(MPI_Comm comm, int) {
    for (int i = 0; i < repetitions; ++i)
        MPI_Barrier(comm);
}

/// Rounds alternate between the two, so that a slow phase of the machine affects both.
void compare(measure::Comm const& comm, char const* name, void (*by_hand)(MPI_Comm, int)) {
    constexpr int rounds = 201;
    measure::AnyTimer const timer;
    pmb::Parameters const parameters;
    pmb::Verifier verifier{comm.rank()};
    pmb::Task const task{
        .team = comm, .timer = timer, .parameters = parameters, .verifier = verifier, .in_body = [](bool) {}};
    auto const kernel = pmb::find(pmb::Part::mpi1, name)->make(task);
    kernel->begin(pmb::Mode::single, 0);
    std::vector<double> hand;
    std::vector<double> loop;
    std::vector<double> ratio;
    for (int i = 0; i < rounds; ++i) {
        comm.barrier();
        comm.barrier();
        double const begin = MPI_Wtime();
        by_hand(comm.native(), comm.rank());
        hand.push_back((MPI_Wtime() - begin) / repetitions * 1e9);
        loop.push_back(kernel->loop(repetitions).time * 1e9);
        ratio.push_back(loop.back() / hand.back());
    }
    kernel->end();
    if (comm.is_root())
        std::printf("%-10s by hand %8.1f ns   PMB's loop %8.1f ns   ratio %.3f   (medians of %d rounds)\n", name,
                    measure::median(hand), measure::median(loop), measure::median(ratio), rounds);
}

/// Writes of a process to its own file, as described in the manual: the file is prepared once, all aggregate lengths
/// come first, and in non-aggregate mode each write has its own sync.
class WritesByHand {
public:
    WritesByHand() : block_(std::size_t{1} << pmb::standard(pmb::Part::io).max_log, 'x') {
        open();
        MPI_File_set_size(file_, pmb::file_size(pmb::standard(pmb::Part::io)));
        MPI_File_close(&file_);
    }
    WritesByHand(WritesByHand const&) = delete;
    WritesByHand& operator=(WritesByHand const&) = delete;
    ~WritesByHand() { MPI_File_delete(name, MPI_INFO_NULL); }

    /// \return seconds per write
    double operator()(pmb::Mode mode, measure::Bytes length, std::int64_t n) {
        std::fill_n(block_.begin(), length, static_cast<char>(n));
        open();
        MPI_Offset at = 0;
        double const begin = MPI_Wtime();
        for (std::int64_t i = 0; i < n; ++i, at += length) {
            MPI_File_write_at(file_, at, block_.data(), static_cast<int>(length), MPI_BYTE, MPI_STATUS_IGNORE);
            if (mode == pmb::Mode::non_aggregate)
                MPI_File_sync(file_);
        }
        if (mode == pmb::Mode::aggregate)
            MPI_File_sync(file_);
        double const time = (MPI_Wtime() - begin) / static_cast<double>(n);
        MPI_File_close(&file_);
        return time;
    }

private:
    static constexpr char const* name = "pmb_by_hand";
    void open() {
        MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_UNIQUE_OPEN, MPI_INFO_NULL,
                      &file_);
    }
    MPI_File file_ = MPI_FILE_NULL;
    std::string block_;
};

/// Prints lengths of 16 KiB and more. The two ways alternate, and each round begins with new files, like a run of PMB.
void compare_writes(measure::Comm const& self, int rounds) {
    auto const p = pmb::standard(pmb::Part::io);
    auto const lengths = pmb::lengths(1, p);
    measure::AnyTimer const timer;
    pmb::Verifier verifier{0};
    pmb::Task const task{.team = self,
                         .timer = timer,
                         .parameters = p,
                         .largest = lengths.back(),
                         .verifier = verifier,
                         .in_body = [](bool) {}};
    struct Times {
        std::vector<double> hand{};
        std::vector<double> loop{};
    };
    constexpr pmb::Mode modes[] = {pmb::Mode::aggregate, pmb::Mode::non_aggregate};
    std::map<std::pair<pmb::Mode, measure::Bytes>, Times> times;
    for (int round = 0; round < rounds; ++round) {
        WritesByHand by_hand;
        auto const kernel = pmb::find(pmb::Part::io, "S_Write_Expl")->make(task);
        for (pmb::Mode const mode : modes)
            for (auto const length : lengths) {
                auto const at_most = mode == pmb::Mode::aggregate ? p.repetitions : p.non_aggregate;
                auto const n = pmb::repetitions(length, at_most, p.volume);
                auto& [hand, loop] = times[{mode, length}];
                bool const hand_first = round % 2 == 0;
                if (hand_first)
                    hand.push_back(by_hand(mode, length, n));
                kernel->begin(mode, length);
                loop.push_back(kernel->loop(n).time);
                kernel->end();
                if (!hand_first)
                    hand.push_back(by_hand(mode, length, n));
            }
    }
    for (auto const& [at, found] : times) {
        if (at.second < 16384)
            continue;
        std::vector<double> ratios(found.loop.size());
        std::transform(found.loop.begin(), found.loop.end(), found.hand.begin(), ratios.begin(), std::divides{});
        std::printf("S_Write_Expl %-13s %8lld bytes   by hand %9.2f us   PMB's loop %9.2f us   ratio %.3f   "
                    "(medians of %d rounds)\n",
                    at.first == pmb::Mode::aggregate ? "aggregate" : "non-aggregate", static_cast<long long>(at.second),
                    measure::median(found.hand) * 1e6, measure::median(found.loop) * 1e6, measure::median(ratios),
                    rounds);
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        measure::Comm const comm{MPI_COMM_WORLD};
        compare(comm, "PingPong", ping_pong_by_hand);
        compare(comm, "Barrier", barrier_by_hand);
        if (auto const self = comm.split(comm.is_root() ? 0 : -1))
            compare_writes(*self, argc > 1 ? std::atoi(argv[1]) : 21);
    }
    MPI_Finalize();
}
