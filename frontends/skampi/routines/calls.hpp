// SPDX-License-Identifier: BSD-3-Clause
/// Calls: the operations that one execution of a routine performs. There is one function per routine and role. The
/// pattern of the routine does everything else: it reads the clock, waits for processes and repeats the call.
#pragma once

#include "bodies/arguments.hpp"
#include "bodies/collectives.hpp"
#include "bodies/content.hpp"
#include "bodies/one_sided.hpp"

#include <measure/units.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <variant>
#include <vector>

namespace skampi {

/// The data of the calls, fixed for a point and created outside of all timing.
struct Frame {
    bodies::Arguments arguments{};  ///< communicator, rank, size, count, type, counts, operation
    int root = 0;
    int peer = 0;                ///< rank of the partner in a pair
    measure::Bytes block = 0;    ///< message length in bytes
    measure::Bytes element = 1;  ///< size of an element in bytes
    std::byte* send = nullptr;
    std::byte* receive = nullptr;
    std::vector<MPI_Request> requests{};
    std::vector<int> indices{};        ///< indices of completed requests
    std::vector<int> neighbours{};     ///< neighbours in a kernel's grid: two for each dimension
    int rows = 1;                      ///< rows of a kernel's matrix on this process
    std::array<double, 2> scalars{};   ///< operand and result of a reduction
    std::vector<std::byte> scratch{};  ///< memory between two calls, for routines that need it
    std::vector<MPI_Comm> made{};      ///< communicators made by a sample, freed before the next
    bodies::Window const* window = nullptr;
    bodies::Access access{};
    MPI_Group group = MPI_GROUP_NULL;  ///< group of the partner in a pair
    measure::seconds late{0};          ///< for tests: delay of this process before its part of an exchange
    int (*late_call)(Frame&) = nullptr;
};

/// One execution. \returns the error code of MPI
using Call = int (*)(Frame&);

/// Local operations, timed by direct calls instead of function pointers.
enum class Local { wtime, comm_rank, comm_size, iprobe, buffer_attach };

/// An exchange between rank 0 (server) and its partner (client).
struct Exchange {
    Call server;
    Call client;
    bool buffered = false;         ///< whether it needs an attached buffer
    bool in_place = false;         ///< whether received data replaces sent data
    std::string_view operation{};  ///< name of the operation in other suites; empty if they have no such exchange
};

/// The methods with which a master receives results and sends work.
struct Dispatch {
    enum class Receive { waitsome, waitany, any_source, in_turn };
    enum class Send { standard, synchronous, immediate, buffered };
    Receive receive;
    Send send;
};

/// The content of the buffers after a call, from which the message check derives the expected data.
using bodies::Content;

/// A call that all participating processes make together.
struct Together {
    Call call;
    bodies::Shape shape{};
    Content content = Content::none;
    bool is_barrier = false;  ///< synchronises the processes, so that no further barrier is needed
    bool makes = false;       ///< whether it makes a communicator
    bodies::Extent scratch = bodies::Extent::none;   ///< size of the memory between two calls
    int dimensions = 0;                              ///< dimensions of the grid of processes; 0: no grid
    bodies::Collective const* collective = nullptr;  ///< collective with the same result, or null
    std::string_view by{};  ///< calls that replace the MPI collective: "Send, Recv"; empty for the MPI call
};

/// Rank 0 accesses memory of its partner.
struct OneSided {
    enum class Access { put, get, accumulate };
    Call origin;
    Call target;  ///< null if the target does nothing
    Access access;
    bool fences = false;  ///< whether fences separate the access epochs, so that the first epoch needs one before it
};

using Calls = std::variant<Local, Exchange, Dispatch, Together, OneSided>;

}  // namespace skampi
