// SPDX-License-Identifier: BSD-3-Clause
/// Startup: what is measured before anything else runs.
#pragma once

#include "osu/options.hpp"
#include "program/runtime/session.hpp"

#include <measure/units.hpp>

#include <mpi.h>
#include <sys/types.h>

#include <vector>

namespace osu {

/// MPI of osu_init. Neither copied nor moved.
class Initialised {
public:
    /// Calls MPI_Init. With --session on the command line a session and a communicator of all its processes come first
    /// and are what is timed, where the library has them.
    Initialised(int& argc, char**& argv);
    Initialised(Initialised const&) = delete;
    Initialised& operator=(Initialised const&) = delete;
    ~Initialised();  ///< finalises what there is
    [[nodiscard]] measure::seconds time() const noexcept { return time_; }

private:
    measure::seconds time_{0};
#if MPI_VERSION >= 4
    MPI_Session session_ = MPI_SESSION_NULL;
    MPI_Comm all_ = MPI_COMM_NULL;
#endif
};

/// Processes that are forked after MPI_Init: whether the library bears it. They sleep for two seconds and leave without
/// a call of MPI. Neither copied nor moved.
class Children {
public:
    explicit Children(int count);
    Children(Children const&) = delete;
    Children& operator=(Children const&) = delete;
    ~Children();  ///< waits for them

private:
    std::vector<pid_t> children_;
};

/// The whole of osu_hello and osu_init. Collective. \param init  this rank's
void report_startup(Row const& row, Options const& options, measure::seconds init, program::Session& session);

}  // namespace osu
