// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/options.hpp"

#include "program/cli/option_table.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/temporary_file.hpp"

#include <measure/error.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace mpiperf {

namespace {

namespace as = program::as;
using measure::UsageError;
using program::Argument;
using program::Parser;

/// A power of two that is a size, or "page".
measure::Bytes alignment(Argument const& argument) {
    constexpr measure::Bytes page = 4096;
    if (program::lower(argument.value) == "page")
        return page;
    auto const size = as::Size{.low = 1, .high = measure::gibi}(argument);
    if ((size & (size - 1)) != 0)
        throw UsageError(fmt::format("{}: '{}' is not a power of two (or 'page')", argument.option, argument.value));
    return size;
}

struct Datatype {
    bodies::TypeLayout operator()(Argument const& argument) const {
        try {
            return bodies::type_layout(program::lower(argument.value));
        } catch (UsageError const& error) {
            throw UsageError(fmt::format("{}: {}", argument.option, error.what()));
        }
    }
    [[nodiscard]] std::string text(bodies::TypeLayout const& layout) const { return layout.name(); }
};

/// A topology by its name.
struct Named {
    Topology operator()(Argument const& argument) const { return topology_from(argument); }
    [[nodiscard]] std::string text(Topology const& topology) const { return topology.text; }
};

/// The start under its own name or by the words of MPIPerf 0.0.3.
std::string start(Argument const& argument) {
    return as::Choice<std::string>{{{"slot", "slot"},
                                    {"free", "free"},
                                    {"synctime", "slot"},
                                    {"nosync", "free"},
                                    {"barrier", "barrier"},
                                    {"dissemination", "dissemination"},
                                    {"roundtime", "roundtime"}}}(argument);
}

using Table = program::OptionTable<Options>;

auto rank_step(std::optional<std::int64_t> Step::*way) { return program::path(&Options::rank_step, way); }
auto count_step(std::optional<std::int64_t> Step::*way) { return program::path(&Options::count_step, way); }

void add_varied(Table& rows) {
    rows.heading("What is varied");
    rows.option("-p,--min-procs", "N", "smallest number of processes", &Options::min_ranks, as::Int{.low = 1})
        .unset("all");
    rows.option("-P,--max-procs", "N", "largest number of processes, measured also where the steps miss it",
                &Options::max_ranks, as::Int{.low = 1})
        .unset("all");
    rows.option("-g,--procs-add", "N", "next number of processes: N more", rank_step(&Step::add),
                as::Integer{.low = 1});
    rows.option("-G,--procs-multiply", "N", "next number of processes: N times as many", rank_step(&Step::multiply),
                as::Integer{.low = 2})
        .unset("2");
    rows.option("-x,--min-count", "SIZE", "smallest count: bytes, or doubles for reductions", &Options::min_count,
                as::Size{});
    rows.option("-X,--max-count", "SIZE", "largest count", &Options::max_count, as::Size{});
    rows.option("-s,--count-add", "SIZE", "next count: so much more", count_step(&Step::add), as::Size{.low = 1});
    rows.option("-S,--count-multiply", "N", "next count: N times as much", count_step(&Step::multiply),
                as::Integer{.low = 2})
        .unset("2");
    rows.flag("--include-max", "measure the largest count also where the steps miss it", &Options::include_max);
    rows.option("--refine", "EPS", "add counts where interpolation is off by more than this share", &Options::refine,
                as::Number{.low = 0, .above_low = true});
    rows.excludes("-g", "-G");
    rows.excludes("-s", "-S");
    rows.ordered("-x", &Options::min_count, "-X", &Options::max_count, "the largest count");
}

void add_stopping(Table& rows) {
    rows.heading("When a point is done");
    rows.option("-E,--valid-runs", "N", "after N valid runs", &Options::valid_runs, as::Integer{.low = 1})
        .unset(std::to_string(enough_runs));
    rows.option("-e,--relative-error", "PCT", "instead: at this relative standard error", &Options::relative_error,
                as::Percentage{.above_low = true});
    rows.option("--median-interval", "PCT",
                "instead: when the median is known to +- PCT per cent, in two stages running",
                &Options::median_interval, as::Percentage{.above_low = true});
    rows.option("-r,--min-runs", "N", "smallest number of runs", &Options::min_runs, as::Integer{.low = 1});
    rows.option("-R,--max-runs", "N",
                "no further runs of an epoch after N, which are made eight at a time (--stage-runs)",
                &Options::max_runs, as::Integer{.low = 1});
    rows.ordered("-r", &Options::min_runs, "-R", &Options::max_runs, "the largest number of runs");
}

void add_statistics(Table& rows) {
    rows.heading("Statistics");
    rows.option("--trim", "PCT", "valid runs cut at each end", &Options::trim, as::Percentage{.high = 50});
    rows.flag("-a,--no-trim", "keep all valid runs", &Options::no_trim).unrecorded();
    rows.option("--confidence", "P", "confidence level of intervals", &Options::confidence,
                as::Number{.low = 0.5, .high = 0.9999});
    rows.option("--se", "KIND", "standard error that leads in the record: over_sqrt_n, over_sqrt_kept, winsorized",
                &Options::error,
                as::Choice<measure::ErrorKind>{{{"over_sqrt_n", measure::ErrorKind::over_sqrt_n},
                                                {"over_sqrt_kept", measure::ErrorKind::over_sqrt_kept},
                                                {"winsorized", measure::ErrorKind::winsorized}}});
}

constexpr int most_compute_points = 10'000;

void add_nonblocking(Table& rows) {
    rows.heading("Non-blocking tests");
    rows.flag("-b,--blocking", "blocking mode: issue and wait, without computing between them", &Options::blocking_mode)
        .key("blocking_mode");
    rows.option("-c,--compute-points", "N",
                "compute for 0 to 2 times the blocking time in N steps; 1: only for 2 times", &Options::compute_points,
                as::Int{.low = 1, .high = most_compute_points});
    rows.option("--tests-per-compute", "N", "call MPI_Test each N-th part of the computing",
                &Options::tests_per_compute, as::Int{.low = 1});
}

void add_streams(Table& rows) {
    rows.heading("Several messages at once");
    rows.option("--window-size", "N", "messages under way at once of Stream and Bistream", &Options::window,
                as::Int{.low = 1, .high = 65536});
    rows.option("--threads", "N", "threads of each process that exchange messages in Thread_pingpong",
                &Options::threads, as::Int{.low = 1, .high = 1024});
    rows.option("--partitions", "N", "parts of the message of Psend_init", &Options::partitions,
                as::Int{.low = 1, .high = 65536});
}

void add_schedule(Table& rows) {
    rows.heading("How runs are started");
    rows.option("-z,--start", "NAME", "slot (synctime), free (nosync), barrier, dissemination, roundtime",
                &Options::start, start)
        .unset("slot; roundtime with more processes than cores");
    rows.option("--warmup-runs", "N",
                "least number of runs before the first that counts (k' of the paper); with --settle off all of them",
                &Options::warmup_runs, as::Int{.low = 0});
    rows.option("--first-calls", "N",
                "measure the first N calls on a new communicator, with nothing before them: how long it takes to warm "
                "up; each call is in the record (--json)",
                &Options::first_calls, as::Int{.low = 1, .high = 1'000'000});
    rows.option("--stage-runs", "N", "runs between two decisions", &Options::stage_runs, as::Int{.low = 1});
    rows.option("--invalid-share", "PCT", "more invalid runs of a stage correct the slot length",
                &Options::invalid_share, as::Percentage{});
    rows.option("--slot-scale", "X", "growth of the slot length, 1.1 to 2", &Options::slot_scale,
                as::Number{.low = 1.1, .high = 2});
    rows.option("--slot-rule", "NAME",
                "how slots grow: doubling; paper: --slot-scale x the time of a stage / its runs after each stage with "
                "too many invalid runs, nothing else",
                &Options::slot_rule,
                as::Choice<measure::SlotRule>{
                    {{"doubling", measure::SlotRule::doubling}, {"paper", measure::SlotRule::paper}}});
    rows.option("--bcast-factor", "X", "safety factor on the measured broadcast time", &Options::bcast_factor,
                as::Number{.low = 1, .high = 1000});
}

void add_synchronisation(Table& rows) {
    rows.option("--sync-patience", "N", "exchanges without a shorter round trip that end a pair",
                &Options::sync_patience, as::Int{.low = 1});
    rows.option("--offset-estimator", "NAME", "min-rtt, envelope", &Options::offset_estimator,
                as::Choice<measure::OffsetEstimator>{{{"min-rtt", measure::OffsetEstimator::min_rtt},
                                                      {"envelope", measure::OffsetEstimator::envelope}}});
    rows.option("--offset-roles", "NAME", "who asks in a pair: one, both", &Options::both_ways,
                as::Choice<bool>{{{"one", false}, {"both", true}}})
        .unset("one for linear and ring, as published, otherwise both");
    rows.option("--offset-channel", "NAME", "what the stamps of a pair on one host go through: messages, shared",
                &Options::offset_channel,
                as::Choice<measure::OffsetChannel>{
                    {{"messages", measure::OffsetChannel::messages}, {"shared", measure::OffsetChannel::shared}}})
        .unset("messages for linear and ring, as published, otherwise shared");
    rows.option("--sync-drift", "NAME", "whether hier and auto model the drift of clocks: on, off, auto",
                &Options::sync_drift,
                as::Choice<std::optional<bool>>{{{"on", true}, {"off", false}, {"auto", std::nullopt}}})
        .unset("auto: between hosts");
    rows.option("--resync", "DURATION", "synchronise clocks again after this time", &Options::resync,
                as::Duration{.above_zero = true})
        .unset("10 s; between hosts 1 s unless drift is modelled");
}

void add_data(Table& rows) {
    rows.heading("Data");
    rows.option("--datatype", "TYPE",
                "of data that are moved: byte, double, vector:BLOCK:STRIDE, indexed:N, subarray:AxB, struct, resized; "
                "counts stay bytes of payload, and bytes are measured beside it",
                &Options::datatype, Datatype{})
        .unset("byte");
    rows.flag("--verify", "check once per point what arrives; exit code 3 where it is wrong", &Options::verify);
    rows.option("--scratch", "FOLDER", "where File_write and File_read have their file", &Options::scratch, as::Text{});
}

void add_buffers(Table& rows) {
    rows.heading("Buffers and root");
    rows.flag("-d,--cold", "cold buffers: a pool of twice the last-level cache, block after block", &Options::cold);
    rows.option("--cold-blocks", "N", "smallest number of blocks of a cold pool", &Options::cold_blocks,
                as::Int{.low = 2});
    rows.option("--align", "SIZE", "alignment of buffers, or 'page'", &Options::alignment, alignment);
    rows.option("--max-mem", "SIZE", "largest memory of a process for buffers", &Options::max_memory,
                as::Size{.low = 1})
        .unset("its part of a quarter of what the node has available");
    rows.option("--root", "N", "root of rooted operations", &Options::root, as::Int{.low = 0});
}

void add_topology(Table& rows) {
    rows.heading("Virtual topology of the communicators");
    rows.option("--topology", "NAME",
                "cart:AxB[:periodic] (0: chosen by MPI), graph:FILE, dist_graph:FILE, dist_graph:OFFSET,..",
                &Options::topology, Named{})
        .unset("none; cart:periodic where a test needs one");
    rows.option("--reorder", "on|off", "MPI may give processes other ranks there", &Options::reorder,
                as::Choice<bool>{{{"on", true}, {"off", false}}});
}

void add_deviations(Table& rows) {
    rows.heading("Systematic errors, brought back for comparison (also: -z barrier, -z nosync)");
    rows.flag("--no-warmup", "no warm-up stage: the first call counts", &Options::no_warmup).unrecorded();
    rows.option("--time-of", "WHO", "time of a run over processes: max, root, min, mean, span", &Options::time_of,
                as::Choice<measure::Combine>{{{"max", measure::Combine::max},
                                              {"root", measure::Combine::root},
                                              {"min", measure::Combine::min},
                                              {"mean", measure::Combine::mean},
                                              {"span", measure::Combine::span}}})
        .unset("max; of messages root");
    rows.flag("--rotate-root", "root = index of the run modulo the number of processes", &Options::rotate_root)
        .unrecorded();
}

void add_report(Table& rows) {
    rows.heading("Report");
    rows.option("-o,--per-process", "FILE", "write the times of each process to FILE", &Options::per_process,
                as::Text{})
        .unrecorded();
    rows.option("-l,--log", "FILE", "write what each process does and sees to FILE.RANK", &Options::log, as::Text{})
        .unrecorded();
    rows.flag("-m,--log-master", "only process 0 writes a log", &Options::log_master).unrecorded();
    rows.needs("-m", "-l", "there is no log without -l");
    rows.option("-w,--unit", "UNIT", "unit of printed times: sec, usec", &Options::scale,
                as::Choice<TimeScale>{{{"sec", TimeScale::sec}, {"usec", TimeScale::usec}}})
        .unrecorded();
    rows.option("--precision", "DIGITS", "decimals of printed numbers", &Options::precision,
                as::Int{.low = 0, .high = 12})
        .unset("2; 8 with -w sec")
        .unrecorded();
    rows.option("--format", "NAME", "text, csv", &Options::format,
                as::Choice<Format>{{{"text", Format::text}, {"csv", Format::csv}}})
        .unrecorded();
}

void add_actions(Table& rows) {
    rows.heading("Instead of measuring");
    rows.flag("-q,--list-tests", "list the tests", &Options::list_tests).unrecorded();
    rows.flag("-T,--list-timers", "list the timers", &Options::list_timers).unrecorded();
    rows.flag("-j,--check-timer", "check the timer on every process; exit code 3 where it fails", &Options::check_timer)
        .unrecorded();
    rows.option("--noise", "DURATION", "watch for so long what interrupts each process", &Options::noise,
                as::Duration{.above_zero = true})
        .unrecorded();
    rows.flag("--check", "measure waits of known duration; exit code 3 where one is wrong", &Options::check)
        .unrecorded();
}

Table const& option_table() {
    static Table const table = [] {
        Table rows;
        rows.list("--plugin", "FILE", "adds the tests of a shared library (mpiperf_plugin.h); may be given again",
                  &Options::plugins, as::Text{})
            .key("plugins");
        add_varied(rows);
        add_stopping(rows);
        add_statistics(rows);
        add_nonblocking(rows);
        add_streams(rows);
        add_schedule(rows);
        add_synchronisation(rows);
        add_data(rows);
        add_buffers(rows);
        add_topology(rows);
        add_deviations(rows);
        add_report(rows);
        add_actions(rows);
        return rows;
    }();
    return table;
}

}  // namespace

