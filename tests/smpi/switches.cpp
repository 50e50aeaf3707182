// SPDX-License-Identifier: BSD-3-Clause
/// switches GAIN NAME...: broadcasts with SMPI's algorithms of these names; the first one is the default. Screens the
/// sizes from 8 B to 128 KiB and 65535 B like `measure tune`, with the sizes between them that it requests. Prints
/// "time BYTES NAME SECONDS" and "segment LOW HIGH NAME".
#include "tune/segments.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace simgrid::smpi::colls {
/// The function that --cfg=smpi/bcast:NAME calls; no installed header declares it.
void set_bcast(std::string const& name);
}  // namespace simgrid::smpi::colls

namespace {

using namespace measure::tool::tune;
namespace actor = simgrid::s4u::this_actor;

/// Returns the time from an instant that all ranks share until the last one has left, s.
double time_of(std::string const& name, measure::Bytes bytes, std::vector<char>& data) {
    constexpr double soon = 1e-3;
    simgrid::smpi::colls::set_bcast("binomial_tree");
    double start = simgrid::s4u::Engine::get_clock() + soon;
    MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    // All ranks must have the instant before any rank changes the setting that applies to all of them.
    actor::sleep_until(start);
    simgrid::smpi::colls::set_bcast(name);
    actor::sleep_until(start + soon);
    MPI_Bcast(data.data(), static_cast<int>(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
    double const mine = simgrid::s4u::Engine::get_clock() - (start + soon);
    actor::sleep_until(start + 2);
    double last = 0;
    MPI_Allreduce(&mine, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return last;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double const gain = std::atof(argv[1]);
    std::vector<std::string> const names(argv + 2, argv + argc);
    std::vector<measure::Bytes> wanted{8, 32, 128, 512, 1024, 2048, 8192, 16384, 32768, 65535, 65536, 131072};
    std::vector<char> data(static_cast<std::size_t>(wanted.back()));
    std::vector<ScreenedSize> sizes;
    while (!wanted.empty()) {
        for (auto const bytes : wanted) {
            ScreenedSize size{.bytes = bytes, .algorithms = names};
            for (auto const& name : names) {
                size.times.push_back(time_of(name, bytes, data));
                if (rank == 0)
                    std::puts(fmt::format("time {} {} {:.9g}", bytes, name, size.times.back()).c_str());
            }
            sizes.push_back(std::move(size));
        }
        std::sort(sizes.begin(), sizes.end(), [](auto const& a, auto const& b) { return a.bytes < b.bytes; });
        wanted = sizes_between(sizes, gain);
    }
    if (rank == 0)
        for (auto const& one : segments_of(sizes, gain, true))
            std::puts(fmt::format("segment {} {} {}", one.low, one.high, one.leader).c_str());
    MPI_Finalize();
    return 0;
}
