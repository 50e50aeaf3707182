// SPDX-License-Identifier: BSD-3-Clause
/// The body that measures a persistent collective of MPI 4: it starts the operation and waits. If the MPI library has
/// no persistent collectives, no row of the table has that variant.
#pragma once

#include "bodies/buffers.hpp"
#include "bodies/collectives.hpp"
#include "bodies/request.hpp"

#include <measure/mpi_error.hpp>
#include <measure/operation.hpp>

#include <mpi.h>

#include <utility>
#include <variant>

namespace bodies {

/// Sets up a persistent operation with the arguments of the blocking call. Collective.
using PersistentInit = Invoke<Arguments, MPI_Request*>;

/// The setup of the row's persistent variant, which must exist.
[[nodiscard]] inline PersistentInit init_of(Collective const& of) {
    return std::visit(
        []<class S>(Functions<S> const&) -> PersistentInit {
            return [](Collective const& row, Arguments const& a, void* send, void* receive, int root,
                      MPI_Request* request) {
                return S::call(std::get_if<Functions<S>>(&row.functions)->persistent, a, send, receive, root,
                               MPI_INFO_NULL, request);
            };
        },
        of.functions);
}

/// The body: starts a persistent operation of any row and waits for it. A setup holds a pair of buffers and a root, so
/// `prepare` must be called before each iteration that may have others.
/// \tparam Memory  type of the buffers, which have the same number of blocks on all ranks
template <class Memory>
class BasicPersistent {
public:
    /// Sets up for the first iteration. Collective over the communicator of the arguments. \throws measure::MpiError
    BasicPersistent(Collective const& of, Arguments arguments, Memory memory, Root root)
        : row_{&of}, arguments_{std::move(arguments)}, root_{root}, memory_{std::move(memory)} {
        set_up({});
    }

    /// Repeats the setup if the iteration uses another block of buffers or another root than the last one. All ranks
    /// decide equally. Collective. \throws measure::MpiError
    void prepare(measure::Iteration it) {
        if (it.index % memory_.blocks() != set_up_block_ || root_.at(it, arguments_.size) != set_up_root_)
            set_up(it);
    }

    bool operator()() noexcept { return request_.run() == MPI_SUCCESS; }
    /// Executes once without measurement, with the buffers of the setup.
    bool execute(measure::Iteration) noexcept { return (*this)(); }

    [[nodiscard]] Memory const& memory() const noexcept { return memory_; }

private:
    void set_up(measure::Iteration it) {
        set_up_block_ = it.index % memory_.blocks();
        set_up_root_ = root_.at(it, arguments_.size);
        MPI_Request raw = MPI_REQUEST_NULL;
        measure::check(init_of(*row_)(*row_, arguments_, memory_.send(it), memory_.receive(it), set_up_root_, &raw),
                       "MPI_..._init");
        request_ = PersistentRequest{raw};
    }

    Collective const* row_;
    Arguments arguments_;
    Root root_;
    Memory memory_;
    measure::Bytes set_up_block_ = 0;
    int set_up_root_ = 0;
    PersistentRequest request_;
};

using Persistent = BasicPersistent<Buffers>;

}  // namespace bodies
