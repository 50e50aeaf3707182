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

/// Accepts a size that is a power of two, or "page" (4096 bytes).
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

/// Reads a topology. Its text is the one from the command line.
struct Named {
    Topology operator()(Argument const& argument) const { return topology_from(argument); }
    [[nodiscard]] std::string text(Topology const& topology) const { return topology.text; }
};

/// Accepts the library's names of starts, and the two of MPIPerf 0.0.3: synctime and nosync.
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
    rows.heading("Parameters");
    rows.option("-p,--min-procs", "N", "start with N processes", &Options::min_ranks, as::Int{.low = 1}).unset("all");
    rows.option("-P,--max-procs", "N", "end with N processes, even if the steps skip that number", &Options::max_ranks,
                as::Int{.low = 1})
        .unset("all");
    rows.option("-g,--procs-add", "N", "add N to get the next number of processes", rank_step(&Step::add),
                as::Integer{.low = 1});
    rows.option("-G,--procs-multiply", "N", "multiply by N to get the next number of processes",
                rank_step(&Step::multiply), as::Integer{.low = 2})
        .unset("2");
    rows.option("-x,--min-count", "SIZE",
                "start with this count, in bytes (reductions, accumulates: doubles; Mem_triad: 24 bytes)",
                &Options::min_count, as::Size{});
    rows.option("-X,--max-count", "SIZE", "end with this count, or before it if the steps skip it", &Options::max_count,
                as::Size{});
    rows.option("-s,--count-add", "SIZE", "add this much to get the next count", count_step(&Step::add),
                as::Size{.low = 1});
    rows.option("-S,--count-multiply", "N", "multiply by N to get the next count", count_step(&Step::multiply),
                as::Integer{.low = 2})
        .unset("2");
    rows.flag("--include-max", "also measure the largest count if the steps skip it", &Options::include_max);
    rows.option("--refine", "EPS", "add counts where interpolation is off by more than this fraction", &Options::refine,
                as::Number{.low = 0, .above_low = true});
    rows.excludes("-g", "-G");
    rows.excludes("-s", "-S");
    rows.ordered("-x", &Options::min_count, "-X", &Options::max_count, "the largest count");
}

void add_stopping(Table& rows) {
    rows.heading("Stopping rule of a point");
    rows.option("-E,--valid-runs", "N", "stop after N valid runs", &Options::valid_runs, as::Integer{.low = 1})
        .unset(std::to_string(enough_runs));
    rows.option("-e,--relative-error", "PCT", "instead, stop at this relative standard error", &Options::relative_error,
                as::Percentage{.above_low = true});
    rows.option("--median-interval", "PCT",
                "instead, stop when the median is known to +- PCT per cent in two consecutive stages",
                &Options::median_interval, as::Percentage{.above_low = true});
    rows.option("-r,--min-runs", "N", "do at least N runs", &Options::min_runs, as::Integer{.low = 1});
    rows.option("-R,--max-runs", "N", "start no further stage (--stage-runs) of an epoch after N runs",
                &Options::max_runs, as::Integer{.low = 1});
    rows.ordered("-r", &Options::min_runs, "-R", &Options::max_runs, "the largest number of runs");
}

void add_statistics(Table& rows) {
    rows.heading("Statistics");
    rows.option("--trim", "PCT", "drop this percentage of the valid runs at each end before computing the mean",
                &Options::trim, as::Percentage{.high = 50});
    rows.flag("-a,--no-trim", "keep all valid runs", &Options::no_trim).unrecorded();
    rows.option("--confidence", "P", "set the confidence level of intervals, 0.5 to 0.9999", &Options::confidence,
                as::Number{.low = 0.5, .high = 0.9999});
    rows.option("--se", "KIND", "choose the main standard error of the record: over_sqrt_n, over_sqrt_kept, winsorized",
                &Options::error,
                as::Choice<measure::ErrorKind>{{{"over_sqrt_n", measure::ErrorKind::over_sqrt_n},
                                                {"over_sqrt_kept", measure::ErrorKind::over_sqrt_kept},
                                                {"winsorized", measure::ErrorKind::winsorized}}});
}

constexpr int most_compute_points = 10'000;

void add_nonblocking(Table& rows) {
    rows.heading("Non-blocking tests");
    rows.flag("-b,--blocking", "use blocking mode: issue and wait, with no computing in between",
              &Options::blocking_mode)
        .key("blocking_mode");
    rows.option("-c,--compute-points", "N",
                "compute for 0 to 2 times the blocking time, in N steps; N = 1 measures only 2 times the blocking time",
                &Options::compute_points, as::Int{.low = 1, .high = most_compute_points});
    rows.option("--tests-per-compute", "N", "split the computing into N parts with MPI_Test between them",
                &Options::tests_per_compute, as::Int{.low = 1});
}

