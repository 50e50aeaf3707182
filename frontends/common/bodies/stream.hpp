// SPDX-License-Identifier: BSD-3-Clause
/// Streams: several pairs of processes send at the same time, each a window of messages. Rank i of the first half and
/// rank i of the second half form a pair.
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

/// The role of a process in a stream.
struct StreamRole {
    bool sends = false;
    bool receives = false;
    int peer = 0;
};

/// The role of a rank in an even number of ranks. \param both_ways  all ranks send and receive
[[nodiscard]] constexpr StreamRole stream_role(int rank, int size, bool both_ways) noexcept {
    bool const first = rank < size / 2;
    return {.sends = first || both_ways,
            .receives = !first || both_ways,
            .peer = first ? rank + size / 2 : rank - size / 2};
}

/// Options for the messages of a stream.
struct StreamShape {
    bool both_ways = false;
    int window = 64;  ///< messages in flight, >= 1
    /// Distance of the received messages of a window, in bytes; 0: all arrive at the same place, as in benchmarks that
    /// do not read the received data.
    measure::Bytes receive_stride = 0;
    measure::Bytes send_stride = 0;    ///< distance of the sent messages of a window, in bytes
    int tag = Link::tag;               ///< tag of messages from the first half
    int tag_back = Link::tag;          ///< tag of messages from the second half
    int acknowledgement = 0;           ///< bytes of the acknowledgement
    int tag_step = 1;                  ///< the tag of the acknowledgement is `tag` + `tag_step`
    bool always_acknowledged = false;  ///< with `both_ways`, the second half also acknowledges
    MPI_Datatype type = MPI_BYTE;
    /// With `both_ways`: wait for sends first and receives second; the second half in the opposite order.
    bool waits_apart = false;
    bool persistent = false;  ///< set up once with the buffers of the first iteration, and start in each iteration
};

/// The body: a window of MPI_Isend and MPI_Irecv, MPI_Waitall, then an acknowledgement from the receiver. Returns false
/// if MPI reports an error. Move-only. It must not outlive the communicator.
template <class Memory = Buffers>
class BasicStream {
public:
    /// \param count   elements of a message
    /// \param memory  buffers of window * stride bytes, or of one message if the stride is 0, and at least of the bytes
    ///                of an acknowledgement
    /// \throws measure::UsageError if the count does not fit MPI's int; measure::MpiError
    BasicStream(measure::Comm const& comm, StreamShape const& shape, std::int64_t count, Memory memory)
        : BasicStream{comm.native(),
                      comm.rank() < comm.size() / 2,
                      stream_role(comm.rank(), comm.size(), shape.both_ways),
                      shape,
                      count,
                      std::move(memory)} {}
    /// Overload for other pairs. \param first  whether this process is the sender of its pair if messages go one way
    BasicStream(MPI_Comm comm, bool first, StreamRole role, StreamShape const& shape, std::int64_t count, Memory memory)
        : comm_{comm}, is_first_{first}, role_{role}, shape_{shape},
          count_{measure::to_int(count, "elements of a message")}, memory_{std::move(memory)},
          receives_(role_.receives ? static_cast<std::size_t>(shape.window) : 0U),
          requests_(receives_ + (role_.sends ? static_cast<std::size_t>(shape.window) : 0U), MPI_REQUEST_NULL) {
        if (shape.persistent)
            measure::check(set_up(), "MPI_Send_init or MPI_Recv_init");
    }
    BasicStream(BasicStream&&) noexcept = default;
    BasicStream& operator=(BasicStream&&) = delete;
    ~BasicStream() {
        for (auto& request : requests_)
            if (request != MPI_REQUEST_NULL)
                MPI_Request_free(&request);
    }

    bool operator()(measure::Iteration it) const noexcept {
        int const begun = shape_.persistent ? start() : post(it);
        int const waited = worse(begun, wait());
        return worse(waited, acknowledge(it)) == MPI_SUCCESS;
    }

