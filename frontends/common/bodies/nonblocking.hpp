// SPDX-License-Identifier: BSD-3-Clause
/// The non-blocking collectives, each as a type with its blocking relative and the call that gives a request, and the
/// body that measures one: issued, left alone or computed beside, waited for.
#pragma once

#include "bodies/collectives.hpp"

#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bodies {

// Shape and arguments are those of the blocking relative.

struct Iallgather {
    using Blocking = Allgather;
    static constexpr std::string_view name = "Iallgather";
    static int call(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Iallgather(send, a.count, a.type, receive, a.count, a.type, a.comm, request);
    }
};

struct Iallgatherv {
    using Blocking = Allgatherv;
    static constexpr std::string_view name = "Iallgatherv";
    static int call(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Iallgatherv(send, a.count, a.type, receive, a.counts.data(), a.displacements.data(), a.type, a.comm,
                               request);
    }
};

struct Iallreduce {
    using Blocking = Allreduce;
    static constexpr std::string_view name = "Iallreduce";
    static int call(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Iallreduce(send, receive, a.count, a.type, a.op, a.comm, request);
    }
};

struct Ialltoall {
    using Blocking = Alltoall;
    static constexpr std::string_view name = "Ialltoall";
    static int call(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Ialltoall(send, a.count, a.type, receive, a.count, a.type, a.comm, request);
    }
};

struct Ialltoallv {
    using Blocking = Alltoallv;
    static constexpr std::string_view name = "Ialltoallv";
    static int call(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Ialltoallv(send, a.counts.data(), a.displacements.data(), a.type, receive, a.counts.data(),
                              a.displacements.data(), a.type, a.comm, request);
    }
};

struct Ialltoallw {
    using Blocking = Alltoallw;
    static constexpr std::string_view name = "Ialltoallw";
    static int call(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Ialltoallw(send, a.counts.data(), a.displacements.data(), a.types.data(), receive, a.counts.data(),
                              a.displacements.data(), a.types.data(), a.comm, request);
    }
};

struct Ibarrier {
    using Blocking = Barrier;
    static constexpr std::string_view name = "Ibarrier";
    static int call(Arguments const& a, void*, void*, int, MPI_Request* request) {
        return MPI_Ibarrier(a.comm, request);
    }
};

struct Ibcast {
    using Blocking = Bcast;
    static constexpr std::string_view name = "Ibcast";
    static int call(Arguments const& a, void* send, void*, int root, MPI_Request* request) {
        return MPI_Ibcast(send, a.count, a.type, root, a.comm, request);
    }
};

struct Iexscan {
    using Blocking = Exscan;
    static constexpr std::string_view name = "Iexscan";
    static int call(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Iexscan(send, receive, a.count, a.type, a.op, a.comm, request);
    }
};

struct Igather {
    using Blocking = Gather;
    static constexpr std::string_view name = "Igather";
    static int call(Arguments const& a, void* send, void* receive, int root, MPI_Request* request) {
        return MPI_Igather(send, a.count, a.type, receive, a.count, a.type, root, a.comm, request);
    }
};

struct Igatherv {
    using Blocking = Gatherv;
    static constexpr std::string_view name = "Igatherv";
    static int call(Arguments const& a, void* send, void* receive, int root, MPI_Request* request) {
        return MPI_Igatherv(send, a.count, a.type, receive, a.counts.data(), a.displacements.data(), a.type, root,
                            a.comm, request);
    }
};

struct Ireduce {
    using Blocking = Reduce;
    static constexpr std::string_view name = "Ireduce";
    static int call(Arguments const& a, void* send, void* receive, int root, MPI_Request* request) {
        return MPI_Ireduce(send, receive, a.count, a.type, a.op, root, a.comm, request);
    }
};

struct IreduceScatter {
    using Blocking = ReduceScatter;
    static constexpr std::string_view name = "Ireduce_scatter";
    static int call(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Ireduce_scatter(send, receive, a.counts.data(), a.type, a.op, a.comm, request);
    }
};

