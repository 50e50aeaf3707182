// SPDX-License-Identifier: BSD-3-Clause
/// run_each: the loop of published benchmarks, which reads the clock before and after each iteration. It stores 8 bytes
/// per iteration, which allows loops of 10^8 iterations.
#pragma once

#include "measure/comm.hpp"
#include "measure/control.hpp"
#include "measure/heartbeat.hpp"
#include "measure/measurement.hpp"
#include "measure/mpi_error.hpp"
#include "measure/operation.hpp"
#include "measure/run.hpp"
#include "measure/timer.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Settings of the loop. They must be the same on all ranks.
struct EachPlan {
    AnyTimer timer{};             ///< timer of the iterations; default: MPI_Wtime
    bool meets = false;           ///< true: barrier before each iteration; false: barrier before each part of about 1 s
    int warm_up = 0;              ///< number of uncounted iterations before the counted ones; >= 0
    std::int64_t iterations = 1;  ///< number of counted iterations; >= 1
    Combine combine = Combine::root;  ///< how the times of all ranks are joined: root, max or mean
    Control control{};                ///< stop flag, hooks and deadline; `stage` and `epoch` are not called
};

/// Result of the loop.
struct EachResult {
    Measurement measurement{};  ///< as returned by `run`, without samples, clocks and correction
    /// [iterations] this rank's times, s. NaN if the iteration failed on this rank; minus infinity if this rank's clock
    /// went back during the iteration.
    std::vector<double> mine{};
    /// [iterations] times joined over the ranks, s. NaN if the iteration failed on any rank, otherwise minus infinity
    /// if the clock of any rank went back. Root only.
    std::vector<double> joined{};
};

namespace detail {

/// A part of the loop, on this rank.
struct EachBlock {
    Comm const& comm;
    bool meets = false;
    std::int64_t first = 0;              ///< index of the first iteration
    std::span<double> times{};           ///< [iterations] output, s
    int* in_sample = nullptr;            ///< set to 1 during each iteration
    std::span<double> phases{};          ///< [phases] the times of the phases are added here, s
    int first_code = MPI_SUCCESS;        ///< error code of the first iteration that failed
    std::int64_t invalid = 0;            ///< number of iterations that failed or in which the clock went back
    std::optional<std::string> error{};  ///< text of the first exception
};

/// Stores the text of the current exception, if it is the first one. The rank continues, because other ranks wait for
/// it in the following iterations.
void note_exception(EachBlock& block);

/// Runs the block, for one type of timer and one type of body.
template <Timer T, class B>
void time_each(T const& timer, B& body, EachBlock& block) {
    Iteration it{block.first, block.first};
    int no_sample = 0;
    int& in_sample = block.in_sample != nullptr ? *block.in_sample : no_sample;
    for (double& time : block.times) {
        if (block.meets)
            block.comm.barrier();
        in_sample = 1;
        Lap<T> lap(timer, it);
        auto const opened = begin_stamp(timer);
        auto closed = opened;
        int code = MPI_SUCCESS;
        try {
            if constexpr (TakesLap<B>)
                code = code_of(body, lap);
            else
                code = iterate(body, it, 1);
            closed = end_stamp(timer);
        } catch (...) {
            note_exception(block);
            code = no_code;
        }
        in_sample = 0;
        auto const begin = lap.begin_or(opened);
        auto const end = lap.end_or(closed);
        time = timer.between(begin, end).count();
        if (int const noted = noted_error(); code == MPI_SUCCESS)
            code = noted;
        std::size_t const phases = block.phases.size();
        auto const phase_end = [&](std::size_t p) { return p < lap.marks() && p + 1 < phases ? lap.mark_at(p) : end; };
        bool is_forward = !(end < begin);
        auto from = begin;
        for (std::size_t p = 0; p < phases; from = phase_end(p++))
            is_forward = is_forward && !(phase_end(p) < from);
        if (code != MPI_SUCCESS || !is_forward) [[unlikely]] {
            time = code != MPI_SUCCESS ? std::numeric_limits<double>::quiet_NaN()
                                       : -std::numeric_limits<double>::infinity();
            ++block.invalid;
            block.first_code = block.first_code != MPI_SUCCESS ? block.first_code : code;
        } else {
            from = begin;
            for (std::size_t p = 0; p < phases; from = phase_end(p++))
                block.phases[p] += timer.between(from, phase_end(p)).count();
        }
        ++it.index;
        ++it.sample;
        constexpr double slow = 1e-3;
        if (it.index % 64 == 0 || !(time < slow))
            alive();
    }
}

/// A type-erased operation with the function that runs its blocks.
struct EachLoop {
    Owned<AnyOperation> operation;
    void (*block)(AnyOperation& operation, AnyTimer const& timer, EachBlock& block);
};

using EachMaker = Callback<Owned<EachLoop>(Comm const& comm)>;

[[nodiscard]] EachResult run_each(Comm const& comm, EachPlan const& plan, EachMaker const& make);

}  // namespace detail

/// Runs the loop. Collective over `comm`. An interruption discards all iterations. After the deadline, the loop ends
/// within about 2 s, and the measurement is exhausted with reason "budget".
///
/// \param source  an operation, a bare body, or a maker, as for `run`; prepare and finish hooks are not called
/// \return the result, which is complete on the root; other ranks have only verdict, stop reason, counts, message and
///         `mine`
/// \throws the same exceptions as `run`
template <class Source>
[[nodiscard]] EachResult run_each(Comm const& comm, EachPlan const& plan, Source&& source) {
    return detail::run_each(comm, plan, [&](Comm const& team) {
        using Op = decltype(detail::make_operation(source, team));
        using Held = detail::OperationOf<Op>;
        auto const block = [](detail::AnyOperation& operation, AnyTimer const& timer, detail::EachBlock& part) {
            auto& body = static_cast<Held&>(operation).held().body;
            timer.visit([&](auto const& concrete) { detail::time_each(concrete, body, part); });
        };
        return detail::Owned<detail::EachLoop>{new detail::EachLoop{
            detail::Owned<detail::AnyOperation>{new Held(detail::make_operation(source, team))}, block}};
    });
}

}  // namespace measure
#pragma GCC visibility pop
