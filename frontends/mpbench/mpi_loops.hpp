// SPDX-License-Identifier: BSD-3-Clause
/// MpiLoops: measures the loops of a size with measure::run.
#pragma once

#include "llcbench/flush.hpp"
#include "mpbench/loops.hpp"
#include "mpbench/operations.hpp"

#include <measure/comm.hpp>
#include <measure/plan.hpp>
#include <measure/run.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>

namespace mpbench {

/// Collective over a communicator with the same tasks as the transport.
template <Transport T>
class MpiLoops {
public:
    /// All arguments except the kind and the message must outlive the object. \param plan  made by `mpbench::plan`
    MpiLoops(measure::Comm const& comm, T& t, Kind kind, Message const& m, Rules const& rules,
             measure::Plan const& plan, llcbench::Flush& flush)
        : comm_{comm}, t_{t}, kind_{kind}, message_{m}, rules_{rules}, plan_{plan}, flush_{flush} {}

    std::int64_t agreed(std::int64_t number) const {
        comm_.broadcast(number);
        return number;
    }

    measure::Measurement run(std::int64_t n, measure::StoppingRule const& rule, bool flush) {
        constexpr std::int64_t longest_stage = 10'000;
        auto plan = plan_;
        plan.batch = measure::FixedCount{rules_.flush_each ? 1 : n};
        plan.stage = static_cast<int>(std::min(rules_.samples(n), longest_stage));
        plan.stop = rule;
        if (!(rules_.standard_error > 0))
            plan.at_most = rules_.samples(n);
        auto const prepare = [=, this](measure::Iteration it) {
            if (rules_.flush_each || (flush && it.sample == 0))
                flush_();
            if (!make_ready(t_, kind_, message_, rules_.flush_each ? 1 : n))
                throw std::runtime_error("a call before the loop reported an error");
        };
        measure::Measurement m;
        with_operation(t_, kind_, message_,
                       [&](auto operation) { m = measure::run(comm_, plan, std::move(operation).prepare(prepare)); });
        // A loop is not a first call, and only the master's time counts.
        m.first_call = m.second_call = std::nullopt;
        m.ranks.clear();
        return m;
    }

    /// Times `n` calls that begin a send. They are completed after the second reading. \return seconds per call
    [[nodiscard]] std::optional<double> call_time(std::int64_t n) {
        auto const calls = [&](auto& lap) {
            bool begun = true;
            for (std::int64_t i = 0; i < n; ++i)
                begun &= t_.begin_send(message_.send, message_.bytes, t_.size() - 1, tag::data);
            lap.end();
            return t_.wait_all() && begun;
        };
        auto const receives = [&] {
            bool arrived = true;
            for (std::int64_t i = 0; i < n; ++i)
                arrived &= t_.receive(message_.receive, message_.bytes, 0, tag::data);
            return arrived;
        };
        auto const m = t_.rank() == 0 ? measure::run(comm_, plan_, measure::op(calls).prepare([&] { t_.expect(n); }))
                                      : measure::run(comm_, plan_, measure::op(receives));
        return m.estimate ? std::optional{m.estimate->value / static_cast<double>(n)} : std::nullopt;
    }

private:
    measure::Comm const& comm_;
    T& t_;
    Kind kind_;
    Message message_;
    Rules const& rules_;
    measure::Plan const& plan_;
    llcbench::Flush& flush_;
};

/// Measures a size with measure::run. \param flush_first  flush the caches before the first loop that counts
template <Transport T>
[[nodiscard]] Measured measure_size(MpiLoops<T> loops, Rules const& rules, Kind kind, measure::Bytes bytes,
                                    measure::seconds resolution, bool flush_first) {
    Measured result{.measurement = SizeLoops{loops, rules, kind, bytes, resolution}.measure(flush_first)};
    if constexpr (NonBlocking<T>)
        if (kind == Kind::isend && !rules.flush_each)
            result.call_time = loops.call_time(result.measurement.iterations_per_sample);
    return result;
}

}  // namespace mpbench
