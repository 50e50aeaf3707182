// SPDX-License-Identifier: BSD-3-Clause
/// Remote memory access between two processes: tables of operations and of synchronisations, and the body that measures
/// a combination. Rank 0 is the origin, rank 1 the target.
#pragma once

#include "bodies/buffers.hpp"
#include "bodies/numbers.hpp"
#include "bodies/one_sided.hpp"
#include "bodies/point_to_point.hpp"

#include <measure/comm.hpp>
#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace bodies {

/// Effect of an operation on the number a at the target, the number b sent by the origin and the number c received by
/// it.
enum class RmaEffect {
    put,        ///< a = b
    get,        ///< c = a
    add,        ///< a = a + b
    fetch_add,  ///< c = a, a = a + b
    swap,       ///< c = a, then a = b if a is the number that the origin expects
};

/// The arguments of an operation that are the same in all iterations.
struct RmaArguments {
    MPI_Win window = MPI_WIN_NULL;
    int target = 0;
    int count = 0;                 ///< elements
    MPI_Datatype type = MPI_BYTE;  ///< type of an element
    measure::Bytes element = 1;    ///< bytes of an element
};

/// An MPI operation. `call` returns MPI's code. The operation is complete after the synchronisation.
struct RmaOperation {
    std::string_view name;  ///< "Put"
    std::string_view text;  ///< readable description; c is the count
    RmaEffect effect;
    measure::Bytes element;    ///< bytes of an element
    bool one_element = false;  ///< whether the count is always 1
    int (*call)(RmaArguments const& a, void* send, void* receive, MPI_Aint displacement);
};

/// The arguments of a synchronisation.
struct RmaPeers {
    MPI_Win window = MPI_WIN_NULL;
    MPI_Group other = MPI_GROUP_NULL;  ///< the other process
    int target = 0;
};

/// A way to complete operations. Each function returns MPI's code. A null function is not needed.
struct RmaSynchronisation {
    using Function = int (*)(RmaPeers const&);
    std::string_view name;      ///< "fence"
    std::string_view text;      ///< readable description, printed after the operation's text
    Function begin = nullptr;   ///< called by the origin before the operation
    Function end = nullptr;     ///< called by the origin after the operation
    Function expose = nullptr;  ///< called by the target; null for a passive target
    /// Called by the target if both access each other in turn: the end of an epoch may begin the next one.
    Function expose_in_turn = nullptr;
    /// Called by both processes if they access each other at the same time. Null for a passive target.
    /// \{
    Function begin_mutual = nullptr;
    Function end_mutual = nullptr;
    /// \}
    Function open = nullptr;   ///< called once by the origin before all operations
    Function close = nullptr;  ///< called once by the origin after all operations
};

// MPI_Fetch_and_op and MPI_Compare_and_swap take a single element: a 64-bit integer, as counters use it.
inline constexpr std::array<RmaOperation, 6> rma_operations{{
    {.name = "Put",
     .text = "MPI_Put of c bytes",
     .effect = RmaEffect::put,
     .element = 1,
     .call = [](RmaArguments const& a, void* send, void*,
                MPI_Aint at) { return MPI_Put(send, a.count, a.type, a.target, at, a.count, a.type, a.window); }},
    {.name = "Get",
     .text = "MPI_Get of c bytes",
     .effect = RmaEffect::get,
     .element = 1,
     .call = [](RmaArguments const& a, void*, void* receive,
                MPI_Aint at) { return MPI_Get(receive, a.count, a.type, a.target, at, a.count, a.type, a.window); }},
    {.name = "Accumulate",
     .text = "MPI_Accumulate, the sum of c doubles",
     .effect = RmaEffect::add,
     .element = 8,
     .call =
         [](RmaArguments const& a, void* send, void*, MPI_Aint at) {
             return MPI_Accumulate(send, a.count, a.type, a.target, at, a.count, a.type, MPI_SUM, a.window);
         }},
    {.name = "Get_accumulate",
     .text = "MPI_Get_accumulate, the sum of c doubles",
     .effect = RmaEffect::fetch_add,
     .element = 8,
     .call =
         [](RmaArguments const& a, void* send, void* receive, MPI_Aint at) {
             return MPI_Get_accumulate(send, a.count, a.type, receive, a.count, a.type, a.target, at, a.count, a.type,
                                       MPI_SUM, a.window);
         }},
    {.name = "Fetch_and_op",
     .text = "MPI_Fetch_and_op, the sum of one 64-bit integer",
     .effect = RmaEffect::fetch_add,
     .element = 8,
     .one_element = true,
     .call = [](RmaArguments const& a, void* send, void* receive,
                MPI_Aint at) { return MPI_Fetch_and_op(send, receive, a.type, a.target, at, MPI_SUM, a.window); }},
    {.name = "Compare_and_swap",
     .text = "MPI_Compare_and_swap of one 64-bit integer",
     .effect = RmaEffect::swap,
     .element = 8,
     .one_element = true,
     .call =
         [](RmaArguments const& a, void* send, void* receive, MPI_Aint at) {
             auto* const expected = static_cast<std::byte*>(send) + a.element;
             return MPI_Compare_and_swap(send, expected, receive, a.type, a.target, at, a.window);
         }},
}};

