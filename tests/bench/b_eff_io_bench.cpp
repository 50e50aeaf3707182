// SPDX-License-Identifier: BSD-3-Clause
/// Compares a timed pattern of b_eff_io with the same calls written by hand, on two ranks: segments of 1 MiB are
/// written with a sync, and read. Nothing is asserted.
///
/// usage: b_eff_io_bench [DIRECTORY]
#include "b_eff_io/method.hpp"
#include "b_eff_io/place.hpp"

#include <measure/statistics.hpp>

#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using b_eff_io::Access;

constexpr std::int64_t calls = 64;
constexpr int count = static_cast<int>(b_eff_io::megabyte / b_eff_io::element_size);

/// Barrier, calls that set or check the first and last elements, barrier, sync, barrier. \return time in seconds
double by_hand(measure::Comm const& comm, MPI_File file, std::vector<double>& data, Access access) {
    MPI_Status status;
    auto const last = static_cast<std::size_t>(count - 1);
    double wrong = 0;
    comm.barrier();
    double const begin = MPI_Wtime();
    for (std::int64_t r = 0; r < calls; ++r) {
        auto const value = 1e7 * static_cast<double>(r);
        if (access == Access::read) {
            MPI_File_read(file, data.data(), count, MPI_DOUBLE, &status);
            wrong += data[0] != value || data[1] != comm.rank() || data[last] != value;
        } else {
            data[0] = value;
            data[1] = comm.rank();
            data[last] = value;
            MPI_File_write(file, data.data(), count, MPI_DOUBLE, &status);
        }
        int moved = 0;
        MPI_Get_count(&status, MPI_DOUBLE, &moved);
        wrong += moved != count;
        // The ranks agree after 1, 2, 4, .. calls, like a loop with a given number of calls.
        if (((r + 2) & (r + 1)) == 0 || r + 1 == calls)
            wrong += comm.max(0);
    }
    if (access == Access::write) {
        comm.barrier();
        MPI_File_sync(file);
    }
    wrong += comm.max(0);
    double const time = MPI_Wtime() - begin;
    if (wrong > 0)
        std::printf("%.0f wrong calls\n", wrong);
    return time;
}

/// Rounds alternate between the two, so that a slow phase of the machine affects both.
void compare(measure::Comm const& comm, std::string const& directory, Access access) {
    constexpr int rounds = 41;
    constexpr measure::Bytes segment = calls * b_eff_io::megabyte;
    b_eff_io::Setting const setting{};
    measure::AnyTimer const timer;
    b_eff_io::Buffer written{b_eff_io::megabyte};
    b_eff_io::Buffer read{b_eff_io::megabyte};
    std::vector<double> data(static_cast<std::size_t>(count));
    std::atomic<int> stop{0};
    b_eff_io::Task const task{
        .team = comm, .timer = timer, .written = written, .read = read, .control = {.stop = &stop, .in_body = [](bool) {
                                                                                    }}};
    auto const path = b_eff_io::path_in(directory, b_eff_io::data_name(0, comm.size(), b_eff_io::Type::segmented, 0));
    b_eff_io::DataFile file{comm, setting, b_eff_io::Type::segmented, path, comm.rank()};
    file.open(Access::write, MPI_INFO_NULL, segment);
    b_eff_io::Step const step{.pattern = b_eff_io::patterns()[27],
                              .access = access,
                              .chunk = b_eff_io::megabyte,
                              .length = b_eff_io::megabyte,
                              .limit = {.at_most = calls}};
    auto writing = step;
    writing.access = Access::write;
    auto const rewind = [&] { MPI_File_seek(file.native(), 0, MPI_SEEK_SET); };
    std::vector<double> hand, pattern, ratio;
    for (int i = 0; i < rounds; ++i) {
        for (Access const a : {Access::write, Access::read})
            if (a == Access::write || access == Access::read) {
                rewind();
                double const time = by_hand(comm, file.native(), data, a);
                if (a == access)
                    hand.push_back(time * 1e3);
            }
        if (access == Access::read) {
            rewind();
            static_cast<void>(b_eff_io::execute(task, file, writing));
        }
        rewind();
        pattern.push_back(b_eff_io::execute(task, file, step).result.time * 1e3);
        ratio.push_back(pattern.back() / hand.back());
    }
    file.close();
    if (!comm.is_root())
        return;
    ::unlink(path.c_str());
    std::printf("%-5s by hand %8.3f ms   b_eff_io %8.3f ms   ratio %.3f   (medians of %d rounds)\n",
                std::string{b_eff_io::name(access)}.c_str(), measure::median(hand), measure::median(pattern),
                measure::median(ratio), rounds);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        measure::Comm const comm{MPI_COMM_WORLD};
        for (Access const access : {Access::write, Access::read})
            compare(comm, argc > 1 ? argv[1] : ".", access);
    }
    MPI_Finalize();
}
