// SPDX-License-Identifier: BSD-3-Clause
/// Remote memory access between two processes: a table of the operations, a table of the ways to complete them, and the
/// body that measures one of each. Rank 0 is the origin, rank 1 the target.
#pragma once

#include "bodies/buffers.hpp"
#include "bodies/point_to_point.hpp"

#include <measure/comm.hpp>
#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <array>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace bodies {

/// What an operation does with the numbers a at the target, b sent by the origin and c received by it.
enum class RmaEffect {
    put,        ///< a = b
    get,        ///< c = a
    add,        ///< a = a + b
    fetch_add,  ///< c = a, a = a + b
    swap,       ///< c = a, a = b: where a is what the origin expects
};

/// The arguments of an operation that stay the same from iteration to iteration.
struct RmaArguments {
    MPI_Win window = MPI_WIN_NULL;
    int target = 0;
    int count = 0;  ///< bytes of a put or get, numbers of others
};

/// One operation of MPI. `call` returns MPI's code; the operation is complete after the synchronisation.
struct RmaOperation {
    std::string_view name;  ///< "Put"
    std::string_view text;  ///< for people; c is the count
    RmaEffect effect;
    measure::Bytes element;    ///< bytes of one of the count
    bool one_element = false;  ///< the count is 1
    int (*call)(RmaArguments const& a, void* send, void* receive, MPI_Aint displacement);
};

/// The arguments of a synchronisation.
struct RmaPeers {
    MPI_Win window = MPI_WIN_NULL;
    MPI_Group other = MPI_GROUP_NULL;  ///< the other process
    int target = 0;
};

/// A way to complete operations. Each function returns MPI's code; null: nothing is to be done there.
struct RmaSynchronisation {
    using Function = int (*)(RmaPeers const&);
    std::string_view name;      ///< "fence"
    std::string_view text;      ///< for people, behind the operation's text
    Function begin = nullptr;   ///< origin, before the operation
    Function end = nullptr;     ///< origin, after it
    Function expose = nullptr;  ///< target, null where it is passive
    Function open = nullptr;    ///< origin, once, before all operations
    Function close = nullptr;   ///< origin, once, after all operations
};

// MPI_Fetch_and_op and MPI_Compare_and_swap take one element; it is an integer of 64 bits, as counters are.
inline constexpr std::array<RmaOperation, 6> rma_operations{{
    {.name = "Put",
     .text = "MPI_Put of c bytes",
     .effect = RmaEffect::put,
     .element = 1,
     .call = [](RmaArguments const& a, void* send, void*,
                MPI_Aint at) { return MPI_Put(send, a.count, MPI_BYTE, a.target, at, a.count, MPI_BYTE, a.window); }},
    {.name = "Get",
     .text = "MPI_Get of c bytes",
     .effect = RmaEffect::get,
     .element = 1,
     .call =
         [](RmaArguments const& a, void*, void* receive, MPI_Aint at) {
             return MPI_Get(receive, a.count, MPI_BYTE, a.target, at, a.count, MPI_BYTE, a.window);
         }},
    {.name = "Accumulate",
     .text = "MPI_Accumulate, the sum of c doubles",
     .effect = RmaEffect::add,
     .element = 8,
     .call =
         [](RmaArguments const& a, void* send, void*, MPI_Aint at) {
             return MPI_Accumulate(send, a.count, MPI_DOUBLE, a.target, at, a.count, MPI_DOUBLE, MPI_SUM, a.window);
         }},
    {.name = "Get_accumulate",
     .text = "MPI_Get_accumulate, the sum of c doubles",
     .effect = RmaEffect::fetch_add,
     .element = 8,
     .call =
         [](RmaArguments const& a, void* send, void* receive, MPI_Aint at) {
             return MPI_Get_accumulate(send, a.count, MPI_DOUBLE, receive, a.count, MPI_DOUBLE, a.target, at, a.count,
                                       MPI_DOUBLE, MPI_SUM, a.window);
         }},
    {.name = "Fetch_and_op",
     .text = "MPI_Fetch_and_op, the sum of one 64-bit integer",
     .effect = RmaEffect::fetch_add,
     .element = 8,
     .one_element = true,
     .call = [](RmaArguments const& a, void* send, void* receive,
                MPI_Aint at) { return MPI_Fetch_and_op(send, receive, MPI_INT64_T, a.target, at, MPI_SUM, a.window); }},
    {.name = "Compare_and_swap",
     .text = "MPI_Compare_and_swap of one 64-bit integer",
     .effect = RmaEffect::swap,
     .element = 8,
     .one_element = true,
     .call =
         [](RmaArguments const& a, void* send, void* receive, MPI_Aint at) {
             auto* const numbers = static_cast<std::int64_t*>(send);
             return MPI_Compare_and_swap(numbers, numbers + 1, receive, MPI_INT64_T, a.target, at, a.window);
         }},
}};

