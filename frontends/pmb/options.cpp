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

/// The words of on and off.
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

/// Those of -iter_policy: PMB has not all of them.
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

/// Without A, which then is -1, the lengths begin with 0.
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

/// "-a_b,-a-b": both spellings of a flag.
std::string spellings(std::string const& flag) {
    std::string other = flag;
    std::replace(other.begin(), other.end(), '_', '-');
    other[0] = '-';
    return flag == other ? flag : flag + "," + other;
}
using OptionRows = program::OptionTable<Options>;

void add_reserved(OptionRows& table) {
    table.heading("Words of the original that are refused");
    for (char const* const name : {"-dump", "-load"})
        table
            .option(name, "FILE", "refused (--config FILE reads options, the record of --json has them)",
                    &Options::reserved,
                    as::Refused{"options as YAML are not known: --config reads options, the record of --json has them"})
            .unrecorded();
}

void add_output(OptionRows& table, Part part) {
    table.heading("Output and limits");
    table.option("-mem", "GB", "memory for buffers per process; longer messages are skipped", &Options::memory,
                 as::Number{.low = 0, .high = 1e6, .above_low = true});
    if (is_io(part)) {
        table.option("-file", "PREFIX", "name or place of scratch files; a file of that name is replaced",
                     &Options::file, as::Text{});
        table.flag("-keep", "keep the scratch files", &Options::keep);
    }
    table.option("-o", "FILE", "write the tables to a file", &Options::output, as::Text{});
    table.option("-format", "NAME", "table or csv", &Options::format,
                 as::Choice<Format>{{{"table", Format::table}, {"csv", Format::csv}}});
    table.option("-mbyte", "BYTES", "what a MByte is: 1048576 or 1000000", &Options::megabyte,
                 as::Choice<double>{{{"1048576", 1048576}, {"1000000", 1e6}}});
    if (is_imb(part))
        add_reserved(table);
}

void add_selection(OptionRows& table) {
    auto const as_given = [](Argument const& a) { return a; };
    table.heading("Selection");
    table.list("-input", "FILE", "names from a file, one per line, inserted here", &Options::inputs, as_given);
    table.list("-include", "NAMES", "these as well", &Options::includes, as_given);
    table.list("-exclude", "NAMES", "not these", &Options::excludes, as_given);
}

/// Microseconds, as IMB-P2P has them, or with a unit.
measure::seconds pause_from(Argument const& argument) {
    bool const bare = argument.value.find_first_not_of("0123456789.") == std::string::npos;
    return as::Duration{}({argument.option, bare ? argument.value + "us" : argument.value});
}

void add_thread_level(OptionRows& table, std::string text) {
    table.option(spellings("-thread_level"), "NAME", std::move(text), program::path(&Options::threads, &Threads::level),
                 thread_levels());
}

/// One harness passes them to every program.
void add_tail(OptionRows& table, Part part) {
    bool const acts = part == Part::imb_mpi1;
    char const* const nothing = "acts in IMB-MPI1 only";
    table.option(spellings("-show_tail"), "on|off",
                 acts ? "behind each row the smallest time of a repetition, quantiles from 10 to 99.99 % and the "
                        "largest, in us; each is timed by itself"
                      : nothing,
                 &Options::show_tail, on_off());
    table.option("-dumpfile", "FILE", acts ? "these times, one in a line: the length and the time in us" : nothing,
                 &Options::dump, as::Text{});
}