namespace detail {

inline int fence(RmaPeers const& p) { return MPI_Win_fence(0, p.window); }
inline int start(RmaPeers const& p) { return MPI_Win_start(p.other, 0, p.window); }
inline int complete(RmaPeers const& p) { return MPI_Win_complete(p.window); }
inline int post(RmaPeers const& p) { return MPI_Win_post(p.other, 0, p.window); }
inline int wait(RmaPeers const& p) { return MPI_Win_wait(p.window); }
inline int lock(RmaPeers const& p) { return MPI_Win_lock(MPI_LOCK_SHARED, p.target, 0, p.window); }
inline int unlock(RmaPeers const& p) { return MPI_Win_unlock(p.target, p.window); }

/// Calls two functions.
template <RmaSynchronisation::Function first, RmaSynchronisation::Function second>
int both(RmaPeers const& p) {
    int const code = first(p);
    return worse(code, second(p));
}

}  // namespace detail

inline constexpr std::array<RmaSynchronisation, 6> rma_synchronisations{{
    {.name = "fence",
     .text = "between two MPI_Win_fence calls of both processes",
     .begin = detail::fence,
     .end = detail::fence,
     .expose = detail::both<detail::fence, detail::fence>,
     .expose_in_turn = detail::fence,
     .begin_mutual = detail::fence,
     .end_mutual = detail::fence},
    {.name = "pscw",
     .text = "between MPI_Win_start and MPI_Win_complete; the target posts and waits",
     .begin = detail::start,
     .end = detail::complete,
     .expose = detail::both<detail::post, detail::wait>,
     .expose_in_turn = detail::both<detail::post, detail::wait>,
     .begin_mutual = detail::both<detail::post, detail::start>,
     .end_mutual = detail::both<detail::complete, detail::wait>},
    {.name = "lock",
     .text = "between MPI_Win_lock (shared) and MPI_Win_unlock; the target is passive",
     .begin = detail::lock,
     .end = detail::unlock},
    {.name = "lock_all",
     .text = "between MPI_Win_lock_all and MPI_Win_unlock_all; the target is passive",
     .begin = [](RmaPeers const& p) { return MPI_Win_lock_all(0, p.window); },
     .end = [](RmaPeers const& p) { return MPI_Win_unlock_all(p.window); }},
    {.name = "flush",
     .text = "and MPI_Win_flush, with one lock for all runs; the target is passive",
     .end = [](RmaPeers const& p) { return MPI_Win_flush(p.target, p.window); },
     .open = detail::lock,
     .close = detail::unlock},
    {.name = "flush_local",
     .text = "and MPI_Win_flush_local, with one lock for all runs; the target is passive",
     .end = [](RmaPeers const& p) { return MPI_Win_flush_local(p.target, p.window); },
     .open = detail::lock,
     .close = detail::unlock},
}};

/// Source of a window's memory.
enum class WindowKind {
    allocate,  ///< from MPI_Win_allocate
    create,    ///< from MPI_Alloc_mem, for MPI_Win_create
    dynamic,   ///< from MPI_Alloc_mem, attached to a window of MPI_Win_create_dynamic
};

