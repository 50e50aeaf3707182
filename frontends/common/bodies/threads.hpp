// SPDX-License-Identifier: BSD-3-Clause
/// Threads of a process that communicate at the same time, with MPI_THREAD_MULTIPLE.
#pragma once

#include "bodies/buffers.hpp"
#include "bodies/point_to_point.hpp"

#include <measure/comm.hpp>
#include <measure/error.hpp>
#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace bodies {

/// The caller's thread and others that wait for work without sleeping. Neither copied nor moved.
class ThreadTeam {
public:
    using Work = std::function<void(int thread)>;

    /// \param size  number of threads, including the caller's, >= 1  \throws std::system_error if threads are exhausted
    explicit ThreadTeam(int size);
    ThreadTeam(ThreadTeam const&) = delete;
    ThreadTeam& operator=(ThreadTeam const&) = delete;
    ~ThreadTeam();

    [[nodiscard]] int size() const noexcept { return static_cast<int>(others_.size()) + 1; }
    /// Calls work(thread) on all threads and waits for all. The caller's thread is 0.
    void run(Work const& work) noexcept;

private:
    void serve(int thread) noexcept;

    Work const* work_ = nullptr;
    std::atomic<std::int64_t> round_{0};
    std::atomic<int> busy_{0};
    std::atomic<bool> ends_{false};
    std::vector<std::thread> others_;
};

/// A barrier of threads that wait without sleeping. Neither copied nor moved.
class ThreadBarrier {
public:
    /// \param threads  >= 1
    explicit ThreadBarrier(int threads) noexcept : threads_{threads} {}
    /// Waits until all threads have called it.
    void wait() noexcept;

private:
    int threads_;
    std::atomic<int> here_{0};
    std::atomic<std::int64_t> round_{0};
};

/// Whether MPI was initialised with MPI_THREAD_MULTIPLE.
[[nodiscard]] bool have_thread_multiple() noexcept;

/// The body: each thread of rank 0 and the thread of rank 1 with the same number make the requested number of round
/// trips, all at the same time. Returns false if MPI reports an error. Neither copied nor moved.
class ThreadPingPong {
public:
    /// Local. \param bytes  bytes of a message  \throws std::bad_alloc, std::system_error, measure::UsageError
    ThreadPingPong(measure::Comm const& pair, int threads, measure::Bytes bytes, BufferPolicy const& policy);

    bool operator()(measure::Iterations exchanges) noexcept;

    [[nodiscard]] int threads() const noexcept { return team_.size(); }
    [[nodiscard]] Buffers const& memory(int thread) const noexcept { return memory_[static_cast<std::size_t>(thread)]; }

private:
    [[nodiscard]] int exchange(int thread, measure::Iteration it) const noexcept;

    MPI_Comm comm_;
    bool first_;
    int count_;
    std::vector<Buffers> memory_;
    ThreadTeam team_;
};

/// The body: round trips that are distributed over the threads of rank 0 and of rank 1, which may have different
/// numbers of threads. Thread k makes the round trips k, k + threads, ... If rank 0 has a single thread, any thread of
/// rank 1 answers it; otherwise tags identify the round trips. Returns false if MPI reports an error. Neither copied
/// nor moved.
class DealtPingPong {
public:
    /// Local. \param link  link of this rank; rank 0 sends first
    /// \param here  threads of this rank  \param first  threads of rank 0  \param bytes  bytes of a message
    /// \throws std::bad_alloc, std::system_error
    DealtPingPong(Link const& link, int here, int first, measure::Bytes bytes, BufferPolicy const& policy);

    bool operator()(std::int64_t exchanges) noexcept;

    /// Executes once more with known bytes and checks them. \param exchanges  at least the number of threads
    /// \return the error on this rank, "" without error
    [[nodiscard]] std::string check(std::int64_t exchanges, int rank, measure::Bytes bytes);

private:
    [[nodiscard]] int exchange(int thread, int there, int back) const noexcept;

    Link link_;
    bool is_dealt_by_tag_;
    std::vector<Buffers> memory_;
    ThreadTeam team_;
};

}  // namespace bodies