void add_streams(Table& rows) {
    rows.heading("Concurrent messages");
    rows.option("--window-size", "N", "keep N messages in flight in Stream and Bistream", &Options::window,
                as::Int{.low = 1, .high = 65536});
    rows.option("--threads", "N", "exchange messages on N threads of each process in Thread_pingpong",
                &Options::threads, as::Int{.low = 1, .high = 1024});
    rows.option("--partitions", "N", "split the message of Psend_init into N partitions", &Options::partitions,
                as::Int{.low = 1, .high = 65536});
}

void add_schedule(Table& rows) {
    rows.heading("Start of runs");
    rows.option("-z,--start", "NAME",
                "start runs by: slot (synctime), free (nosync), barrier, dissemination, roundtime", &Options::start,
                start)
        .unset("slot; roundtime with more processes than cores");
    rows.option("--warmup-runs", "N",
                "do at least N runs before the first that counts (k' of the paper); exactly N with --settle off",
                &Options::warmup_runs, as::Int{.low = 0});
    rows.option("--first-calls", "N",
                "measure the first N calls on a new communicator, without warm-up, to show how times settle; the "
                "record (--json) has every call",
                &Options::first_calls, as::Int{.low = 1, .high = 1'000'000});
    rows.option("--stage-runs", "N", "do N runs per stage, before the next decision to continue or stop",
                &Options::stage_runs, as::Int{.low = 1});
    rows.option("--invalid-share", "PCT", "lengthen slots if more than this percentage of a stage's runs is invalid",
                &Options::invalid_share, as::Percentage{});
    rows.option(
        "--slot-scale", "X",
        "lengthen slots to at least X times the mean time per run of the stage (gamma of the paper), 1.1 to 2; with "
        "--slot-rule paper, to exactly this length",
        &Options::slot_scale, as::Number{.low = 1.1, .high = 2});
    rows.option("--slot-rule", "NAME",
                "lengthen slots by: doubling (at least twice as long), paper (exactly to --slot-scale times the mean "
                "time per run)",
                &Options::slot_rule,
                as::Choice<measure::SlotRule>{
                    {{"doubling", measure::SlotRule::doubling}, {"paper", measure::SlotRule::paper}}});
    rows.option("--bcast-factor", "X",
                "begin the first slot of a stage X times the measured broadcast time after its announcement",
                &Options::bcast_factor, as::Number{.low = 1, .high = 1000});
}

void add_synchronisation(Table& rows) {
    rows.option("--sync-patience", "N", "measure the offset of a pair until N exchanges bring no shorter round trip",
                &Options::sync_patience, as::Int{.low = 1});
    rows.option(
        "--offset-estimator", "NAME",
        "estimate clock offsets from: min-rtt (the shortest round trip), envelope (the bounds of all exchanges)",
        &Options::offset_estimator,
        as::Choice<measure::OffsetEstimator>{
            {{"min-rtt", measure::OffsetEstimator::min_rtt}, {"envelope", measure::OffsetEstimator::envelope}}});
    rows.option("--offset-roles", "NAME", "choose which ranks of a pair ask for the other's time: one, both",
                &Options::both_ways, as::Choice<bool>{{{"one", false}, {"both", true}}})
        .unset("one for linear and ring, as published; both for the others");
    rows.option("--offset-channel", "NAME",
                "for two ranks on one host, exchange time stamps through: messages, shared (memory)",
                &Options::offset_channel,
                as::Choice<measure::OffsetChannel>{
                    {{"messages", measure::OffsetChannel::messages}, {"shared", measure::OffsetChannel::shared}}})
        .unset("messages for linear and ring, as published; shared for the others");
    rows.option("--sync-drift", "NAME", "with --sync-alg hier or auto, model clock drift: on, off, auto",
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
                "move data of this type: byte, double, vector:BLOCK:STRIDE, indexed:N, subarray:AxB, struct, resized; "
                "counts remain bytes of payload; types other than byte are compared with contiguous bytes",
                &Options::datatype, Datatype{})
        .unset("byte");
    rows.flag("--verify", "check received data once per point; exit with code 3 if they are wrong", &Options::verify);
    rows.option("--scratch", "FOLDER", "put the file of File_write and File_read into this folder", &Options::scratch,
                as::Text{});
}

void add_buffers(Table& rows) {
    rows.heading("Buffers and root");
    rows.flag("-d,--cold",
              "use cold buffers: cycle through the blocks of a pool twice as large as the last-level cache",
              &Options::cold);
    rows.option("--cold-blocks", "N", "use at least N blocks in a cold pool", &Options::cold_blocks, as::Int{.low = 2});
    rows.option("--align", "SIZE", "align buffers to this size, a power of two or 'page'", &Options::alignment,
                alignment);
    rows.option("--max-mem", "SIZE", "limit the buffer memory of each process", &Options::max_memory,
                as::Size{.low = 1})
        .unset("an equal share of a quarter of the available memory of the host");
    rows.option("--root", "N", "use rank N as root of rooted operations", &Options::root, as::Int{.low = 0});
}