/// A window with a send and a receive buffer of equal sizes on both processes. Every page is written.
/// Neither copied nor moved.
class WindowBuffers {
public:
    /// Collective. \param bytes  bytes of each buffer, >= 0
    /// \throws std::bad_alloc or MPI's error, on all ranks
    WindowBuffers(measure::Comm const& comm, BufferPolicy const& policy, measure::Bytes bytes,
                  WindowKind kind = WindowKind::allocate);
    WindowBuffers(WindowBuffers const&) = delete;
    WindowBuffers& operator=(WindowBuffers const&) = delete;
    /// Collective. If an exception is active, the other process will not call it, and the window is not freed.
    ~WindowBuffers();

    [[nodiscard]] void* send(measure::Iteration it) const noexcept { return base_ + offset(mine_, it, false); }
    [[nodiscard]] void* receive(measure::Iteration it) const noexcept { return base_ + offset(mine_, it, true); }
    [[nodiscard]] measure::Bytes blocks() const noexcept { return mine_.blocks; }
    [[nodiscard]] MPI_Win window() const noexcept { return window_; }
    /// Displacement of the other process's send or receive buffer.
    [[nodiscard]] MPI_Aint displacement(measure::Iteration it, bool of_receive) const noexcept {
        return other_base_ + static_cast<MPI_Aint>(offset(other_, it, of_receive));
    }

private:
    [[nodiscard]] static measure::Bytes offset(BufferLayout const& l, measure::Iteration it, bool of_receive) noexcept {
        measure::Bytes const block = l.blocks == 1 ? 0 : it.index % l.blocks;
        return of_receive ? l.blocks * l.send_stride + block * l.receive_stride : block * l.send_stride;
    }

    void make(measure::Comm const& comm, WindowKind kind);

    BufferLayout mine_;
    BufferLayout other_;
    MPI_Aint other_base_ = 0;  ///< displacement of the other process's first byte
    std::optional<WindowMemory> memory_{};
    std::byte* base_ = nullptr;
    MPI_Win window_ = MPI_WIN_NULL;
    int exceptions_ = std::uncaught_exceptions();
};

/// Which process accesses which memory in an execution.
enum class RmaTurns {
    one_way,  ///< the origin accesses the target's memory
    in_turn,  ///< the origin accesses first, then the target; with a passive target only the origin
    mutual,   ///< both access each other at the same time; not possible with a passive target
};

/// Options of an execution.
struct RmaShape {
    int window = 1;            ///< operations before each completion, on consecutive memory, >= 1
    std::int64_t repeats = 1;  ///< executions between two clock readings, >= 1
    RmaTurns turns = RmaTurns::one_way;
    WindowKind kind = WindowKind::allocate;
    MPI_Datatype type = MPI_DATATYPE_NULL;   ///< type of an element; null: the operation's default
    NumberKind number = NumberKind::real64;  ///< kind of `type`
};

/// The body: the operations and their completion. Returns false if MPI reports an error. A passive target waits for a
/// message after its timed part, so that an MPI library that needs the target's progress gets it. Neither copied nor
/// moved.
class RemoteAccess {
public:
    /// Collective over two processes. \param count  elements of an operation, >= 0  \throws std::bad_alloc,
    /// measure::MpiError, measure::UsageError if the count does not fit MPI's int
    RemoteAccess(measure::Comm const& pair, RmaOperation const& operation, RmaSynchronisation const& synchronisation,
                 BufferPolicy const& policy, std::int64_t count, RmaShape const& shape = {});
    RemoteAccess(RemoteAccess const&) = delete;
    RemoteAccess& operator=(RemoteAccess const&) = delete;
    /// Collective.
    ~RemoteAccess();

    bool operator()(auto& lap) const {
        auto const it = lap.iteration();
        bool ok = true;
        measure::detail::beating(shape_.repeats, [&] { ok &= execute(it); });
        if (!is_passive())
            return ok;
        lap.end();
        return (is_origin_ ? tell() : await()) == MPI_SUCCESS && ok;
    }

