// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/routines/master_worker.hpp"

#include "skampi/routines/tables.hpp"

#include <algorithm>
#include <array>

namespace skampi {
namespace {

constexpr int work_tag = 1;
constexpr int result_tag = 2;
constexpr int stop_tag = 3;

}  // namespace

int Master::run() {
    given_ = taken_ = 0;
    code_ = MPI_SUCCESS;
    auto const first = static_cast<int>(std::min<std::int64_t>(chunks_, workers()));
    // A worker without a piece returns no result and therefore needs no receive.
    if (posts())
        for (int w = 1; w <= first; ++w)
            post(w);
    for (int w = 1; w <= first; ++w)
        send(w);
    while (taken_ < chunks_ && code_ == MPI_SUCCESS)
        switch (how_.receive) {
        case Dispatch::Receive::waitsome:
            take_some();
            break;
        case Dispatch::Receive::waitany:
            take_any();
            break;
        case Dispatch::Receive::any_source:
            take_from_any_source();
            break;
        case Dispatch::Receive::in_turn:
            take_in_turn();
            break;
        }
    if (how_.send == Dispatch::Send::immediate)
        note(MPI_Waitall(workers(), &work_for(1), MPI_STATUSES_IGNORE));
    return code_;
}

int Master::stop() {
    int code = MPI_SUCCESS;
    for (int w = 1; w <= workers(); ++w)
        code = worse(code, MPI_Send(nullptr, 0, MPI_BYTE, w, stop_tag, f_.arguments.comm));
    return code;
}

void Master::post(int worker) {
    auto const& a = f_.arguments;
    note(MPI_Irecv(slice(f_.receive, worker), a.count, a.type, worker, result_tag, a.comm, &result_of(worker)));
}

void Master::send(int worker) {
    auto const& a = f_.arguments;
    auto* const piece = slice(f_.send, worker);
    ++given_;
    switch (how_.send) {
    case Dispatch::Send::standard:
        return note(MPI_Send(piece, a.count, a.type, worker, work_tag, a.comm));
    case Dispatch::Send::synchronous:
        return note(MPI_Ssend(piece, a.count, a.type, worker, work_tag, a.comm));
    case Dispatch::Send::buffered:
        return note(MPI_Bsend(piece, a.count, a.type, worker, work_tag, a.comm));
    case Dispatch::Send::immediate:
        // The previous send of this slice may still be in progress.
        note(MPI_Wait(&work_for(worker), MPI_STATUS_IGNORE));
        return note(MPI_Isend(piece, a.count, a.type, worker, work_tag, a.comm, &work_for(worker)));
    }
}

/// Counts a result of the worker and sends the next piece, if any is left.
void Master::finished(int worker) {
    ++taken_;
    if (given_ == chunks_)
        return;
    if (posts())
        post(worker);
    send(worker);
}

void Master::take_some() {
    int ready = 0;
    note(MPI_Waitsome(workers(), f_.requests.data(), &ready, f_.indices.data(), MPI_STATUSES_IGNORE));
    for (int i = 0; i < ready && code_ == MPI_SUCCESS; ++i)
        finished(f_.indices[static_cast<std::size_t>(i)] + 1);
}

void Master::take_any() {
    int ready = 0;
    note(MPI_Waitany(workers(), f_.requests.data(), &ready, MPI_STATUS_IGNORE));
    if (code_ == MPI_SUCCESS)
        finished(ready + 1);
}

/// The sender is known only after the receive, so the results fill the slices in turn.
void Master::take_from_any_source() {
    auto const& a = f_.arguments;
    MPI_Status status;
    auto* const place = slice(f_.receive, static_cast<int>(taken_ % workers()) + 1);
    note(MPI_Recv(place, a.count, a.type, MPI_ANY_SOURCE, result_tag, a.comm, &status));
    if (code_ == MPI_SUCCESS)
        finished(status.MPI_SOURCE);
}

void Master::take_in_turn() {
    auto const& a = f_.arguments;
    int const worker = static_cast<int>(taken_ % workers()) + 1;
    note(MPI_Recv(slice(f_.receive, worker), a.count, a.type, worker, result_tag, a.comm, MPI_STATUS_IGNORE));
    if (code_ == MPI_SUCCESS)
        finished(worker);
}

int serve(Frame& f) {
    auto const& a = f.arguments;
    for (;;) {
        MPI_Status status;
        if (int const code = MPI_Recv(f.receive, a.count, a.type, 0, MPI_ANY_TAG, a.comm, &status); code != MPI_SUCCESS)
            return code;
        if (status.MPI_TAG == stop_tag)
            return MPI_SUCCESS;
        if (int const code = MPI_Send(f.send, a.count, a.type, 0, result_tag, a.comm); code != MPI_SUCCESS)
            return code;
    }
}

namespace {

constexpr Routine line(std::string_view id, std::string_view origin, std::string_view variations,
                       std::string_view defaults, std::string_view text, Dispatch calls) {
    return {.id = id,
            .pattern = Pattern::master_worker,
            .variations = variations,
            .origin = origin,
            .defaults = defaults,
            .text = text,
            .calls = calls};
}

using Receive = Dispatch::Receive;
using Send = Dispatch::Send;
constexpr std::string_view all_axes = "LNC";
constexpr std::string_view length = "-length";

constexpr std::array patterns{
    line("MPI_Waitsome", "later", all_axes, "-length -chunks -nodes",
         "results by MPI_Irecv and MPI_Waitsome, all available ones at once", {Receive::waitsome, Send::standard}),
    line("MPI_Waitany", "later", all_axes, length, "results by MPI_Irecv and MPI_Waitany, one at a time",
         {Receive::waitany, Send::standard}),
    line("MPI_Recv_Any_Source", "later", all_axes, length, "results by MPI_Recv with MPI_ANY_SOURCE",
         {Receive::any_source, Send::standard}),
    line("MPI_Send", "later", all_axes, length, "work by MPI_Send; results by MPI_Recv from each worker in turn",
         {Receive::in_turn, Send::standard}),
    line("MPI_Ssend", "later", all_axes, length, "work by MPI_Ssend; results by MPI_Recv from each worker in turn",
         {Receive::in_turn, Send::synchronous}),
    line("MPI_Isend", "later", all_axes, length, "work by MPI_Isend; results by MPI_Recv from each worker in turn",
         {Receive::in_turn, Send::immediate}),
    line("MPI_Bsend", "later", all_axes, length, "work by MPI_Bsend; results by MPI_Recv from each worker in turn",
         {Receive::in_turn, Send::buffered}),
};

}  // namespace

std::span<Routine const> master_worker_routines() noexcept { return patterns; }

}  // namespace skampi
