// SPDX-License-Identifier: BSD-3-Clause
/// One-sided operations onto targets that make no call: who accesses whom, and the body of an origin.
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

/// Which processes are origins, and of whom.
enum class Ways {
    one,           ///< the first of the last
    both,          ///< the first and the last of each other
    one_to_all,    ///< the first of all others
    all_to_all,    ///< each of all others
    to_neighbours  ///< each of both neighbours on a ring, with a block for each
};

/// One operation of an execution. Blocks are counted in messages.
struct Transfer {
    int target = 0;
    int source = 0;   ///< block that is read
    int landing = 0;  ///< block that is written
    friend bool operator==(Transfer const&, Transfer const&) = default;
};

/// What a process does in an execution, in its order: from its right neighbour on. Pure.
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

/// Within one lock of all processes.
inline constexpr RmaSynchronisation flush_all{
    .name = "flush_all",
    .text = "and MPI_Win_flush_all within one lock of all runs; the targets are passive",
    .end = [](RmaPeers const& p) { return MPI_Win_flush_all(p.window); },
    .open = [](RmaPeers const& p) { return MPI_Win_lock_all(0, p.window); },
    .close = [](RmaPeers const& p) { return MPI_Win_unlock_all(p.window); }};
inline constexpr RmaSynchronisation flush_local_all{
    .name = "flush_local_all",
    .text = "and MPI_Win_flush_local_all within one lock of all runs; the targets are passive",
    .end = [](RmaPeers const& p) { return MPI_Win_flush_local_all(p.window); },
    .open = flush_all.open,
    .close = flush_all.close};

/// The body of a process: its operations. It completes none of them; a process that is no origin does nothing. False
/// where MPI reports an error. It must not outlive the memory.
class PassiveAccess {
public:
    /// \param a        of one operation; the target is that of each transfer
    /// \param bytes   of a block
    /// \param memory  where the origin sends from, and where results go; iterations that use other parts of it use the
    /// same parts of the window, which begins where their first one does
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

    /// Locks the targets, completes what was begun, and unlocks them. False where MPI reports an error.
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
