// SPDX-License-Identifier: BSD-3-Clause
/// Kernel: one benchmark on the active processes of one group. Its functions are called once per row, outside the
/// timed part. The loop is compiled for the body of the kernel.
#pragma once

#include "pmb/report/check.hpp"
#include "pmb/rules.hpp"
#include "program/runtime/deferred_error.hpp"

#include <measure/comm.hpp>
#include <measure/kernel_counts.hpp>
#include <measure/measurement.hpp>
#include <measure/mpi_error.hpp>
#include <measure/plan.hpp>
#include <measure/run.hpp>
#include <measure/sample.hpp>
#include <measure/time_iterations.hpp>
#include <measure/timer.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pmb {

class CpuLoop;

/// Location of scratch files.
struct Files {
    std::string base = "pmb_out";
    int group = -1;  ///< group of this process if each group has its own files, otherwise -1
    bool keep = false;
};

/// The working context of a kernel, which must outlive the kernel.
struct Task {
    measure::Comm const& team;  ///< the active processes of this group
    int world_rank = 0;         ///< rank of this process in the world, for the names of private files
    measure::AnyTimer const& timer;
    Parameters const& parameters;
    measure::Bytes largest = 0;  ///< the largest of the following lengths, for which buffers are allocated
    bool rotate_root = true;
    bool each = false;  ///< every repetition is timed individually
    bool check = false;
    std::vector<double>* times = nullptr;  ///< seconds of each repetition, if wanted; each is then timed individually
    Verifier& verifier;
    Files files{};
    CpuLoop const* cpu = nullptr;         ///< for non-blocking file benchmarks
    std::function<void(bool)> in_body{};  ///< called when the body begins and ends
};

/// The readings of one process in a row. Trivially copyable, because it is sent to the root.
struct Reading {
    double time = 0;  ///< seconds per repetition, before the time scale
    double pure = 0;  ///< seconds per repetition of the calls alone, if the overlap is reported
    double cpu = 0;   ///< seconds of one computation, if the overlap is reported
    std::optional<measure::RankSpread>
        threads{};                   ///< seconds per thread, if there are several; `time` is that of the slowest
    double barrier = 0;              ///< seconds of the barrier after each repetition, if the time includes it
    double tests = 0;                ///< calls of MPI_Test per repetition
    bool timed = true;               ///< false: this process took no part in the repetitions
    measure::KernelCounts counts{};  ///< during the repetitions of `time`; with a plan, the maximum over the processes
    std::int64_t iterations = 1;     ///< repetitions between two clock readings
    bool is_backward = false;        ///< the clock went backwards between two readings, so the times are invalid
    bool succeeded = true;
    Defect defect{};
};

/// A row measured by a plan of the library.
struct Measured {
    measure::Measurement measurement{};
    double pure = 0;  ///< as in Reading
    double cpu = 0;
    bool timed = true;
};

/// A file or window could not be prepared for a length on this process. The text names it and the reason.
class KernelError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Agrees on failures, then forgets them. Collective over the team. \param subject  the subject of the message, such
/// as a file name
/// \throws KernelError on all processes of the team, with the message of the lowest rank that failed
inline void agree(measure::Comm const& team, std::string const& subject, program::DeferredError& trouble) {
    auto const word = program::agree(team, trouble);
    trouble = {};
    if (word)
        throw KernelError{std::string{subject}.append(": ").append(word->text)};
}

class Kernel {
public:
    virtual ~Kernel() = default;
    /// Prepares rows of one length in one mode: initial values, window, file. Collective over the team.
    /// \throws KernelError on any process; all processes then call `end`
    virtual void begin(Mode mode, measure::Bytes length) = 0;
    /// Runs the barriers, then `n` >= 1 repetitions between two clock readings. In checking mode the data are checked.
    /// Collective over the team. \throws KernelError like `begin`; `run` also throws it
    virtual Reading loop(std::int64_t n) = 0;
    /// Runs before the first row: like `loop`, in aggregate mode if there is one. The result is dropped.
    virtual void warm_up(std::int64_t n) = 0;
    /// Measures by a plan of the library; a sample is a loop of plan.batch repetitions. Collective over the team.
    virtual Measured run(measure::Plan const& plan) = 0;
    /// Releases the resources of `begin`. Collective over the team; also after a failed `begin`.
    virtual void end() = 0;
};

