// SPDX-License-Identifier: BSD-3-Clause
/// Compares bodies of mpiperf with the same calls written by hand, on two ranks: a ping-pong, MPI_Isend, MPI_Ibcast
/// with its wait, and a window of messages. Also measures the cost of calling blocking collectives through a pointer.
/// Nothing is asserted.
#include "bodies/collectives.hpp"
#include "bodies/nonblocking.hpp"
#include "bodies/stream.hpp"
#include "mpiperf/operations/messages.hpp"

#include <measure/run.hpp>
#include <measure/statistics.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <variant>
#include <vector>

namespace {

using measure::Comm;

constexpr int iterations = 1000;

void ping_pong_by_hand(MPI_Comm comm, int rank, char* byte) {
    if (rank == 0) {
        MPI_Send(byte, 1, MPI_BYTE, 1, 1, comm);
        MPI_Recv(byte, 1, MPI_BYTE, 1, 1, comm, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(byte, 1, MPI_BYTE, 0, 1, comm, MPI_STATUS_IGNORE);
        MPI_Send(byte, 1, MPI_BYTE, 0, 1, comm);
    }
}

void isend_by_hand(MPI_Comm comm, int rank, char* byte) {
    if (rank == 0) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(byte, 1, MPI_BYTE, 1, 1, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(byte, 1, MPI_BYTE, 0, 1, comm, MPI_STATUS_IGNORE);
    }
}

void ibcast_by_hand(MPI_Comm comm, int, char* byte) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(byte, 1, MPI_BYTE, 0, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

constexpr int window = 64;

void stream_by_hand(MPI_Comm comm, int rank, char* byte) {
    std::array<MPI_Request, window> requests;
    std::array<char, window> arrived;
    for (std::size_t i = 0; i < requests.size(); ++i)
        if (rank == 0)
            MPI_Isend(byte, 1, MPI_BYTE, 1, 1, comm, &requests[i]);
        else
            MPI_Irecv(&arrived[i], 1, MPI_BYTE, 0, 1, comm, &requests[i]);
    MPI_Waitall(window, requests.data(), MPI_STATUSES_IGNORE);
    if (rank == 0)
        MPI_Recv(nullptr, 0, MPI_BYTE, 1, 2, comm, MPI_STATUS_IGNORE);
    else
        MPI_Send(nullptr, 0, MPI_BYTE, 0, 2, comm);
}

/// Rounds alternate between the two, so that a slow phase of the machine affects both. The slower rank counts, because
/// a sender can be ahead of its receiver by as many messages as fit into the buffers of the library.
template <class Body>
void compare(Comm const& comm, char const* name, void (*by_hand)(MPI_Comm, int, char*), Body body) {
    constexpr int rounds = 101;
    measure::Plan const plan{.start = measure::FreeStart{},
                             .batch = measure::FixedCount{iterations},
                             .stop = measure::stop::Count{.valid = 1},
                             .warm_up = 1,
                             .stage = 1};
    std::vector<double> hand;
    std::vector<double> ours;
    std::vector<double> ratio;
    char byte = 0;
    for (int i = 0; i < rounds; ++i) {
        comm.barrier();
        double const begin = MPI_Wtime();
        for (int k = 0; k < iterations; ++k)
            by_hand(comm.native(), comm.rank(), &byte);
        hand.push_back(comm.max(MPI_Wtime() - begin) / iterations * 1e9);
        auto const m = measure::run(comm, plan, body);
        ours.push_back(comm.is_root() ? m.estimate->value * 1e9 : 0);
        ratio.push_back(ours.back() / hand.back());
    }
    if (comm.is_root())
        std::printf("%-10s by hand %8.1f ns   mpiperf's body %8.1f ns   ratio %.3f   (medians of %d rounds)\n", name,
                    measure::median(hand), measure::median(ours), measure::median(ratio), rounds);
}

template <class M>
auto message(Comm const& comm) {
    return bodies::PointToPoint<M>{bodies::link(comm, 1, bodies::Source::specific), bodies::Buffers{{}, {1, 1}}};
}

/// The cost of the function pointer of a row. Compares the body with the same body that names the function, in turn, on
/// each rank alone.
template <class S, class Named>
void compare_pointer(Comm const& world, char const* name, bodies::Functions<S> const& functions,
                     bodies::Shape const& shape, Named named) {
    constexpr int rounds = 301;
    Comm const self{MPI_COMM_SELF};
    measure::Plan const plan{.start = measure::FreeStart{},
                             .batch = measure::FixedCount{20 * iterations},
                             .stop = measure::stop::Count{.valid = 1},
                             .warm_up = 0,
                             .stage = 1};
    auto const a = bodies::arguments(shape, self, 1);
    bodies::Blocking<S> const by_pointer{functions.blocking, a, bodies::Buffers{{}, {8, 8}}};
    bodies::Buffers const memory{{}, {8, 8}};
    auto const by_name = [&](measure::Iteration it) {
        return named(a, memory.send(it), memory.receive(it)) == MPI_SUCCESS;
    };
    std::vector<double> direct;
    std::vector<double> pointer;
    std::vector<double> ratio;
    for (int i = 0; i < rounds; ++i) {
        direct.push_back(measure::run(self, plan, by_name).estimate->value * 1e9);
        pointer.push_back(measure::run(self, plan, by_pointer).estimate->value * 1e9);
        ratio.push_back(pointer.back() / direct.back());
    }
    if (world.is_root())
        std::printf(
            "%-10s by name %8.2f ns   by pointer     %8.2f ns   ratio %.3f   (medians of %d rounds, one rank)\n", name,
            measure::median(direct), measure::median(pointer), measure::median(ratio), rounds);
    world.barrier();
}

void compare_pointers(Comm const& comm) {
    auto const& barrier = bodies::collective("Barrier");
    compare_pointer(comm, "Barrier", std::get<bodies::Functions<bodies::BarrierCall>>(barrier.functions), barrier.shape,
                    [](auto const& a, void*, void*) { return MPI_Barrier(a.comm); });
    auto const& sum = bodies::collective("Allreduce");
    compare_pointer(comm, "Allreduce", std::get<bodies::Functions<bodies::ReduceCall>>(sum.functions), sum.shape,
                    [](auto const& a, void* send, void* receive) {
                        return MPI_Allreduce(send, receive, a.count, a.type, a.op, a.comm);
                    });
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        Comm const comm{MPI_COMM_WORLD};
        compare_pointers(comm);
        compare(comm, "Pingpong", ping_pong_by_hand, message<mpiperf::Pingpong>(comm));
        compare(comm, "Isend", isend_by_hand, message<mpiperf::Isend>(comm));
        compare(comm, "Stream", stream_by_hand,
                bodies::Stream{comm, {.window = window, .receive_stride = 1}, 1, bodies::Buffers{{}, {1, window}}});
        auto const& bcast = bodies::collective("Bcast");
        bodies::Tests tests;
        compare(comm, "Ibcast", ibcast_by_hand,
                bodies::NonBlocking<bodies::Arguments>{
                    bcast, bodies::arguments(bcast.shape, comm, 1), bodies::Buffers{{}, {1, 0}}, {}, {}, tests});
    }
    MPI_Finalize();
}
