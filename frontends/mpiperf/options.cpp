// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"

#include <measure/error.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

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

bodies::TypeLayout datatype(Argument const& argument) {
    try {
        return bodies::type_layout(program::lower(argument.value));
    } catch (UsageError const& error) {
        throw UsageError(fmt::format("{}: {}", argument.option, error.what()));
    }
}

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

std::string timer(Argument const& argument) {
    std::string const name = program::lower(argument.value);
    if (name.starts_with("synthetic:"))
        return name;
    std::vector<std::string> known{measure::timer_names().begin(), measure::timer_names().end()};
    known.insert(known.end(), {"synthetic:...", "all"});
    return known[program::position(argument, known)];
}

void declare_varied(Parser& parser, Options& o) {
    parser.heading("What is varied");
    parser.option("-p,--min-procs", "N", "smallest number of processes (default: all)", o.min_ranks, as::Int{.low = 1});
    parser.option("-P,--max-procs", "N", "largest number of processes (default: all)", o.max_ranks, as::Int{.low = 1});
    parser.option("-g,--procs-add", "N", "next number of processes: N more", o.rank_step.add, as::Integer{.low = 1});
    parser.option("-G,--procs-multiply", "N", "next number of processes: N times as many (default 2)",
                  o.rank_step.multiply, as::Integer{.low = 2});
    parser.option("-x,--min-count", "SIZE", "smallest count: bytes, or doubles for reductions (default 1)", o.min_count,
                  as::Size{});
    parser.option("-X,--max-count", "SIZE", "largest count (default 128)", o.max_count, as::Size{});
    parser.option("-s,--count-add", "SIZE", "next count: so much more", o.count_step.add, as::Size{.low = 1});
    parser.option("-S,--count-multiply", "N", "next count: N times as much (default 2)", o.count_step.multiply,
                  as::Integer{.low = 2});
    parser.flag("--include-max", "measure the largest count also where the steps miss it", o.include_max);
    parser.option("--refine", "EPS", "add counts where interpolation is off by more than this share", o.refine,
                  as::Number{.low = 0, .above_low = true});
}

void declare_stopping(Parser& parser, Options& o) {
    parser.heading("When a point is done");
    parser.option("-E,--valid-runs", "N", "after N valid runs (default 30)", o.valid_runs, as::Integer{.low = 1});
    parser.option("-e,--relative-error", "PCT", "instead: at this relative standard error", o.relative_error,
                  as::Percentage{.above_low = true});
    parser.option("--median-interval", "PCT",
                  "instead: when the median is known to +- PCT per cent, in two stages running", o.median_interval,
                  as::Percentage{.above_low = true});
    parser.option("-r,--min-runs", "N", "smallest number of runs (default 10)", o.min_runs, as::Integer{.low = 1});
    parser.option("-R,--max-runs", "N", "largest number of runs (default 100)", o.max_runs, as::Integer{.low = 1});
}

void declare_statistics(Parser& parser, Options& o) {
    parser.heading("Statistics");
    parser.option("--trim", "PCT", "valid runs cut at each end (default 25)", o.trim, as::Percentage{.high = 50});
    parser.flag("-a,--no-trim", "keep all valid runs", o.no_trim);
    parser.option("--confidence", "P", "confidence level of intervals (default 0.95)", o.confidence,
                  as::Number{.low = 0.5, .high = 0.9999});
    parser.option("--se", "KIND", "standard error that leads in the record: seed, ref, winsor (default winsor)",
                  o.error,
                  as::Choice<measure::ErrorKind>{{{"seed", measure::ErrorKind::seed},
                                                  {"ref", measure::ErrorKind::ref},
                                                  {"winsor", measure::ErrorKind::winsor}}});
}

void declare_nonblocking(Parser& parser, Options& o) {
    parser.heading("Non-blocking tests");
    parser.flag("-b,--blocking", "blocking mode: issue and wait, without computing between them", o.blocking_mode);
    parser.option("-c,--compute-points", "N",
                  "compute for 0 to 2 times the blocking time in N steps; 1: only for 2 times (default 10)",
                  o.compute_points, as::Int{.low = 1});
    parser.option("--tests-per-compute", "N", "call MPI_Test each N-th part of the computing (default 10)",
                  o.tests_per_compute, as::Int{.low = 1});
}

