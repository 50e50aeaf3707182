// SPDX-License-Identifier: BSD-3-Clause
/// PersistentTrials: persistent collectives are tried before they are measured, because some MPI libraries deliver
/// wrong data in the second start, or never end it.
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
    std::shared_ptr<void const> keeps{};  ///< what the arguments refer to
};

/// Which points of a program's persistent collectives the MPI library cannot execute twice.
class PersistentTrials {
public:
    /// Makes the call on the communicator of the trial. Collective.
    using Make = measure::Callback<PersistentCall(measure::Comm const&)>;

    /// Why a point cannot be measured, as a sentence; "" where it can. Each point is tried once; where an execution has
    /// not ended, none of that operation is tried again on that number of processes. Collective over the team.
    /// \param name  of the operation, for the sentence  \param point  which one, as a text
    std::string const& obstacle(measure::Comm const& team, std::string_view name, std::string const& point,
                                Make const& make);

private:
    std::map<std::string, std::string> tried_{};  ///< by the operation and the point
    std::map<std::string, std::string> stuck_{};  ///< by the operation and the number of processes
};

}  // namespace bodies
