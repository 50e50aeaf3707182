// SPDX-License-Identifier: BSD-3-Clause
/// Startup: measurements that begin before all other code.
#pragma once

#include "osu/options.hpp"
#include "program/runtime/session.hpp"

#include <measure/units.hpp>

#include <mpi.h>
#include <sys/types.h>

#include <vector>

namespace osu {

/// Initialises MPI for osu_init. Neither copied nor moved.
class Initialised {
public:
    /// Calls MPI_Init. With --session on the command line, first creates a session and a communicator of all its
    /// processes and measures their time instead, if the library supports sessions.
    Initialised(int& argc, char**& argv);
    Initialised(Initialised const&) = delete;
    Initialised& operator=(Initialised const&) = delete;
    ~Initialised();  ///< finalises everything that was initialised
    [[nodiscard]] measure::seconds time() const noexcept { return time_; }

private:
    measure::seconds time_{0};
#if MPI_VERSION >= 4
    MPI_Session session_ = MPI_SESSION_NULL;
    MPI_Comm all_ = MPI_COMM_NULL;
#endif
};

/// Child processes forked after MPI_Init, to test whether the library tolerates them. They sleep for two seconds and
/// exit without calling MPI. Neither copied nor moved.
class Children {
public:
    explicit Children(int count);
    Children(Children const&) = delete;
    Children& operator=(Children const&) = delete;
    ~Children();  ///< waits for the children

private:
    std::vector<pid_t> children_;
};

/// The whole of osu_hello and osu_init. Collective. \param init  time of MPI_Init on this rank
void report_startup(Row const& row, Options const& options, measure::seconds init, program::Session& session);

}  // namespace osu
