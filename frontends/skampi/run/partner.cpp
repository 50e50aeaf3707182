// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/run/partner.hpp"

#include <measure/mpi_error.hpp>

#include <mpi.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace skampi {
namespace {

constexpr int partner_tag = 1;
constexpr int warm_up = 8;
constexpr int partner_exchanges = 20;

void send(measure::Comm const& comm, int to) {
    measure::check(MPI_Send(nullptr, 0, MPI_BYTE, to, partner_tag, comm.native()), "MPI_Send");
}

void receive(measure::Comm const& comm, int from) {
    measure::check(MPI_Recv(nullptr, 0, MPI_BYTE, from, partner_tag, comm.native(), MPI_STATUS_IGNORE), "MPI_Recv");
}

measure::seconds ask(measure::Comm const& comm, measure::AnyTimer const& timer, int partner) {
    return timer.visit([&](auto const& clock) {
        auto quickest = measure::seconds::max();
        for (int i = 0; i < warm_up + partner_exchanges; ++i) {
            auto const begin = clock.now();
            send(comm, partner);
            receive(comm, partner);
            auto const end = clock.now();
            if (i >= warm_up && !(end < begin))
                quickest = std::min(quickest, clock.between(begin, end));
        }
        return quickest;
    });
}

void answer(measure::Comm const& comm, measure::seconds late) {
    for (int i = 0; i < warm_up + partner_exchanges; ++i) {
        receive(comm, 0);
        if (late.count() > 0)
            std::this_thread::sleep_for(late);
        send(comm, 0);
    }
}

}  // namespace

Partners choose_partners(std::span<measure::seconds const> latencies) {
    constexpr double nearly = 0.05;
    if (latencies.empty())
        return {};
    auto const [low, high] = std::minmax_element(latencies.begin(), latencies.end());
    Partners partners;
    for (std::size_t i = 0; i < latencies.size(); ++i) {
        int const rank = static_cast<int>(i) + 1;
        if (latencies[i] >= (1 - nearly) * *high)
            partners.farthest = {rank, latencies[i], {}};
        if (partners.nearest.rank == 0 && latencies[i] <= (1 + nearly) * *low)
            partners.nearest = {rank, latencies[i], {}};
    }
    return partners;
}

Partners find_partners(measure::Comm const& world, measure::AnyTimer const& timer, measure::seconds late) {
    std::vector<measure::seconds> latencies;
    for (int partner = 1; partner < world.size(); ++partner) {
        if (world.is_root())
            latencies.push_back(ask(world, timer, partner));
        else if (world.rank() == partner)
            answer(world, late);
        world.idle_barrier();
    }
    world.broadcast(latencies);
    auto partners = choose_partners(latencies);
    auto const hosts = world.gather(world.host_name());
    for (Partner* const partner : {&partners.farthest, &partners.nearest})
        if (world.is_root() && partner->rank > 0)
            partner->host = hosts[static_cast<std::size_t>(partner->rank)];
    return partners;
}

}  // namespace skampi
