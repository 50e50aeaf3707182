// SPDX-License-Identifier: BSD-3-Clause
/// One-sided operations on passive targets: origins and targets, and the body of an origin.
#pragma once

#include "bodies/one_sided.hpp"
#include "bodies/point_to_point.hpp"
#include "bodies/rma.hpp"

#include <measure/units.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace bodies {

/// Which processes access which targets.
enum class Ways {
    one,           ///< the first accesses the last
    both,          ///< the first and the last access each other
    one_to_all,    ///< the first accesses all others
    all_to_all,    ///< each accesses all others
    to_neighbours  ///< each accesses both neighbours on a ring, with a block for each
};

/// An operation of an execution. Blocks have the size of a message.
struct Transfer {
    int target = 0;
    int source = 0;   ///< index of the block to read
    int landing = 0;  ///< index of the block to write
    friend bool operator==(Transfer const&, Transfer const&) = default;
};

/// The operations of a process in an execution. The targets start with its right neighbour, except for `to_neighbours`,
/// where the left one comes first. Pure.
[[nodiscard]] inline std::vector<Transfer> transfers(Ways ways, int rank, int size) {
    int const last = size - 1;
    if (ways == Ways::to_neighbours)
        return {{(rank + last) % size, 0, 0}, {(rank + 1) % size, 1, 1}};
    bool const of_pair = ways == Ways::one || ways == Ways::both;
    bool const all = ways == Ways::all_to_all || (ways == Ways::both && rank == last);
    if (rank != 0 && !all)
        return {};
    if (of_pair)
        return {{rank == 0 ? last : 0}};
    std::vector<Transfer> result;
    for (int step = 1; step < size; ++step)
        result.push_back({(rank + step) % size});
    return result;
}

/// Within a single lock of all processes.
inline constexpr RmaSynchronisation flush_all{
    .name = "flush_all",
    .text = "and MPI_Win_flush_all, with one lock for all runs; the targets are passive",
    .end = [](RmaPeers const& p) { return MPI_Win_flush_all(p.window); },
    .open = [](RmaPeers const& p) { return MPI_Win_lock_all(0, p.window); },
    .close = [](RmaPeers const& p) { return MPI_Win_unlock_all(p.window); }};
inline constexpr RmaSynchronisation flush_local_all{
    .name = "flush_local_all",
    .text = "and MPI_Win_flush_local_all, with one lock for all runs; the targets are passive",
    .end = [](RmaPeers const& p) { return MPI_Win_flush_local_all(p.window); },
    .open = flush_all.open,
    .close = flush_all.close};

/// The body of a process: it starts its operations without completing them. Processes that are not origins do nothing.
/// Returns false if MPI reports an error. It must not outlive the memory.
class PassiveAccess {
public:
    /// \param a       arguments of an operation; each transfer sets the target
    /// \param bytes   bytes of a block
    /// \param memory  memory from which the origin sends and into which results go. Iterations that use another part of
    ///                it access the same part of the window, whose start corresponds to the part of the first iteration
    PassiveAccess(RmaOperation const& operation, RmaSynchronisation const& synchronisation,
                  std::vector<Transfer> transfers, RmaArguments const& a, measure::Bytes bytes, Borrowed const& memory)
        : operation_{operation}, synchronisation_{synchronisation}, transfers_{std::move(transfers)},
          arguments_{a}, bytes_{bytes}, memory_{memory} {
        bool const together = synchronisation.open == flush_all.open;
        for (auto const& each : transfers_) {
            bool const known = std::any_of(peers_.begin(), peers_.end(),
                                           [&](RmaPeers const& p) { return together || p.target == each.target; });
            if (!known)
                peers_.push_back({.window = a.window, .target = each.target});
        }
    }

    [[nodiscard]] bool is_origin() const noexcept { return !transfers_.empty(); }

    bool operator()(measure::Iteration it) const noexcept {
        auto* const send = static_cast<std::byte*>(memory_.send(it));
        auto* const receive = static_cast<std::byte*>(memory_.receive(it));
        measure::Bytes const part = send - static_cast<std::byte*>(memory_.send({}));
        bool const gets = operation_.effect == RmaEffect::get;
        auto arguments = arguments_;
        int code = MPI_SUCCESS;
        for (auto const& each : transfers_) {
            arguments.target = each.target;
            auto const there = part + (gets ? each.source : each.landing) * bytes_;
            code = worse(code, operation_.call(arguments, send + each.source * bytes_, receive + each.landing * bytes_,
                                               static_cast<MPI_Aint>(there / arguments.element)));
        }
        return code == MPI_SUCCESS;
    }

    /// Lock the targets, complete the operations, and unlock the targets. They return false if MPI reports an error.
    /// \{
    bool open() const noexcept { return each(synchronisation_.open); }
    bool complete() const noexcept { return each(synchronisation_.end); }
    bool close() const noexcept { return each(synchronisation_.close); }
    /// \}

private:
    bool each(RmaSynchronisation::Function function) const noexcept {
        int code = MPI_SUCCESS;
        for (auto const& peers : peers_)
            code = worse(code, function(peers));
        return code == MPI_SUCCESS;
    }

    RmaOperation const& operation_;
    RmaSynchronisation const& synchronisation_;
    std::vector<Transfer> transfers_;
    std::vector<RmaPeers> peers_{};
    RmaArguments arguments_;
    measure::Bytes bytes_;
    Borrowed memory_;
};

}  // namespace bodies
