// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/finalize_drain.hpp"

#include <measure/mpi_error.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>

namespace program {
namespace {

void exchange_messages(measure::Comm const& world) {
    constexpr int tag = 2;
    auto const partners = drain_partners(world.rank(), world.size());
    std::vector<MPI_Request> requests;
    for (int const partner : partners) {
        requests.insert(requests.end(), 2, MPI_REQUEST_NULL);
        auto* const pair = &requests.back() - 1;
        measure::check(MPI_Irecv(nullptr, 0, MPI_BYTE, partner, tag, world.internal(), pair), "MPI_Irecv");
        measure::check(MPI_Isend(nullptr, 0, MPI_BYTE, partner, tag, world.internal(), pair + 1), "MPI_Isend");
    }
    for (MPI_Request& request : requests)
        world.wait(request);
}

}  // namespace

std::vector<int> drain_partners(int rank, int size) {
    std::set<int> partners;
    for (std::int64_t distance = 1; distance < size; distance *= 2) {
        partners.insert(static_cast<int>((rank + distance) % size));
        partners.insert(static_cast<int>((rank - distance + size) % size));
    }
    for (int other = 0; other < (rank == 0 ? size : 1); ++other)
        partners.insert(other);
    partners.erase(rank);
    return {partners.begin(), partners.end()};
}

measure::seconds drain_before_finalize(measure::Comm const& world) {
    using measure::seconds;
#ifdef OPEN_MPI
    constexpr bool can_hang = false;
#else
    constexpr bool can_hang = true;
#endif
    if (!can_hang || world.max(world.node().size() < world.size() ? 1 : 0) == 0)
        return seconds{0};
    auto const begin = measure::SteadyClock::now();
    exchange_messages(world);
    seconds const slowest{world.max(seconds{measure::SteadyClock::now() - begin}.count())};
    return std::clamp(4 * slowest, seconds{0.05}, seconds{1});
}

}  // namespace program
