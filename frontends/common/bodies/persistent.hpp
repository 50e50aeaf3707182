// SPDX-License-Identifier: BSD-3-Clause
/// The persistent collectives of MPI 4, each as a type with its setup, and the body that measures them: started and
/// waited for. Empty where the MPI library has none.
#pragma once

#include "bodies/buffers.hpp"
#include "bodies/collectives.hpp"

#include <measure/error.hpp>
#include <measure/operation.hpp>

#include <mpi.h>

#include <string_view>
#include <utility>

namespace bodies {

#ifdef BODIES_HAVE_PERSISTENT
inline constexpr bool have_persistent = true;

/// An inactive persistent request. Move-only; freed at its end, before its communicator.
class PersistentRequest {
public:
    explicit PersistentRequest(MPI_Request raw = MPI_REQUEST_NULL) noexcept : raw_{raw} {}
    PersistentRequest(PersistentRequest&& other) noexcept : raw_{std::exchange(other.raw_, MPI_REQUEST_NULL)} {}
    PersistentRequest& operator=(PersistentRequest&& other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    PersistentRequest(PersistentRequest const&) = delete;
    PersistentRequest& operator=(PersistentRequest const&) = delete;
    ~PersistentRequest() {
        if (raw_ != MPI_REQUEST_NULL)
            MPI_Request_free(&raw_);
    }
    /// One execution. \return MPI's code
    int run() noexcept {
        int const code = MPI_Start(&raw_);
        return code == MPI_SUCCESS ? MPI_Wait(&raw_, MPI_STATUS_IGNORE) : code;
    }

private:
    MPI_Request raw_;
};

// `init` sets the operation up, with the arguments of the blocking call; it returns MPI's code. Collective.

struct AllgatherInit {
    using Blocking = Allgather;
    static constexpr std::string_view name = "Allgather_init";
    static int init(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Allgather_init(send, a.count, a.type, receive, a.count, a.type, a.comm, MPI_INFO_NULL, request);
    }
};

struct AllgathervInit {
    using Blocking = Allgatherv;
    static constexpr std::string_view name = "Allgatherv_init";
    static int init(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Allgatherv_init(send, a.count, a.type, receive, a.counts.data(), a.displacements.data(), a.type,
                                   a.comm, MPI_INFO_NULL, request);
    }
};

struct AllreduceInit {
    using Blocking = Allreduce;
    static constexpr std::string_view name = "Allreduce_init";
    static int init(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Allreduce_init(send, receive, a.count, a.type, a.op, a.comm, MPI_INFO_NULL, request);
    }
};

struct AlltoallInit {
    using Blocking = Alltoall;
    static constexpr std::string_view name = "Alltoall_init";
    static int init(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Alltoall_init(send, a.count, a.type, receive, a.count, a.type, a.comm, MPI_INFO_NULL, request);
    }
};

struct AlltoallvInit {
    using Blocking = Alltoallv;
    static constexpr std::string_view name = "Alltoallv_init";
    static int init(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Alltoallv_init(send, a.counts.data(), a.displacements.data(), a.type, receive, a.counts.data(),
                                  a.displacements.data(), a.type, a.comm, MPI_INFO_NULL, request);
    }
};

struct AlltoallwInit {
    using Blocking = Alltoallw;
    static constexpr std::string_view name = "Alltoallw_init";
    static int init(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Alltoallw_init(send, a.counts.data(), a.displacements.data(), a.types.data(), receive,
                                  a.counts.data(), a.displacements.data(), a.types.data(), a.comm, MPI_INFO_NULL,
                                  request);
    }
};

struct BarrierInit {
    using Blocking = Barrier;
    static constexpr std::string_view name = "Barrier_init";
    static int init(Arguments const& a, void*, void*, int, MPI_Request* request) {
        return MPI_Barrier_init(a.comm, MPI_INFO_NULL, request);
    }
};

struct BcastInit {
    using Blocking = Bcast;
    static constexpr std::string_view name = "Bcast_init";
    static int init(Arguments const& a, void* send, void*, int root, MPI_Request* request) {
        return MPI_Bcast_init(send, a.count, a.type, root, a.comm, MPI_INFO_NULL, request);
    }
};

struct ExscanInit {
    using Blocking = Exscan;
    static constexpr std::string_view name = "Exscan_init";
    static int init(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Exscan_init(send, receive, a.count, a.type, a.op, a.comm, MPI_INFO_NULL, request);
    }
};

struct GatherInit {
    using Blocking = Gather;
    static constexpr std::string_view name = "Gather_init";
    static int init(Arguments const& a, void* send, void* receive, int root, MPI_Request* request) {
        return MPI_Gather_init(send, a.count, a.type, receive, a.count, a.type, root, a.comm, MPI_INFO_NULL, request);
    }
};

struct GathervInit {
    using Blocking = Gatherv;
    static constexpr std::string_view name = "Gatherv_init";
    static int init(Arguments const& a, void* send, void* receive, int root, MPI_Request* request) {
        return MPI_Gatherv_init(send, a.count, a.type, receive, a.counts.data(), a.displacements.data(), a.type, root,
                                a.comm, MPI_INFO_NULL, request);
    }
};

struct ReduceInit {
    using Blocking = Reduce;
    static constexpr std::string_view name = "Reduce_init";
    static int init(Arguments const& a, void* send, void* receive, int root, MPI_Request* request) {
        return MPI_Reduce_init(send, receive, a.count, a.type, a.op, root, a.comm, MPI_INFO_NULL, request);
    }
};

struct ReduceScatterInit {
    using Blocking = ReduceScatter;
    static constexpr std::string_view name = "Reduce_scatter_init";
    static int init(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Reduce_scatter_init(send, receive, a.counts.data(), a.type, a.op, a.comm, MPI_INFO_NULL, request);
    }
};

struct ReduceScatterBlockInit {
    using Blocking = ReduceScatterBlock;
    static constexpr std::string_view name = "Reduce_scatter_block_init";
    static int init(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Reduce_scatter_block_init(send, receive, a.count, a.type, a.op, a.comm, MPI_INFO_NULL, request);
    }
};

struct ScanInit {
    using Blocking = Scan;
    static constexpr std::string_view name = "Scan_init";
    static int init(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Scan_init(send, receive, a.count, a.type, a.op, a.comm, MPI_INFO_NULL, request);
    }
};

struct ScatterInit {
    using Blocking = Scatter;
    static constexpr std::string_view name = "Scatter_init";
    static int init(Arguments const& a, void* send, void* receive, int root, MPI_Request* request) {
        return MPI_Scatter_init(send, a.count, a.type, receive, a.count, a.type, root, a.comm, MPI_INFO_NULL, request);
    }
};

struct ScattervInit {
    using Blocking = Scatterv;
    static constexpr std::string_view name = "Scatterv_init";
    static int init(Arguments const& a, void* send, void* receive, int root, MPI_Request* request) {
        return MPI_Scatterv_init(send, a.counts.data(), a.displacements.data(), a.type, receive, a.count, a.type, root,
                                 a.comm, MPI_INFO_NULL, request);
    }
};

/// The setup of one of these types.
using PersistentInit = int (*)(Arguments const& a, void* send, void* receive, int root, MPI_Request* request);

/// The body: starts an operation that was set up and waits for it, whichever it is. A setup holds one pair of buffers
/// and one root: `prepare` is called before an iteration that may have others.
class Persistent {
public:
    /// Sets up for the first iteration. Collective over the communicator of the arguments. \throws measure::MpiError
    Persistent(PersistentInit init, Arguments arguments, Buffers memory, Root root)
        : init_{init}, arguments_{std::move(arguments)}, root_{root}, memory_{std::move(memory)} {
        set_up({});
    }

    /// Another setup where the iteration has other buffers or another root than the last one. Collective.
    /// \throws measure::MpiError
    void prepare(measure::Iteration it) {
        if (memory_.send(it) != send_ || root_.at(it, arguments_.size) != set_up_root_)
            set_up(it);
    }

    bool operator()() noexcept { return request_.run() == MPI_SUCCESS; }

    [[nodiscard]] Buffers const& memory() const noexcept { return memory_; }

private:
    void set_up(measure::Iteration it) {
        send_ = memory_.send(it);
        set_up_root_ = root_.at(it, arguments_.size);
        MPI_Request raw = MPI_REQUEST_NULL;
        measure::check(init_(arguments_, send_, memory_.receive(it), set_up_root_, &raw), "MPI_..._init");
        request_ = PersistentRequest{raw};
    }

    PersistentInit init_;
    Arguments arguments_;
    Root root_;
    Buffers memory_;
    void* send_ = nullptr;
    int set_up_root_ = 0;
    PersistentRequest request_;
};

#else
inline constexpr bool have_persistent = false;
#endif

}  // namespace bodies
