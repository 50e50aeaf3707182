// SPDX-License-Identifier: BSD-3-Clause
/// Streams: several pairs of processes send at once, a window of messages each; rank i of the first half and rank i of
/// the second half are a pair.
#pragma once

#include "bodies/buffers.hpp"
#include "bodies/point_to_point.hpp"

#include <measure/comm.hpp>
#include <measure/mpi_error.hpp>
#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bodies {

/// What a process of a stream does.
struct StreamRole {
    bool sends = false;
    bool receives = false;
    int peer = 0;
};

/// The role of a rank among an even number of them. \param both_ways  all send and receive
[[nodiscard]] constexpr StreamRole stream_role(int rank, int size, bool both_ways) noexcept {
    bool const first = rank < size / 2;
    return {.sends = first || both_ways,
            .receives = !first || both_ways,
            .peer = first ? rank + size / 2 : rank - size / 2};
}

/// How the messages of a stream are sent.
struct StreamShape {
    bool both_ways = false;
    int window = 64;  ///< messages under way at once, >= 1
    /// Bytes from where one message of a window arrives to where the next one does; 0: all arrive at one place, as in
    /// programs that do not look at what they receive.
    measure::Bytes receive_stride = 0;
};

/// The body: a window of MPI_Isend and MPI_Irecv, MPI_Waitall, then an empty message back from who has received it all.
/// False where MPI reports an error. Move-only. It must not outlive the communicator.
class Stream {
public:
    /// \param bytes  of a message  \param memory  has receives of window * stride, or of one message where that is 0
    /// \throws measure::UsageError where the bytes do not fit MPI's int
    Stream(measure::Comm const& comm, StreamShape const& shape, measure::Bytes bytes, Buffers memory)
        : comm_{comm.native()}, role_{stream_role(comm.rank(), comm.size(), shape.both_ways)}, shape_{shape},
          count_{measure::to_int(bytes, "bytes of a message")}, memory_{std::move(memory)},
          requests_(static_cast<std::size_t>(shape.window) * (shape.both_ways ? 2U : 1U), MPI_REQUEST_NULL) {}

    bool operator()(measure::Iteration it) const noexcept {
        auto* next = requests_.data();
        int code = MPI_SUCCESS;
        if (role_.receives)
            for (int i = 0; i < shape_.window; ++i)
                code = worse(code, MPI_Irecv(place(it, i), count_, MPI_BYTE, role_.peer, Link::tag, comm_, next++));
        if (role_.sends)
            for (int i = 0; i < shape_.window; ++i)
                code = worse(code, MPI_Isend(memory_.send(it), count_, MPI_BYTE, role_.peer, Link::tag, comm_, next++));
        code = worse(code, MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
        return worse(code, acknowledge()) == MPI_SUCCESS;
    }

    [[nodiscard]] Buffers const& memory() const noexcept { return memory_; }
    [[nodiscard]] StreamRole const& role() const noexcept { return role_; }
    /// Where a message of a window arrives.
    [[nodiscard]] std::byte* place(measure::Iteration it, int message) const noexcept {
        return static_cast<std::byte*>(memory_.receive(it)) + message * shape_.receive_stride;
    }

private:
    static constexpr int acknowledgement = Link::tag + 1;

    /// Both ways the other's messages say already that it has come so far.
    [[nodiscard]] int acknowledge() const noexcept {
        if (shape_.both_ways)
            return MPI_SUCCESS;
        return role_.sends ? MPI_Recv(nullptr, 0, MPI_BYTE, role_.peer, acknowledgement, comm_, MPI_STATUS_IGNORE)
                           : MPI_Send(nullptr, 0, MPI_BYTE, role_.peer, acknowledgement, comm_);
    }

    MPI_Comm comm_;
    StreamRole role_;
    StreamShape shape_;
    int count_;
    Buffers memory_;
    mutable std::vector<MPI_Request> requests_;
};

}  // namespace bodies