struct IreduceScatterBlock {
    using Blocking = ReduceScatterBlock;
    static constexpr std::string_view name = "Ireduce_scatter_block";
    static int call(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Ireduce_scatter_block(send, receive, a.count, a.type, a.op, a.comm, request);
    }
};

struct Iscan {
    using Blocking = Scan;
    static constexpr std::string_view name = "Iscan";
    static int call(Arguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Iscan(send, receive, a.count, a.type, a.op, a.comm, request);
    }
};

struct Iscatter {
    using Blocking = Scatter;
    static constexpr std::string_view name = "Iscatter";
    static int call(Arguments const& a, void* send, void* receive, int root, MPI_Request* request) {
        return MPI_Iscatter(send, a.count, a.type, receive, a.count, a.type, root, a.comm, request);
    }
};

struct Iscatterv {
    using Blocking = Scatterv;
    static constexpr std::string_view name = "Iscatterv";
    static int call(Arguments const& a, void* send, void* receive, int root, MPI_Request* request) {
        return MPI_Iscatterv(send, a.counts.data(), a.displacements.data(), a.type, receive, a.count, a.type, root,
                             a.comm, request);
    }
};

/// The computing between the issue and the wait: it looks after the communication by MPI_Test.
struct Computing {
    measure::seconds duration{0};
    measure::seconds every{0};  ///< between two calls of MPI_Test; > 0 where the duration is
};

/// How often MPI_Test was called in how many executions of a body.
struct Tests {
    std::int64_t calls = 0;
    std::int64_t executions = 0;
};

/// The call of one of these types, or of a relative with other arguments.
template <class A>
using Issue = int (*)(A const& a, void* send, void* receive, int root, MPI_Request* request);

/// The body: one call per iteration and its completion. It marks the end of the issue, and with computing the end of
/// that. False where MPI reports an error. It must outlive neither the communicator nor `tests`. The call is a value,
/// so that one body is compiled for all; that costs about a nanosecond of the issue.
template <class A, class Memory = Buffers>
class NonBlocking {
public:
    /// \param computing  nothing: issue and wait are one after the other
    NonBlocking(Issue<A> call, A arguments, Memory memory, Root root, std::optional<Computing> const& computing,
                Tests& tests)
        : issue_{call}, arguments_{std::move(arguments)}, root_{root}, memory_{std::move(memory)},
          computing_{computing}, tests_{&tests} {}

    bool operator()(auto& lap) const {
        MPI_Request request = MPI_REQUEST_NULL;
        bool ok = issue(lap.iteration(), request);
        lap.next();
        if (computing_) {
            ok &= compute(lap, request);
            lap.next();
        }
        ok &= MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS;
        return ok;
    }

    /// Once without a measurement: nothing is computed.
    [[nodiscard]] bool execute(measure::Iteration it) const {
        MPI_Request request = MPI_REQUEST_NULL;
        bool const ok = issue(it, request);
        return MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && ok;
    }

    [[nodiscard]] Memory const& memory() const noexcept { return memory_; }

    /// The names of the parts that it marks.
    [[nodiscard]] static std::vector<std::string> phases(bool with_computing) {
        return with_computing ? std::vector<std::string>{"issue", "compute", "wait"}
                              : std::vector<std::string>{"issue", "wait"};
    }

private:
    bool issue(measure::Iteration it, MPI_Request& request) const {
        return issue_(arguments_, memory_.send(it), memory_.receive(it), root_.at(it, arguments_.size), &request) ==
               MPI_SUCCESS;
    }

    bool compute(auto const& lap, MPI_Request& request) const {
        bool ok = true;
        ++tests_->executions;
        if (computing_->duration > measure::seconds{0})
            lap.spin(computing_->duration, computing_->every, [&] {
                int done = 0;
                ok &= MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS;
                ++tests_->calls;
            });
        return ok;
    }

    Issue<A> issue_;
    A arguments_;
    Root root_;
    Memory memory_;
    std::optional<Computing> computing_;
    Tests* tests_;
};

}  // namespace bodies
