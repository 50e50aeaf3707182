// SPDX-License-Identifier: BSD-3-Clause
/// MpiTransport: the transport over MPI.
#pragma once

#include "mpbench/transport.hpp"

#include <measure/comm.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mpbench {

/// Uses a communicator, which must outlive it. Messages have at most INT_MAX bytes.
class MpiTransport {
public:
    explicit MpiTransport(measure::Comm const& comm) : comm_{&comm}, raw_{comm.native()} {}

    [[nodiscard]] int rank() const noexcept { return comm_->rank(); }
    [[nodiscard]] int size() const noexcept { return comm_->size(); }

    bool send(void const* from, measure::Bytes bytes, int task, int tag) const noexcept {
        return MPI_Send(from, static_cast<int>(bytes), MPI_BYTE, task, tag, raw_) == MPI_SUCCESS;
    }
    bool receive(void* to, measure::Bytes bytes, int task, int tag) const noexcept {
        return MPI_Recv(to, static_cast<int>(bytes), MPI_BYTE, task == any_task ? MPI_ANY_SOURCE : task, tag, raw_,
                        MPI_STATUS_IGNORE) == MPI_SUCCESS;
    }
    bool exchange(void const* from, void* to, measure::Bytes bytes, int task) const noexcept {
        std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        auto const count = static_cast<int>(bytes);
        return MPI_Irecv(to, count, MPI_BYTE, task, tag::data, raw_, &requests[0]) == MPI_SUCCESS &&
               MPI_Isend(from, count, MPI_BYTE, task, tag::data, raw_, &requests[1]) == MPI_SUCCESS &&
               MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS;
    }
    bool barrier() const noexcept { return MPI_Barrier(raw_) == MPI_SUCCESS; }
    bool broadcast(void* data, measure::Bytes bytes) const noexcept {
        return MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, 0, raw_) == MPI_SUCCESS;
    }
    bool reduce(void const* from, void* to, measure::Bytes bytes) const noexcept {
        return MPI_Reduce(from, to, static_cast<int>(bytes / 4), MPI_INT32_T, MPI_SUM, 0, raw_) == MPI_SUCCESS;
    }
    bool allreduce(void const* from, void* to, measure::Bytes bytes) const noexcept {
        return MPI_Allreduce(from, to, static_cast<int>(bytes / 4), MPI_INT32_T, MPI_SUM, raw_) == MPI_SUCCESS;
    }
    bool alltoall(void const* from, void* to, measure::Bytes each) const noexcept {
        auto const count = static_cast<int>(each);
        return MPI_Alltoall(from, count, MPI_BYTE, to, count, MPI_BYTE, raw_) == MPI_SUCCESS;
    }

    void expect(std::int64_t n) { requests_.reserve(static_cast<std::size_t>(n)); }
    bool post(void* to, measure::Bytes bytes, int task, int tag, std::int64_t n) {
        bool ok = true;
        for (std::int64_t i = 0; i < n; ++i)
            ok &= MPI_Irecv(to, static_cast<int>(bytes), MPI_BYTE, task, tag, raw_, begun()) == MPI_SUCCESS;
        return ok;
    }
    bool begin_send(void const* from, measure::Bytes bytes, int task, int tag) {
        return MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, task, tag, raw_, begun()) == MPI_SUCCESS;
    }
    bool begin_ready_send(void const* from, measure::Bytes bytes, int task, int tag) {
        return MPI_Irsend(from, static_cast<int>(bytes), MPI_BYTE, task, tag, raw_, begun()) == MPI_SUCCESS;
    }
    bool wait_all() noexcept {
        bool const ok =
            MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS;
        requests_.clear();
        return ok;
    }

private:
    MPI_Request* begun() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

    measure::Comm const* comm_;
    MPI_Comm raw_;
    std::vector<MPI_Request> requests_{};
};

}  // namespace mpbench
