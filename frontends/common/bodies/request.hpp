// SPDX-License-Identifier: BSD-3-Clause
/// PersistentRequest: an MPI operation that is set up once and started repeatedly.
#pragma once

#include <mpi.h>

#include <utility>

namespace bodies {

/// An inactive persistent request. Move-only. The destructor frees it; the communicator must outlive it.
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
    /// Starts the operation and waits for it. \return MPI's code
    int run() noexcept {
        int const code = MPI_Start(&raw_);
        return code == MPI_SUCCESS ? MPI_Wait(&raw_, MPI_STATUS_IGNORE) : code;
    }

private:
    MPI_Request raw_;
};

}  // namespace bodies