void declare_schedule(Parser& parser, Options& o) {
    parser.heading("How runs are started");
    parser.option("-z,--start", "NAME",
                  "slot (synctime), free (nosync), barrier, dissemination, roundtime (default slot; roundtime with "
                  "more processes than cores)",
                  o.start, start);
    parser.option("--warmup-runs", "N", "least number of runs before the first that counts (default 4)", o.warmup_runs,
                  as::Int{.low = 0});
    parser.option(
        "--first-calls", "N",
        "measure the first N calls on a new communicator, with nothing before them: how long it takes to warm up; "
        "each call is in the record (--json)",
        o.first_calls, as::Int{.low = 1, .high = 1'000'000});
    parser.option("--stage-runs", "N", "runs between two decisions (default 8)", o.stage_runs, as::Int{.low = 1});
    parser.option("--invalid-share", "PCT", "more void runs of a stage correct the slot length (default 25)",
                  o.invalid_share, as::Percentage{});
    parser.option("--slot-scale", "X", "growth of the slot length, 1.1 to 2 (default 1.1)", o.slot_scale,
                  as::Number{.low = 1.1, .high = 2});
    parser.option(
        "--slot-rule", "NAME", "how slots grow: doubling, seed (default doubling)", o.slot_rule,
        as::Choice<measure::SlotRule>{{{"doubling", measure::SlotRule::doubling}, {"seed", measure::SlotRule::paper}}});
    parser.option("--bcast-factor", "X", "safety factor on the measured broadcast time (default 1.5)", o.bcast_factor,
                  as::Number{.low = 1, .high = 1000});
    parser.option("--sync-patience", "N", "exchanges without a shorter round trip that end a pair (default 100)",
                  o.sync_patience, as::Int{.low = 1});
    parser.option("--offset-estimator", "NAME", "min-rtt, envelope (default min-rtt)", o.offset_estimator,
                  as::Choice<measure::OffsetEstimator>{{{"min-rtt", measure::OffsetEstimator::min_rtt},
                                                        {"envelope", measure::OffsetEstimator::envelope}}});
    parser.option("--offset-roles", "NAME",
                  "who asks in a pair: one, both (default one for linear and ring, as published, otherwise both)",
                  o.both_ways, as::Choice<bool>{{{"one", false}, {"both", true}}});
    parser.option("--offset-channel", "NAME",
                  "what the stamps of a pair on one host go through: messages, shared (default messages for linear and "
                  "ring, as published, otherwise shared)",
                  o.offset_channel,
                  as::Choice<measure::OffsetChannel>{
                      {{"messages", measure::OffsetChannel::messages}, {"shared", measure::OffsetChannel::shared}}});
    parser.option("--sync-drift", "NAME",
                  "whether hier and auto model the drift of clocks: on, off, auto (default auto: between hosts)",
                  o.sync_drift,
                  as::Choice<std::optional<bool>>{{{"on", true}, {"off", false}, {"auto", std::nullopt}}});
    parser.option("--resync", "DURATION",
                  "synchronise clocks again after this time (default 10 s; between hosts 1 s unless drift is modelled)",
                  o.resync, as::Duration{.above_zero = true});
}

void declare_data(Parser& parser, Options& o) {
    parser.heading("Data");
    parser.option("--datatype", "TYPE",
                  "of data that are moved: byte, double, vector:BLOCK:STRIDE, indexed:N, subarray:AxB, struct, resized "
                  "(default byte); counts stay bytes of payload, and bytes are measured beside it",
                  o.datatype, datatype);
    parser.flag("--verify", "check once per point what arrives; exit code 3 where it is wrong", o.verify);
}

void declare_buffers(Parser& parser, Options& o) {
    parser.heading("Buffers and root");
    parser.flag("-d,--cold", "cold buffers: a pool of twice the last-level cache, block after block", o.cold);
    parser.option("--cold-blocks", "N", "smallest number of blocks of a cold pool (default 8)", o.cold_blocks,
                  as::Int{.low = 2});
    parser.option("--align", "SIZE", "alignment of buffers, or 'page' (default 64)", o.alignment, alignment);
    parser.option("--max-mem", "SIZE",
                  "largest memory of a process for buffers (default: its part of a quarter of "
                  "what the node has available)",
                  o.max_memory, as::Size{.low = 1});
    parser.option("--root", "N", "root of rooted operations (default 0)", o.root, as::Int{.low = 0});
}

void declare_topology(Parser& parser, Options& o) {
    parser.heading("Virtual topology of the communicators");
    parser.option("--topology", "NAME",
                  "cart:AxB[:periodic] (0: chosen by MPI), graph:FILE, dist_graph:FILE, dist_graph:OFFSET,.. (default: "
                  "none; cart:periodic where a test needs one)",
                  o.topology, topology_from);
    parser.option("--reorder", "on|off", "MPI may give processes other ranks there (default off)", o.reorder,
                  as::Choice<bool>{{{"on", true}, {"off", false}}});
}

void declare_deviations(Parser& parser, Options& o) {
    parser.heading("Systematic errors, brought back for comparison (also: -z barrier, -z nosync)");
    parser.flag("--no-warmup", "no warm-up stage: the first call counts", o.no_warmup);
    parser.option("--time-of", "WHO",
                  "time of a run over processes: max, root, min, mean, span (default max; of messages root)", o.time_of,
                  as::Choice<measure::Combine>{{{"max", measure::Combine::max},
                                                {"root", measure::Combine::root},
                                                {"min", measure::Combine::min},
                                                {"mean", measure::Combine::mean},
                                                {"span", measure::Combine::span}}});
    parser.flag("--rotate-root", "root = index of the run modulo the number of processes", o.rotate_root);
}

