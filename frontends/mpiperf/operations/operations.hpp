// SPDX-License-Identifier: BSD-3-Clause
/// Operations: what tests are measured with, and how a benchmark gets its maker.
#pragma once

#include "bodies/collectives.hpp"
#include "bodies/memory.hpp"
#include "mpiperf/operations/transfer.hpp"
#include "mpiperf/plugin/pmpi_flag.hpp"
#include "program/runtime/test_hooks.hpp"

#include <measure/benchmark.hpp>
#include <measure/plan.hpp>
#include <measure/record.hpp>
#include <measure/timer.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace mpiperf {

/// Memory of a point's buffers. Bytes; 0 for an operation without buffers.
struct Footprint {
    measure::Bytes per_rank = 0;  ///< of the rank that needs most
    measure::Bytes blocks = 1;    ///< of each buffer
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

/// How non-blocking operations are measured.
struct NonBlockingRules {
    bool blocking_mode = false;             ///< issue and wait, nothing between
    int points = 10;                        ///< steps from no computing to twice the blocking time; >= 1
    int tests = 10;                         ///< parts of the computing with a look at the communication between them
    measure::StoppingRule blocking_stop{};  ///< of the blocking time
    measure::seconds floor{0};              ///< the cost of a reading or the step of the clock, whichever is more
    bool by_rank = false;                   ///< records say what each rank has
};

/// What all tests of a campaign are measured with. The same on all ranks, but for what is each rank's own. Benchmarks
/// refer to it.
struct Setting {
    measure::AnyTimer timer{};
    Memory memory{};
    Messages messages{};
    bool verify = false;  ///< data are checked once for each point and epoch, after its samples
    std::optional<Corruption> corruption{};
    bodies::Root root{};
    NonBlockingRules nonblocking{};
    int window = 1;            ///< messages of a stream under way at once
    int threads = 1;           ///< of each process
    int partitions = 1;        ///< of a partitioned message
    bool reorder = false;      ///< --reorder, for calls that have it as their argument
    std::string scratch{"."};  ///< folder of the file that tests of files make
    std::optional<program::Delay> delay{};
    /// Told before a point is measured; each epoch; all ranks.
    std::function<void(measure::Point const&, Footprint const&)> footprint{};
    std::function<void(std::string)> warn{};  ///< on all ranks
};

/// What is known of each point of a benchmark until its record is written, which may be long after other points.
template <class T>
class ByPoint {
public:
    [[nodiscard]] T& operator[](measure::Point const& at) { return values_[at.text()]; }
    [[nodiscard]] T* find(measure::Point const& at) {
        auto const found = values_.find(at.text());
        return found != values_.end() ? &found->second : nullptr;
    }

private:
    std::map<std::string, T> values_;
};

/// The policy of a team's buffers with the number of blocks that it agrees on, and the footprint it leads to.
/// Collective over the team. \param sizes  of this rank's buffers  \param copies  of these, one for each thread
[[nodiscard]] bodies::BufferPolicy place(Memory const& memory, measure::Comm const& team, bodies::Sizes const& sizes,
                                         int copies, Footprint& footprint);

/// The same for a point of a campaign, which is told the footprint.
[[nodiscard]] bodies::BufferPolicy place(Setting const& setting, measure::Comm const& team, measure::Point const& at,
                                         bodies::Sizes const& sizes, int copies = 1);

/// Adds what is done to a record behind what the benchmark does with it already.
void then(measure::Benchmark& row, measure::Finish more);

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

}  // namespace detail

/// Makes the operation that make(team, point) makes, or whose body it makes: with the check of its data where data are
/// verified. \param make  copied
template <class Make>
measure::Maker maker(Setting const& setting, Make make) {
    return [&setting, make](measure::Comm const& team, measure::Point const& at) {
        bool const mine = setting.delay && setting.delay->rank == team.rank();
        auto operation = detail::hindered(make(team, at), Hinder{setting.delay, mine});
        using Body = decltype(operation.body);
        if constexpr (requires(Body & body) { body.check(Checking{}); })
            if (setting.verify) {
                auto const& c = setting.corruption;
                bool const spoils = c && c->rank == team.rank() && c->count == at.integer("count");
                Checking const how{.spoils = spoils, .in_sample = &mpiperf_is_measure_started};
                operation.check_hook = [how](Body& body) { return body.check(how); };
            }
        return operation;
    };
}

}  // namespace mpiperf