NamedTest named_test(std::string const& text) {
    auto const colon = text.find(':');
    NamedTest test{.name = text.substr(0, colon)};
    if (colon == std::string::npos)
        return test;
    for (auto const& count : program::split(std::string_view{text}.substr(colon + 1), ',')) {
        if (count.empty())
            throw UsageError(fmt::format("'{}': a count is missing (TEST:COUNT[,COUNT..])", text));
        test.counts.push_back(as::Size{}({text, count}));
    }
    std::sort(test.counts.begin(), test.counts.end());
    test.counts.erase(std::unique(test.counts.begin(), test.counts.end()), test.counts.end());
    return test;
}

std::vector<std::int64_t> own_counts(Options const& options, std::string_view name) {
    for (auto const& text : options.tests)
        if (auto test = named_test(text); program::lower(test.name) == program::lower(name))
            return test.counts;
    return {};
}

void declare(Parser& parser, Options& options) {
    parser.arguments("TEST...",
                     "tests to run, in any letter case (see -q), plugins' too; TEST:COUNT,COUNT.. has these counts "
                     "instead of those of -x -X -s -S",
                     options.tests);
    option_table().declare(parser, options);
}

void describe(Options const& options, measure::Value& record) { option_table().describe(options, record); }

namespace {

/// What is done instead of measuring excludes each other, tests, and files that would stay empty.
void check_actions(Options const& o, program::CommonOptions const& common) {
    std::vector<std::string> actions;
    for (auto const& [given, option] : {std::pair{o.list_tests, "-q"},
                                        {o.list_timers, "-T"},
                                        {o.check_timer, "-j"},
                                        {o.noise.has_value(), "--noise"},
                                        {o.check, "--check"},
                                        {common.list, "--list"}})
        if (given)
            actions.emplace_back(option);
    if (actions.empty())
        return;
    auto const& action = actions.front();
    if (actions.size() > 1)
        throw UsageError(fmt::format("{} and {} exclude each other", action, actions[1]));
    if (action != "--list" && !o.tests.empty())
        throw UsageError(fmt::format("{}: no test can be given with it: '{}'", action, o.tests.front()));
    if (action != "--check" && action != "--noise" && !common.json.empty())
        throw UsageError(fmt::format("--json: {} measures nothing to record", action));
    if (!o.per_process.empty())
        throw UsageError(fmt::format("-o: {} has no report by process", action));
    if (!o.log.empty())
        throw UsageError(fmt::format("-l: {} has no log", action));
    if ((action == "-j" || action == "--noise") && (o.min_ranks || o.max_ranks))
        throw UsageError(fmt::format("{}: {} looks at all processes", o.min_ranks ? "-p" : "-P", action));
}

/// A test that is named several times is measured several times, at the same counts each time.
void check_tests(Options const& o) {
    std::map<std::string, std::vector<std::int64_t>> counts;  // of the tests before, by name
    for (auto const& text : o.tests) {
        auto const test = named_test(text);
        auto const [before, is_new] = counts.emplace(program::lower(test.name), test.counts);
        if (!is_new && before->second != test.counts)
            throw UsageError(
                fmt::format("{}: the test is named twice with different counts: give all of them in one list", text));
    }
}

/// What is said of a synchronisation that does not take place.
void check_sync(Options const& o, program::CommonOptions const& common) {
    if (o.sync_drift && common.sync_alg != "hier" && common.sync_alg != "auto")
        throw UsageError("--sync-drift: acts with --sync-alg hier and auto only");
    if (common.sync_alg != "none")
        return;
    for (auto const& [given, option] :
         {std::pair{o.offset_channel.has_value(), "--offset-channel"}, {o.both_ways.has_value(), "--offset-roles"}})
        if (given)
            throw UsageError(fmt::format("{}: --sync-alg none compares no clocks", option));
}

/// Whether the path is a log's: that of -l, a dot, and digits.
bool is_log(Options const& o, std::string const& path) {
    auto const dot = path.find_last_of('.');
    return !o.log.empty() && dot != std::string::npos && dot + 1 < path.size() &&
           path.find_first_not_of("0123456789", dot + 1) == std::string::npos &&
           program::is_same_path(path.substr(0, dot), o.log);
}

void check_log(Options const& o, program::CommonOptions const& common) {
    // Nothing behind the last slash would give hidden files.
    if (auto const last = o.log.substr(o.log.find_last_of('/') + 1);
        !o.log.empty() && (last.empty() || last == "." || last == ".."))
        throw UsageError(fmt::format("-l: '{}' is a directory: FILE.RANK is written", o.log));
    for (auto const& [option, path] :
         {std::pair{"-o", o.per_process}, {"--json", common.json}, {"--config", common.config}})
        if (is_log(o, path))
            throw UsageError(fmt::format("-l: '{}' is the file of {}", path, option));
}

/// What is written is neither another output nor what is read.
void check_files(Options const& o, program::CommonOptions const& common) {
    std::pair<char const*, std::string> const outputs[] = {{"-o", o.per_process}, {"--json", common.json}};
    for (auto const& [option, path] : outputs)
        if (!path.empty() && !common.config.empty() && program::is_same_path(path, common.config))
            throw UsageError(fmt::format("{}: '{}' is the file of --config", option, path));
    if (!o.per_process.empty() && !common.json.empty() && program::is_same_path(o.per_process, common.json))
        throw UsageError(fmt::format("-o: '{}' is the file of --json", o.per_process));
}

/// The first calls have a number, and so no rule, no warm-up and no second time.
void check_first_calls(Options const& o, program::CommonOptions const& common) {
    if (!o.first_calls)
        return;
    for (auto const& [given, option] : {std::pair{o.is_nosync(), "-z nosync"},
                                        {o.relative_error.has_value(), "-e"},
                                        {o.valid_runs.has_value(), "-E"},
                                        {o.median_interval.has_value(), "--median-interval"},
                                        {o.refine.has_value(), "--refine"},
                                        {common.stop.has_value(), "--stop"},
                                        {common.epochs > 1, "--epochs"}})
        if (given)
            throw UsageError(fmt::format("--first-calls and {} exclude each other", option));
}

void check_stopping(Options const& o, program::CommonOptions const& common) {
    std::vector<char const*> rules;
    for (auto const& [given, option] : {std::pair{o.median_interval.has_value(), "--median-interval"},
                                        {common.stop.has_value(), "--stop"},
                                        {o.relative_error.has_value(), "-e"},
                                        {o.valid_runs.has_value(), "-E"}})
        if (given)
            rules.push_back(option);
    if (rules.size() > 1)
        throw UsageError(fmt::format("{} and {} are two stopping rules: give one of them", rules[0], rules[1]));
    if (o.is_nosync() && !rules.empty())
        throw UsageError("-z nosync: one loop has no stopping rule, only a number of runs (-R)");
    if (o.is_nosync() && common.batch)
        throw UsageError("-z nosync: one loop has as many runs as -R says, not --batch");
    if (!o.median_interval)
        return;
    if (auto const least = fewest_for_median(o) + o.stage_runs; o.max_runs < least)
        throw UsageError(fmt::format("--median-interval: needs at least {} runs ({} in two stages), not {} (-R)", least,
                                     fewest_for_median(o), o.max_runs));
}

}  // namespace

