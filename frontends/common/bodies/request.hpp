// SPDX-License-Identifier: BSD-3-Clause
/// PersistentRequest: an operation of MPI that was set up, to be started again and again.
#pragma once

#include <mpi.h>

#include <utility>

namespace bodies {

/// An inactive persistent request. Move-only; freed at its end, before its communicator.
class PersistentRequest {
public:
    explicit PersistentRequest(MPI_Request raw = MPI_REQUEST_NULL) noexcept : raw_{raw} {}
    PersistentRequest(PersistentRequest&& other) noexcept : raw_{std::exchange(other.raw_, MPI_REQUEST_NULL)} {}
    PersistentRequest& operator=(PersistentRequest&& other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    PersistentRequest(PersistentRequest const&) = delete;
    PersistentRequest& operator=(PersistentRequest const&) = delete;
    ~PersistentRequest() {
        if (raw_ != MPI_REQUEST_NULL)
            MPI_Request_free(&raw_);
    }
    /// One execution. \return MPI's code
    int run() noexcept {
        int const code = MPI_Start(&raw_);
        return code == MPI_SUCCESS ? MPI_Wait(&raw_, MPI_STATUS_IGNORE) : code;
    }

private:
    MPI_Request raw_;
};

}  // namespace bodies
