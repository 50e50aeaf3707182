// SPDX-License-Identifier: BSD-3-Clause
/// Startup: what is measured before anything else runs.
#pragma once

#include "catalogue.hpp"
#include "program/runtime/session.hpp"

#include <measure/units.hpp>

#include <sys/types.h>

#include <vector>

namespace osu {

/// Calls MPI_Init. \return how long it took
[[nodiscard]] measure::seconds initialise(int& argc, char**& argv);

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
void report_startup(Row const& row, measure::seconds init, program::Session& session);

}  // namespace osu
