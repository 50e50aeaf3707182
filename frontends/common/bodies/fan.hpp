// SPDX-License-Identifier: BSD-3-Clause
/// Fans: a process exchanges a window of messages with each of several other processes.
#pragma once

#include "bodies/buffers.hpp"
#include "bodies/point_to_point.hpp"

#include <measure/comm.hpp>
#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bodies {

/// The role of a process in a fan.
struct FanRole {
    std::vector<int> peers{};  ///< ranks of its partners, ordered by host name
    bool is_hub = false;       ///< whether it is the centre of the fan, with several peers
};

/// The roles of all ranks. Rank i of the first host by name is a hub; its peers are rank i of each other host. Empty
/// with a single host, or if the hosts have different numbers of ranks. Pure. \param hosts  [ranks]
[[nodiscard]] std::vector<FanRole> fan_roles(std::vector<std::string> const& hosts);

/// Options for the messages of a fan.
struct FanShape {
    bool hubs_send = false;
    int window = 64;            ///< messages in flight to each peer, >= 1
    measure::Bytes stride = 0;  ///< distance of messages in the buffer, in bytes; 0: all use the same place
    int tag = Link::tag;        ///< tag of messages; acknowledgements use the next tag
    MPI_Datatype type = MPI_BYTE;
};

/// The body: MPI_Isend or MPI_Irecv of all messages, MPI_Waitall, then a byte back to each sender. Returns false if MPI
/// reports an error. Move-only. It must not outlive the communicator.
class Fan {
public:
    /// \param count   elements of a message
    /// \param memory  buffers of window * peers * stride bytes, and at least one message and one byte
    /// \throws measure::UsageError if the count does not fit MPI's int
    Fan(measure::Comm const& comm, FanRole role, FanShape const& shape, std::int64_t count, Buffers memory)
        : comm_{comm.native()}, role_{std::move(role)}, shape_{shape}, count_{measure::to_int(count,
                                                                                              "elements of a message")},
          sends_{role_.is_hub == shape.hubs_send}, memory_{std::move(memory)},
          requests_(role_.peers.size() * static_cast<std::size_t>(shape.window)) {}

    bool operator()(measure::Iteration it) const noexcept {
        auto* const bytes = static_cast<std::byte*>(sends_ ? memory_.send(it) : memory_.receive(it));
        std::int64_t place = 0;
        int code = MPI_SUCCESS;
        auto* request = requests_.data();
        for (int const peer : role_.peers)
            for (int i = 0; i < shape_.window; ++i, place += shape_.stride, ++request)
                code = worse(code,
                             sends_ ? MPI_Isend(bytes + place, count_, shape_.type, peer, shape_.tag, comm_, request)
                                    : MPI_Irecv(bytes + place, count_, shape_.type, peer, shape_.tag, comm_, request));
        code = worse(code, MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
        for (int const peer : role_.peers)
            code = worse(code, sends_ ? MPI_Recv(memory_.receive(it), 1, MPI_BYTE, peer, shape_.tag + 1, comm_,
                                                 MPI_STATUS_IGNORE)
                                      : MPI_Send(memory_.send(it), 1, MPI_BYTE, peer, shape_.tag + 1, comm_));
        return code == MPI_SUCCESS;
    }

private:
    MPI_Comm comm_;
    FanRole role_;
    FanShape shape_;
    int count_;
    bool sends_;
    Buffers memory_;
    mutable std::vector<MPI_Request> requests_;
};

}  // namespace bodies