inline constexpr std::array<RmaSynchronisation, 4> rma_synchronisations{{
    {.name = "fence",
     .text = "between two MPI_Win_fence of both",
     .begin = [](RmaPeers const& p) { return MPI_Win_fence(0, p.window); },
     .end = [](RmaPeers const& p) { return MPI_Win_fence(0, p.window); },
     .expose =
         [](RmaPeers const& p) {
             int const opened = MPI_Win_fence(0, p.window);
             return worse(opened, MPI_Win_fence(0, p.window));
         }},
    {.name = "pscw",
     .text = "between MPI_Win_start and MPI_Win_complete; the target posts and waits",
     .begin = [](RmaPeers const& p) { return MPI_Win_start(p.other, 0, p.window); },
     .end = [](RmaPeers const& p) { return MPI_Win_complete(p.window); },
     .expose =
         [](RmaPeers const& p) {
             int const posted = MPI_Win_post(p.other, 0, p.window);
             return worse(posted, MPI_Win_wait(p.window));
         }},
    {.name = "lock",
     .text = "between MPI_Win_lock (shared) and MPI_Win_unlock; the target is passive",
     .begin = [](RmaPeers const& p) { return MPI_Win_lock(MPI_LOCK_SHARED, p.target, 0, p.window); },
     .end = [](RmaPeers const& p) { return MPI_Win_unlock(p.target, p.window); }},
    {.name = "flush",
     .text = "and MPI_Win_flush within one lock of all runs; the target is passive",
     .end = [](RmaPeers const& p) { return MPI_Win_flush(p.target, p.window); },
     .open = [](RmaPeers const& p) { return MPI_Win_lock(MPI_LOCK_SHARED, p.target, 0, p.window); },
     .close = [](RmaPeers const& p) { return MPI_Win_unlock(p.target, p.window); }},
}};

/// Memory of MPI_Win_allocate with a send and a receive buffer of equal sizes on both processes. Every page is written.
/// Neither copied nor moved.
class WindowBuffers {
public:
    /// Collective. \param bytes  of each buffer, >= 0
    /// \throws std::bad_alloc on all ranks alike; measure::MpiError
    WindowBuffers(measure::Comm const& comm, BufferPolicy const& policy, measure::Bytes bytes);
    WindowBuffers(WindowBuffers const&) = delete;
    WindowBuffers& operator=(WindowBuffers const&) = delete;
    /// Collective; but where an exception leads here the others will not come, and the window is left.
    ~WindowBuffers();

    [[nodiscard]] void* send(measure::Iteration it) const noexcept { return base_ + offset(mine_, it, false); }
    [[nodiscard]] void* receive(measure::Iteration it) const noexcept { return base_ + offset(mine_, it, true); }
    [[nodiscard]] measure::Bytes blocks() const noexcept { return mine_.blocks; }
    [[nodiscard]] MPI_Win window() const noexcept { return window_; }
    /// Where the other process has its send or receive buffer.
    [[nodiscard]] MPI_Aint displacement(measure::Iteration it, bool of_receive) const noexcept {
        return static_cast<MPI_Aint>(offset(other_, it, of_receive));
    }

private:
    [[nodiscard]] static measure::Bytes offset(BufferLayout const& l, measure::Iteration it, bool of_receive) noexcept {
        measure::Bytes const block = l.blocks == 1 ? 0 : it.index % l.blocks;
        return of_receive ? l.blocks * l.send_stride + block * l.receive_stride : block * l.send_stride;
    }

