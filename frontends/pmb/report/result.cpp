// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/report/result.hpp"

#include "pmb/method.hpp"
#include "pmb/operations/partners.hpp"

#include <measure/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pmb {

namespace {

using measure::PointStatus;
using measure::Record;

/// The combined readings of some processes. In seconds, after the time scale.
struct Joined {
    double min = 0;
    double mean = 0;
    double max = 0;      ///< largest of the processes' mean times
    double slowest = 0;  ///< the time of the row: `max`; with a plan, the mean over samples of the slowest process
    double pure = 0;
    double cpu = 0;
    double barrier = 0;
    double tests = 0;
    std::int64_t timed = 0;  ///< number of timed processes
    double defect = 0;
    bool succeeded = true;
    bool is_backward = false;
    std::int64_t repetitions = 0;
    std::int64_t iterations = 1;  ///< repetitions between two clock readings
    measure::SettlingReport settling{};
    Ending ending{};
};

/// Scale of a row's value. Values over the whole world are not scaled.
double scale_of(Benchmark const& b) { return b.kind == Class::world ? 1 : b.time_scale; }

bool is_worse(Ending const& a, Ending const& b) {
    return a.verdict != b.verdict ? a.verdict > b.verdict : a.valid < b.valid;
}

Joined join(std::span<Report const> reports, double scale, bool by_plan) {
    auto const timed = std::count_if(reports.begin(), reports.end(), [](auto const& r) { return r.reading.timed; });
    Joined j{.min = std::numeric_limits<double>::infinity(),
             .timed = timed,
             .repetitions = reports.front().repetitions,
             .iterations = std::numeric_limits<std::int64_t>::max(),
             .ending = reports.front().ending};
    double value = 0;
    double error = 0;
    unsigned clocks = 0;
    for (Report const& report : reports) {
        double const time = report.reading.time * scale;
        if (report.reading.timed) {
            auto const threads = report.reading.threads;
            j.min = std::min(j.min, threads ? threads->min * scale : time);
            j.max = std::max(j.max, time);
            j.mean += (threads ? threads->mean * scale : time) / static_cast<double>(timed);
        }
        j.pure = std::max(j.pure, report.reading.pure * scale);
        j.cpu = std::max(j.cpu, report.reading.cpu);
        j.barrier = std::max(j.barrier, report.reading.barrier);
        j.tests = std::max(j.tests, report.reading.tests);
        j.defect = std::max(j.defect, report.reading.defect.error);
        j.succeeded &= report.reading.succeeded;
        j.is_backward |= report.reading.is_backward;
        j.iterations = std::min(j.iterations, report.reading.iterations);
        auto const& counts = report.reading.counts;
        j.settling.faults_counted = std::max(j.settling.faults_counted, counts.page_faults);
        j.settling.faults_all_ranks += report.page_faults;
        j.settling.involuntary_switches =
            std::max(j.settling.involuntary_switches, static_cast<std::int64_t>(counts.involuntary_switches));
        value = std::max(value, report.ending.value * scale);
        // If the error of one group is unknown, the combined error is unknown.
        error = std::isnan(error) || error > report.ending.relative_error ? error : report.ending.relative_error;
        // Among concurrent groups the worst ending counts.
        clocks |= report.ending.clocks;
        if (is_worse(report.ending, j.ending))
            j.ending = report.ending;
    }
    j.ending.clocks = clocks;
    j.slowest = by_plan ? value : j.max;
    j.ending.relative_error = error;
    return j;
}

/// Adds the quantities derived from a row's value, for columns and record.
void describe(Record& record, Benchmark const& b, std::optional<measure::Bytes> length, Joined const& j,
              Setup const& setup) {
    measure::seconds const time{j.slowest};
    if (b.non_blocking) {
        record.derived["t_pure"] = j.pure;
        record.derived["t_cpu"] = j.cpu;
        measure::seconds const pure{j.pure};
        measure::seconds const cpu{j.cpu};
        bool const of_files = is_io(setup.part);
        record.derived["overlap"] = of_files ? overlap(pure, cpu, time) : overlap_of_longer(pure, cpu, time);
        if (!of_files)
            record.derived["overlap_min"] = overlap(pure, cpu, time);
        if (setup.parameters.tests > 0)
            record.derived["tests"] = j.tests;
    } else if (b.target_computes) {
        record.derived["t_pure"] = j.pure;
        record.derived["barrier"] = j.barrier;
    } else if (b.kind == Class::world) {
        double const messages = b.messages * static_cast<double>(record.at.integer("ranks"));
        double const rate = time.count() > 0 ? messages / time.count() : 0;
        record.derived["t"] = j.mean * b.time_scale;
        record.derived["message_rate"] = rate;
        record.derived["bandwidth"] = rate * static_cast<double>(length.value_or(0));
    } else if (b.kind == Class::rate && setup.part == Part::imb_mt) {
        int const threads = setup.parameters.threads.threads;
        auto const pairs = static_cast<double>(j.timed * threads / 2);
        record.derived["t"] = j.mean;
        record.derived["message_rate"] = j.mean > 0 ? pairs / j.mean : 0;
        record.derived["bandwidth"] = pairs * throughput(1, length.value_or(0) / threads, time);
    } else if (b.kind == Class::rate) {
        auto const pairs = record.at.integer("ranks") / 2;
        auto const messages = static_cast<double>(b.messages * setup.parameters.window * pairs);
        double const rate = time.count() > 0 ? messages / time.count() : 0;
        record.derived["message_rate"] = rate;
        record.derived["bandwidth"] = rate * static_cast<double>(length.value_or(0));
    } else if (b.messages > 0) {
        record.derived["bandwidth"] = throughput(b.messages, length.value_or(0), time);
    }
    if (setup.by_plan() && !std::isnan(j.ending.relative_error))
        record.derived["relative_error"] = j.ending.relative_error;
    if (setup.optional_mode())
        record.flag("optional_mode");
    if (!setup.check || !b.checked)
        return;
    record.derived["defects"] = j.defect;
    record.flag("checked");
    if (j.defect >= 1)
        record.flag("defects");
}

/// The record of a planned row for which the root has no measurement.
Record record_of(std::string title, measure::Point at, Ending const& e, Setup const& setup) {
    Record record{.benchmark = std::move(title), .at = std::move(at)};
    record.attempts = e.attempts;
    record.valid = e.valid;
    record.kept = e.kept;
    record.invalid = e.invalid;
    if (e.valid > 0 && 2 * e.valid < e.attempts)
        record.flag("few_valid");
    for (std::size_t i = 0; i < measure::clock_flags.size(); ++i)
        if ((e.clocks >> i & 1U) != 0)
            record.flag(measure::clock_flags[i]);
    bool const met = e.verdict == measure::StopVerdict::converged;
    record.status = met                                                   ? PointStatus::converged
                    : e.verdict == measure::StopVerdict::no_valid_samples ? PointStatus::no_valid_samples
                                                                          : PointStatus::exhausted;
    record.stop_reason = e.budget                      ? "budget"
                         : e.clock                     ? std::string{measure::stop::clock_reason}
                         : !met                        ? "exhausted"
                         : setup.policy == Policy::off ? "count"
                                                       : "relative_error";
    return record;
}

Record record_of(Head const& head, measure::Point at, std::optional<measure::Bytes> length, Joined const& j,
                 Setup const& setup, measure::Measurement const* m, measure::TimerInfo const& timer) {
    auto name = title(head);
    if (!j.succeeded)
        return measure::make_record(std::move(name), std::move(at), PointStatus::crashed, "a call returned an error");
    double const scale = scale_of(head.benchmark);
    Record record;
    if (m != nullptr)
        record = measure::scaled(measure::make_record(std::move(name), std::move(at), *m), scale);
    else if (setup.by_plan())
        record = record_of(std::move(name), std::move(at), j.ending, setup);
    else  // The sample is a whole repetition.
        record = measure::make_record(
            std::move(name), std::move(at),
            measure::LoopTimes{.iterations = j.repetitions, .time = j.slowest / scale, .is_backward = j.is_backward});
    record.iterations_per_sample = setup.start ? 1 : j.repetitions;
    if (j.is_backward)
        return record;
    // The library has already flagged its own measurements.
    auto const iterations = setup.by_plan() ? *record.iterations_per_sample : j.iterations;
    measure::seconds const between{j.slowest / scale * static_cast<double>(iterations)};
    if (m == nullptr && record.status != PointStatus::no_valid_samples && is_near_timer_floor(between, timer))
        record.flag(measure::near_timer_floor);
    record.value = record.status == PointStatus::no_valid_samples ? std::nullopt : std::optional{j.slowest};
    record.over_ranks = measure::RankSpread{j.min, j.mean, j.max};
    if (m == nullptr)
        measure::note_settling(record, j.settling, record.attempts * *record.iterations_per_sample);
    if (is_imb(setup.part) && record.value && j.settling.involuntary_switches > 0)
        record.flag("disturbed");
    if (head.groups.size() == 1)
        record.semantics = semantics(head.benchmark, setup.part);
    describe(record, head.benchmark, length, j, setup);
    return record;
}

}  // namespace

