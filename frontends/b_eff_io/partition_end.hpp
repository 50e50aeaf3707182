// SPDX-License-Identifier: BSD-3-Clause
/// PartitionEnd: how processes wait that have no part in what is measured.
#pragma once

#include "program/runtime/session.hpp"

#include <measure/comm.hpp>

#include <mpi.h>

#include <chrono>
#include <exception>
#include <thread>

namespace b_eff_io {

/// Holds processes that wait for a partition until its processes are done, which is when theirs is destroyed. A
/// nonblocking barrier, so that processes that leave by an exception need not wait. Those that wait put off the end
/// that a signal brings to a process which does not answer: they answer as soon as the others are done.
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
