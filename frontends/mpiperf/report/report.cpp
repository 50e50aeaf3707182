// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/report/report.hpp"

#include "mpiperf/operations/nonblocking.hpp"
#include "mpiperf/report/columns.hpp"
#include "mpiperf/report/result.hpp"
#include "mpiperf/rules.hpp"

#include <measure/plan.hpp>
#include <measure/statistics.hpp>
#include <measure/table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

namespace mpiperf {

namespace {

using measure::Record;

/// A row or the titles; in text after a lead of two characters.
std::string indented(std::string_view lead, Style const& style, std::string const& line) {
    return style.format == Format::csv ? line : std::string{lead} + line;
}

measure::TableForm form(Style const& style) {
    return style.format == Format::csv ? measure::TableForm::csv : measure::TableForm::text;
}

std::string titles(Style const& style, bool per_process) {
    return indented("# ", style, measure::table_head(columns(style, per_process), form(style)));
}

/// The line after a row with a problem. Flags that concern the error only are left to the record.
std::string remark(Record const& record) {
    std::string text;
    auto const add = [&](std::string_view part) { text += fmt::format("{}{}", text.empty() ? "" : "; ", part); };
    if (record.status == measure::PointStatus::exhausted)
        add("exhausted, the exit condition was not reached");
    else if (record.status != measure::PointStatus::converged)
        add(measure::name(record.status));
    if (!record.message.empty())
        add(record.message);
    for (std::string const& flag : record.flags)
        if (flag != "autocorrelated" && flag != "near_timer_floor" && flag != "same_buffers")
            add(flag);
    if (auto const* const number = record.derived.get<std::int64_t>("attempt"))
        add(fmt::format("measurement {} of this point", *number));
    return text.empty() ? "" : fmt::format("# {} {}: {}\n", record.benchmark, record.at.text(), text);
}

/// The point with bytes that accompanies a point with a datatype.
std::string contiguous(Record const& record, Style const& style, std::optional<measure::Ratio> const& ratio) {
    Row const r = row(record);
    auto text = fmt::format("# {} contiguous bytes: {} +- {} {}", record.at.integer("count"), time_text(r.mean, style),
                            time_text(r.standard_error, style), style.scale == TimeScale::usec ? "usec" : "sec");
    if (ratio)
        text += fmt::format("; the row above takes {:.{}f} times as long", ratio->value, style.ratio_digits);
    if (ratio && ratio->interval)
        text += fmt::format(" (+- {:.{}f}; {:g} %: {:.{}f} .. {:.{}f})", *ratio->standard_error, style.ratio_digits,
                            ratio->confidence * 100, ratio->interval->first, style.ratio_digits,
                            ratio->interval->second, style.ratio_digits);
    return text + "\n";
}

bool is_measured(Record const& record) {
    return record.status != measure::PointStatus::skipped && record.status != measure::PointStatus::crashed;
}

std::int64_t first(measure::Axis const& axis) { return std::get<std::int64_t>(axis.values.front()); }
std::int64_t last(measure::Axis const& axis) { return std::get<std::int64_t>(axis.values.back()); }

std::string step_text(Step const& step) {
    return step.add ? fmt::format("add {}", *step.add) : fmt::format("multiply by {}", step.multiply.value_or(2));
}

std::string stop_text(Options const& o, std::string const& given) {
    if (!given.empty())
        return given;
    if (o.median_interval)
        return fmt::format("interval of the median <= +-{:g} % in two consecutive stages, with at least {} valid runs",
                           *o.median_interval * 100, fewest_for_median(o));
    if (o.relative_error)
        return fmt::format("relative standard error <= {:g} % with at least {} valid runs", *o.relative_error * 100,
                           o.min_runs);
    if (o.first_calls)
        return "after the first calls";
    return fmt::format("at least {} valid runs", o.valid_runs.value_or(enough_runs));
}

/// The times of the first calls of a point: the first, the second, then medians over two, four, eight .. calls. Calls
/// that were out of step count here, because the first call usually is: all that it touches is cold.
std::string first_calls(Record const& record, Style const& style) {
    std::string text;
    auto const all = std::min(record.samples.size(), static_cast<std::size_t>(style.first_calls));
    std::size_t to = 0;
    for (std::size_t from = 0; from < all; from = to) {
        to = std::min(std::max<std::size_t>(2 * from, from + 1), all);
        std::vector<double> times;
        measure::InvalidCounts invalid;
        for (std::size_t i = from; i < to; ++i) {
            auto const& sample = record.samples[i];
            invalid.add(sample.invalid);
            if (sample.invalid != measure::InvalidReason::failed)
                times.push_back(sample.time * (style.scale == TimeScale::usec ? 1e6 : 1));
        }
        text += fmt::format("#   {:<24}",
                            to - from > 1 ? fmt::format("calls {} to {}", from + 1, to) : fmt::format("call {}", to));
        text += times.empty() ? "-" : fmt::format("{:.{}f}", measure::median(times), style.time_digits);
        text += invalid.total() > 0 ? fmt::format("  (invalid: {})\n", measure::text(invalid)) : "\n";
    }
    return text;
}

/// The largest number of runs of a point, as text.
std::string most_runs(Options const& o, HeaderFacts const& facts) {
    auto const most = o.first_calls.value_or(o.max_runs);
    auto text = fmt::format("{}", most);
    if (facts.epochs > 1)
        text += fmt::format(" in each of {} epochs", facts.epochs);
    if (!facts.compared)
        return text;
    int const parts = facts.epochs > 1 ? facts.epochs : measure::placements;
    auto runs = most;
    if (!o.first_calls) {
        std::int64_t const stage = o.is_nosync() ? most : o.stage_runs;
        runs = stage * std::max<std::int64_t>((most + stage - 1) / stage, measure::least_stages_in_turn(parts));
    }
    return text + fmt::format("; {} in each of {} {}, both for the datatype and for bytes: {} of each", runs, parts,
                              facts.epochs > 1 ? "epochs" : "placements of the buffers", runs * parts);
}

std::string warm_up_text(Options const& o, bool settles) {
    if (o.first_calls)
        return fmt::format("none: the first {} calls on a new communicator", *o.first_calls);
    if (o.no_warmup)
        return "none";
    auto const runs = fmt::format("{} runs", o.warmup_runs);
    return settles ? "until page faults have ended and times are stable, at least " + runs
                   : runs + ", a fixed number (--settle off)";
}

std::string cold_text(Options const& o) {
    return o.cold ? fmt::format("on, at least {} blocks", o.cold_blocks) : "off";
}

std::string names(std::span<Test const* const> tests) {
    std::string text;
    for (Test const* const test : tests)
        text += fmt::format("{}{}", text.empty() ? "" : " ", test->name);
    return text;
}

bool has_nonblocking(std::span<Test const* const> tests) {
    return std::any_of(tests.begin(), tests.end(), [](Test const* test) { return test->kind == Kind::nonblocking; });
}

std::string compute_text(Options const& o) {
    return o.blocking_mode ? "none, issue and wait only"
                           : fmt::format("{}, up to twice the blocking time, {} parts with MPI_Test between them",
                                         o.compute_points, o.tests_per_compute);
}

std::string sync_text(measure::Environment const& run) { return run.clock_sync ? run.clock_sync->algorithm : "none"; }

std::string sync_summary(measure::SyncReport const& s) {
    auto text =
        fmt::format("{}, took {}, round trips {} to {}", s.algorithm, measure::text(measure::seconds{s.duration}),
                    measure::text(measure::seconds{s.rtt_min}), measure::text(measure::seconds{s.rtt_max}));
    text += s.bound ? fmt::format(", bound {}", measure::text(measure::seconds{*s.bound})) : ", no bound";
    if (s.drift)
        text += fmt::format(", drift up to {:.3g} ppm known to {}", *s.drift,
                            measure::text(measure::seconds{s.uncertainty.value_or(0)}));
    return s.closure ? text + fmt::format(", closure {:.3g} s", *s.closure) : text;
}

std::string cores_text(measure::Environment const& run) {
    std::string text;
    for (auto const& host : run.hosts)
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", host.cores, host.name);
    return text;
}

}  // namespace

Style style(Options const& o) {
    // Resolution 10 ns in either unit.
    int const usual = o.scale == TimeScale::usec ? 2 : 8;
    return {.scale = o.scale,
            .format = o.format,
            .time_digits = o.precision.value_or(usual),
            .ratio_digits = std::max(2, o.precision.value_or(2)),
            .nosync = o.is_nosync(),
            .first_calls = o.first_calls.value_or(0),
            .datatype = o.datatype.has_value()};
}

std::string header(measure::Environment const& run, Options const& o, HeaderFacts const& facts) {
    std::string text;
    auto const line = [&](std::string_view name, std::string_view value) {
        text += fmt::format("# {}: {}\n", name, value);
    };
    auto const number = [](auto n) { return fmt::format("{}", n); };
    text += fmt::format("# mpiperf {}\n", run.version);
    line("Command line", fmt::format("{}", fmt::join(run.command, " ")));
    line("Benchmark", names(facts.tests));
    line("Minimal number of processes", number(first(facts.axes[0])));
    line("Maximal number of processes", number(last(facts.axes[0])));
    line("Step of processes", step_text(o.rank_step));
    if (std::any_of(facts.tests.begin(), facts.tests.end(),
                    [&](Test const* test) { return own_counts(o, test->name).empty(); })) {
        line("Minimal data size", number(o.min_count));
        line("Maximal data size", number(o.max_count));
        line("Step of data size", step_text(o.count_step));
    }
    for (Test const* const test : facts.tests)
        if (auto const counts = own_counts(o, test->name); !counts.empty())
            line(fmt::format("Data sizes of {}", test->name), fmt::format("{}", fmt::join(counts, ", ")));
    if (o.datatype)
        line("Datatype", fmt::format("{}, payload a multiple of {} bytes; compared with plain bytes",
                                     o.datatype->name(), o.datatype->unit()));
    if (o.verify)
        line("Data check", "once per point and epoch, after its runs");
    line("Exit condition", o.is_nosync() ? "one loop of the maximal number of runs" : stop_text(o, facts.stop));
    bool const has_rule = !o.is_nosync() && !o.first_calls && facts.stop.empty();
    if (has_rule)
        line("Minimal runs", number(o.min_runs));
    // A rule of --stop has its own limits on the number of runs.
    if (facts.stop.empty())
        line("Maximal runs", most_runs(o, facts));
    if (!o.is_nosync())
        line("Warm-up", warm_up_text(o, facts.settles));
    if (!o.is_nosync())
        line("Removal of outliers",
             o.no_trim || o.first_calls ? "off" : fmt::format("{:g} % at each end", o.trim * 100));
    if (has_nonblocking(facts.tests))
        line("Compute iterations", compute_text(o));
    line("Cache defeat", cold_text(o));
    if (!facts.topology.empty())
        line("Virtual topology", facts.topology);
    line("Timer", run.timer.name);
    line("Time scale", o.scale == TimeScale::usec ? "usec" : "sec");
    line("Synchronisation method", fmt::format("{}, clocks {}", facts.start, sync_text(run)));
    if (!o.per_process.empty())
        line("Report by process", o.per_process);
    if (!o.log.empty())
        line("Log", o.log + (o.log_master ? ".0" : ".RANK"));
    line("Master process", fmt::format("0 ({})", facts.hostnames.front()));
    line("Process mapping", "rank:host");
    for (std::size_t i = 0; i < facts.hostnames.size(); ++i)
        text += fmt::format("# {}:{}\n", i, facts.hostnames[i]);

    line("Library", fmt::format("libmeasure {}", measure::version()));
    line("MPI", fmt::format("{}, standard {}", run.mpi_library.value_or("none"), run.mpi_standard));
    line("Compiler", run.compiler);
    line("World size", number(run.ranks));
    line("Cores", cores_text(run));
    if (run.oversubscribed)
        line("Warning", "more processes than cores: times include waiting for a core");
    line("Timer resolution", measure::text(run.timer.resolution));
    line("Timer overhead", measure::text(run.timer.overhead));
    if (run.timer.frequency > 0)
        line("Timer frequency", fmt::format("{:.0f} Hz", run.timer.frequency));
    if (run.clock_sync)
        line("Clock synchronisation", sync_summary(*run.clock_sync));
    if (!facts.noise.empty())
        line("Noise", facts.noise);
    if (facts.shuffled)
        line("Order of points", "random, from the seed");
    if (facts.epochs > 1)
        line("Epochs", fmt::format("{}; errors are computed over epochs", facts.epochs));
    if (auto const errors = deviations(o); !errors.empty())
        line("Systematic errors reproduced", fmt::format("{}", fmt::join(errors, ", ")));
    line("Seed", number(facts.seed));
    line("Started", run.started);
    return text + "#\n" + legend_text(facts.tests, o);
}

std::string heading(std::string_view test, double confidence, Style const& style, bool per_process) {
    std::string const head = titles(style, per_process);
    if (style.format == Format::csv)
        return head;
    return fmt::format("# {:-<{}}\n# {}\n# Confidence level: {}\n{}", "", head.size() - 3, test, confidence, head);
}

namespace {

bool has_bytes_beside(Record const& record) {
    return record.at.has(datatype_axis) && record.at.text(datatype_axis) == bodies::TypeLayout{}.name();
}

}  // namespace

// With computing, the points of the other datatype do not directly precede.
bool is_contiguous(Record const& record) { return has_bytes_beside(record) && !record.at.has(compute_coordinate); }

std::string point(Record const& record, Style const& style, std::optional<measure::Ratio> const& ratio) {
    std::string const note = style.format == Format::csv ? "" : remark(record);
    if (!is_measured(record))
        return note;
    if (style.format == Format::text && is_contiguous(record))
        return contiguous(record, style, ratio) + note;
    auto text = indented("  ", style, measure::table_row(columns(style, false), form(style), record));
    if (style.format == Format::text && has_bytes_beside(record))
        text = "# contiguous bytes:\n" + text;
    bool const has_phases = style.rows == Rows::blocking || style.rows == Rows::overlap;
    if (style.first_calls > 0 && style.format == Format::text && !has_phases)
        text += first_calls(record, style);
    return text + note;
}

std::string by_process(Record const& record, std::span<measure::RankSummary const> ranks, Style const& style) {
    auto const of = columns(style, true);
    std::string text;
    for (auto const& rank : ranks)
        text += indented("  ", style, measure::table_row(of, form(style), of_process(record, rank, style)));
    return text;
}

std::string footprint(Record const& record, Footprint const& f) {
    std::string text = fmt::format("# footprint of count {}: {} blocks, {} per process", record.at.integer("count"),
                                   f.blocks, measure::text_bytes(f.per_rank));
    text += fmt::format(", {} in total over {} sharing a cache of {}", measure::text_bytes(f.in_sum),
                        f.sharers == 1 ? "1 process" : fmt::format("{} processes", f.sharers),
                        measure::text_bytes(f.cache));
    return text + (f.cut ? ", cut by --max-mem\n" : "\n");
}

std::string closing(measure::seconds elapsed) { return fmt::format("# Elapsed time: {:.6f} sec.\n", elapsed.count()); }

std::string list_of_tests(std::span<Test const> own) {
    std::size_t width = 0;
    for (auto const& list : {tests(), own})
        for (Test const& test : list)
            width = std::max(width, test.name.size());
    std::string text;
    for (auto const& list : {tests(), own})
        for (Test const& test : list)
            text += fmt::format("{:<{}}  {}{}\n", test.name, width, test.text,
                                test.kind == Kind::nonblocking ? "; non-blocking" : "");
    return text;
}

std::string list_of_timers() {
    return "MPI_Wtime      timer of the MPI library (default)\n"
           "gettimeofday   wall clock in steps of 1 us\n"
           "tsc            cycle counter of the processor\n"
           "monotonic      clock_gettime, slewed by NTP\n"
           "monotonic_raw  clock_gettime, not slewed\n"
           "synthetic:BASE,skew=..,ppm=..,quant=..,jitter=..\n"
           "               BASE with a known error, for tests\n";
}

std::string timer_report(measure::Environment const& run, std::span<TimerVerdict const> verdicts) {
    auto text = fmt::format("# Timer: {}, resolution {}, overhead {}, kernel clock source {}\n", run.timer.name,
                            measure::text(run.timer.resolution), measure::text(run.timer.overhead),
                            run.clocksource.value_or("unknown"));
    std::ptrdiff_t const passed =
        std::count_if(verdicts.begin(), verdicts.end(), [](TimerVerdict const& v) { return v.passed; });
    for (auto const& v : verdicts)
        text += fmt::format("{} {}: {}{}\n", v.rank, v.host, v.passed ? "PASSED" : "FAILED",
                            v.text.empty() ? "" : ": " + v.text);
    return text + fmt::format("# {}: {} passed, {} failed\n", run.timer.name, passed, std::ssize(verdicts) - passed);
}

bool CheckRow::too_coarse() const noexcept { return tolerance > 1e-6; }

bool CheckRow::passed() const noexcept {
    bool const alone = processes == 1;
    return measured && std::abs(*measured - expected.count()) <= tolerance && clocks.empty() &&
           (alone || (span && std::abs(*span - expected.count()) <= tolerance + residual_bound));
}

std::optional<double> span_of(std::span<double const> durations, std::span<double const> errors) {
    if (durations.empty() || durations.size() != errors.size())
        return std::nullopt;
    double first = errors[0];
    double last = errors[0] + durations[0];
    for (std::size_t i = 1; i < errors.size(); ++i)
        if (!std::isnan(errors[i])) {
            first = std::min(first, errors[i]);
            last = std::max(last, errors[i] + durations[i]);
        }
    return last - first;
}

std::string check_titles() {
    return fmt::format("# {:<14} {:<16} {:>5} {:>9} {:>9} {:>10} {:>9} {:>9} {:>8} {}\n", "[Timer]", "[Test]", "Procs",
                       "Expected", "Measured", "Difference", "Span", "Tolerance", "Residual", "Verdict  (times in us)");
}

std::string check_row(CheckRow const& r) {
    auto const begin =
        fmt::format("  {:<14} {:<16} {:>5} {:>9.2f}", r.timer, r.test, r.processes, measure::microseconds(r.expected));
    if (!r.skipped.empty())
        return fmt::format("{} skipped: {}\n", begin, r.skipped);
    if (r.too_coarse())
        return fmt::format("{} skipped: the clock is too coarse\n", begin);
    if (!r.measured)
        return fmt::format("{} FAILED: no valid run\n", begin);
    auto const reason = !r.clocks.empty()            ? ": " + r.clocks
                        : !r.span && r.processes > 1 ? std::string{": the starts are not verified"}
                                                     : "";
    auto const optional = [](std::optional<double> const& t) { return t ? fmt::format("{:.3f}", *t * 1e6) : "-"; };
    return fmt::format("{} {:>9.3f} {:>+10.3f} {:>9} {:>9.3f} {:>8} {}\n", begin, *r.measured * 1e6,
                       (*r.measured - r.expected.count()) * 1e6, optional(r.span), r.tolerance * 1e6,
                       optional(r.residual), r.passed() ? "PASSED" : "FAILED" + reason);
}

}  // namespace mpiperf
