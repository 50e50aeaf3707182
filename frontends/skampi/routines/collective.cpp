// SPDX-License-Identifier: BSD-3-Clause
/// The collective pattern: the collectives of MPI, and replacements made of other calls.
#include "bodies/collectives.hpp"
#include "skampi/routines/tables.hpp"

#include <array>
#include <cstddef>
#include <cstring>

namespace skampi {
namespace {

using bodies::Element;
using bodies::Extent;
using bodies::row;

constexpr int tag = 1;

/// One MPI call. \tparam index  row in the table of collectives
template <std::size_t index>
int plain(Frame& f) {
    constexpr auto functions = bodies::functions_of<index>;
    return decltype(functions)::Call::call(functions.blocking, f.arguments, f.send, f.receive, f.root);
}

int reduce_bcast(Frame& f) {
    auto const& a = f.arguments;
    int const reduced = MPI_Reduce(f.send, f.receive, a.count, a.type, a.op, f.root, a.comm);
    return worse(reduced, MPI_Bcast(f.receive, a.count, a.type, f.root, a.comm));
}

/// The root reduces into its scratch memory and scatters the blocks from there.
int reduce_scatterv(Frame& f) {
    auto const& a = f.arguments;
    int const reduced = MPI_Reduce(f.send, f.scratch.data(), a.count, a.type, a.op, f.root, a.comm);
    return worse(reduced, MPI_Scatterv(f.scratch.data(), a.counts.data(), a.displacements.data(), a.type, f.receive,
                                       a.counts[static_cast<std::size_t>(a.rank)], a.type, f.root, a.comm));
}

std::byte* block(Frame const& f, std::byte* buffer, int i) noexcept { return buffer + i * f.block; }

int alltoall_isend_irecv(Frame& f) {
    auto const& a = f.arguments;
    int code = MPI_SUCCESS;
    std::size_t next = 0;
    for (int i = 0; i < a.size; ++i)
        code = worse(code, MPI_Irecv(block(f, f.receive, i), a.count, a.type, i, tag, a.comm, &f.requests[next++]));
    for (int i = 0; i < a.size; ++i)
        code = worse(code, MPI_Isend(block(f, f.send, i), a.count, a.type, i, tag, a.comm, &f.requests[next++]));
    return worse(code, MPI_Waitall(static_cast<int>(next), f.requests.data(), MPI_STATUSES_IGNORE));
}

void copy_own_block(Frame& f) { std::memcpy(block(f, f.receive, f.root), f.send, static_cast<std::size_t>(f.block)); }

int gather_send_receive(Frame& f) {
    auto const& a = f.arguments;
    if (a.rank != f.root)
        return MPI_Send(f.send, a.count, a.type, f.root, tag, a.comm);
    int code = MPI_SUCCESS;
    for (int i = 0; i < a.size; ++i)
        if (i != f.root)
            code = worse(code, MPI_Recv(block(f, f.receive, i), a.count, a.type, i, tag, a.comm, MPI_STATUS_IGNORE));
    copy_own_block(f);
    return code;
}

int gather_isend_waitall(Frame& f) {
    auto const& a = f.arguments;
    int code = MPI_SUCCESS;
    std::size_t next = 0;
    if (a.rank != f.root) {
        code = MPI_Isend(f.send, a.count, a.type, f.root, tag, a.comm, &f.requests[next++]);
    } else {
        for (int i = 0; i < a.size; ++i)
            if (i != f.root)
                code = worse(code,
                             MPI_Irecv(block(f, f.receive, i), a.count, a.type, i, tag, a.comm, &f.requests[next++]));
        copy_own_block(f);
    }
    return worse(code, MPI_Waitall(static_cast<int>(next), f.requests.data(), MPI_STATUSES_IGNORE));
}

/// Sends down a binary tree: rank r, counted from the root, has the children 2 r + 1 and 2 r + 2.
int bcast_send_receive(Frame& f) {
    auto const& a = f.arguments;
    int const from_root = (a.rank - f.root + a.size) % a.size;
    auto const real = [&](int r) { return (r + f.root) % a.size; };
    int code = MPI_SUCCESS;
    if (from_root > 0)
        code = MPI_Recv(f.send, a.count, a.type, real((from_root - 1) / 2), tag, a.comm, MPI_STATUS_IGNORE);
    for (int child = 2 * from_root + 1; child <= 2 * from_root + 2 && child < a.size; ++child)
        code = worse(code, MPI_Send(f.send, a.count, a.type, real(child), tag, a.comm));
    return code;
}

int split_by_parity(Frame& f) {
    auto const& a = f.arguments;
    return MPI_Comm_split(a.comm, a.rank % 2, a.rank, &f.made.emplace_back(MPI_COMM_NULL));
}

int duplicate(Frame& f) { return MPI_Comm_dup(f.arguments.comm, &f.made.emplace_back(MPI_COMM_NULL)); }

constexpr bodies::Shape no_data{.ignores_count = true};

constexpr Routine line(std::string_view id, std::string_view origin, std::string_view defaults, std::string_view text,
                       Together calls, bool rooted = false) {
    return {.id = id,
            .pattern = Pattern::collective,
            .variations = "LN",
            .origin = origin,
            .defaults = defaults,
            .text = text,
            .element = calls.shape.element == Element::real ? "MPI_INT" : "MPI_BYTE",
            .reduces = calls.shape.element == Element::real,
            .rooted = rooted,
            .calls = calls};
}

/// Operations without messages, which also make sense for one process.
constexpr Routine without_length(Routine routine) {
    routine.variations = "N";
    routine.least_nodes = 1;
    return routine;
}

template <std::size_t index>
constexpr Together mpi() {
    auto const& of = bodies::collectives[index];
    return {.call = &plain<index>,
            .shape = of.shape,
            .content = of.content,
            .is_barrier = of.content == Content::none,
            .collective = &of};
}

/// Gives the same result by other calls. \param scratch  memory between two of these calls
template <std::size_t index>
constexpr Together by_hand(Call call, std::string_view by, Extent scratch = Extent::none) {
    auto calls = mpi<index>();
    calls.call = call;
    calls.scratch = scratch;
    calls.by = by;
    return calls;
}

constexpr std::string_view lengths_and_nodes = "-length -nodes";
constexpr std::string_view short_and_long = "-length -nodes-short -nodes-long";

constexpr std::array collectives{
    line("MPI_Bcast", "paper", short_and_long, "m bytes from the root to all", mpi<row("Bcast")>(), true),
    without_length(
        line("MPI_Barrier", "paper", "-nodes", "no process leaves before all have entered", mpi<row("Barrier")>())),
    line("MPI_Reduce", "paper", lengths_and_nodes, "m bytes of each process, reduced on the root", mpi<row("Reduce")>(),
         true),
    line("MPI_Allreduce", "later", lengths_and_nodes, "m bytes of each process, reduced on all",
         mpi<row("Allreduce")>()),
    line("MPI_Reduce_Bcast", "later", lengths_and_nodes, "MPI_Reduce and MPI_Bcast in place of an Allreduce",
         by_hand<row("Allreduce")>(&reduce_bcast, "Reduce, Bcast"), true),
    line("MPI_Reduce_scatter", "later", lengths_and_nodes,
         "m bytes of each process, reduced and scattered in nearly equal shares", mpi<row("Reduce_scatter")>()),
    line("MPI_Reduce_Scatterv", "later", lengths_and_nodes, "MPI_Reduce and MPI_Scatterv in place of a Reduce_scatter",
         by_hand<row("Reduce_scatter")>(&reduce_scatterv, "Reduce, Scatterv", Extent::one), true),
    line("MPI_Scan", "paper", lengths_and_nodes, "m bytes of each process, reduced over ranks up to the own one",
         mpi<row("Scan")>()),
    line("MPI_Alltoall", "paper", short_and_long, "m bytes for each pair", mpi<row("Alltoall")>()),
    line("MPI_Alltoallv", "later", short_and_long, "m bytes for each pair, packed", mpi<row("Alltoallv")>()),
    line("MPI_Alltoall_Isend_Irecv", "later", "", "m bytes for each pair by MPI_Irecv, MPI_Isend and MPI_Waitall",
         by_hand<row("Alltoall")>(&alltoall_isend_irecv, "Isend, Irecv")),
    line("MPI_Gather", "later", short_and_long, "m bytes from each process to the root", mpi<row("Gather")>(), true),
    line("Gather_SR", "later", short_and_long, "a gather by MPI_Send and MPI_Recv in rank order",
         by_hand<row("Gather")>(&gather_send_receive, "Send, Recv"), true),
    line("Gather_ISWA", "later", short_and_long, "a gather by MPI_Isend, MPI_Irecv and MPI_Waitall",
         by_hand<row("Gather")>(&gather_isend_waitall, "Isend, Irecv"), true),
    line("MPI_Gatherv", "later", short_and_long, "m bytes from each process to the root, packed", mpi<row("Gatherv")>(),
         true),
    line("MPI_Allgather", "later", short_and_long, "m bytes from each process to all", mpi<row("Allgather")>()),
    line("MPI_Allgatherv", "later", short_and_long, "m bytes from each process to all, packed",
         mpi<row("Allgatherv")>()),
    line("MPI_Scatter", "later", short_and_long, "m bytes from the root to each process", mpi<row("Scatter")>(), true),
    line("MPI_Scatterv", "later", short_and_long, "m bytes from the root to each process, packed",
         mpi<row("Scatterv")>(), true),
    without_length(line("MPI_Commsplit", "paper", "-nodes",
                        "split into two communicators, of the even and the odd ranks",
                        {.call = &split_by_parity, .shape = no_data, .makes = true})),
    without_length(line("MPI_Comm_dup", "later", "", "duplicate of the communicator",
                        {.call = &duplicate, .shape = no_data, .makes = true})),
    line("Bcast_SR", "later", "", "m bytes from the root down a binary tree, by MPI_Send and MPI_Recv",
         by_hand<row("Bcast")>(&bcast_send_receive, "Send, Recv"), true),
};

}  // namespace

std::span<Routine const> collective_routines() noexcept { return collectives; }

}  // namespace skampi