Ending ending_of(measure::Measurement const& m) {
    Ending e{.verdict = m.verdict,
             .budget = m.stop_reason == "budget",
             .clock = m.stop_reason == measure::stop::clock_reason,
             .attempts = m.attempts,
             .valid = m.valid,
             .kept = m.kept,
             .invalid = m.invalid};
    for (std::size_t i = 0; i < measure::clock_flags.size(); ++i)
        if (m.has_flag(measure::clock_flags[i]))
            e.clocks |= 1U << i;
    if (m.valid == 0)
        e.relative_error = std::numeric_limits<double>::quiet_NaN();
    if (m.estimate) {
        e.value = m.estimate->value;
        e.relative_error = relative_error(*m.estimate);
    }
    return e;
}

Head head_of(Benchmark const& b, Setup const& setup, Grouping const& grouping) {
    Head head{b, modes_of(b, setup).front(), grouping.members(), grouping.idle()};
    head.columns = setup.map ? setup.map->columns : 0;
    if (setup.part == Part::imb_mt)
        head.threads = setup.parameters.threads;
    head.window = setup.parameters.window;
    return head;
}

measure::Point at(Head const& head, std::optional<measure::Bytes> length, std::optional<int> multi,
                  std::optional<int> group) {
    measure::Point point{{"ranks", static_cast<std::int64_t>(head.groups.front().size())}};
    if (length)
        point.set("bytes", *length);
    if (head.threads) {
        point.set("threads", std::int64_t{head.threads->threads});
        if (head.benchmark.strided)
            point.set("stride", std::int64_t{resolved_stride(head.threads->stride, head.all())});
    }
    if (head.benchmark.kind == Class::rate)
        point.set("window", std::int64_t{head.window});
    if (head.mode != Mode::single)
        point.set("mode", std::string{head.mode == Mode::aggregate ? "aggregate" : "non_aggregate"});
    if (multi)
        point.set("groups", static_cast<std::int64_t>(head.groups.size()));
    if (group)
        point.set("group", std::int64_t{*group});
    return point;
}

