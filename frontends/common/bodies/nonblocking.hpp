// SPDX-License-Identifier: BSD-3-Clause
/// The body that measures a non-blocking collective: it issues the call, optionally computes, and waits.
#pragma once

#include "bodies/collectives.hpp"

#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace bodies {

/// The computation between issue and wait. It calls MPI_Test to progress the communication.
struct Computing {
    measure::seconds duration{0};
    measure::seconds every{0};  ///< time between two calls of MPI_Test; > 0 if `duration` is > 0 and `parts` is 0
    int parts = 0;              ///< > 0: number of equal parts, with a call of MPI_Test after each
};

/// Number of calls of MPI_Test and of executions of a body.
struct Tests {
    std::int64_t calls = 0;
    std::int64_t executions = 0;
    double time = 0;  ///< time in the calls after parts, in samples that count, s
};

/// The call of a non-blocking variant.
template <class A>
using Issue = Invoke<A, MPI_Request*>;

/// The call of the row's non-blocking variant, which must exist. \tparam A  NeighbourArguments for the neighbourhood
/// variant
template <class A = Arguments>
[[nodiscard]] Issue<A> issue_of(Collective const& of) {
    return std::visit(
        []<class S>(Functions<S> const&) -> Issue<A> {
            return [](Collective const& row, A const& a, void* send, void* receive, int root, MPI_Request* request) {
                auto const& functions = *std::get_if<Functions<S>>(&row.functions);
                if constexpr (std::is_same_v<A, NeighbourArguments>)
                    return S::call(functions.nonblocking_neighbours, a, send, receive, root, request);
                else
                    return S::call(functions.nonblocking, a, send, receive, root, request);
            };
        },
        of.functions);
}

/// The body: one call per iteration and its completion. It marks the end of the issue and the end of the computation,
/// if there is one. Returns false if MPI reports an error. The communicator and `tests` must outlive it. The call is a
/// run-time value, so a single body is compiled for all rows; this adds about 1 ns to the issue.
template <class A, class Memory = Buffers>
class NonBlocking {
public:
    /// \param computing  empty: the wait directly follows the issue
    NonBlocking(Collective const& of, A arguments, Memory memory, Root root, std::optional<Computing> const& computing,
                Tests& tests)
        : row_{&of}, issue_{issue_of<A>(of)}, arguments_{std::move(arguments)}, root_{root}, memory_{std::move(memory)},
          computing_{computing}, tests_{&tests} {}

    bool operator()(auto& lap) const {
        MPI_Request request = MPI_REQUEST_NULL;
        bool ok = issue(lap.iteration(), request);
        lap.mark();
        if (computing_) {
            ok &= compute(lap, request);
            lap.mark();
        }
        ok &= MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS;
        return ok;
    }

    /// Executes once without measurement and without computation.
    [[nodiscard]] bool execute(measure::Iteration it) const {
        MPI_Request request = MPI_REQUEST_NULL;
        bool const ok = issue(it, request);
        return MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && ok;
    }

    [[nodiscard]] Memory const& memory() const noexcept { return memory_; }

    /// The names of the phases that it marks.
    [[nodiscard]] static std::vector<std::string> phases(bool with_computing) {
        return with_computing ? std::vector<std::string>{"issue", "compute", "wait"}
                              : std::vector<std::string>{"issue", "wait"};
    }

private:
    bool issue(measure::Iteration it, MPI_Request& request) const {
        return issue_(*row_, arguments_, memory_.send(it), memory_.receive(it), root_.at(it, arguments_.size),
                      &request) == MPI_SUCCESS;
    }

    bool compute(auto const& lap, MPI_Request& request) const {
        bool ok = true;
        ++tests_->executions;
        if (computing_->duration <= measure::seconds{0})
            return ok;
        if (computing_->every <= measure::seconds{0})
            return compute_parts(lap, request);
        lap.spin(computing_->duration, computing_->every, [&] {
            int done = 0;
            ok &= MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS;
            ++tests_->calls;
        });
        return ok;
    }

    bool compute_parts(auto const& lap, MPI_Request& request) const {
        int const parts = computing_->parts;
        if (parts == 0)
            lap.spin(computing_->duration);
        bool ok = true;
        double time = 0;
        for (int part = 0; part < parts; ++part) {
            lap.spin(computing_->duration / parts);
            int done = 0;
            double const begin = MPI_Wtime();
            ok &= MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS;
            time += std::max(0.0, MPI_Wtime() - begin);
        }
        tests_->calls += parts;
        if (lap.iteration().sample >= 0)
            tests_->time += time;
        return ok;
    }

    Collective const* row_;
    Issue<A> issue_;
    A arguments_;
    Root root_;
    Memory memory_;
    std::optional<Computing> computing_;
    Tests* tests_;
};

}  // namespace bodies
