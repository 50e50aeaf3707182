// SPDX-License-Identifier: BSD-3-Clause
/// PartitionEnd: the waiting of processes that do not take part in a measurement.
#pragma once

#include "program/runtime/session.hpp"

#include <measure/comm.hpp>

#include <mpi.h>

#include <chrono>
#include <exception>
#include <thread>

namespace b_eff_io {

/// Lets processes wait until the processes of a partition are done, that is, until these destroy their object. The
/// barrier is nonblocking, so that processes that leave by an exception need not wait. After a signal, processes that
/// do not react are normally ended; waiting ones delay this, because they react as soon as the others are done.
class PartitionEnd {
public:
    PartitionEnd(measure::Comm const& comm, program::Session& session, bool spins)
        : comm_{comm}, session_{session}, spins_{spins} {}
    PartitionEnd(PartitionEnd const&) = delete;
    PartitionEnd& operator=(PartitionEnd const&) = delete;
    ~PartitionEnd() {
        if (comm_.size() == 1)
            return;
        constexpr std::chrono::milliseconds nap{10};
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(comm_.native(), &request);
        bool const leaving = std::uncaught_exceptions() > 0;
        auto const done = [&request] {
            int flag = 0;
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            return flag != 0;
        };
        while (!leaving && !done()) {
            session_.alive();
            if (!spins_)
                std::this_thread::sleep_for(nap);
        }
    }

private:
    measure::Comm const& comm_;
    program::Session& session_;
    bool spins_;
};

}  // namespace b_eff_io
