// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/method.hpp"

#include <measure/clock_sync.hpp>
#include <measure/schedule.hpp>
#include <measure/stopping.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace pmb {

namespace {

constexpr std::int64_t fewest_calls = 10;
constexpr std::int64_t most_loops = 100;

/// Stops by the printed error, which is that of the trimmed mean.
struct PrintedError {
    double target;
    std::int64_t at_least;
    std::int64_t at_most;  ///< attempted samples
    measure::Decision operator()(measure::Progress const& p) const {
        if (std::ssize(p.samples) >= at_least) {
            auto const e = measure::estimate(p.samples);
            if (e && relative_error(*e) <= target)
                return measure::least_error(p.clock_step()) <= target * e->value
                           ? measure::Decision{measure::StopVerdict::converged, "relative_error"}
                           : measure::Decision{measure::StopVerdict::exhausted,
                                               std::string{measure::stop::clock_reason}};
        }
        if (p.attempts < at_most)
            return {};
        return {p.samples.empty() ? measure::StopVerdict::no_valid_samples : measure::StopVerdict::exhausted,
                "exhausted"};
    }
};

/// Calls between two decisions. The run should not greatly exceed the requested number of calls.
int stage_of(std::int64_t n, int usual) {
    for (int stage = static_cast<int>(std::min<std::int64_t>(n, usual)); stage > usual / 2; --stage)
        if (n % stage == 0)
            return stage;
    return static_cast<int>(std::min<std::int64_t>(n, usual));
}

}  // namespace

double relative_error(measure::Estimate const& e) noexcept {
    return e.standard_error && e.value > 0 ? *e.standard_error / e.value : std::numeric_limits<double>::quiet_NaN();
}

measure::Plan plan(Setup const& s, std::int64_t n, measure::AnyTimer const& timer, bool keep_samples,
                   measure::Control control) {
    measure::Plan p{.timer = timer,
                    .start = measure::BarrierStart{},
                    .batch = measure::FixedCount{n},
                    .warm_up = 0,
                    .settling = {},
                    .limit = {},
                    .stage = fewest_loops,
                    .keep = keep_samples ? measure::Keep::samples : measure::Keep::summary,
                    .control = std::move(control)};
    // Signals are handled between rows, where all groups meet.
    p.control.stop = nullptr;
    measure::StoppingRule rule = PrintedError{s.standard_error, fewest_loops, most_loops};
    if (s.start) {
        measure::Plan const usual;
        p.start_falls_back = false;  // the table heading names the start of all rows
        p.start = measure::start_from(*s.start, measure::sync_from(s.sync));
        p.batch = measure::FixedCount{1};
        p.warm_up = usual.warm_up;
        p.stage = stage_of(n, usual.stage);
        if (s.policy == Policy::standard_error)
            rule = PrintedError{s.standard_error, fewest_calls, std::max(n, fewest_calls)};
        else
            rule = measure::stop::Count{.valid = n, .at_most = 4 * n + 100};
    }
    p.stop = rule;
    if (s.start)
        program::change(p, s.common);
    if (s.time)
        p.stop = measure::stop::AnyOf{p.stop, measure::stop::TimeLimit{*s.time}};
    return p;
}

measure::Value describe(Options const& o, Setup const& s) {
    auto const& p = s.parameters;
    measure::Value::Array names;
    for (Benchmark const* const b : s.benchmarks)
        names.emplace_back(b->name);
    measure::Value value = measure::Value::Object{
        {"benchmarks", names},
        {"npmin", s.at_least},
        {"multi", s.multi},
        {"repetitions", p.repetitions},
        {"non_aggregate", p.non_aggregate},
        {"volume", p.volume},
        {"msglog", fmt::format("{}:{}", p.min_log, p.max_log)},
        {"zero_size", p.zero},
        {"n_barr", p.barriers},
        {"root_shift", s.rotate_root},
        {"check", s.check},
        {"start", s.start.value_or("loop")},
        {"iter_policy", text(s.policy)},
        {"time", s.time},
        {"refine", s.refine},
        {"mem", s.memory},
        {"rounds", s.rounds},
    };
    if (s.start)
        value["sync_alg"] = s.sync;
    if (!is_imb(s.part)) {
        value["mode"] = s.optional_mode() ? "optional" : "standard";
        value["n_warmup"] = p.warm_up;
    }
    if (is_imb(s.part)) {
        value["warm_up"] = p.warm_up > 0;
        value["show_tail"] = s.show_tail;
        value["sync"] = p.sync;
        value["imb_barrier"] = p.dissemination;
        value["window_size"] = p.window;
        value["off_cache"] = p.cache;
        value["data_type"] = moved_types().text(p.moved);
        value["red_data_type"] = reduced_types().text(p.reduced);
        value["contig_type"] = packings().text(p.packing);
        value["thread_level"] = thread_levels().text(p.threads.level);
        value["msg_pause"] = s.pauses;
        value["method"] = s.adds_synchronised ? "both" : s.start ? "sync" : "imb";
        value["map"] = s.map ? fmt::format("{}x{}", s.map->rows, s.map->columns) : "1x1";
    }
    if (s.part == Part::imb_nbc)
        value["tests_per_compute"] = p.tests;
    if (s.part == Part::imb_mt) {
        auto const& t = p.threads;
        value["threads"] = t.threads;
        value["stride"] = t.stride;
        value["barrier"] = team_barriers().text(t.barrier);
        value["malloc_align"] = t.alignment;
        value["malloc_algo"] = allocations().text(t.allocation);
        value["datatype"] = elements().text(t.element);
    }
    if (s.part == Part::imb_p2p) {
        value["pause"] = p.pause;
        value["msgwr"] = p.writes;
        value["msgrd"] = p.reads;
    }
    if (s.policy == Policy::standard_error)
        value["stderr"] = s.standard_error;
    if (s.lengths)
        value["lengths"] = measure::Value::Array(s.lengths->begin(), s.lengths->end());
    if (is_io(s.part)) {
        value["cpu_secs"] = p.cpu;
        value["sync_writes"] = write_syncs().text(p.write_sync);
        value["file"] = o.file;
        value["keep"] = o.keep;
    }
    return value;
}

}  // namespace pmb
