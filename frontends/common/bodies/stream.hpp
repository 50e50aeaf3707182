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
    measure::Bytes send_stride = 0;    ///< likewise where they are sent from
    int tag = Link::tag;               ///< of the messages of the first half
    int tag_back = Link::tag;          ///< of those of the second half
    int acknowledgement = 0;           ///< bytes of the message back
    int tag_step = 1;                  ///< its tag is `tag` and so much more
    bool always_acknowledged = false;  ///< both ways too, by the second half
    MPI_Datatype type = MPI_BYTE;
    /// Both ways: sends and receives are waited for one after the other, by the second half in the other order.
    bool waits_apart = false;
    bool persistent = false;  ///< set up once, started in each iteration; the buffers are those of the first one
};

/// The body: a window of MPI_Isend and MPI_Irecv, MPI_Waitall, then a message back from who has received it all. False
/// where MPI reports an error. Move-only. It must not outlive the communicator.
template <class Memory = Buffers>
class BasicStream {
public:
    /// \param count  elements of a message  \param memory  has sends and receives of window * stride, or of one message
    /// where that is 0, and at least the bytes of an acknowledgement
    /// \throws measure::UsageError where the count does not fit MPI's int; measure::MpiError
    BasicStream(measure::Comm const& comm, StreamShape const& shape, std::int64_t count, Memory memory)
        : BasicStream{comm.native(),
                      comm.rank() < comm.size() / 2,
                      stream_role(comm.rank(), comm.size(), shape.both_ways),
                      shape,
                      count,
                      std::move(memory)} {}
    /// Of other pairs. \param first  the one of a pair that sends, or would
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
    /// Where a message of a window arrives.
    [[nodiscard]] std::byte* place(measure::Iteration it, int message) const noexcept {
        return static_cast<std::byte*>(memory_.receive(it)) + message * shape_.receive_stride;
    }
    /// Where it is sent from.
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

    /// Both ways the other's messages say already that it has come so far.
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
