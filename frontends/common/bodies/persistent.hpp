// SPDX-License-Identifier: BSD-3-Clause
/// The body that measures a persistent collective of MPI 4: started and waited for. Where the MPI library has none, no
/// row has one.
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

/// Sets a persistent operation up, with the arguments of the blocking call. Collective.
using PersistentInit = Invoke<Arguments, MPI_Request*>;

/// For this row, which has a persistent relative.
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

/// The body: starts an operation that was set up and waits for it, whichever it is. A setup holds one pair of buffers
/// and one root: `prepare` is called before an iteration that may have others.
/// \tparam Memory  of the buffers, with as many blocks on all ranks
template <class Memory>
class BasicPersistent {
public:
    /// Sets up for the first iteration. Collective over the communicator of the arguments. \throws measure::MpiError
    BasicPersistent(Collective const& of, Arguments arguments, Memory memory, Root root)
        : row_{&of}, arguments_{std::move(arguments)}, root_{root}, memory_{std::move(memory)} {
        set_up({});
    }

    /// Another setup where the iteration has another block of buffers or another root than the last one, which all
    /// ranks see alike. Collective. \throws measure::MpiError
    void prepare(measure::Iteration it) {
        if (it.index % memory_.blocks() != set_up_block_ || root_.at(it, arguments_.size) != set_up_root_)
            set_up(it);
    }

    bool operator()() noexcept { return request_.run() == MPI_SUCCESS; }
    /// Once without a measurement, with the buffers of the setup.
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
