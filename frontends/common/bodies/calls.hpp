// SPDX-License-Identifier: BSD-3-Clause
/// Calls: the argument lists of MPI's collectives. Each defines the type of functions with this list and calls such a
/// function. Additional last arguments of variants (a request, an info) are the tail.
#pragma once

#include "bodies/arguments.hpp"

#include <mpi.h>

namespace bodies {

/// A barrier.
struct BarrierCall {
    template <class A, class... Tail>
    using Function = int(MPI_Comm, Tail...);
    template <class F, class A, class... Tail>
    static int call(F function, A const& a, void*, void*, int, Tail... tail) {
        return function(a.comm, tail...);
    }
};

/// A single buffer and a root.
struct BroadcastCall {
    template <class A, class... Tail>
    using Function = int(void*, typename A::Count, MPI_Datatype, int, MPI_Comm, Tail...);
    template <class F, class A, class... Tail>
    static int call(F function, A const& a, void* send, void*, int root, Tail... tail) {
        return function(send, a.count, a.type, root, a.comm, tail...);
    }
};

/// The same count for all processes, without root.
struct UniformCall {
    template <class A, class... Tail>
    using Function = int(void const*, typename A::Count, MPI_Datatype, void*, typename A::Count, MPI_Datatype, MPI_Comm,
                         Tail...);
    template <class F, class A, class... Tail>
    static int call(F function, A const& a, void* send, void* receive, int, Tail... tail) {
        return function(send, a.count, a.type, receive, a.count, a.type, a.comm, tail...);
    }
};

/// The same count for all processes, with a root.
struct RootedCall {
    template <class A, class... Tail>
    using Function = int(void const*, typename A::Count, MPI_Datatype, void*, typename A::Count, MPI_Datatype, int,
                         MPI_Comm, Tail...);
    template <class F, class A, class... Tail>
    static int call(F function, A const& a, void* send, void* receive, int root, Tail... tail) {
        return function(send, a.count, a.type, receive, a.count, a.type, root, a.comm, tail...);
    }
};

/// A count for each process from which data are received.
struct GathervCall {
    template <class A, class... Tail>
    using Function = int(void const*, typename A::Count, MPI_Datatype, void*, typename A::Count const*,
                         typename A::Displacement const*, MPI_Datatype, MPI_Comm, Tail...);
    template <class F, class A, class... Tail>
    static int call(F function, A const& a, void* send, void* receive, int, Tail... tail) {
        return function(send, a.count, a.type, receive, a.counts.data(), a.displacements.data(), a.type, a.comm,
                        tail...);
    }
};

/// A count for each process from which the root receives.
struct RootedGathervCall {
    template <class A, class... Tail>
    using Function = int(void const*, typename A::Count, MPI_Datatype, void*, typename A::Count const*,
                         typename A::Displacement const*, MPI_Datatype, int, MPI_Comm, Tail...);
    template <class F, class A, class... Tail>
    static int call(F function, A const& a, void* send, void* receive, int root, Tail... tail) {
        return function(send, a.count, a.type, receive, a.counts.data(), a.displacements.data(), a.type, root, a.comm,
                        tail...);
    }
};

/// A count for each process to which the root sends.
struct RootedScattervCall {
    template <class A, class... Tail>
    using Function = int(void const*, typename A::Count const*, typename A::Displacement const*, MPI_Datatype, void*,
                         typename A::Count, MPI_Datatype, int, MPI_Comm, Tail...);
    template <class F, class A, class... Tail>
    static int call(F function, A const& a, void* send, void* receive, int root, Tail... tail) {
        return function(send, a.counts.data(), a.displacements.data(), a.type, receive, a.count, a.type, root, a.comm,
                        tail...);
    }
};

/// A count for each process, in both directions.
struct AlltoallvCall {
    template <class A, class... Tail>
    using Function = int(void const*, typename A::Count const*, typename A::Displacement const*, MPI_Datatype, void*,
                         typename A::Count const*, typename A::Displacement const*, MPI_Datatype, MPI_Comm, Tail...);
    template <class F, class A, class... Tail>
    static int call(F function, A const& a, void* send, void* receive, int, Tail... tail) {
        return function(send, a.counts.data(), a.displacements.data(), a.type, receive, a.counts.data(),
                        a.displacements.data(), a.type, a.comm, tail...);
    }
};

/// A count and a type for each process, in both directions.
struct AlltoallwCall {
    template <class A, class... Tail>
    using Function = int(void const*, typename A::Count const*, typename A::Offset const*, MPI_Datatype const*, void*,
                         typename A::Count const*, typename A::Offset const*, MPI_Datatype const*, MPI_Comm, Tail...);
    template <class F, class A, class... Tail>
    static int call(F function, A const& a, void* send, void* receive, int, Tail... tail) {
        return function(send, a.counts.data(), a.offsets.data(), a.types.data(), receive, a.counts.data(),
                        a.offsets.data(), a.types.data(), a.comm, tail...);
    }
};

/// A reduction with the same count on all processes.
struct ReduceCall {
    template <class A, class... Tail>
    using Function = int(void const*, void*, typename A::Count, MPI_Datatype, MPI_Op, MPI_Comm, Tail...);
    template <class F, class A, class... Tail>
    static int call(F function, A const& a, void* send, void* receive, int, Tail... tail) {
        return function(send, receive, a.count, a.type, a.op, a.comm, tail...);
    }
};

/// A reduction with a root.
struct RootedReduceCall {
    template <class A, class... Tail>
    using Function = int(void const*, void*, typename A::Count, MPI_Datatype, MPI_Op, int, MPI_Comm, Tail...);
    template <class F, class A, class... Tail>
    static int call(F function, A const& a, void* send, void* receive, int root, Tail... tail) {
        return function(send, receive, a.count, a.type, a.op, root, a.comm, tail...);
    }
};

/// A reduction with a count for each process.
struct ReduceScatterCall {
    template <class A, class... Tail>
    using Function = int(void const*, void*, typename A::Count const*, MPI_Datatype, MPI_Op, MPI_Comm, Tail...);
    template <class F, class A, class... Tail>
    static int call(F function, A const& a, void* send, void* receive, int, Tail... tail) {
        return function(send, receive, a.counts.data(), a.type, a.op, a.comm, tail...);
    }
};

/// A local reduction of two buffers.
struct LocalReduceCall {
    template <class A, class... Tail>
    using Function = int(void const*, void*, typename A::Count, MPI_Datatype, MPI_Op, Tail...);
    template <class F, class A, class... Tail>
    static int call(F function, A const& a, void* send, void* receive, int, Tail... tail) {
        return function(send, receive, a.count, a.type, a.op, tail...);
    }
};

}  // namespace bodies
