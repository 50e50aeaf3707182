// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/run/point_runner.hpp"

#include "program/engine/unsettled.hpp"
#include "skampi/output/number.hpp"
#include "skampi/routines/master_worker.hpp"
#include "skampi/routines/tables.hpp"

#include <measure/keep.hpp>
#include <measure/statistics.hpp>

#include <algorithm>

namespace skampi {
namespace {

using measure::Measurement;
using measure::Plan;
using measure::seconds;

/// One call through a function pointer that is chosen before the clock is read. The empty measurement uses the same
/// path, so that its cost is subtracted.
struct CallBody {
    Frame* frame;
    Call call;
    bool operator()() const { return call(*frame) == MPI_SUCCESS; }
};

struct ClosingBarrier {
    MPI_Comm comm;
    void operator()() const { MPI_Barrier(comm); }
};

struct Clear {
    Bench* bench;
    void operator()() const { bench->clear(); }
};

/// A complete distribution of work. The clock is read around the master's part, up to the last result.
struct Distribution {
    Bench* bench;
    Dispatch how;
    std::int64_t chunks;

    template <class L>
    bool operator()(L& lap) const {
        if (!bench->team().is_root())
            return serve(bench->frame()) == MPI_SUCCESS;
        Master master{bench->frame(), how, chunks};
        lap.begin();
        int const code = master.run();
        lap.end();
        return worse(code, master.stop()) == MPI_SUCCESS;
    }
};

Measurement run_local(Plan const& plan, measure::Comm const& comm, Local which) {
    switch (which) {
    case Local::wtime:
        return measure::run(comm, plan, [] { measure::keep(MPI_Wtime()); });
    case Local::comm_rank:
        return measure::run(comm, plan, [] {
            int rank = 0;
            bool const ok = MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS;
            measure::keep(rank);
            return ok;
        });
    case Local::comm_size:
        return measure::run(comm, plan, [] {
            int size = 0;
            bool const ok = MPI_Comm_size(MPI_COMM_WORLD, &size) == MPI_SUCCESS;
            measure::keep(size);
            return ok;
        });
    case Local::iprobe:
        return measure::run(comm, plan, [probed = comm.native()] {
            int there = 0;
            int const code = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, probed, &there, MPI_STATUS_IGNORE);
            return code == MPI_SUCCESS && there == 0;
        });
    case Local::buffer_attach: {
        constexpr int size = 1024;
        std::vector<std::byte> buffer(size);
        return measure::run(comm, plan, [memory = buffer.data()] {
            void* detached = nullptr;
            int detached_size = 0;
            int const code = MPI_Buffer_attach(memory, size);
            return worse(code, MPI_Buffer_detach(&detached, &detached_size)) == MPI_SUCCESS;
        });
    }
    }
    return {};
}

/// Measures calls, followed by a barrier if the other processes must be waited for.
Measurement run_calls(Plan const& plan, Bench& bench, Call call, bool barrier) {
    auto const& comm = bench.team();
    CallBody const body{&bench.frame(), call};
    if (barrier)
        return measure::run(comm, plan, measure::op(body).finish(ClosingBarrier{comm.native()}).prepare(Clear{&bench}));
    return measure::run(comm, plan, measure::op(body).prepare(Clear{&bench}));
}

bool together(Task const& task) { return std::holds_alternative<Together>(task.routine->calls); }

bool closes_by_barrier(Task const& task, Sync sync) {
    auto const* const calls = std::get_if<Together>(&task.routine->calls);
    return calls != nullptr && sync == Sync::barrier && !calls->is_barrier;
}

Measurement run_routine(Plan const& plan, Bench& bench, Sync sync) {
    Task const& task = *bench.setting().task;
    auto const& calls = task.routine->calls;
    if (auto const* const which = std::get_if<Local>(&calls))
        return run_local(plan, bench.team(), *which);
    if (auto const* const how = std::get_if<Dispatch>(&calls))
        return measure::run(bench.team(), plan, Distribution{&bench, *how, bench.setting().chunks});
    return run_calls(plan, bench, bench.call(), closes_by_barrier(task, sync));
}

std::vector<double> valid_times(Measurement const& m) {
    std::vector<double> times;
    for (auto const& sample : m.samples)
        if (sample.invalid == measure::InvalidReason::none)
            times.push_back(sample.time);
    return times;
}

/// Chooses the number of iterations so that a coarse clock resolves a sample: the smallest power of two with which the
/// minimum number of samples takes at least step / epsilon. A nanosecond clock needs one iteration.
std::int64_t iterations(Plan plan, Bench& bench, Sync sync, seconds step) {
    constexpr double quickest = 50e-9;
    constexpr std::int64_t at_most = 1024;
    Task const& task = *bench.setting().task;
    auto const* const calls = std::get_if<Together>(&task.routine->calls);
    bool const fixed = std::holds_alternative<Dispatch>(task.routine->calls) || (calls != nullptr && calls->makes);
    double const needed = step.count() / task.standard_error;
    auto const samples = static_cast<double>(task.min_repetition);
    if (fixed || sync == Sync::window || samples * quickest >= needed)
        return 1;
    plan.stop = measure::stop::Count{.valid = 1, .at_most = 1};
    plan.stage = 1;
    double time = run_routine(plan, bench, sync).time().count();
    bench.team().broadcast(time);
    std::int64_t k = 1;
    while (k < at_most && !(static_cast<double>(k) * time * samples >= needed))
        k *= 2;
    return k;
}

}  // namespace

