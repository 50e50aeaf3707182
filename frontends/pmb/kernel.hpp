// SPDX-License-Identifier: BSD-3-Clause
/// Kernel: one benchmark on the active processes of one group. Its functions are called once per row, outside all
/// timing; the loop itself is compiled for the kernel's body.
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

/// Where scratch files lie.
struct Files {
    std::string base = "pmb_out";
    int group = -1;  ///< of this process where the groups have files of their own, otherwise -1
    bool keep = false;
};

/// What a kernel works with. Lives longer than the kernel.
struct Task {
    measure::Comm const& team;  ///< the active processes of this group
    int world_rank = 0;         ///< of this process, for the names of private files
    measure::AnyTimer const& timer;
    Parameters const& parameters;
    measure::Bytes largest = 0;  ///< of all lengths to come: buffers are made for it
    bool rotate_root = true;
    bool each = false;  ///< every repetition is timed by itself
    bool check = false;
    std::vector<double>* times = nullptr;  ///< s of each repetition, which then is timed by itself
    Verifier& verifier;
    Files files{};
    CpuLoop const* cpu = nullptr;         ///< of non-blocking file benchmarks
    std::function<void(bool)> in_body{};  ///< told when the body begins and ends
};

/// What one process found in a row. Trivially copyable: it travels.
struct Reading {
    double time = 0;  ///< s per repetition, before the time scale
    double pure = 0;  ///< s per repetition of the calls alone, where the overlap is shown
    double cpu = 0;   ///< s of one computation, likewise
    std::optional<measure::RankSpread>
        threads{};                   ///< s of each thread, where there are several; `time` is the slowest's
    double barrier = 0;              ///< s of the barrier behind each repetition, where that is in the time
    double tests = 0;                ///< calls of MPI_Test in a repetition
    bool timed = true;               ///< false: this process had nothing to do in the repetitions
    measure::KernelCounts counts{};  ///< in the repetitions of `time`; by a plan, the most of a process
    std::int64_t iterations = 1;     ///< between two readings of the clock
    bool is_backward = false;        ///< the clock went back between two of them: no time is one
    bool succeeded = true;
    Defect defect{};
};

/// A row measured by a plan.
struct Measured {
    measure::Measurement measurement{};
    double pure = 0;  ///< as in Reading
    double cpu = 0;
    bool timed = true;
};

/// A length that could not be prepared on this process: a file or a window. The text names it and says why.
class KernelError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Collective over the team; forgets the failure. \param subject  what it is about: a file's name
/// \throws KernelError on all its processes, with what the lowest rank in trouble says
inline void agree(measure::Comm const& team, std::string const& subject, program::DeferredError& trouble) {
    auto const word = program::agree(team, trouble);
    trouble = {};
    if (word)
        throw KernelError{std::string{subject}.append(": ").append(word->text)};
}

class Kernel {
public:
    virtual ~Kernel() = default;
    /// Makes ready for rows of one length in one mode: initial values, window, file. Collective over the team.
    /// \throws KernelError on any of its processes, which then all call `end`
    virtual void begin(Mode mode, measure::Bytes length) = 0;
    /// Barriers, then `n` >= 1 repetitions between two clock readings; in checking mode the data are looked at.
    /// Collective over the team. \throws KernelError like `begin`, and so does `run`
    virtual Reading loop(std::int64_t n) = 0;
    /// What comes before the first row: like `loop`, in aggregate mode where there is one. What is found is dropped.
    virtual void warm_up(std::int64_t n) = 0;
    /// Measures by a plan of the library instead; a sample is a loop of plan.batch repetitions. Collective over the
    /// team.
    virtual Measured run(measure::Plan const& plan) = 0;
    /// Gives back what `begin` took. Collective over the team; also after a failed `begin`.
    virtual void end() = 0;
};

/// IMB's own barrier, of empty messages: to the process 1, 2, 4, .. places ahead, from the one so far behind.
/// Collective over the team. \throws measure::MpiError
inline void exchange_barrier(measure::Comm const& team, int tag) {
    int const n = team.size();
    for (int distance = 1; distance < n; distance *= 2)
        measure::check(MPI_Sendrecv(nullptr, 0, MPI_BYTE, (team.rank() + distance) % n, tag, nullptr, 0, MPI_BYTE,
                                    (team.rank() - distance + n) % n, tag, team.native(), MPI_STATUS_IGNORE),
                       "MPI_Sendrecv");
}

/// A barrier around repetitions that are timed one by one. Collective over the team.
inline void meet(Task const& task) {
    constexpr int tag = 1000;
    if (task.parameters.dissemination)
        exchange_barrier(task.team, tag);
    else
        task.team.barrier();
}

/// What comes right before the first clock reading. Collective over the team.
inline void enter(Task const& task) {
    task.in_body(true);
    for (int k = 0; k < task.parameters.barriers; ++k)
        if (task.each)
            meet(task);
        else
            task.team.barrier();
}

/// n repetitions with two clock readings each, and a barrier behind each that is not timed. Collective over the team.
template <class Op>
[[nodiscard]] Reading timed_each(Task const& task, Op& operation, std::int64_t n) {
    // Before the barriers, so that no process is late by it.
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

/// Nothing comes between barriers and clock.
inline constexpr auto at_once = [] {};

/// Barriers, then n repetitions of the operation between two clock readings, or as `timed_each`. Collective over the
/// team. \param open  called before the first reading
template <class Op, class Open = decltype(at_once)>
[[nodiscard]] Reading time_repetitions(Task const& task, Op& operation, std::int64_t n, Open open = at_once) {
    if (task.each || task.times != nullptr)
        return timed_each(task, operation, n);
    // Two system calls, whose time differs from process to process, would be in a loop that follows them.
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

/// The loop of a row. In checking mode `verify(i)` looks at the data of repetition i: with `each`, every repetition has
/// two clock readings of its own with the check behind them; otherwise one check follows the last repetition.
/// Collective over the team.
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
