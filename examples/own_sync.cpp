// How long does a barrier take, with starts by clocks that a user-defined method synchronises?
// SPDX-License-Identifier: BSD-3-Clause
//
// A synchroniser is the program of one rank, which uses messages and a clock. This one asks the root fifty times and
// uses the fastest answer. After each point the library checks the clocks with its own method: `derived.sync.residual`.
#include <measure/main.hpp>

#include <limits>

namespace {

measure::SyncResult shortest_of_fifty(measure::SyncNet& net) {
    constexpr int exchanges = 50;
    if (net.rank() == 0) {
        for (int client = 1; client < net.size(); ++client)
            for (int i = 0; i < exchanges; ++i) {
                static_cast<void>(net.receive<char>(client));
                net.send(net.now(), client);
            }
        return {};
    }
    double shortest = std::numeric_limits<double>::infinity();
    double offset = 0;
    for (int i = 0; i < exchanges; ++i) {
        double const asked = net.now();
        net.send('?', 0);
        auto const answer = net.receive<double>(0);
        double const round_trip = net.now() - asked;
        if (round_trip < shortest) {
            shortest = round_trip;
            offset = answer - (asked + round_trip / 2);
        }
    }
    return {.model = {.offset = offset}, .bound = measure::seconds{shortest / 2}};
}

auto barrier(measure::Comm const& team, measure::Point const&) {
    return [comm = team.native()] { MPI_Barrier(comm); };
}

}  // namespace

int main(int argc, char** argv) {
    measure::Program program{.name = "own_sync",
                             .summary = "Times a barrier with a user-defined clock synchronisation."};
    program.plan.start = measure::SlotStart{.sync = measure::OwnSync{"shortest", shortest_of_fifty}};
    program.benchmarks = {{"barrier", barrier}};
    return measure::run_main(argc, argv, program);
}