std::vector<double> selected_node_times(std::vector<double> times, std::size_t count) {
    std::size_t const n = times.size();
    std::sort(times.begin(), times.end());
    if (count == 0)
        return {};
    if (count == 1)
        return {times[n / 2]};
    std::vector<double> selected;
    for (std::size_t i = 0; i + 1 < count; ++i)
        selected.push_back(times[n * i / (count - 1)]);
    selected.push_back(times.back());
    return selected;
}

bool PointRunner::sorts_node_times(Task const& task) const noexcept {
    int const most = std::max(setting(task, task.start).nodes, setting(task, task.end).nodes);
    return task.node_times && static_cast<std::size_t>(most) > settings_.max_node_times;
}

PointRunner::Empty PointRunner::empty_of(Task const& task, Sync sync) noexcept {
    if (task.routine->pattern == Pattern::simple)
        return Empty::simple;
    if (task.routine->pattern == Pattern::master_worker)
        return Empty::dispatch;
    return closes_by_barrier(task, sync) ? Empty::barrier : Empty::clock;
}

Plan PointRunner::plan_for(Task const& task, Team& team, Sync sync, measure::Control const& control) {
    measure::stop::Skampi const rule{.epsilon = task.standard_error,
                                     .at_least = task.min_repetition,
                                     .at_most = task.max_repetition,
                                     .trim = task.cut};
    Plan plan{.timer = settings_.timer,
              .start = measure::FreeStart{},
              .batch = measure::FixedCount{1},
              .combine = measure::Combine::root,
              .stop = rule,
              .settling = {},
              .limit = {}};
    if (task.time_measurement)
        plan.stop = measure::stop::AnyOf{rule, measure::stop::TimeLimit{*task.time_measurement}};
    plan.estimate.trim = task.cut;
    plan.warm_up = 1;
    plan.stage = measure::to_int(task.min_repetition, "Min_Repetition");
    plan.stage_share = 0.25;
    plan.at_most = task.max_repetition;
    plan.keep = measure::Keep::samples;
    plan.control = control;
    if (task.routine->pattern == Pattern::simple) {
        seconds const low{std::max(10 * settings_.step.count() / task.standard_error, 20e-6)};
        plan.batch = measure::TargetDuration{low, 4 * low};
    } else if (task.routine->pattern == Pattern::master_worker || (together(task) && sync == Sync::barrier)) {
        plan.start = measure::BarrierStart{};
    } else if (together(task)) {
        bool usable = team.clock && team.clock->is_young();
        team.comm.broadcast(usable);
        if (!usable)
            team.clock = team.clock ? measure::synchronise(team.comm, plan.timer, settings_.sync, *team.clock)
                                    : measure::synchronise(team.comm, plan.timer, settings_.sync);
        // The stop rule limits the attempts. An additional time limit would end points on busy machines after one or
        // two samples.
        plan.start_falls_back = false;  // the published method uses only slots
        plan.start = measure::AutoStart{.slot = {.sync = settings_.sync, .clock = team.clock}, .limit = seconds::max()};
        plan.combine = measure::Combine::max;
        plan.warm_up = 4;
    }
    return plan;
}