void add_topology(Table& rows) {
    rows.heading("Virtual topology of the communicators");
    rows.option("--topology", "NAME",
                "use a topology: cart:AxB[:periodic] (0: MPI chooses the size), graph:FILE, dist_graph:FILE, "
                "dist_graph:OFFSET,..",
                &Options::topology, Named{})
        .unset("none; cart:periodic if a test needs one");
    rows.option("--reorder", "on|off", "let MPI reorder the ranks in the topology", &Options::reorder,
                as::Choice<bool>{{{"on", true}, {"off", false}}});
}

void add_deviations(Table& rows) {
    rows.heading("Systematic errors, reproduced for comparison (also: -z barrier, -z nosync)");
    rows.flag("--no-warmup", "skip the warm-up stage, so that the first call counts", &Options::no_warmup).unrecorded();
    rows.option("--time-of", "WHO", "combine the times of a run on all processes by: max, root, min, mean, span",
                &Options::time_of,
                as::Choice<measure::Combine>{{{"max", measure::Combine::max},
                                              {"root", measure::Combine::root},
                                              {"min", measure::Combine::min},
                                              {"mean", measure::Combine::mean},
                                              {"span", measure::Combine::span}}})
        .unset("max; root for messages");
    rows.flag("--rotate-root", "use a different root in each run: run index modulo number of processes",
              &Options::rotate_root)
        .unrecorded();
}

void add_report(Table& rows) {
    rows.heading("Report");
    rows.option("-o,--per-process", "FILE", "write the times of each process to FILE", &Options::per_process,
                as::Text{})
        .unrecorded();
    rows.option("-l,--log", "FILE", "write a log of each process to FILE.RANK", &Options::log, as::Text{}).unrecorded();
    rows.flag("-m,--log-master", "write the log of process 0 only", &Options::log_master).unrecorded();
    rows.needs("-m", "-l", "needs -l");
    rows.option("-w,--unit", "UNIT", "print times in this unit: sec, usec", &Options::scale,
                as::Choice<TimeScale>{{{"sec", TimeScale::sec}, {"usec", TimeScale::usec}}})
        .unrecorded();
    rows.option("--precision", "DIGITS", "print numbers with this many decimals", &Options::precision,
                as::Int{.low = 0, .high = 12})
        .unset("2; 8 with -w sec")
        .unrecorded();
    rows.option("--format", "NAME", "print the report as: text, csv", &Options::format,
                as::Choice<Format>{{{"text", Format::text}, {"csv", Format::csv}}})
        .unrecorded();
}

void add_actions(Table& rows) {
    rows.heading("Instead of measuring");
    rows.flag("-q,--list-tests", "list the tests", &Options::list_tests).unrecorded();
    rows.flag("-T,--list-timers", "list the timers", &Options::list_timers).unrecorded();
    rows.flag("-j,--check-timer", "check the timer on every process; exit with code 3 if a check fails",
              &Options::check_timer)
        .unrecorded();
    rows.option("--noise", "DURATION", "measure interruptions of each process for this time", &Options::noise,
                as::Duration{.above_zero = true})
        .unrecorded();
    rows.flag("--check", "measure waits of known duration; exit with code 3 if one is wrong", &Options::check)
        .unrecorded();
}

