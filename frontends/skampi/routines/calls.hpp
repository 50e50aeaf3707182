// SPDX-License-Identifier: BSD-3-Clause
/// Calls: what one execution of a routine consists of. One function per routine and role; everything around it (who
/// reads the clock, who waits for whom, how often) belongs to the routine's pattern.
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

/// What calls work on: fixed for a point, made outside all timing.
struct Frame {
    bodies::Arguments arguments{};  ///< communicator, rank, size, count, type, counts, operation
    int root = 0;
    int peer = 0;                ///< the other one of a pair
    measure::Bytes block = 0;    ///< bytes of one message
    measure::Bytes element = 1;  ///< bytes of one element
    std::byte* send = nullptr;
    std::byte* receive = nullptr;
    std::vector<MPI_Request> requests{};
    std::vector<int> indices{};        ///< of requests that are done
    std::vector<int> neighbours{};     ///< of a kernel's grid: two for each dimension
    int rows = 1;                      ///< of a kernel's matrix on this process
    std::array<double, 2> scalars{};   ///< what is joined, and the result
    std::vector<std::byte> scratch{};  ///< of routines that need memory between two calls
    std::vector<MPI_Comm> made{};      ///< communicators made by a sample, freed before the next
    bodies::Window const* window = nullptr;
    bodies::Access access{};
    MPI_Group group = MPI_GROUP_NULL;  ///< of the other one of a pair
    measure::seconds late{0};          ///< for tests: this process waits so long before its part of an exchange
    int (*late_call)(Frame&) = nullptr;
};

/// One execution. \return MPI's code
using Call = int (*)(Frame&);

/// Local operations, known to the compiler where they are timed.
enum class Local { wtime, comm_rank, comm_size, iprobe, buffer_attach };

/// Rank 0 and its partner; each has its part of one exchange.
struct Exchange {
    Call server;
    Call client;
    bool buffered = false;         ///< needs an attached buffer
    bool in_place = false;         ///< what arrives replaces what was sent
    std::string_view operation{};  ///< as others call it; empty where they have no such exchange
};

/// How a master gets its results and hands out its work.
struct Dispatch {
    enum class Receive { waitsome, waitany, any_source, in_turn };
    enum class Send { standard, synchronous, immediate, buffered };
    Receive receive;
    Send send;
};

/// What is in the buffers when a call is over: tells what the message check expects, and of whom.
using bodies::Content;

/// The same call on all processes taking part.
struct Together {
    Call call;
    bodies::Shape shape{};
    Content content = Content::none;
    bool is_barrier = false;                         ///< synchronises by itself: no barrier behind it
    bool makes = false;                              ///< makes a communicator
    bodies::Extent scratch = bodies::Extent::none;   ///< memory between two calls
    int dimensions = 0;                              ///< of the grid of processes; 0: there is none
    bodies::Collective const* collective = nullptr;  ///< whose result it has; null: that of none
    std::string_view by{};  ///< the calls in place of MPI's own: "Send, Recv"; empty: it is MPI's own
};

/// Rank 0 accesses memory of its partner.
struct OneSided {
    enum class Access { put, get, accumulate };
    Call origin;
    Call target;  ///< null: the target does nothing
    Access access;
    bool fences = false;  ///< an epoch ends and begins with a fence: one is needed before the first
};

using Calls = std::variant<Local, Exchange, Dispatch, Together, OneSided>;

}  // namespace skampi