Measurement PointRunner::run_model(Plan plan, Bench& bench) const {
    ModelTimer const timer;
    ModelledTime samples{*settings_.model, bench.setting().task->name,
                         bench.setting().task->variation == Variation::none ? 0 : bench.setting().argument};
    plan.timer = timer;
    plan.start = measure::FreeStart{};
    plan.combine = measure::Combine::root;
    plan.batch = measure::FixedCount{1};
    plan.warm_up = 0;
    auto m = measure::run(bench.team(), plan, [&] { timer.advance(samples.next()); });
    // Computed times do not depend on memory.
    m.settling = {};
    std::erase(m.flags, unsettled_flag);
    return m;
}

/// Measures the overhead with the statistics of the first measurement that needs it. It is measured again for a later
/// measurement that requires a smaller error. A disturbance thus affects at most one measurement instead of the whole
/// run.
Overhead PointRunner::overhead(Plan plan, Bench& bench, Sync sync) {
    Task const& task = *bench.setting().task;
    auto const kind = empty_of(task, sync);
    auto& taken = overheads_[{kind, bench.team().size()}];
    Overhead& overhead = taken.overhead;
    // The root decides: other ranks may have been in another team of this size.
    auto const is_exact = [&] { return overhead.error < task.standard_error * overhead.time; };
    bool known = taken.task == &task || is_exact();
    bench.team().broadcast(known);
    if (known)
        return overhead;
    taken.task = &task;
    if (kind != Empty::simple)
        plan.batch = measure::FixedCount{1};
    if (kind == Empty::clock) {
        plan.start = measure::FreeStart{};
        plan.combine = measure::Combine::root;
    }
    auto const measured = [&] {
        if (kind == Empty::simple)
            return measure::run(bench.team(), plan, [] { measure::keep(0); });
        if (kind == Empty::dispatch)
            return measure::run(bench.team(), plan, Distribution{&bench, std::get<Dispatch>(task.routine->calls), 0});
        return run_calls(plan, bench, &nothing, kind == Empty::barrier);
    };
    // The overhead is subtracted from all points of the measurement, so a disturbed one would spoil all of them.
    constexpr int tries = 3;
    bool is_good = false;
    for (int i = 0; i < tries && !is_good; ++i) {
        auto const m = measured();
        if (m.estimate) {
            Overhead const now{m.estimate->value, measure::standard_error_population(valid_times(m))};
            if (i == 0 || now.error < overhead.error)
                overhead = now;
        }
        is_good = is_exact();
        bench.team().broadcast(is_good);
    }
    return overhead;
}

Measurement PointRunner::measure_by(Sync sync, Team& team, Bench& bench, measure::Control const& control,
                                    Overhead& overhead) {
    Task const& task = *bench.setting().task;
    auto plan = plan_for(task, team, sync, control);
    if (settings_.model)
        return run_model(plan, bench);
    overhead = this->overhead(plan, bench, sync);
    if (task.routine->pattern != Pattern::simple)
        plan.batch = measure::FixedCount{iterations(plan, bench, sync, settings_.step)};
    return run_routine(plan, bench, sync);
}

