// SPDX-License-Identifier: BSD-3-Clause
/// Operations: what is measured, and the sweeps that measure it.
#pragma once

#include "bodies/collectives.hpp"
#include "bodies/memory.hpp"
#include "program/runtime/test_hooks.hpp"
#include "transfer.hpp"
#include "wait.hpp"

#include <measure/plan.hpp>
#include <measure/record.hpp>
#include <measure/sweep.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace mpiperf {

/// Memory of a point's buffers. Bytes; 0 for an operation without buffers.
struct Footprint {
    measure::Bytes per_rank = 0;  ///< of the rank that needs most
    measure::Bytes blocks = 1;    ///< of that buffer on the root
    measure::Bytes cache = 0;     ///< cold: the root's last-level cache, otherwise 0
    measure::Bytes in_sum = 0;    ///< cold: of the ranks that share that cache
    int sharers = 1;              ///< cold: how many these are
    bool cut = false;             ///< the limit of memory allows less than twice the cache
};

/// How the buffers of the points are to lie.
struct Memory {
    bodies::BufferPolicy policy{};
    std::optional<bodies::LastLevelCache> cache{};  ///< with cold buffers
};

struct PluginTest;

/// How non-blocking operations are measured.
struct NonBlockingRules {
    bool blocking_mode = false;             ///< issue and wait, nothing between
    int points = 10;                        ///< steps from no computing to twice the blocking time; >= 1
    int tests = 10;                         ///< parts of the computing with a look at the communication between them
    measure::StoppingRule blocking_stop{};  ///< of the blocking time
    measure::seconds floor{0};              ///< the cost of a reading or the step of the clock, whichever is more
    bool by_rank = false;                   ///< records say what each rank has
};

/// One test's sweep. The same on all ranks, but for what is each rank's own.
struct Job {
    measure::Comm const& world;
    measure::Plan plan{};
    std::vector<measure::Axis> axes{};  ///< "ranks", "count"
    measure::Benchmark row{};           ///< name and hooks of the test
    measure::SweepOptions options{};
    Memory memory{};
    Messages messages{};
    bool verify = false;  ///< data are checked once for each point and epoch, after its samples
    std::optional<Corruption> corruption{};
    bodies::Root root{};
    NonBlockingRules nonblocking{};
    bool reorder = false;  ///< --reorder, for calls that have it as their argument
    std::optional<program::Delay> delay{};
    bodies::Collective const* collective = nullptr;     ///< of the test, where it is one of MPI's
    PluginTest const* plugin = nullptr;                 ///< of the test, where it is a plugin's
    std::function<void(Footprint const&)> footprint{};  ///< told before a point is measured; each epoch; all ranks
    std::function<void(measure::Record const&, measure::Measurement const&)> write{};  ///< root only
    std::function<void(std::string)> warn{};                                           ///< root only

    /// Of the test.
    [[nodiscard]] std::string_view name() const noexcept { return row.name; }
};

/// The policy of a team's buffers, with the footprint it leads to. Collective over the team.
/// \param sizes  of this rank's buffers
[[nodiscard]] bodies::BufferPolicy place(Memory const& memory, measure::Comm const& team, bodies::Sizes const& sizes,
                                         Footprint& footprint);

/// The same for a point of a job, which is told the footprint.
[[nodiscard]] bodies::BufferPolicy place(Job const& job, measure::Comm const& team, bodies::Sizes const& sizes);

/// Buffers on every rank or on none, so that no rank is left alone in what follows. Collective.
/// \throws std::bad_alloc on all ranks alike
[[nodiscard]] bodies::Buffers agreed_buffers(measure::Comm const& team, bodies::BufferPolicy const& policy,
                                             bodies::Sizes const& sizes);

/// Makes one rank late before one run, where a test asks for it. For `prepare`.
struct Hinder {
    std::optional<program::Delay> delay;
    bool mine = false;
    void operator()(measure::Iteration it) const {
        if (mine && it.sample == delay->run)
            std::this_thread::sleep_for(delay->duration);
    }
};

namespace detail {

struct Writer {
    Job const& job;
    void write(measure::Record const& record, measure::Measurement const& m) const { job.write(record, m); }
};

/// What was made, a body or an operation, as an operation that a test can hinder.
template <class Made>
auto hindered(Made made, Hinder hinder) {
    if constexpr (measure::detail::IsOperation<Made>::value) {
        auto own = std::move(made.prepare_hook);
        return std::move(made).prepare([hinder, own = std::move(own)](measure::Iteration it) {
            hinder(it);
            if constexpr (std::is_invocable_v<decltype(own) const&, measure::Iteration>)
                own(it);
            else
                own();
        });
    } else {
        return measure::op(std::move(made)).prepare(hinder);
    }
}

/// Sweeps an operation that make(team, point) makes, or whose body it makes.
template <class Make>
measure::SweepResult sweep(Job const& job, Make&& make) {
    auto row = job.row;
    row.make = measure::Maker{[&](measure::Comm const& team, measure::Point const& at) {
        bool const mine = job.delay && job.delay->rank == team.rank();
        auto operation = hindered(make(team, at), Hinder{job.delay, mine});
        using Body = decltype(operation.body);
        if constexpr (requires(Body & body) { body.check(Checking{}); })
            if (job.verify) {
                auto const& c = job.corruption;
                bool const spoils = c && c->rank == team.rank() && c->count == at.integer("count");
                Checking const how{.spoils = spoils, .in_sample = job.plan.control.in_sample};
                operation.check_hook = [how](Body& body) { return body.check(how); };
            }
        return operation;
    }};
    return measure::sweep(job.world, job.plan, job.axes, row, job.options, Writer{job});
}

}  // namespace detail

/// Measures the wait pattern W at every point of the job. Collective over the world.
template <class W>
measure::SweepResult measure_wait(Job const& job) {
    return detail::sweep(job, [](measure::Comm const& team, measure::Point const&) { return Wait<W>{team}; });
}

}  // namespace mpiperf