OptionRows p2p_table() {
    auto const p = standard(Part::imb_p2p);
    OptionRows table;
    table.heading("Selection");
    table.flag("-list", "print the benchmarks and measure nothing", &Options::list);
    table.heading("Method");
    table
        .option("-iter", "S[,V]", "repetitions at most, MByte of all repetitions", &Options::iterations,
                iterations_and_volume)
        .unset(fmt::format("{},{}", p.repetitions, p.volume / measure::mebi));
    table
        .option("-msglog", "[A:]B", "lengths 0, 1, 2, 4, .., 2^B, or 2^A, .., 2^B", &Options::length_logs,
                logs_without_zero)
        .unset(fmt::format("{}", p.max_log));
    table.list("-msgsz", "SIZE", "these lengths", &Options::message_sizes, as::Size{.high = largest_length});
    table.option("-msglen", "FILE", "lengths from a file, one per line", &Options::length_file, as::Text{});
    table.option("-msgwr", "on|off", "write into messages before they are sent", &Options::writes, on_off())
        .unset("on");
    table.option("-msgrd", "on|off", "read messages that have arrived", &Options::reads, on_off()).unset("on");
    table.option("-pause", "USEC", "pause around each row", &Options::pause, pause_from)
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
    table.flag("-list", "print the benchmarks and measure nothing", &Options::list);
    table.heading("Method");
    add_thread_level(table, "multiple: as many threads as OMP_NUM_THREADS says, otherwise one for each core; single, "
                            "funneled, serialized: one");
    table
        .option("-warmup", "N", "repetitions before a row", &Options::warm_up_repetitions,
                as::Int{.low = 0, .high = 1'000'000})
        .unset(fmt::format("{}", p.warm_up));
    table
        .option("-repeat", "N", "repetitions", &Options::iterations,
                [](Argument const& a) {
                    return Iterations{.repetitions = as::Integer{.low = 1, .high = 1'000'000'000}(a)};
                })
        .unset(fmt::format("{}", p.repetitions));
    table.option("-count", "N,..", "elements of a message", &Options::counts, [](Argument const& a) {
        std::vector<std::int64_t> counts;
        for (auto const& part : split(a, ','))
            counts.push_back(as::Integer{.low = 1, .high = largest_length}(part));
        return counts;
    });
    table.option("-datatype", "int|char", "an element", of_threads(&Threads::element), elements());
    table.option("-stride", "N", "between the ranks of a pair; 0: half of the processes", of_threads(&Threads::stride),
                 as::Int{.low = 0, .high = 1'000'000'000});
    table
        .option(spellings("-window_size"), "N", "messages under way at once", &Options::window,
                as::Int{.low = 1, .high = 1'000'000})
        .unset(fmt::format("{}", p.window));
    table.option("-barrier", "NAME", "on, off, or special: of messages", of_threads(&Threads::barrier),
                 team_barriers());
    table.option(spellings("-malloc_align"), "BYTES", "alignment of buffers, a power of two",
                 of_threads(&Threads::alignment), [](Argument const& a) {
                     auto const bytes = as::Size{.low = 1, .high = measure::gibi}(a);
                     if ((bytes & (bytes - 1)) != 0)
                         throw UsageError(fmt::format("{}: {} is no power of two", a.option, a.value));
                     return std::max<Bytes>(bytes, sizeof(void*));
                 });
    table.option(spellings("-malloc_algo"), "NAME",
                 "buffers come one after the other, from one piece, or each thread takes its own: serial, continuous, "
                 "parallel",
                 of_threads(&Threads::allocation), allocations());
    table.option("-check", "on|off", "look at the data that the last repetition has left", &Options::check, on_off())
        .unset("off");
    add_tail(table, Part::imb_mt);
    add_output(table, Part::imb_mt);
    table.flag("-noheader", "no lines before the first table", &Options::no_header);
    return table;
}

/// What is not given keeps the standard of the part, which the help names.
OptionRows option_table(Part part) {
    if (part == Part::imb_p2p)
        return p2p_table();
    if (part == Part::imb_mt)
        return mt_table();
    bool const io = is_io(part);
    bool const imb = is_imb(part);
    // Messages and collectives, some of them timed one by one.
    bool const calls = part == Part::imb_mpi1 || part == Part::imb_nbc;
    auto const usual = usual_setup(part);
    auto const& p = usual.parameters;
    OptionRows table;
    add_selection(table);
    table.option("-npmin", "N", "smallest number of processes", &Options::at_least, as::Int{.low = 1})
        .unset(fmt::format("{}", usual.at_least));
    table.option("-multi", "0|1", "all groups of processes at once; 0: one row for all, 1: one per group",
                 &Options::multi, as::Int{.low = 0, .high = 1});
    table.flag("-list", "print the benchmarks and measure nothing", &Options::list);
    table.option("-rounds", "K",
                 "all lengths of a table K times in turn: columns for the smallest, the median and the spread of the K "
                 "times beside the standard ones, which are those of the first round",
                 &Options::rounds, as::Int{.low = 1, .high = 10'000});

    table.heading(imb ? "Method" : "Optional mode: results may differ from the standard case");
    table
        .option("-iter", "S[,V[,SN]]",
                "repetitions at most, MByte of all repetitions, repetitions at most where each is completed by itself",
                &Options::iterations, iterations)
        .unset(iterations_text(p));
    table.option("-msglog", "[A:]B", "lengths 0, 2^A, .., 2^B", &Options::length_logs, logs).unset(logs_text(p));
    table.option("-msglen", "FILE", "lengths from a file, one per line", &Options::length_file, as::Text{});
    table.option("-msgsize", "SIZES", "lengths, separated by commas", &Options::sizes, sizes);
    table.option(spellings("-zero_size"), "on|off", "length 0 comes first", &Options::zero, on_off())
        .unset(text(p.zero));
    table.option("-time", "SECS", "at most so long per length", &Options::time, as::Duration{.above_zero = true})
        .unset(usual.time ? text(usual.time->count()) : "");
    table
        .option(spellings("-iter_policy"), "NAME",
                imb ? "dynamic (fewer repetitions for long calls), off, multiple_np (fewer for long messages and many "
                      "processes), auto (that for calls with a root, otherwise dynamic), stderr (repeat until the "
                      "error is small)"
                    : "off, dynamic (fewer repetitions for long calls), stderr (repeat until the error is small)",
                &Options::policy, policies(part))
        .unset(text(usual.policy));
    table
        .option("-stderr", "EPS", "relative standard error to reach; implies -iter_policy stderr",
                &Options::standard_error, as::Number{.low = 0, .high = 1, .above_low = true})
        .unset(text(usual.standard_error));
    table.option("-refine", "EPS", "add lengths where the times are not linear", &Options::refine,
                 as::Number{.low = 0, .high = 10, .above_low = true});
    if (part == Part::mpi1 || part == Part::imb_mpi1) {
        table.option("-start", "NAME",
                     "measure single calls with this start instead of a loop: free, barrier, dissemination, slot, "
                     "roundtime",
                     &Options::start, as::Name{{"free", "barrier", "dissemination", "slot", "roundtime"}});
        table
            .option(spellings("-sync_alg"), "NAME",
                    fmt::format("clock synchronisation for -start: {}", fmt::join(measure::sync_names(), ", ")),
                    &Options::sync, sync_name)
            .unset(usual.sync);
    }
    if (calls || part == Part::mpi1)
        table.option(spellings("-root_shift"), "on|off", "the root rotates", &Options::root_shift, on_off())
            .unset(text(usual.rotate_root));
    if (imb)
        table
            .option(spellings("-off_cache"), "C[,L]",
                    io ? "has no effect on files"
                       : "buffers and windows go round in twice C MByte of memory, lines of L bytes; -1: 8,64; auto: "
                         "the last-level cache",
                    &Options::off_cache, off_cache)
            .unset("off");
    if (imb && calls)
        table
            .option("-sync", "on|off", "a barrier behind each call that is timed by itself", &Options::sync_behind,
                    on_off())
            .unset("on");
    if (imb)
        table
            .option(spellings("-imb_barrier"), "on|off",
                    calls ? "messages instead of MPI_Barrier around calls that are timed by themselves"
                          : "acts in IMB-MPI1 and IMB-NBC only",
                    &Options::dissemination, on_off())
            .unset("off");
    if (part == Part::mpi1 || part == Part::imb_mpi1)
        table
            .option(spellings("-window_size"), "N", "messages under way at once of Uniband and Biband",
                    &Options::window, as::Int{.low = 1, .high = 1'000'000})
            .unset(fmt::format("{}", p.window));
    if (part == Part::imb_mpi1) {
        table
            .option(spellings("-data_type"), "NAME", "of messages: byte, char, int, float, double", &Options::moved,
                    moved_types())
            .unset(moved_types().text(p.moved));
        table
            .option(spellings("-red_data_type"), "NAME", "of reductions: char, int, float, double", &Options::reduced,
                    reduced_types())
            .unset(reduced_types().text(p.reduced));
        table
            .option(spellings("-contig_type"), "NAME",
                    "how elements lie: base; base_vec: a message is one MPI_Type_vector; resize: each takes twice its "
                    "size; resize_vec",
                    &Options::packing, packings())
            .unset(packings().text(p.packing));
        table.option(
            "-method", "NAME",
            "imb; sync: single calls with synchronised starts, as -start slot; both: these too, in lines behind "
            "each table",
            &Options::method,
            as::Choice<Method>{{{"imb", Method::imb}, {"sync", Method::sync}, {"both", Method::both}}});
    }
    if (imb) {
        add_tail(table, part);
        table.option(spellings("-msg_pause"), "on|off", "sleep 0.1 s or a tenth of its time behind each row",
                     &Options::pauses, on_off());
        add_thread_level(table, "what MPI is started with: single, funneled, serialized, or multiple, which makes "
                                "calls slower");
        if (part == Part::imb_rma || part == Part::imb_ext || io)
            table
                .option(spellings("-aggregate_mode"), "NAME",
                        "repetitions are completed together, one by one, or in two tables: aggregate, non_aggregate, "
                        "multi",
                        &Options::mode, aggregate_mode)
                .unset("multi");
        table.option("-map", "PxQ", "processes taken in the order of a grid, columns first", &Options::map, grid)
            .unset("1x1");
    }
    if (!imb)
        table
            .option(spellings("-n_warmup"), "N", "repetitions of the warm-up", &Options::warm_up_repetitions,
                    as::Int{.low = 0, .high = 1'000'000})
            .unset(fmt::format("{}", p.warm_up));
    table.option(spellings("-warm_up"), "on|off", "warm-up", &Options::warm_up, on_off()).unset(text(p.warm_up > 0));
    table
        .option(spellings("-n_barr"), "N", "barriers before a loop", &Options::barriers,
                as::Int{.low = 0, .high = 1000})
        .unset(fmt::format("{}", p.barriers));
    if (io) {
        table
            .option(spellings("-cpu_secs"), "SECS", "duration of the CPU loop", &Options::cpu,
                    as::Duration{.above_zero = true})
            .unset(text(p.cpu.count()));
        table
            .option(spellings("-sync_writes"), "NAME",
                    "what completes writes: single, one MPI_File_sync; triple, two with a barrier between them",
                    &Options::write_sync, write_syncs())
            .unset(write_syncs().text(p.write_sync));
    }
    if (part == Part::imb_nbc)
        table
            .option(spellings("-tests_per_compute"), "N",
                    "call MPI_Test each N-th part of the computing; 0: nothing calls MPI meanwhile", &Options::tests,
                    as::Int{.low = 0, .high = 1'000'000})
            .unset(fmt::format("{}", p.tests));
    table.option("-check", "on|off", "look at the data that arrive", &Options::check, on_off())
        .unset(text(usual.check));

    add_output(table, part);
    table.excludes("-msglen", "-msgsize");
    return table;
}

}  // namespace

void declare(program::Parser& parser, Options& o) {
    parser.arguments("[NAME...]",
                     "benchmarks, in any letter case, separated by blanks or commas; all: every one "
                     "of the standard (also without a name)",
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