PointResult PointRunner::measure(Team& team, Bench& bench, measure::Control const& control) {
    Task const& task = *bench.setting().task;
    Overhead overhead;
    auto m = measure_by(task.sync, team, bench, control, overhead);
    // If the attempts are used up, fewer than max_repetition samples are valid. With that many, the samples ended the
    // point.
    bool const used_up = m.valid == 0 || (m.stop_reason == "exhausted" && m.valid < task.max_repetition);
    bool const fall_back = used_up && m.invalid.failed == 0 && task.sync == Sync::window;
    std::int64_t const in_vain = fall_back ? m.attempts : 0;
    if (fall_back)
        m = measure_by(Sync::barrier, team, bench, control, overhead);
    auto point = result(m, bench, overhead);
    point.invalid += in_vain;
    if (fall_back) {
        for (char const* const flag : {"invalid-window", fallback_flag})
            point.row.flags.emplace_back(flag);
        point.overhead.sync = Sync::barrier;
        // A difference from points of the window comes from the different method.
        point.half_width = unknown;
    }
    for (auto flag : point.row.flags) {
        std::replace(flag.begin(), flag.end(), '-', '_');
        point.record.flag(flag);
    }
    return point;
}

PointResult PointRunner::result(Measurement const& m, Bench const& bench, Overhead const& overhead) const {
    Setting const& s = bench.setting();
    Task const& task = *s.task;
    PointResult point{.overhead = overhead, .invalid = m.invalid.total(), .failed = m.invalid.failed > 0};
    measure::Point at{{"ranks", std::int64_t{s.nodes}}, {"bytes", s.length}};
    if (task.routine->pattern == Pattern::master_worker)
        at.set("chunks", s.chunks);
    point.record = measure::make_record(task.name, at, m);
    point.record.semantics = task.routine->semantics();
    point.record.has_samples = true;
    point.row = {.argument = task.variation == Variation::none ? 0 : s.argument, .length = s.length};
    point.row.samples = m.valid;
    if (!m.estimate)
        return point;

    // The overhead belongs to a sample, except in the simple pattern, where the loop overhead belongs to each
    // iteration.
    auto const k = static_cast<double>(m.iterations_per_sample);
    double const correction = overhead.time / (task.routine->pattern == Pattern::simple ? 1 : k);
    double const time = m.estimate->value - correction;
    auto const error = m.valid > 1 ? std::optional{std::max(measure::standard_error_population(valid_times(m)),
                                                            measure::least_error(m.estimate->clock_step))}
                                   : std::nullopt;
    auto& row = point.row;
    row.time = time * microseconds_per_second;
    if (error)
        row.error = *error * microseconds_per_second;
    if (auto const& interval = m.estimate->interval; interval && m.valid > 1)
        point.half_width = (interval->second - interval->first) / 2 * microseconds_per_second;
    if (m.verdict == measure::StopVerdict::exhausted)
        row.flags.emplace_back(m.stop_reason == "budget" ? "time-limit" : "maxrep");
    if (m.estimate->value <= 0)
        row.flags.emplace_back("zero-time");
    if (program::is_unsettled(point.record))
        row.flags.emplace_back(unsettled_flag);
    if (time < 0)
        row.flags.emplace_back("below-overhead");
    if (task.node_times) {
        std::vector<double> times;
        for (auto const& rank : m.ranks)
            times.push_back(rank.kept_mean * microseconds_per_second);
        if (sorts_node_times(task))
            times = selected_node_times(std::move(times), settings_.max_node_times);
        row.node_times.assign(times.begin(), times.end());
    }

    auto& record = point.record;
    record.value = time;
    record.correction = correction;
    record.derived["standard_error_population"] = error;
    record.derived["pattern"] = name(task.routine->pattern);
    if (task.routine->pattern == Pattern::point_to_point && time > 0)
        record.derived["bandwidth"] = 2 * static_cast<double>(s.length) / time;
    if (task.routine->pattern == Pattern::master_worker)
        record.derived["time_per_chunk"] = time / static_cast<double>(s.chunks);
    return point;
}

}  // namespace skampi