    /// Executes once. A passive target does nothing.
    bool execute(measure::Iteration it) const {
        if (is_passive())
            return !is_origin_ || access(it) == MPI_SUCCESS;
        if (shape_.turns == RmaTurns::mutual) {
            int const begun = synchronisation_.begin_mutual(peers_);
            int const operated = worse(begun, operate(it));
            return worse(operated, synchronisation_.end_mutual(peers_)) == MPI_SUCCESS;
        }
        if (shape_.turns == RmaTurns::one_way)
            return (is_origin_ ? access(it) : synchronisation_.expose(peers_)) == MPI_SUCCESS;
        int const first = is_origin_ ? access(it) : synchronisation_.expose_in_turn(peers_);
        return worse(first, is_origin_ ? synchronisation_.expose_in_turn(peers_) : access(it)) == MPI_SUCCESS;
    }

    /// Executes once, one way, with known numbers, and checks the result. Collective.
    /// \param run    calls the execution that it gets and returns its result
    /// \param spoil  called with the changed memory and its size in bytes before the comparison
    /// \return the error on this rank, "" without error
    template <class Run, class Spoil>
    [[nodiscard]] std::string check(Run&& run, Spoil&& spoil) const {
        meet();
        fill();
        meet();
        bool const ok = run([&] {
            int const exposed = is_origin_ || is_passive() ? MPI_SUCCESS : synchronisation_.expose(peers_);
            return worse(exposed, is_origin_ ? access({}) : MPI_SUCCESS) == MPI_SUCCESS;
        });
        meet();
        spoil(arrived(), static_cast<std::size_t>(bytes_));
        return ok ? fault() : "MPI reports an error";
    }

    /// Bytes of a send or receive buffer for one operation.
    [[nodiscard]] static measure::Bytes bytes(RmaOperation const& operation, std::int64_t count,
                                              RmaShape const& shape = {}) noexcept {
        auto const element = element_of(operation, shape);
        // Compare_and_swap takes two elements: the new number, then the expected one.
        return operation.effect == RmaEffect::swap ? 2 * element : count * element;
    }

private:
    [[nodiscard]] static measure::Bytes element_of(RmaOperation const& operation, RmaShape const& shape) noexcept {
        return shape.type == MPI_DATATYPE_NULL ? operation.element : number_size(shape.number);
    }
    [[nodiscard]] bool is_passive() const noexcept { return synchronisation_.expose == nullptr; }
    int access(measure::Iteration it) const {
        int const begun = synchronisation_.begin != nullptr ? synchronisation_.begin(peers_) : MPI_SUCCESS;
        int const operated = worse(begun, operate(it));
        return worse(operated, synchronisation_.end(peers_));
    }
    int operate(measure::Iteration it) const {
        bool const reads = operation_.effect == RmaEffect::get;
        auto* const send = static_cast<std::byte*>(memory_.send(it));
        auto* const receive = static_cast<std::byte*>(memory_.receive(it));
        auto const at = memory_.displacement(it, !reads);
        int code = MPI_SUCCESS;
        for (int i = 0; i < shape_.window; ++i) {
            auto const step = i * bytes_;
            code = worse(code, operation_.call(arguments_, send + step, receive + step, at + step));
        }
        return code;
    }
    int tell() const { return MPI_Send(nullptr, 0, MPI_BYTE, 1, Link::tag, comm_); }
    int await() const {
        // This wait lasts as long as the origin's loop.
        measure::detail::Unwatched const unwatched;
        return MPI_Recv(nullptr, 0, MPI_BYTE, 0, Link::tag, comm_, MPI_STATUS_IGNORE);
    }
    void fill() const;
    void meet() const;
    /// The memory of this rank that an execution changes.
    [[nodiscard]] std::byte* arrived() const;
    [[nodiscard]] std::string fault() const;

    MPI_Comm comm_;
    bool is_origin_;
    RmaOperation const& operation_;
    RmaSynchronisation const& synchronisation_;
    RmaShape shape_;
    measure::Bytes bytes_;  ///< bytes of an operation's buffer
    WindowBuffers memory_;
    RmaArguments arguments_;
    RmaPeers peers_;
};

}  // namespace bodies