std::vector<Record> join(Head const& head, Grouping const& grouping, std::optional<measure::Bytes> length,
                         std::span<Report const> reports, Setup const& setup,
                         std::optional<measure::Measurement> const& by_plan, measure::TimerInfo const& timer) {
    bool const per_group = setup.multi == 1;
    int const rows = per_group ? grouping.groups : 1;
    std::vector<Record> records;
    for (int g = 0; g < rows; ++g) {
        std::vector<Report> of_row;
        for (std::size_t group = 0; group < head.groups.size(); ++group)
            for (int const rank : head.groups[group])
                if (!per_group || group == static_cast<std::size_t>(g))
                    of_row.push_back(reports[static_cast<std::size_t>(rank)]);
        auto j = join(of_row, scale_of(head.benchmark), setup.by_plan());
        j.settling.runs = setup.part == Part::imb_mt    ? setup.parameters.warm_up
                          : setup.part == Part::imb_p2p ? short_warm_up_of(j.repetitions)
                          : is_imb(setup.part)          ? warm_up_of(j.repetitions)
                                                        : setup.parameters.warm_up;
        // A measurement describes its own group, not the sum over groups.
        bool const described = by_plan && g == 0 && rows == grouping.groups;
        records.push_back(record_of(head, at(head, length, setup.multi, per_group ? std::optional{g} : std::nullopt),
                                    length, j, setup, described ? &*by_plan : nullptr, timer));
    }
    return records;
}

void add_rounds(Record& row, std::span<Record const> rounds) {
    std::vector<double> times;
    for (auto const& round : rounds)
        if (round.value)
            times.push_back(*round.value);
    if (times.empty())
        return;
    row.derived["rounds"] = measure::Value::Array(times.begin(), times.end());
    auto const [low, high] = std::minmax_element(times.begin(), times.end());
    double const middle = measure::median(times);
    row.derived["rounds_min"] = *low;
    row.derived["rounds_median"] = middle;
    row.derived["rounds_spread"] = middle > 0 ? (*high - *low) / middle : 0;
}

}  // namespace pmb
