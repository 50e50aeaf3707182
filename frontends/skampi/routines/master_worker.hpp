// SPDX-License-Identifier: BSD-3-Clause
/// The master-worker pattern: a master hands out pieces of work and takes the results, until all are back.
#pragma once

#include "skampi/routines/calls.hpp"

#include <cstdint>

namespace skampi {

/// The master's side, on rank 0. Every work message and every result has the frame's length; each worker has a slice of
/// the frame's buffers of its own. One sample of `chunks` pieces is
///
///     run()     receives for the first pieces' results are posted, where the method posts any; then the first
///               min(chunks, workers) pieces are sent, and for each result that comes back the next one
///     stop()    after the clock is read
///
/// The frame needs requests for two messages of each worker.
class Master {
public:
    Master(Frame& frame, Dispatch how, std::int64_t chunks) noexcept : f_{frame}, how_{how}, chunks_{chunks} {}

    /// What is timed. \return MPI's code
    int run();
    /// Tells all workers that the sample is over. \return MPI's code
    int stop();

private:
    [[nodiscard]] int workers() const noexcept { return f_.arguments.size - 1; }
    [[nodiscard]] bool posts() const noexcept {
        return how_.receive == Dispatch::Receive::waitsome || how_.receive == Dispatch::Receive::waitany;
    }
    [[nodiscard]] std::byte* slice(std::byte* buffer, int worker) const noexcept {
        return buffer + (worker - 1) * f_.block;
    }
    [[nodiscard]] MPI_Request& result_of(int worker) const noexcept {
        return f_.requests[static_cast<std::size_t>(worker - 1)];
    }
    [[nodiscard]] MPI_Request& work_for(int worker) const noexcept {
        return f_.requests[static_cast<std::size_t>(workers() + worker - 1)];
    }
    void post(int worker);
    void send(int worker);
    void take_some();
    void take_any();
    void take_from_any_source();
    void take_in_turn();
    void note(int code) noexcept { code_ = code_ != MPI_SUCCESS ? code_ : code; }
    void finished(int worker);

    Frame& f_;
    Dispatch how_;
    std::int64_t chunks_;
    std::int64_t given_ = 0;
    std::int64_t taken_ = 0;
    int code_ = MPI_SUCCESS;
};

/// A worker's side of one sample: answers pieces until it is told to stop. No computation. \return MPI's code
int serve(Frame& frame);

}  // namespace skampi
