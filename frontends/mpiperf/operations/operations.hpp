// SPDX-License-Identifier: BSD-3-Clause
/// Operations: settings shared by the tests, and the makers of benchmarks.
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

/// Memory of a point's buffers, in bytes; 0 for an operation without buffers.
struct Footprint {
    measure::Bytes per_rank = 0;  ///< memory of the rank that needs most
    measure::Bytes blocks = 1;    ///< number of blocks in each buffer
    measure::Bytes cache = 0;     ///< cold buffers: size of the root's last-level cache; otherwise 0
    measure::Bytes in_sum = 0;    ///< cold buffers: total of the ranks that share this cache
    int sharers = 1;              ///< cold buffers: number of these ranks
    bool cut = false;             ///< the memory limit allows less than twice the cache
};

/// Placement of the points' buffers in memory.
struct Memory {
    bodies::BufferPolicy policy{};
    std::optional<bodies::LastLevelCache> cache{};  ///< set for cold buffers
};

/// Rules for the measurement of non-blocking operations.
struct NonBlockingRules {
    bool blocking_mode = false;             ///< issue and wait, with no computing in between
    int points = 10;                        ///< steps from no computing to twice the blocking time; >= 1
    int tests = 10;                         ///< parts of the computing, with a call of MPI_Test between them
    measure::StoppingRule blocking_stop{};  ///< stopping rule for the blocking time
    measure::seconds floor{0};              ///< the cost of a clock reading or the clock step, whichever is larger
    bool by_rank = false;                   ///< records have the values of each rank
};

/// Settings shared by all tests of a campaign. Equal on all ranks, except values that are local by nature. Benchmarks
/// refer to it.
struct Setting {
    measure::AnyTimer timer{};
    Memory memory{};
    Messages messages{};
    bool verify = false;  ///< data are checked once per point and epoch, after its samples
    std::optional<Corruption> corruption{};
    bodies::Root root{};
    NonBlockingRules nonblocking{};
    int window = 1;            ///< messages of a stream in flight
    int threads = 1;           ///< threads of each process
    int partitions = 1;        ///< partitions of a partitioned message
    bool reorder = false;      ///< --reorder, for calls with such an argument
    std::string scratch{"."};  ///< folder for the file of File_write and File_read
    std::optional<program::Delay> delay{};
    /// Called before a point is measured, in each epoch, on all ranks.
    std::function<void(measure::Point const&, Footprint const&)> footprint{};
    std::function<void(std::string)> warn{};  ///< called on all ranks
};

/// Values of a benchmark's points until their records are written, which may be after other points.
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

/// The buffer policy of a team, with the number of blocks that all ranks agree on, and the resulting footprint.
/// Collective over the team. \param sizes  of this rank's buffers  \param copies  of the buffers, one for each thread
[[nodiscard]] bodies::BufferPolicy place(Memory const& memory, measure::Comm const& team, bodies::Sizes const& sizes,
                                         int copies, Footprint& footprint);

/// Overload for a point of a campaign; reports the footprint.
[[nodiscard]] bodies::BufferPolicy place(Setting const& setting, measure::Comm const& team, measure::Point const& at,
                                         bodies::Sizes const& sizes, int copies = 1);

/// Appends a step to the record processing of the benchmark.
void then(measure::Benchmark& row, measure::Finish more);

/// Allocates buffers on all ranks or on none, so that no rank waits alone afterwards. Collective.
/// \throws std::bad_alloc on all ranks
[[nodiscard]] bodies::Buffers agreed_buffers(measure::Comm const& team, bodies::BufferPolicy const& policy,
                                             bodies::Sizes const& sizes);

/// Delays one rank before one run, if MEASURE_TEST_DELAY requests it. For `prepare`.
struct Hinder {
    std::optional<program::Delay> delay;
    bool mine = false;
    void operator()(measure::Iteration it) const {
        if (mine && it.sample == delay->run)
            std::this_thread::sleep_for(delay->duration);
    }
};

namespace detail {

/// Wraps a body or an operation into an operation with that delay.
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

/// Returns a maker for the operation or body that make(team, point) returns, with a data check if data are verified.
/// \param make  copied
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
