// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/options.hpp"

#include "pmb/setup.hpp"
#include "program/cli/option_table.hpp"

#include <measure/clock_sync.hpp>
#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace pmb {

namespace {

using measure::Bytes;
using measure::UsageError;
using program::Argument;
using program::refuse;
using program::split;
namespace as = program::as;

/// Accepted words for on and off.
as::Choice<bool> on_off() {
    return {{{"on", true},
             {"off", false},
             {"yes", true},
             {"no", false},
             {"true", true},
             {"false", false},
             {"enable", true},
             {"disable", false},
             {"1", true},
             {"0", false}}};
}

/// The values of -iter_policy. PMB does not have all of them.
as::Choice<Policy> policies(Part part = Part::imb_mpi1) {
    if (!is_imb(part))
        return {{{"off", Policy::off}, {"dynamic", Policy::dynamic}, {"stderr", Policy::standard_error}}};
    return {{{"off", Policy::off},
             {"dynamic", Policy::dynamic},
             {"stderr", Policy::standard_error},
             {"multiple_np", Policy::multiple_np},
             {"auto", Policy::automatic}}};
}

Bytes megabytes(Argument const& argument) {
    return static_cast<Bytes>(as::Number{.low = 0, .high = 1e9, .above_low = true}(argument) *
                              static_cast<double>(measure::mebi));
}

Iterations iterations(Argument const& argument) {
    auto const parts = split(argument, ',');
    if (parts.size() > 3)
        refuse(argument, "is not S[,V[,SN]]");
    as::Integer const count{.low = 1, .high = 1'000'000'000};
    Iterations result{.repetitions = count(parts[0])};
    if (parts.size() > 1)
        result.volume = megabytes(parts[1]);
    if (parts.size() > 2)
        result.non_aggregate = count(parts[2]);
    return result;
}

std::pair<int, int> logs(Argument const& argument) {
    as::Int const log{.low = 0, .high = 30};
    auto const colon = argument.value.find(':');
    int low = 0;
    if (colon != std::string::npos)
        low = log({argument.option, argument.value.substr(0, colon)});
    int const high =
        log({argument.option, colon == std::string::npos ? argument.value : argument.value.substr(colon + 1)});
    if (low > high)
        refuse(argument, "is not [A:]B with 0 <= A <= B <= 30");
    return {low, high};
}

/// Without A, which is then -1, the lengths begin with 0.
std::pair<int, int> logs_without_zero(Argument const& argument) {
    auto const range = logs(argument);
    return argument.value.find(':') == std::string::npos ? std::pair{-1, range.second} : range;
}

Iterations iterations_and_volume(Argument const& argument) {
    auto const result = iterations(argument);
    if (result.non_aggregate)
        refuse(argument, "is not S[,V]");
    return result;
}

std::vector<Bytes> sizes(Argument const& argument) {
    std::vector<Bytes> result;
    for (auto const& part : split(argument, ','))
        result.push_back(as::Size{.high = largest_length}(part));
    return result;
}

std::string sync_name(Argument const& argument) {
    try {
        return std::string{measure::name(measure::sync_from(argument.value))};
    } catch (UsageError const& error) {
        throw UsageError(argument.option + ": " + error.what());
    }
}

OffCache off_cache(Argument const& argument) {
    auto const parts = split(argument, ',');
    if (parts.size() > 2)
        refuse(argument, "is not C[,L]");
    OffCache result;
    result.automatic = parts[0].value == "auto";
    if (!result.automatic)
        result.cache = parts[0].value == "-1" ? 8 * measure::mebi : megabytes(parts[0]);
    if (parts.size() > 1)
        result.line = as::Integer{.low = 1, .high = measure::mebi}(parts[1]);
    return result;
}

Grid grid(Argument const& argument) {
    auto const parts = split(argument, 'x');
    if (parts.size() != 2)
        refuse(argument, "is not PxQ");
    as::Int const side{.low = 1, .high = 1'000'000};
    return {side(parts[0]), side(parts[1])};
}

std::optional<Mode> aggregate_mode(Argument const& argument) {
    using Choice = std::optional<Mode>;
    return as::Choice<Choice>{{{"aggregate", Choice{Mode::aggregate}},
                               {"non_aggregate", Choice{Mode::non_aggregate}},
                               {"multi", Choice{}}}}(argument);
}

/// Both spellings of a flag: "-a_b,-a-b".
std::string spellings(std::string const& flag) {
    std::string other = flag;
    std::replace(other.begin(), other.end(), '_', '-');
    other[0] = '-';
    return flag == other ? flag : flag + "," + other;
}
using OptionRows = program::OptionTable<Options>;

void add_reserved(OptionRows& table) {
    table.heading("Options of the original that are not supported");
    for (char const* const name : {"-dump", "-load"})
        table
            .option(
                name, "FILE", "not supported; --config FILE reads options, --json FILE records them",
                &Options::reserved,
                as::Refused{"YAML options are not supported; --config FILE reads options, --json FILE records them"})
            .unrecorded();
}

void add_output(OptionRows& table, Part part) {
    table.heading("Output and limits");
    table.option("-mem", "GB", "limit the buffers of each process to this size in GByte; longer messages are skipped",
                 &Options::memory, as::Number{.low = 0, .high = 1e6, .above_low = true});
    if (is_io(part)) {
        table.option("-file", "PREFIX",
                     "use this name or folder for scratch files; an existing file of that name is replaced",
                     &Options::file, as::Text{});
        table.flag("-keep", "keep the scratch files", &Options::keep);
    }
    table.option("-o", "FILE", "write the tables to a file", &Options::output, as::Text{});
    table.option("-format", "NAME", "write the tables as: table, csv", &Options::format,
                 as::Choice<Format>{{{"table", Format::table}, {"csv", Format::csv}}});
    table.option("-mbyte", "BYTES", "define a MByte as this many bytes: 1048576 or 1000000", &Options::megabyte,
                 as::Choice<double>{{{"1048576", 1048576}, {"1000000", 1e6}}});
    if (is_imb(part))
        add_reserved(table);
}

void add_selection(OptionRows& table) {
    auto const as_given = [](Argument const& a) { return a; };
    table.heading("Selection");
    table.list("-input", "FILE", "insert names from a file at this place, one per line", &Options::inputs, as_given);
    table.list("-include", "NAMES", "also run these benchmarks", &Options::includes, as_given);
    table.list("-exclude", "NAMES", "do not run these benchmarks", &Options::excludes, as_given);
}

/// Microseconds as in IMB-P2P, or a number with a unit.
measure::seconds pause_from(Argument const& argument) {
    bool const bare = argument.value.find_first_not_of("0123456789.") == std::string::npos;
    return as::Duration{}({argument.option, bare ? argument.value + "us" : argument.value});
}

void add_thread_level(OptionRows& table, std::string text) {
    table.option(spellings("-thread_level"), "NAME", std::move(text), program::path(&Options::threads, &Threads::level),
                 thread_levels());
}

/// Every program accepts these options, because one harness passes them to all programs.
void add_tail(OptionRows& table, Part part) {
    bool const acts = part == Part::imb_mpi1;
    char const* const nothing = "has an effect in IMB-MPI1 only";
    table.option(spellings("-show_tail"), "on|off",
                 acts ? "print after each row the shortest time of a repetition, quantiles from 10 to 99.99 % and the "
                        "longest, in us; repetitions are timed individually"
                      : nothing,
                 &Options::show_tail, on_off());
    table.option("-dumpfile", "FILE",
                 acts ? "write these times to a file, one per line: the length and the time in us" : nothing,
                 &Options::dump, as::Text{});
}

OptionRows p2p_table() {
    auto const p = standard(Part::imb_p2p);
    OptionRows table;
    table.heading("Selection");
    table.flag("-list", "list the benchmarks and measure nothing", &Options::list);
    table.heading("Method");
    table
        .option("-iter", "S[,V]", "limit the repetitions to S, and their total volume to V MByte", &Options::iterations,
                iterations_and_volume)
        .unset(fmt::format("{},{}", p.repetitions, p.volume / measure::mebi));
    table
        .option("-msglog", "[A:]B", "use lengths 0, 1, 2, 4, .., 2^B, or 2^A, .., 2^B", &Options::length_logs,
                logs_without_zero)
        .unset(fmt::format("{}", p.max_log));
    table.list("-msgsz", "SIZE", "use these lengths", &Options::message_sizes, as::Size{.high = largest_length});
    table.option("-msglen", "FILE", "read lengths from a file, one per line", &Options::length_file, as::Text{});
    table.option("-msgwr", "on|off", "write to messages before they are sent", &Options::writes, on_off()).unset("on");
    table.option("-msgrd", "on|off", "read messages after they have arrived", &Options::reads, on_off()).unset("on");
    table.option("-pause", "USEC", "pause before and after each row for this time in us", &Options::pause, pause_from)
        .unset(fmt::format("{:g}", p.pause.count() * 1e6));
    add_tail(table, Part::imb_p2p);
    add_output(table, Part::imb_p2p);
    table.excludes("-msglen", "-msgsz");
    return table;
}

OptionRows mt_table() {
    using program::path;
    auto const p = standard(Part::imb_mt);
    auto const of_threads = [](auto member) { return path(&Options::threads, member); };
    OptionRows table;
    add_selection(table);
    table.flag("-list", "list the benchmarks and measure nothing", &Options::list);
    table.heading("Method");
    add_thread_level(
        table, "use threads: single, funneled, serialized (one), multiple (OMP_NUM_THREADS, otherwise one per core)");
    table
        .option("-warmup", "N", "do N repetitions before each row", &Options::warm_up_repetitions,
                as::Int{.low = 0, .high = 1'000'000})
        .unset(fmt::format("{}", p.warm_up));
    table
        .option("-repeat", "N", "do N repetitions", &Options::iterations,
                [](Argument const& a) {
                    return Iterations{.repetitions = as::Integer{.low = 1, .high = 1'000'000'000}(a)};
                })
        .unset(fmt::format("{}", p.repetitions));
    table.option("-count", "N,..", "use messages of N elements", &Options::counts, [](Argument const& a) {
        std::vector<std::int64_t> counts;
        for (auto const& part : split(a, ','))
            counts.push_back(as::Integer{.low = 1, .high = largest_length}(part));
        return counts;
    });
    table.option("-datatype", "int|char", "use elements of this type", of_threads(&Threads::element), elements());
    table.option("-stride", "N", "pair ranks that are N apart (0 = half of the processes)",
                 of_threads(&Threads::stride), as::Int{.low = 0, .high = 1'000'000'000});
    table
        .option(spellings("-window_size"), "N", "keep N messages in flight", &Options::window,
                as::Int{.low = 1, .high = 1'000'000})
        .unset(fmt::format("{}", p.window));
    table.option("-barrier", "NAME", "synchronise all threads by this barrier: on, off, special (of messages)",
                 of_threads(&Threads::barrier), team_barriers());
    table.option(spellings("-malloc_align"), "BYTES", "align buffers to this power of two",
                 of_threads(&Threads::alignment), [](Argument const& a) {
                     auto const bytes = as::Size{.low = 1, .high = measure::gibi}(a);
                     if ((bytes & (bytes - 1)) != 0)
                         throw UsageError(fmt::format("{}: {} is not a power of two", a.option, a.value));
                     return std::max<Bytes>(bytes, sizeof(void*));
                 });
    table.option(spellings("-malloc_algo"), "NAME",
                 "allocate buffers: serial (one by one), continuous (in one piece), parallel (by each thread)",
                 of_threads(&Threads::allocation), allocations());
    table.option("-check", "on|off", "check the data of the last repetition", &Options::check, on_off()).unset("off");
    add_tail(table, Part::imb_mt);
    add_output(table, Part::imb_mt);
    table.flag("-noheader", "omit the lines before the first table", &Options::no_header);
    return table;
}

/// Options that are not given keep the part's standard value, which the help shows.
OptionRows option_table(Part part) {
    if (part == Part::imb_p2p)
        return p2p_table();
    if (part == Part::imb_mt)
        return mt_table();
    bool const io = is_io(part);
    bool const imb = is_imb(part);
    // Messages and collectives; some of them are timed individually.
    bool const calls = part == Part::imb_mpi1 || part == Part::imb_nbc;
    auto const usual = usual_setup(part);
    auto const& p = usual.parameters;
    OptionRows table;
    add_selection(table);
    table
        .option("-npmin", "N", "measure with N processes first, then with twice as many, up to all", &Options::at_least,
                as::Int{.low = 1})
        .unset(fmt::format("{}", usual.at_least));
    table.option("-multi", "0|1", "run all groups of processes at once (0 = one row for all, 1 = one row per group)",
                 &Options::multi, as::Int{.low = 0, .high = 1});
    table.flag("-list", "list the benchmarks and measure nothing", &Options::list);
    table.option(
        "-rounds", "K",
        "measure all lengths of a table in turn, K times, and add columns for the minimum, the median and the spread "
        "of the K times; the standard columns show the first round",
        &Options::rounds, as::Int{.low = 1, .high = 10'000});

    table.heading(imb ? "Method" : "Optional mode: results may differ from the standard case");
    table
        .option("-iter", "S[,V[,SN]]",
                "limit the repetitions to S, their total volume to V MByte, and repetitions that are completed "
                "separately to SN",
                &Options::iterations, iterations)
        .unset(iterations_text(p));
    table.option("-msglog", "[A:]B", "use lengths of 0, 2^A, .., 2^B bytes", &Options::length_logs, logs)
        .unset(logs_text(p));
    table.option("-msglen", "FILE", "read lengths in bytes from a file, one per line", &Options::length_file,
                 as::Text{});
    table.option("-msgsize", "SIZES", "use these lengths in bytes, separated by commas", &Options::sizes, sizes);
    table.option(spellings("-zero_size"), "on|off", "begin with length 0", &Options::zero, on_off())
        .unset(text(p.zero));
    table
        .option("-time", "SECS", "spend at most this time per length", &Options::time, as::Duration{.above_zero = true})
        .unset(usual.time ? text(usual.time->count()) : "");
    table
        .option(spellings("-iter_policy"), "NAME",
                imb ? "choose the repetitions by: dynamic (fewer for long calls), off, multiple_np (fewer for long "
                      "messages and many processes), auto (multiple_np for calls with a root, otherwise dynamic), "
                      "stderr (repeat until the error is small)"
                    : "choose the repetitions by: off, dynamic (fewer for long calls), stderr (repeat until the error "
                      "is small)",
                &Options::policy, policies(part))
        .unset(text(usual.policy));
    table
        .option("-stderr", "EPS", "repeat until this relative standard error is reached; implies -iter_policy stderr",
                &Options::standard_error, as::Number{.low = 0, .high = 1, .above_low = true})
        .unset(text(usual.standard_error));
    table.option("-refine", "EPS", "add lengths where interpolation is off by more than this fraction",
                 &Options::refine, as::Number{.low = 0, .high = 10, .above_low = true});
    if (part == Part::mpi1 || part == Part::imb_mpi1) {
        table.option("-start", "NAME",
                     "measure single calls with this start instead of a loop: free, barrier, dissemination, slot, "
                     "roundtime",
                     &Options::start, as::Name{{"free", "barrier", "dissemination", "slot", "roundtime"}});
        table
            .option(spellings("-sync_alg"), "NAME",
                    fmt::format("synchronise the clocks for -start by: {}", fmt::join(measure::sync_names(), ", ")),
                    &Options::sync, sync_name)
            .unset(usual.sync);
    }
    if (calls || part == Part::mpi1)
        table.option(spellings("-root_shift"), "on|off", "rotate the root", &Options::root_shift, on_off())
            .unset(text(usual.rotate_root));
    if (imb)
        table
            .option(
                spellings("-off_cache"), "C[,L]",
                io ? "has no effect on files"
                   : "cycle buffers and windows through twice C MByte of memory, in lines of L bytes (-1 = 8,64; auto "
                     "= the last-level cache)",
                &Options::off_cache, off_cache)
            .unset("off");
    if (imb && calls)
        table
            .option("-sync", "on|off", "do a barrier after each individually timed call", &Options::sync_behind,
                    on_off())
            .unset("on");
    if (imb)
        table
            .option(spellings("-imb_barrier"), "on|off",
                    calls ? "use messages instead of MPI_Barrier around individually timed calls"
                          : "has an effect in IMB-MPI1 and IMB-NBC only",
                    &Options::dissemination, on_off())
            .unset("off");
    if (part == Part::mpi1 || part == Part::imb_mpi1)
        table
            .option(spellings("-window_size"), "N", "keep N messages in flight in Uniband and Biband", &Options::window,
                    as::Int{.low = 1, .high = 1'000'000})
            .unset(fmt::format("{}", p.window));
    if (part == Part::imb_mpi1) {
        table
            .option(spellings("-data_type"), "NAME", "move data of this type: byte, char, int, float, double",
                    &Options::moved, moved_types())
            .unset(moved_types().text(p.moved));
        table
            .option(spellings("-red_data_type"), "NAME", "reduce numbers of this type: char, int, float, double",
                    &Options::reduced, reduced_types())
            .unset(reduced_types().text(p.reduced));
        table
            .option(spellings("-contig_type"), "NAME",
                    "arrange elements as: base, base_vec (a message is one MPI_Type_vector), resize (each element "
                    "takes twice its size), resize_vec (both)",
                    &Options::packing, packings())
            .unset(packings().text(p.packing));
        table.option("-method", "NAME",
                     "measure by: imb, sync (single calls with synchronised starts, as with -start slot), both (sync "
                     "results in lines after each table)",
                     &Options::method,
                     as::Choice<Method>{{{"imb", Method::imb}, {"sync", Method::sync}, {"both", Method::both}}});
    }
    if (imb) {
        add_tail(table, part);
        table.option(spellings("-msg_pause"), "on|off", "sleep after each row for a tenth of its time, at least 0.1 s",
                     &Options::pauses, on_off());
        add_thread_level(
            table,
            "initialise MPI with this thread level: single, funneled, serialized, multiple (which makes calls slower)");
        if (part == Part::imb_rma || part == Part::imb_ext || io)
            table
                .option(spellings("-aggregate_mode"), "NAME",
                        "complete the repetitions together, one by one, or both ways in two tables: aggregate, "
                        "non_aggregate, multi",
                        &Options::mode, aggregate_mode)
                .unset("multi");
        table.option("-map", "PxQ", "take the processes in the order of a grid, columns first", &Options::map, grid)
            .unset("1x1");
    }
    if (!imb)
        table
            .option(spellings("-n_warmup"), "N", "do N repetitions as warm-up", &Options::warm_up_repetitions,
                    as::Int{.low = 0, .high = 1'000'000})
            .unset(fmt::format("{}", p.warm_up));
    table.option(spellings("-warm_up"), "on|off", "do a warm-up", &Options::warm_up, on_off())
        .unset(text(p.warm_up > 0));
    table
        .option(spellings("-n_barr"), "N", "do N barriers before each loop", &Options::barriers,
                as::Int{.low = 0, .high = 1000})
        .unset(fmt::format("{}", p.barriers));
    if (io) {
        table
            .option(spellings("-cpu_secs"), "SECS", "let the CPU loop take this time", &Options::cpu,
                    as::Duration{.above_zero = true})
            .unset(text(p.cpu.count()));
        table
            .option(spellings("-sync_writes"), "NAME",
                    "complete writes by: single (one MPI_File_sync), triple (two with a barrier between them)",
                    &Options::write_sync, write_syncs())
            .unset(write_syncs().text(p.write_sync));
    }
    if (part == Part::imb_nbc)
        table
            .option(spellings("-tests_per_compute"), "N",
                    "call MPI_Test after each N-th part of the computing (0 = no MPI calls while computing)",
                    &Options::tests, as::Int{.low = 0, .high = 1'000'000})
            .unset(fmt::format("{}", p.tests));
    table.option("-check", "on|off", "check the received data", &Options::check, on_off()).unset(text(usual.check));

    add_output(table, part);
    table.excludes("-msglen", "-msgsize");
    return table;
}

}  // namespace

void declare(program::Parser& parser, Options& o) {
    parser.arguments("[NAME...]",
                     "benchmarks to run, in any letter case, separated by blanks or commas; all: the "
                     "standard set (default)",
                     o.names);
    option_table(o.part).declare(parser, o);
}

Options::Options(Part of) : part{of} {
    if (is_imb(of)) {
        file = "IMB_out";
        megabyte = 1e6;
    }
}
std::string text(bool on) { return on_off().text(on); }
std::string text(Policy policy) { return policies().text(policy); }
std::string text(double x) { return fmt::format("{:g}", x); }

std::string iterations_text(Parameters const& p) {
    return fmt::format("{},{:g},{}", p.repetitions, static_cast<double>(p.volume) / static_cast<double>(measure::mebi),
                       p.non_aggregate);
}

std::string logs_text(Parameters const& p) { return fmt::format("{}:{}", p.min_log, p.max_log); }

as::Choice<ElementType> reduced_types() {
    return {{{"char", ElementType::character},
             {"int", ElementType::integer},
             {"float", ElementType::real32},
             {"double", ElementType::real64}}};
}
as::Choice<ElementType> moved_types() {
    auto types = reduced_types();
    types.choices.insert(types.choices.begin(), {"byte", ElementType::byte});
    return types;
}
as::Choice<Packing> packings() {
    return {{{"base", {}},
             {"base_vec", {.vector = true}},
             {"resize", {.resized = true}},
             {"resize_vec", {.vector = true, .resized = true}}}};
}
as::Choice<WriteSync> write_syncs() { return {{{"single", WriteSync::single}, {"triple", WriteSync::triple}}}; }
as::Choice<ThreadLevel> thread_levels() {
    return {{{"single", ThreadLevel::single},
             {"funneled", ThreadLevel::funneled},
             {"serialized", ThreadLevel::serialized},
             {"multiple", ThreadLevel::multiple}}};
}
as::Choice<TeamBarrier> team_barriers() {
    return {{{"on", TeamBarrier::on}, {"off", TeamBarrier::off}, {"special", TeamBarrier::special}}};
}
as::Choice<Allocation> allocations() {
    return {
        {{"serial", Allocation::serial}, {"continuous", Allocation::continuous}, {"parallel", Allocation::parallel}}};
}
as::Choice<Bytes> elements() { return {{{"int", sizeof(int)}, {"char", sizeof(char)}}}; }

}  // namespace pmb