Table const& option_table() {
    static Table const table = [] {
        Table rows;
        rows.list("--plugin", "FILE", "add the tests of a shared library (mpiperf_plugin.h); can be repeated",
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
    parser.arguments(
        "TEST...",
        "tests to run, including plugin tests, in any letter case (-q lists them); TEST:COUNT,COUNT.. replaces "
        "the counts of -x -X -s -S for this test",
        options.tests);
    option_table().declare(parser, options);
}

void describe(Options const& options, measure::Value& record) { option_table().describe(options, record); }

namespace {

/// Refuses a second action, tests, and output files that an action would leave empty.
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
        throw UsageError(fmt::format("{} and {} cannot be combined", action, actions[1]));
    if (action != "--list" && !o.tests.empty())
        throw UsageError(fmt::format("{}: cannot be combined with tests; remove '{}'", action, o.tests.front()));
    if (action != "--check" && action != "--noise" && !common.json.empty())
        throw UsageError(fmt::format("--json: {} measures nothing that could be recorded", action));
    if (!o.per_process.empty())
        throw UsageError(fmt::format("-o: {} writes no per-process report", action));
    if (!o.log.empty())
        throw UsageError(fmt::format("-l: {} writes no log", action));
    if ((action == "-j" || action == "--noise") && (o.min_ranks || o.max_ranks))
        throw UsageError(fmt::format("{}: {} always uses all processes", o.min_ranks ? "-p" : "-P", action));
}

/// A test that is named several times is measured several times, with the same counts each time.
void check_tests(Options const& o) {
    std::map<std::string, std::vector<std::int64_t>> counts;  // counts of the preceding tests, by name
    for (auto const& text : o.tests) {
        auto const test = named_test(text);
        auto const [before, is_new] = counts.emplace(program::lower(test.name), test.counts);
        if (!is_new && before->second != test.counts)
            throw UsageError(
                fmt::format("{}: the test is named twice with different counts; put all counts into one list", text));
    }
}

/// Refuses options of a clock synchronisation that does not take place.
void check_sync(Options const& o, program::CommonOptions const& common) {
    if (o.sync_drift && common.sync_alg != "hier" && common.sync_alg != "auto")
        throw UsageError("--sync-drift: only works with --sync-alg hier or auto");
    if (common.sync_alg != "none")
        return;
    for (auto const& [given, option] :
         {std::pair{o.offset_channel.has_value(), "--offset-channel"}, {o.both_ways.has_value(), "--offset-roles"}})
        if (given)
            throw UsageError(
                fmt::format("{}: cannot be combined with --sync-alg none, which compares no clocks", option));
}

/// Whether the path is a log file's: the path of -l, a dot, and digits.
bool is_log(Options const& o, std::string const& path) {
    auto const dot = path.find_last_of('.');
    return !o.log.empty() && dot != std::string::npos && dot + 1 < path.size() &&
           path.find_first_not_of("0123456789", dot + 1) == std::string::npos &&
           program::is_same_path(path.substr(0, dot), o.log);
}

void check_log(Options const& o, program::CommonOptions const& common) {
    // An empty name after the last slash would create hidden files.
    if (auto const last = o.log.substr(o.log.find_last_of('/') + 1);
        !o.log.empty() && (last.empty() || last == "." || last == ".."))
        throw UsageError(fmt::format("-l: '{}' is a directory; give a file name, .RANK is appended to it", o.log));
    for (auto const& [option, path] :
         {std::pair{"-o", o.per_process}, {"--json", common.json}, {"--config", common.config}})
        if (is_log(o, path))
            throw UsageError(fmt::format("-l: '{}' is the file of {}", path, option));
}

/// Refuses an output file that is also another output or the configuration that is read.
void check_files(Options const& o, program::CommonOptions const& common) {
    std::pair<char const*, std::string> const outputs[] = {{"-o", o.per_process}, {"--json", common.json}};
    for (auto const& [option, path] : outputs)
        if (!path.empty() && !common.config.empty() && program::is_same_path(path, common.config))
            throw UsageError(fmt::format("{}: '{}' is the file of --config", option, path));
    if (!o.per_process.empty() && !common.json.empty() && program::is_same_path(o.per_process, common.json))
        throw UsageError(fmt::format("-o: '{}' is the file of --json", o.per_process));
}

/// The number of first calls is fixed, so there is no stopping rule, no warm-up and no second epoch.
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
            throw UsageError(fmt::format("--first-calls and {} cannot be combined", option));
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
        throw UsageError(fmt::format("{} and {} are both stopping rules; give only one", rules[0], rules[1]));
    if (o.is_nosync() && !rules.empty())
        throw UsageError("-z nosync: takes no stopping rule; -R sets the number of runs of its loop");
    if (o.is_nosync() && common.batch)
        throw UsageError("-z nosync: cannot be combined with --batch; -R sets the number of runs of its loop");
    if (!o.median_interval)
        return;
    if (auto const least = fewest_for_median(o) + o.stage_runs; o.max_runs < least)
        throw UsageError(
            fmt::format("--median-interval: needs at least {} runs ({} valid ones and a further stage), but -R is {}",
                        least, fewest_for_median(o), o.max_runs));
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
        throw UsageError("--trim: must be less than 50 per cent at each end, or no run is left");
    check_files(o, common);
    check_sync(o, common);
    if (o.min_ranks && o.max_ranks && *o.min_ranks > *o.max_ranks)
        throw UsageError(
            fmt::format("-p: {} is larger than the largest number of processes, {} (-P)", *o.min_ranks, *o.max_ranks));
    check_stopping(o, common);
    check_first_calls(o, common);
    if (common.timer == all_timers && !o.check)
        throw UsageError("--timer: 'all' can only be used with --check");
    if (o.check && o.is_nosync())
        throw UsageError("--check: cannot be combined with -z nosync, because waits need synchronised starts");
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
