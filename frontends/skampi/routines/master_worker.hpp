// SPDX-License-Identifier: BSD-3-Clause
/// The master-worker pattern: a master hands out pieces of work and collects all results.
#pragma once

#include "skampi/routines/calls.hpp"

#include <cstdint>

namespace skampi {

/// The master's side, on rank 0. Every work message and every result has the frame's length. Each worker has its own
/// slice of the frame's buffers. One sample with `chunks` pieces:
///
///     run()     posts receives for the first results, if the method uses posted receives; then sends the first
///               min(chunks, workers) pieces, and the next piece for each result that arrives
///     stop()    is called after the clock is read
///
/// The frame needs requests for two messages of each worker.
class Master {
public:
    Master(Frame& frame, Dispatch how, std::int64_t chunks) noexcept : f_{frame}, how_{how}, chunks_{chunks} {}

    /// Runs the timed part. \returns the error code of MPI
    int run();
    /// Tells all workers that the sample is over. \returns the error code of MPI
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

/// The worker's side of one sample: answers each piece without computation, until the master ends the sample.
/// \returns the error code of MPI
int serve(Frame& frame);

}  // namespace skampi