void declare_report(Parser& parser, Options& o) {
    parser.heading("Report");
    parser.option("-o,--per-process", "FILE", "write the times of each process to FILE", o.per_process, as::Text{});
    parser.option("-l,--log", "FILE", "write what each process does and sees to FILE.RANK", o.log, as::Text{});
    parser.flag("-m,--log-master", "only process 0 writes a log", o.log_master);
    parser.option("-w,--unit", "UNIT", "unit of printed times: sec, usec (default usec)", o.scale,
                  as::Choice<TimeScale>{{{"sec", TimeScale::sec}, {"usec", TimeScale::usec}}});
    parser.option("--precision", "DIGITS", "decimals of printed numbers (default 2; 6 with -w sec)", o.precision,
                  as::Int{.low = 0, .high = 12});
    parser.option("--format", "NAME", "text, csv (default text)", o.format,
                  as::Choice<Format>{{{"text", Format::text}, {"csv", Format::csv}}});
}

void declare_actions(Parser& parser, Options& o) {
    parser.heading("Instead of measuring");
    parser.flag("-q,--list-tests", "list the tests", o.list_tests);
    parser.flag("-T,--list-timers", "list the timers", o.list_timers);
    parser.flag("-j,--check-timer", "check the timer on every process; exit code 3 where it fails", o.check_timer);
    parser.option("--noise", "DURATION", "watch for so long what interrupts each process", o.noise,
                  as::Duration{.above_zero = true});
    parser.flag("--check", "measure waits of known duration; exit code 3 where one is wrong", o.check);
    parser.option("-t", "NAME", "clock to measure with, as --timer; with --check also 'all'", o.timer, timer);
}

void refuse_both(Step const& step, char const* add, char const* multiply) {
    if (step.add && step.multiply)
        throw UsageError(fmt::format("{} and {} exclude each other", add, multiply));
}

}  // namespace

void declare(Parser& parser, Options& options) {
    parser.arguments("TEST...", "tests to run, in any letter case (see -q), plugins' too", options.tests);
    parser.list("--plugin", "FILE", "adds the tests of a shared library (mpiperf_plugin.h); may be given again",
                options.plugins, as::Text{});
    declare_varied(parser, options);
    declare_stopping(parser, options);
    declare_statistics(parser, options);
    declare_nonblocking(parser, options);
    declare_schedule(parser, options);
    declare_data(parser, options);
    declare_buffers(parser, options);
    declare_topology(parser, options);
    declare_deviations(parser, options);
    declare_report(parser, options);
    declare_actions(parser, options);
}

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
    if (o.log_master && o.log.empty())
        throw UsageError("-m: there is no log without -l");
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
                                        {common.epochs > 1, "--epochs"}})
        if (given)
            throw UsageError(fmt::format("--first-calls and {} exclude each other", option));
}

void check_median_interval(Options const& o) {
    if (!o.median_interval)
        return;
    if (o.relative_error || o.valid_runs)
        throw UsageError(fmt::format("--median-interval and {} are two stopping rules: give one of them",
                                     o.relative_error ? "-e" : "-E"));
    if (auto const least = fewest_for_median(o) + o.stage_runs; o.max_runs < least)
        throw UsageError(fmt::format("--median-interval: needs at least {} runs ({} in two stages), not {} (-R)", least,
                                     fewest_for_median(o), o.max_runs));
}

}  // namespace

std::int64_t fewest_for_median(Options const& options) { return std::max<std::int64_t>(options.min_runs, 16); }

void check(Options const& o, program::CommonOptions const& common) {
    check_actions(o, common);
    check_log(o, common);
    if (o.trim >= 0.5)
        throw UsageError("--trim: less than 50 per cent can be cut at each end, or nothing is left");
    check_files(o, common);
    // The command line's -t goes before the timer of a configuration file.
    if (o.timer && common.timer != "mpi_wtime" && common.config.empty())
        throw UsageError("-t and --timer are one option: it is given twice");
    if (o.is_nosync() && (o.relative_error || o.valid_runs || o.median_interval))
        throw UsageError("-z nosync: one loop has no stopping rule, only a number of runs (-R)");
    refuse_both(o.rank_step, "-g", "-G");
    refuse_both(o.count_step, "-s", "-S");
    check_sync(o, common);
    if (o.min_ranks && o.max_ranks && *o.min_ranks > *o.max_ranks)
        throw UsageError(
            fmt::format("-p: {} is more than the largest number of processes, {} (-P)", *o.min_ranks, *o.max_ranks));
    if (o.min_count > o.max_count)
        throw UsageError(fmt::format("-x: {} is more than the largest count, {} (-X)", o.min_count, o.max_count));
    if (o.min_runs > o.max_runs)
        throw UsageError(
            fmt::format("-r: {} is more than the largest number of runs, {} (-R)", o.min_runs, o.max_runs));
    if (o.relative_error && o.valid_runs)
        throw UsageError("-e and -E are two stopping rules: give one of them");
    check_median_interval(o);
    check_first_calls(o, common);
    if (o.timer == "all" && !o.check)
        throw UsageError("-t: all timers can only be had with --check");
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
