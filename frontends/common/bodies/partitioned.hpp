// SPDX-License-Identifier: BSD-3-Clause
/// Partitioned messages (MPI 4.0): a message whose parts become ready one after another.
#pragma once

#include "bodies/buffers.hpp"
#include "bodies/point_to_point.hpp"

#include <measure/comm.hpp>
#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <utility>

namespace bodies {

#ifdef BODIES_HAVE_PARTITIONED
inline constexpr bool have_partitioned = true;
#else
inline constexpr bool have_partitioned = false;
#endif

/// The body: rank 0 starts a partitioned send, marks each part as ready, and waits; rank 1 starts the receive and
/// waits. The requests are created before a run, and again only if cold buffers change the address. Returns false if
/// MPI reports an error. Neither copied nor moved.
class Partitioned {
public:
    /// Local. \param parts  >= 1  \param bytes  bytes of each part
    Partitioned(measure::Comm const& pair, int parts, measure::Bytes bytes, Buffers memory)
        : comm_{pair.native()}, first_{pair.rank() == 0}, parts_{parts}, count_{bytes}, memory_{std::move(memory)} {}
    Partitioned(Partitioned const&) = delete;
    Partitioned& operator=(Partitioned const&) = delete;
    ~Partitioned() { release(); }

    void prepare([[maybe_unused]] measure::Iteration it) {
#ifdef BODIES_HAVE_PARTITIONED
        void* const address = first_ ? memory_.send(it) : memory_.receive(it);
        if (address == address_)
            return;
        release();
        address_ = address;
        prepared_ =
            first_ ? MPI_Psend_init(address, parts_, count_, MPI_BYTE, 1, Link::tag, comm_, MPI_INFO_NULL, &request_)
                   : MPI_Precv_init(address, parts_, count_, MPI_BYTE, 0, Link::tag, comm_, MPI_INFO_NULL, &request_);
#endif
    }

    bool operator()() const noexcept {
#ifdef BODIES_HAVE_PARTITIONED
        int code = worse(prepared_, prepared_ == MPI_SUCCESS ? MPI_Start(&request_) : MPI_SUCCESS);
        if (code != MPI_SUCCESS)
            return false;
        for (int part = 0; first_ && part < parts_; ++part)
            code = worse(code, MPI_Pready(part, request_));
        return worse(code, MPI_Wait(&request_, MPI_STATUS_IGNORE)) == MPI_SUCCESS;
#else
        return false;
#endif
    }

    [[nodiscard]] Buffers const& memory() const noexcept { return memory_; }

private:
    void release() {
        if (request_ != MPI_REQUEST_NULL)
            MPI_Request_free(&request_);
    }

    MPI_Comm comm_;
    bool first_;
    // These are not used if the MPI library lacks the functions.
    [[maybe_unused]] int parts_;
    [[maybe_unused]] MPI_Count count_;  ///< bytes of a part
    Buffers memory_;
    mutable MPI_Request request_ = MPI_REQUEST_NULL;
    [[maybe_unused]] void* address_ = nullptr;
    [[maybe_unused]] int prepared_ = MPI_SUCCESS;
};

}  // namespace bodies
