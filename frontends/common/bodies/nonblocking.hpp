// SPDX-License-Identifier: BSD-3-Clause
/// The body that measures a non-blocking collective: issued, left alone or computed beside, waited for.
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

/// The computing between the issue and the wait: it looks after the communication by MPI_Test.
struct Computing {
    measure::seconds duration{0};
    measure::seconds every{0};  ///< between two calls of MPI_Test; > 0 where the duration is, unless there are parts
    int parts = 0;              ///< > 0: the computing is cut into so many, and MPI_Test is called behind each
};

/// How often MPI_Test was called in how many executions of a body.
struct Tests {
    std::int64_t calls = 0;
    std::int64_t executions = 0;
    double time = 0;  ///< s, of the calls behind parts, in the samples that count
};

/// The call of a non-blocking relative.
template <class A>
using Issue = Invoke<A, MPI_Request*>;

/// \tparam A  NeighbourArguments for the relative with neighbours  \return for this row, which has such a relative
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

/// The body: one call per iteration and its completion. It marks the end of the issue, and with computing the end of
/// that. False where MPI reports an error. It must outlive neither the communicator nor `tests`. The call is a value,
/// so that one body is compiled for all; that costs about a nanosecond of the issue.
template <class A, class Memory = Buffers>
class NonBlocking {
public:
    /// \param computing  nothing: issue and wait are one after the other
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