std::int64_t fewest_for_median(Options const& options) { return std::max<std::int64_t>(options.min_runs, 16); }

void check(Options const& o, program::CommonOptions const& common) {
    constexpr std::size_t longest_name = 64;
    program::check_length(fmt::format("--scratch: cannot use '{}'", o.scratch), o.scratch, longest_name);
    check_tests(o);
    check_actions(o, common);
    check_log(o, common);
    if (o.trim >= 0.5)
        throw UsageError("--trim: less than 50 per cent can be cut at each end, or nothing is left");
    check_files(o, common);
    check_sync(o, common);
    if (o.min_ranks && o.max_ranks && *o.min_ranks > *o.max_ranks)
        throw UsageError(
            fmt::format("-p: {} is more than the largest number of processes, {} (-P)", *o.min_ranks, *o.max_ranks));
    check_stopping(o, common);
    check_first_calls(o, common);
    if (common.timer == all_timers && !o.check)
        throw UsageError("--timer: all timers can only be had with --check");
    if (o.check && o.is_nosync())
        throw UsageError("--check: waits have no meaning in a loop without synchronisation (-z nosync)");
}

std::vector<std::string> deviations(Options const& o) {
    std::vector<std::string> found;
    if (o.no_warmup)
        found.emplace_back("--no-warmup");
    if (o.time_of && o.time_of != measure::Combine::max)
        found.push_back(fmt::format("--time-of {}", measure::name(*o.time_of)));
    if (o.rotate_root)
        found.emplace_back("--rotate-root");
    if (o.is_nosync())
        found.emplace_back("-z nosync");
    if (o.start == "barrier")
        found.emplace_back("-z barrier");
    return found;
}

}  // namespace mpiperf
