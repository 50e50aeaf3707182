// SPDX-License-Identifier: BSD-3-Clause
/// Messages between two processes and between neighbours on a ring, each pattern as a type with its calls, and the body
/// that measures a pattern.
#pragma once

#include "bodies/buffers.hpp"
#include "bodies/request.hpp"

#include <measure/comm.hpp>
#include <measure/mpi_error.hpp>
#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace bodies {

/// The source argument of a receive whose sender is known.
enum class Source { any, specific };

/// The partners of a process and its messages. The first and the last process form a pair.
struct Link {
    MPI_Comm comm = MPI_COMM_NULL;
    int count = 0;                 ///< elements
    MPI_Datatype type = MPI_BYTE;  ///< type of an element
    bool first = false;
    int peer = 0;  ///< other process of the pair
    int left = 0;  ///< left neighbour on the ring
    int right = 0;
    int from = MPI_ANY_SOURCE;       ///< source of receives from the peer
    int with = MPI_ANY_TAG;          ///< tag of receives from the peer
    std::ptrdiff_t second = 0;       ///< offset of the second received message of an exchange, bytes after the first
    std::ptrdiff_t second_sent = 0;  ///< offset of the second sent message of an exchange, bytes after the first
    static constexpr int tag = 1;
    int as = tag;  ///< tag of sent messages
};

/// \throws measure::UsageError if the length does not fit MPI's int
[[nodiscard]] inline Link link(measure::Comm const& comm, measure::Bytes length, Source source = Source::any) {
    Link l{.comm = comm.native(), .count = measure::to_int(length, "bytes of a message")};
    int const last = comm.size() - 1;
    l.first = comm.rank() == 0;
    l.peer = l.first ? last : 0;
    l.left = comm.rank() == 0 ? last : comm.rank() - 1;
    l.right = comm.rank() == last ? 0 : comm.rank() + 1;
    l.from = source == Source::any ? MPI_ANY_SOURCE : l.peer;
    return l;
}

/// The first of two MPI codes that is an error.
[[nodiscard]] constexpr int worse(int a, int b) noexcept { return a != MPI_SUCCESS ? a : b; }

/// The first process sends, the last one answers.
struct PingPong {
    static constexpr std::string_view name = "PingPong";
    static int call(Link const& l, void* send, void* receive) {
        auto const ping = [&] { return MPI_Send(send, l.count, l.type, l.peer, l.as, l.comm); };
        auto const pong = [&] { return MPI_Recv(receive, l.count, l.type, l.from, l.with, l.comm, MPI_STATUS_IGNORE); };
        if (l.first) {
            int const sent = ping();
            return worse(sent, pong());
        }
        int const received = pong();
        return worse(received, ping());
    }
};

/// Both processes send at the same time.
struct PingPing {
    static constexpr std::string_view name = "PingPing";
    static int call(Link const& l, void* send, void* receive) {
        MPI_Request request = MPI_REQUEST_NULL;
        int const sent = MPI_Isend(send, l.count, l.type, l.peer, l.as, l.comm, &request);
        int const received = MPI_Recv(receive, l.count, l.type, l.from, MPI_ANY_TAG, l.comm, MPI_STATUS_IGNORE);
        return worse(worse(sent, received), MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
};

/// Each process sends to its right neighbour on the ring.
struct Sendrecv {
    static constexpr std::string_view name = "Sendrecv";
    static int call(Link const& l, void* send, void* receive) {
        return MPI_Sendrecv(send, l.count, l.type, l.right, l.as, receive, l.count, l.type, l.left, MPI_ANY_TAG, l.comm,
                            MPI_STATUS_IGNORE);
    }
};

/// Each process exchanges messages with both neighbours on the ring.
struct Exchange {
    static constexpr std::string_view name = "Exchange";
    static int call(Link const& l, void* send, void* receive) {
        std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        int const right = MPI_Isend(send, l.count, l.type, l.right, l.as, l.comm, &requests[0]);
        int const left = MPI_Isend(static_cast<std::byte*>(send) + l.second_sent, l.count, l.type, l.left, l.as, l.comm,
                                   &requests[1]);
        int const from_left = MPI_Recv(receive, l.count, l.type, l.left, MPI_ANY_TAG, l.comm, MPI_STATUS_IGNORE);
        int const from_right = MPI_Recv(static_cast<std::byte*>(receive) + l.second, l.count, l.type, l.right,
                                        MPI_ANY_TAG, l.comm, MPI_STATUS_IGNORE);
        int const sent = MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
        return worse(worse(right, left), worse(worse(from_left, from_right), sent));
    }
};

/// The body: the calls of P once per iteration. Returns false if MPI reports an error. It must not outlive the
/// communicator.
template <class P, class Memory = Buffers>
class PointToPoint {
public:
    PointToPoint(Link const& link, Memory memory) : link_{link}, memory_{std::move(memory)} {}

    bool operator()(measure::Iteration it) const noexcept {
        return P::call(link_, memory_.send(it), memory_.receive(it)) == MPI_SUCCESS;
    }

    [[nodiscard]] Memory const& memory() const noexcept { return memory_; }

private:
    Link link_;
    Memory memory_;
};

/// `PingPong` with persistent requests: they are set up once and started in each iteration, with the same buffers.
/// Returns false if MPI reports an error. Move-only. It must not outlive the communicator.
class PersistentPingPong {
public:
    /// Local. \throws measure::MpiError
    PersistentPingPong(Link const& l, Buffers memory) : first_{l.first}, memory_{std::move(memory)} {
        MPI_Request send = MPI_REQUEST_NULL;
        MPI_Request receive = MPI_REQUEST_NULL;
        measure::check(MPI_Send_init(memory_.send({}), l.count, l.type, l.peer, l.as, l.comm, &send), "MPI_Send_init");
        send_ = PersistentRequest{send};
        measure::check(MPI_Recv_init(memory_.receive({}), l.count, l.type, l.from, l.with, l.comm, &receive),
                       "MPI_Recv_init");
        receive_ = PersistentRequest{receive};
    }

    bool operator()() noexcept {
        int const first = (first_ ? send_ : receive_).run();
        return worse(first, (first_ ? receive_ : send_).run()) == MPI_SUCCESS;
    }

    [[nodiscard]] Buffers const& memory() const noexcept { return memory_; }

private:
    bool first_;
    Buffers memory_;
    PersistentRequest send_;
    PersistentRequest receive_;
};

}  // namespace bodies
