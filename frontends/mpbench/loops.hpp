// SPDX-License-Identifier: BSD-3-Clause
/// Loops: measures one size of a test. A probe finds the length of the loop, which is then repeated as needed.
#pragma once

#include "mpbench/bench.hpp"
#include "mpbench/rules.hpp"

#include <measure/measurement.hpp>
#include <measure/statistics.hpp>
#include <measure/stopping.hpp>
#include <measure/units.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace mpbench {

/// Measures loops of n iterations of one size, with `Rules::samples` samples each, until the rule ends them. The master
/// evaluates the rule after each loop and returns the complete measurement. `agreed` sends the master's number to all
/// tasks.
template <class T>
concept LoopRunner = requires(T& t, std::int64_t n, measure::StoppingRule const& rule, bool flush) {
    { t.run(n, rule, flush) } -> std::same_as<measure::Measurement>;  // flush: flush the caches before the first loop
    { t.agreed(n) } -> std::same_as<std::int64_t>;
};

/// Measures one size. Collective over the tasks of the test.
template <LoopRunner Runner>
class SizeLoops {
public:
    /// \param bytes  size of the message  \param resolution  resolution of the master's timer
    SizeLoops(Runner& runner, Rules const& rules, Kind kind, measure::Bytes bytes, measure::seconds resolution)
        : runner_{runner}, rules_{rules}, kind_{kind}, bytes_{bytes}, resolution_{resolution} {}

    /// \param flush  flush the caches before the first loop that counts
    [[nodiscard]] measure::Measurement measure(bool flush) {
        auto const begun = Clock::now();
        std::int64_t n = first_length();
        measure::Measurement m;
        for (bool more = true; more;) {
            auto const before = executed_;
            m = run(
                n, [this, n](measure::Progress const& p) { return decide(n, p); }, flush);
            m.settling.runs += before;
            auto const next = runner_.agreed(next_);
            more = next > n;
            n = next;
        }
        m.elapsed = measure::seconds{Clock::now() - begun}.count();
        return m;
    }

private:
    using Clock = measure::SteadyClock;

    measure::Measurement run(std::int64_t n, measure::StoppingRule const& rule, bool flush) {
        auto m = runner_.run(n, rule, flush);
        executed_ += m.attempts * m.iterations_per_sample;
        return m;
    }

    /// Chooses the length of the first loop. Measures two iterations to find the time of one.
    std::int64_t first_length() {
        next_ = by_volume(rules_, kind_, bytes_);
        if (rules_.exact)
            return next_;
        auto const samples = rules_.samples(2);
        auto const begun = Clock::now();
        auto const probe = run(2, measure::stop::Count{.valid = samples, .at_most = samples}, false);
        cost_ = measure::seconds{Clock::now() - begun} / 2;
        if (probe.estimate)
            next_ = within_time(rules_, next_, rules_.flush_each ? cost_ : probe.time());
        return runner_.agreed(next_);
    }

    /// Stopping rule. After the first loop it also checks whether the loop was long enough.
    measure::Decision decide(std::int64_t n, measure::Progress const& p) {
        auto const samples = static_cast<std::size_t>(rules_.samples(n));
        next_ = n;
        if (p.samples.size() >= samples && p.previous < samples) {
            measure::seconds const loop{measure::mean(p.samples) * static_cast<double>(n)};
            next_ = longer(rules_, kind_, n, loop, resolution_);
            if (rules_.flush_each)
                next_ = std::max(n, within_time(rules_, next_, cost_));
        }
        if (next_ > n)
            return {measure::StopVerdict::exhausted, "too short"};
        return stopping(rules_, rules_.samples(n))(p);
    }

    Runner& runner_;
    Rules const& rules_;
    Kind kind_;
    measure::Bytes bytes_;
    measure::seconds resolution_;
    measure::seconds cost_{0};   ///< time of an iteration with its flush; only the master's value is used
    std::int64_t next_ = 0;      ///< required length of the loops; only the master's value is used
    std::int64_t executed_ = 0;  ///< number of iterations so far
};

}  // namespace mpbench
