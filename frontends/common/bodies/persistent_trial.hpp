// SPDX-License-Identifier: BSD-3-Clause
/// PersistentTrials: tries persistent collectives before they are measured, because some MPI libraries deliver wrong
/// data in the second start or never complete it.
#pragma once

#include "bodies/arguments.hpp"
#include "bodies/buffers.hpp"
#include "bodies/collectives.hpp"
#include "bodies/verification.hpp"

#include <measure/callback.hpp>
#include <measure/comm.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace bodies {

/// The call that a trial executes, on a separate communicator.
struct PersistentCall {
    Collective const& of;
    Arguments arguments;
    CollectiveData data;
    Buffers buffers;
    std::shared_ptr<void const> keeps{};  ///< owner of objects to which the arguments refer
};

/// Finds the points of a program's persistent collectives that the MPI library cannot execute twice.
class PersistentTrials {
public:
    /// Creates the call on the communicator of the trial. Collective.
    using Make = measure::Callback<PersistentCall(measure::Comm const&)>;

    /// The reason why a point cannot be measured, as a sentence; "" if it can. Each point is tried once. After an
    /// execution that did not complete, the operation is not tried again with that number of processes. Collective over
    /// the team. \param name  name of the operation, for the sentence  \param point  text that identifies the point
    std::string const& obstacle(measure::Comm const& team, std::string_view name, std::string const& point,
                                Make const& make);

private:
    std::map<std::string, std::string> tried_{};  ///< result by operation and point
    std::map<std::string, std::string> stuck_{};  ///< incomplete executions, by operation and processes
};

}  // namespace bodies