    BufferLayout mine_;
    BufferLayout other_;
    std::byte* base_ = nullptr;
    MPI_Win window_ = MPI_WIN_NULL;
    int exceptions_ = std::uncaught_exceptions();
};

/// The body: one operation and its completion per execution. False where MPI reports an error. A passive target waits
/// for a message behind its time, so that an MPI library that needs the target's help gets it. Neither copied nor
/// moved.
class RemoteAccess {
public:
    /// Collective over two processes. \param count  of elements, >= 0  \throws std::bad_alloc, measure::MpiError,
    /// measure::UsageError where the count does not fit MPI's int
    RemoteAccess(measure::Comm const& pair, RmaOperation const& operation, RmaSynchronisation const& synchronisation,
                 BufferPolicy const& policy, std::int64_t count);
    RemoteAccess(RemoteAccess const&) = delete;
    RemoteAccess& operator=(RemoteAccess const&) = delete;
    /// Collective.
    ~RemoteAccess();

    bool operator()(auto& lap) const {
        auto const it = lap.iteration();
        if (is_origin_) {
            int const code = access(it);
            lap.end();
            return worse(code, is_passive() ? tell() : MPI_SUCCESS) == MPI_SUCCESS;
        }
        if (!is_passive())
            return synchronisation_.expose(peers_) == MPI_SUCCESS;
        lap.end();
        return await() == MPI_SUCCESS;
    }

    /// Executes once with numbers that are known. Collective. \param run  calls the execution that it gets, and returns
    /// what that returns  \param spoil  called with what arrived and its bytes before these are compared
    /// \return what is wrong on this rank, "" where nothing is
    template <class Run, class Spoil>
    [[nodiscard]] std::string check(Run&& run, Spoil&& spoil) const {
        fill();
        struct {
            [[nodiscard]] measure::Iteration iteration() const noexcept { return {}; }
            void end() const noexcept {}
        } lap;
        meet();
        bool const ok = run([&] { return (*this)(lap); });
        meet();
        spoil(arrived(), static_cast<std::size_t>(bytes_));
        return ok ? fault() : "MPI reports an error";
    }

    /// Bytes of each of the two buffers of a process.
    [[nodiscard]] static measure::Bytes bytes(RmaOperation const& operation, std::int64_t count) noexcept {
        // Compare_and_swap sends what it expects behind what it stores.
        return operation.effect == RmaEffect::swap ? 2 * operation.element : count * operation.element;
    }

private:
    [[nodiscard]] bool is_passive() const noexcept { return synchronisation_.expose == nullptr; }
    int access(measure::Iteration it) const {
        int code = synchronisation_.begin != nullptr ? synchronisation_.begin(peers_) : MPI_SUCCESS;
        bool const reads = operation_.effect == RmaEffect::get;
        code = worse(
            code, operation_.call(arguments_, memory_.send(it), memory_.receive(it), memory_.displacement(it, !reads)));
        return worse(code, synchronisation_.end(peers_));
    }
    int tell() const { return MPI_Send(nullptr, 0, MPI_BYTE, 1, Link::tag, comm_); }
    int await() const { return MPI_Recv(nullptr, 0, MPI_BYTE, 0, Link::tag, comm_, MPI_STATUS_IGNORE); }
    void fill() const;
    void meet() const;
    /// The memory of this rank that an execution changes.
    [[nodiscard]] std::byte* arrived() const;
    [[nodiscard]] std::string fault() const;

    MPI_Comm comm_;
    bool is_origin_;
    RmaOperation const& operation_;
    RmaSynchronisation const& synchronisation_;
    measure::Bytes bytes_;
    WindowBuffers memory_;
    RmaArguments arguments_;
    RmaPeers peers_;
};

}  // namespace bodies