    [[nodiscard]] Memory const& memory() const noexcept { return memory_; }
    [[nodiscard]] StreamRole const& role() const noexcept { return role_; }
    /// The place at which a message of a window arrives.
    [[nodiscard]] std::byte* place(measure::Iteration it, int message) const noexcept {
        return static_cast<std::byte*>(memory_.receive(it)) + message * shape_.receive_stride;
    }
    /// The place from which a message of a window is sent.
    [[nodiscard]] std::byte* source(measure::Iteration it, int message) const noexcept {
        return static_cast<std::byte*>(memory_.send(it)) + message * shape_.send_stride;
    }

private:
    [[nodiscard]] int tag_in() const noexcept { return is_first_ ? shape_.tag_back : shape_.tag; }
    [[nodiscard]] int tag_out() const noexcept { return is_first_ ? shape_.tag : shape_.tag_back; }

    /// Calls receive(message, request) and send(message, request) for all messages.
    template <class Receive, class Send>
    int each(Receive receive, Send send) const {
        auto* next = requests_.data();
        int code = MPI_SUCCESS;
        for (int i = 0; role_.receives && i < shape_.window; ++i)
            code = worse(code, receive(i, next++));
        for (int i = 0; role_.sends && i < shape_.window; ++i)
            code = worse(code, send(i, next++));
        return code;
    }
    int post(measure::Iteration it) const noexcept {
        return each(
            [&](int i, MPI_Request* r) {
                return MPI_Irecv(place(it, i), count_, shape_.type, role_.peer, tag_in(), comm_, r);
            },
            [&](int i, MPI_Request* r) {
                return MPI_Isend(source(it, i), count_, shape_.type, role_.peer, tag_out(), comm_, r);
            });
    }
    int set_up() const {
        return each(
            [&](int i, MPI_Request* r) {
                return MPI_Recv_init(place({}, i), count_, shape_.type, role_.peer, tag_in(), comm_, r);
            },
            [&](int i, MPI_Request* r) {
                return MPI_Send_init(source({}, i), count_, shape_.type, role_.peer, tag_out(), comm_, r);
            });
    }

    int wait_for(std::size_t first, std::size_t last) const noexcept {
        return last == first
                   ? MPI_SUCCESS
                   : MPI_Waitall(static_cast<int>(last - first), requests_.data() + first, MPI_STATUSES_IGNORE);
    }
    int start_of(std::size_t first, std::size_t last) const noexcept {
        return last == first ? MPI_SUCCESS : MPI_Startall(static_cast<int>(last - first), requests_.data() + first);
    }
    int start() const noexcept {
        int const receiving = start_of(0, receives_);
        return worse(receiving, start_of(receives_, requests_.size()));
    }
    int wait() const noexcept {
        if (!shape_.waits_apart)
            return wait_for(0, requests_.size());
        if (is_first_) {
            int const sent = wait_for(receives_, requests_.size());
            return worse(sent, wait_for(0, receives_));
        }
        int const received = wait_for(0, receives_);
        return worse(received, wait_for(receives_, requests_.size()));
    }

    /// With `both_ways` the peer's messages already show that it has reached this iteration.
    [[nodiscard]] int acknowledge(measure::Iteration it) const noexcept {
        if (shape_.both_ways && !shape_.always_acknowledged)
            return MPI_SUCCESS;
        int const tag = shape_.tag + shape_.tag_step;
        return is_first_ ? MPI_Recv(memory_.receive(it), shape_.acknowledgement, MPI_BYTE, role_.peer, tag, comm_,
                                    MPI_STATUS_IGNORE)
                         : MPI_Send(memory_.send(it), shape_.acknowledgement, MPI_BYTE, role_.peer, tag, comm_);
    }

    MPI_Comm comm_;
    bool is_first_;
    StreamRole role_;
    StreamShape shape_;
    int count_;
    Memory memory_;
    std::size_t receives_;
    mutable std::vector<MPI_Request> requests_;
};
using Stream = BasicStream<>;

}  // namespace bodies