/// IMB's own barrier of empty messages: each process sends to the process 1, 2, 4, .. places ahead and receives from
/// the one at the same distance behind. Collective over the team. \throws measure::MpiError
inline void exchange_barrier(measure::Comm const& team, int tag) {
    int const n = team.size();
    for (int distance = 1; distance < n; distance *= 2)
        measure::check(MPI_Sendrecv(nullptr, 0, MPI_BYTE, (team.rank() + distance) % n, tag, nullptr, 0, MPI_BYTE,
                                    (team.rank() - distance + n) % n, tag, team.native(), MPI_STATUS_IGNORE),
                       "MPI_Sendrecv");
}

/// A barrier around individually timed repetitions. Collective over the team.
inline void meet(Task const& task) {
    constexpr int tag = 1000;
    if (task.parameters.dissemination)
        exchange_barrier(task.team, tag);
    else
        task.team.barrier();
}

/// Runs directly before the first clock reading. Collective over the team.
inline void enter(Task const& task) {
    task.in_body(true);
    for (int k = 0; k < task.parameters.barriers; ++k)
        if (task.each)
            meet(task);
        else
            task.team.barrier();
}

/// n repetitions with two clock readings each, and an untimed barrier after each. Collective over the team.
template <class Op>
[[nodiscard]] Reading timed_each(Task const& task, Op& operation, std::int64_t n) {
    // Allocates before the barriers, so that no process is late.
    if (task.times != nullptr)
        task.times->reserve(static_cast<std::size_t>(n));
    auto const before = measure::kernel_counts();
    enter(task);
    measure::seconds total{0};
    bool succeeded = true;
    bool is_backward = false;
    for (std::int64_t i = 0; i < n; ++i) {
        auto const one = measure::time_iterations(task.timer, operation, 1, i);
        total += one.total;
        succeeded &= one.succeeded;
        is_backward |= one.is_backward();
        if (task.times != nullptr)
            task.times->push_back(one.is_backward() ? 0 : one.total.count());
        if (task.each && task.parameters.sync)
            meet(task);
    }
    auto const counts = measure::kernel_counts() - before;
    task.in_body(false);
    return {.time = total.count() / static_cast<double>(n),
            .counts = counts,
            .is_backward = is_backward,
            .succeeded = succeeded};
}

/// No work between the barriers and the first clock reading.
inline constexpr auto at_once = [] {};

/// Barriers, then n repetitions of the operation between two clock readings, or like `timed_each`. Collective over the
/// team. \param open  called before the first reading
template <class Op, class Open = decltype(at_once)>
[[nodiscard]] Reading time_repetitions(Task const& task, Op& operation, std::int64_t n, Open open = at_once) {
    if (task.each || task.times != nullptr)
        return timed_each(task, operation, n);
    // Before the barriers, because these two system calls take a different time on each process.
    auto const before = measure::kernel_counts();
    enter(task);
    open();
    auto const loop = measure::time_iterations(task.timer, operation, n);
    auto const counts = measure::kernel_counts() - before;
    task.in_body(false);
    return {.time = loop.each().count(),
            .counts = counts,
            .iterations = n,
            .is_backward = loop.is_backward(),
            .succeeded = loop.succeeded};
}

/// The loop of a row. In checking mode `verify(i)` checks the data of repetition i. With `each`, every repetition has
/// its own two clock readings, followed by the check; otherwise one check follows the last repetition. Collective over
/// the team.
template <class Op, class Verify, class Open = decltype(at_once)>
[[nodiscard]] Reading time_repetitions(Task const& task, Op& operation, std::int64_t n, bool each, Verify&& verify,
                                       Open open = at_once) {
    if (!task.check)
        return time_repetitions(task, operation, n, open);
    Reading reading;
    if (each) {
        enter(task);
        open();
        for (std::int64_t i = 0; i < n; ++i) {
            auto const before = measure::kernel_counts();
            auto const one = measure::time_iterations(task.timer, operation, 1, i);
            reading.counts += measure::kernel_counts() - before;
            reading.time += one.total.count() / static_cast<double>(n);
            reading.succeeded &= one.succeeded;
            reading.is_backward |= one.is_backward();
            verify(i);
            if (task.each && task.parameters.sync)
                meet(task);
        }
        task.in_body(false);
    } else {
        reading = time_repetitions(task, operation, n, open);
        verify(n - 1);
    }
    reading.defect = task.verifier.defect();
    return reading;
}

}  // namespace pmb
