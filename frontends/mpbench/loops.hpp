// SPDX-License-Identifier: BSD-3-Clause
/// Loops: how one size of a test is measured by the library's own loop: probed, long enough, often enough.
#pragma once

#include "bench.hpp"
#include "llcbench/flush.hpp"
#include "operations.hpp"
#include "rules.hpp"

#include <measure/comm.hpp>
#include <measure/run.hpp>
#include <measure/stopping.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>

namespace mpbench {

/// How a size is measured.
struct Method {
    Rules rules{};
    measure::Plan plan{};           ///< of a loop, but for its length and the end of the loops
    measure::seconds resolution{};  ///< of the timer, on the root
    bool flush = false;             ///< caches are flushed before the first loop
};

/// Collective over the communicator, whose tasks are those of the transport.
template <Transport T>
class SizeLoops {
public:
    SizeLoops(measure::Comm const& comm, T& t, Kind kind, Message const& m, Method const& method,
              llcbench::Flush& flush)
        : comm_{comm}, t_{t}, kind_{kind}, message_{m}, method_{method}, rules_{method.rules}, flush_{flush} {}

    [[nodiscard]] Measured measure() {
        auto const begun = Clock::now();
        std::int64_t n = first_length();
        Measured result;
        for (std::int64_t before = executed_;; before = executed_) {
            result.measurement = loops(
                n, [this, n](measure::Progress const& p) { return decide(n, p); }, method_.flush);
            result.measurement.settling.runs += before;
            if (auto const next = agreed(next_); next > n)
                n = next;
            else
                break;
        }
        if constexpr (NonBlocking<T>)
            if (kind_ == Kind::isend && !rules_.flush_each)
                result.call_time = call_time(n);
        // A loop is no first call, and a slave's time no other one's.
        result.measurement.first_call = result.measurement.second_call = std::nullopt;
        result.measurement.ranks.clear();
        result.measurement.elapsed = measure::seconds{Clock::now() - begun}.count();
        return result;
    }

private:
    using Clock = std::chrono::steady_clock;

    /// The root's number.
    std::int64_t agreed(std::int64_t number) const {
        comm_.broadcast(number);
        return number;
    }

    /// Two iterations show what one costs.
    std::int64_t first_length() {
        std::int64_t const n = by_volume(rules_, kind_, message_.bytes);
        if (rules_.exact)
            return n;
        auto const begun = Clock::now();
        auto const samples = rules_.samples(2);
        auto const probe = loops(2, measure::stop::Count{.valid = samples, .at_most = samples}, false);
        cost_ = measure::seconds{Clock::now() - begun} / 2;
        if (!probe.estimate)
            return agreed(n);
        return agreed(within_time(rules_, n, rules_.flush_each ? cost_ : probe.time()));
    }

    /// Behind the first loop: whether it was long enough. Root only.
    measure::Decision decide(std::int64_t n, measure::Progress const& p) {
        auto const samples = static_cast<std::size_t>(rules_.samples(n));
        next_ = n;
        if (p.samples.size() >= samples && p.previous < samples) {
            next_ = longer(rules_, kind_, n, measure::mean(p.samples) * measure::seconds{static_cast<double>(n)},
                           method_.resolution);
            if (rules_.flush_each)
                next_ = std::max(n, within_time(rules_, next_, cost_));
        }
        if (next_ > n)
            return {measure::Verdict::exhausted, "too short"};
        return stopping(rules_, rules_.samples(n))(p);
    }

    /// Loops of n iterations until the rule ends them. With `flush_each` every iteration is a sample.
    measure::Measurement loops(std::int64_t n, measure::StoppingRule stop, bool flush_first) {
        constexpr std::int64_t longest_stage = 10'000;
        auto plan = method_.plan;
        plan.batch = measure::Fixed{rules_.flush_each ? 1 : n};
        plan.stage = static_cast<int>(std::min(rules_.samples(n), longest_stage));
        plan.stop = std::move(stop);
        if (!(rules_.standard_error > 0))
            plan.at_most = rules_.samples(n);
        auto const prepare = [=, this](measure::Iteration it) {
            if (rules_.flush_each || (flush_first && it.sample == 0))
                flush_();
            if (!make_ready(t_, kind_, message_, rules_.flush_each ? 1 : n))
                throw std::runtime_error("a call before the loop reports an error");
        };
        measure::Measurement m;
        with_operation(t_, kind_, message_,
                       [&](auto operation) { m = measure::run(comm_, plan, std::move(operation).prepare(prepare)); });
        executed_ += m.attempts * m.iterations_per_sample;
        return m;
    }

    /// `n` calls that begin a send; they are waited for behind the second reading. \return s per call
    [[nodiscard]] std::optional<double> call_time(std::int64_t n) {
        auto plan = method_.plan;
        plan.batch = measure::Fixed{1};
        plan.stage = 1;
        plan.stop = measure::stop::Count{.valid = 1, .at_most = 1};
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
        auto const m = t_.rank() == 0 ? measure::run(comm_, plan, measure::op(calls).prepare([&] { t_.expect(n); }))
                                      : measure::run(comm_, plan, measure::op(receives));
        return m.estimate ? std::optional{m.estimate->value / static_cast<double>(n)} : std::nullopt;
    }

    measure::Comm const& comm_;
    T& t_;
    Kind kind_;
    Message message_;
    Method const& method_;
    Rules const& rules_;
    llcbench::Flush& flush_;
    measure::seconds cost_{0};   ///< of an iteration with its flush; the root's counts
    std::int64_t next_ = 0;      ///< length that the loops are to have; the root's counts
    std::int64_t executed_ = 0;  ///< iterations so far
};

}  // namespace mpbench
