// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "program/cli/option_table.hpp"
#include "program/runtime/files.hpp"
#include "table.hpp"

#include <measure/clock_sync.hpp>
#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace pmb {

namespace {

using measure::Bytes;
using measure::UsageError;
using program::Argument;
namespace as = program::as;

/// Counts of bytes are MPI's int.
constexpr Bytes longest = std::numeric_limits<int>::max();

/// Of -time.
constexpr measure::seconds imb_time{10};

std::vector<Argument> parts_of(Argument const& list) {
    std::vector<Argument> parts;
    for (auto& part : program::split(list.value, ','))
        parts.push_back({list.option, std::move(part), list.place});
    return parts;
}

Bytes megabytes(Argument const& argument) {
    return static_cast<Bytes>(as::Number{.low = 0, .high = 1e9, .above_low = true}(argument) *
                              static_cast<double>(measure::mebi));
}

Iterations iterations(Argument const& argument) {
    auto const parts = parts_of(argument);
    if (parts.size() > 3)
        throw UsageError(fmt::format("{}: '{}' is not S[,V[,SN]]", argument.option, argument.value));
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
        throw UsageError(fmt::format("{}: '{}' is not [A:]B with 0 <= A <= B <= 30", argument.option, argument.value));
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
        throw UsageError(fmt::format("{}: '{}' is not S[,V]", argument.option, argument.value));
    return result;
}

std::vector<Bytes> sizes(Argument const& argument) {
    std::vector<Bytes> result;
    for (auto const& part : parts_of(argument))
        result.push_back(as::Size{.high = longest}(part));
    return result;
}

std::string sync_name(Argument const& argument) {
    try {
        return std::string{measure::name(measure::sync_from(argument.value))};
    } catch (UsageError const& error) {
        throw UsageError(argument.option + ": " + error.what());
    }
}

/// PMB has not all of them.
as::Choice<Policy> policies(Part part = Part::imb_mpi1) {
    if (!is_imb(part))
        return {{{"off", Policy::off}, {"dynamic", Policy::dynamic}, {"stderr", Policy::standard_error}}};
    return {{{"off", Policy::off},
             {"dynamic", Policy::dynamic},
             {"stderr", Policy::standard_error},
             {"multiple_np", Policy::multiple_np},
             {"auto", Policy::automatic}}};
}

OffCache off_cache(Argument const& argument) {
    auto const parts = parts_of(argument);
    if (parts.size() > 2)
        throw UsageError(fmt::format("{}: '{}' is not C[,L]", argument.option, argument.value));
    OffCache result;
    result.automatic = parts[0].value == "auto";
    if (!result.automatic)
        result.cache = parts[0].value == "-1" ? 8 * measure::mebi : megabytes(parts[0]);
    if (parts.size() > 1)
        result.line = as::Integer{.low = 1, .high = measure::mebi}(parts[1]);
    return result;
}

Grid grid(Argument const& argument) {
    auto const parts = program::split(argument.value, 'x');
    if (parts.size() != 2)
        throw UsageError(fmt::format("{}: '{}' is not PxQ", argument.option, argument.value));
    as::Int const side{.low = 1, .high = 1'000'000};
    return {side({argument.option, parts[0]}), side({argument.option, parts[1]})};
}

std::optional<Mode> aggregate_mode(Argument const& argument) {
    using Choice = std::optional<Mode>;
    return as::Choice<Choice>{{{"aggregate", Choice{Mode::aggregate}},
                               {"non_aggregate", Choice{Mode::non_aggregate}},
                               {"multi", Choice{}}}}(argument);
}

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

/// "-a_b,-a-b": both spellings of a flag.
std::string spellings(std::string const& flag) {
    std::string other = flag;
    std::replace(other.begin(), other.end(), '_', '-');
    other[0] = '-';
    return flag == other ? flag : flag + "," + other;
}

/// Where else IMB has the name; nothing where it has it nowhere, or this program has nearly the same one.
std::string elsewhere_text(Part part, std::string const& name) {
    if (find(part, name + "MT") != nullptr)
        return {};
    std::vector<std::string> parts;
    for (Part const other : imb_parts)
        if (find(other, name) != nullptr)
            parts.push_back(program_name(other));
    constexpr std::string_view multi = "multi-";
    if (!parts.empty())
        return fmt::format("; {} {} it", fmt::join(parts, " and "), parts.size() == 1 ? "has" : "have");
    return program::lower(name).starts_with(multi) && find(part, name.substr(multi.size())) != nullptr
               ? fmt::format("; -multi runs '{}' in several groups", name.substr(multi.size()))
               : "";
}

std::string unknown_text(Part part, std::string const& name) {
    if (auto const elsewhere = is_imb(part) ? elsewhere_text(part, name) : ""; !elsewhere.empty())
        return fmt::format("{} has no benchmark '{}'{}", program_name(part), name, elsewhere);
    std::vector<std::string> names{"all"};
    for (auto const& b : benchmarks(part))
        names.emplace_back(b.name);
    auto const near = program::closest(name, names);
    return fmt::format("there is no benchmark '{}'{}", name,
                       near.empty() ? " (-list shows all)" : fmt::format("; did you mean '{}'?", near));
}

bool is_all(std::string const& name) { return program::lower(name) == "all"; }

using Chosen = std::vector<Benchmark const*>;

void add_all(Part part, Chosen& chosen) {
    for (auto const& b : benchmarks(part))
        if (b.standard)
            chosen.push_back(&b);
}

/// \return false: there is no such benchmark
bool add(Part part, std::string const& name, Chosen& chosen) {
    if (is_all(name)) {
        add_all(part, chosen);
        return true;
    }
    auto const* const found = find(part, name);
    if (found != nullptr)
        chosen.push_back(found);
    return found != nullptr;
}

void add_list(Part part, Argument const& list, Chosen& chosen) {
    for (auto const& name : parts_of(list))
        if (!add(part, name.value, chosen))
            throw UsageError(unknown_text(part, name.value));
}

/// The names of an -input file. All of its faults are reported.
void add_file(Part part, std::string const& path, std::string const& text, Chosen& chosen) {
    std::vector<program::ParseError> faults;
    auto const words = first_words(text);
    for (auto const& word : words)
        for (auto const& name : program::split(word.text, ','))
            if (!add(part, name, chosen))
                faults.push_back({path, word.line, word.column, unknown_text(part, name)});
    if (!faults.empty())
        throw program::ParseErrors(std::move(faults));
    if (words.empty())
        throw UsageError(fmt::format("-input: there is no name in '{}'", path));
}

void remove_list(Part part, Argument const& list, Chosen& chosen) {
    for (auto const& name : parts_of(list)) {
        auto const* const found = find(part, name.value);
        if (is_all(name.value))
            chosen.clear();
        else if (found != nullptr)
            std::erase(chosen, found);
        else
            throw UsageError(unknown_text(part, name.value));
    }
}

/// Names and files in the order of the command line.
Chosen choose(Options const& o, std::function<std::string(std::string const&)> const& read) {
    struct Mention {
        Argument argument;
        bool is_file;
    };
    std::vector<Mention> mentions;
    for (auto const& name : o.names)
        mentions.push_back({name, false});
    for (auto const& name : o.inputs)
        mentions.push_back({name, true});
    std::stable_sort(mentions.begin(), mentions.end(),
                     [](Mention const& a, Mention const& b) { return a.argument.place < b.argument.place; });

    Chosen chosen;
    // IMB has what is included before the rest, PMB behind it.
    auto const include = [&] {
        for (auto const& list : o.includes)
            add_list(o.part, list, chosen);
    };
    if (is_imb(o.part))
        include();
    for (auto const& [argument, is_file] : mentions) {
        if (is_file)
            add_file(o.part, argument.value, read(argument.value), chosen);
        else
            add_list(o.part, argument, chosen);
    }
    if (mentions.empty())
        add_all(o.part, chosen);
    if (!is_imb(o.part))
        include();
    for (auto const& list : o.excludes)
        remove_list(o.part, list, chosen);
    if (chosen.empty())
        throw UsageError("-exclude: no benchmark is left");
    return chosen;
}

std::vector<Bytes> lengths_in(std::string const& path, std::string const& text) {
    std::vector<Bytes> result;
    std::vector<program::ParseError> faults;
    for (auto const& word : first_words(text))
        try {
            result.push_back(as::Size{.high = longest}({"-msglen", word.text}));
        } catch (UsageError const& error) {
            faults.push_back({path, word.line, word.column, error.what()});
        }
    if (!faults.empty())
        throw program::ParseErrors(std::move(faults));
    if (result.empty())
        throw UsageError(fmt::format("-msglen: there is no length in '{}'", path));
    return result;
}

std::string text(bool on) { return on_off().text(on); }
std::string text(Policy policy) { return name(policy); }
std::string text(double x) { return fmt::format("{:g}", x); }

std::string iterations_text(Parameters const& p) {
    return fmt::format("{},{:g},{}", p.repetitions, static_cast<double>(p.volume) / static_cast<double>(measure::mebi),
                       p.non_aggregate);
}

std::string logs_text(Parameters const& p) { return fmt::format("{}:{}", p.min_log, p.max_log); }

int standard_least(Part part) { return is_io(part) ? 1 : 2; }
Policy standard_policy(Part part) { return is_imb(part) ? Policy::dynamic : Policy::off; }
bool standard_shift(Part part) { return !is_imb(part); }

void check(Options const& o) {
    if (o.sync && (!o.start || (*o.start != "slot" && *o.start != "roundtime")))
        throw UsageError("-sync_alg: acts with -start slot or -start roundtime only");
    if (o.standard_error && o.policy && *o.policy != Policy::standard_error)
        throw UsageError("-stderr: goes with -iter_policy stderr only");
    if (o.check.value_or(false) && o.threads.element == 1)
        throw UsageError("-check: knows -datatype int only");
    if (o.check.value_or(false) && o.reduced.value_or(ElementType::real32) != ElementType::real32)
        throw UsageError("-check: knows -red_data_type float only");
    if (o.check.value_or(false) && o.packing.value_or(Packing{}) != Packing{})
        throw UsageError("-check: knows -contig_type base only");
    bool const by_plan_or_check =
        o.start || o.standard_error || o.policy == Policy::standard_error || o.check.value_or(false);
    if ((o.show_tail || !o.dump.empty()) &&
        (by_plan_or_check || o.rounds > 1 || o.multi == 1 || o.method == Method::sync || o.format == Format::csv))
        throw UsageError(
            "-show_tail and -dumpfile: show the repetitions of the loop in tables of all groups; not together "
            "with -start, -stderr, -iter_policy stderr, -check, -rounds, -multi 1, -method sync or "
            "-format csv");
    bool const by_plan = o.start || o.standard_error || o.policy == Policy::standard_error;
    if (o.method != Method::imb && (by_plan || o.rounds > 1 || o.check.value_or(false)))
        throw UsageError("-method: not together with -start, -stderr, -iter_policy stderr, -rounds or -check");
    if (o.part == Part::imb_nbc && by_plan)
        throw UsageError("-stderr and -iter_policy stderr: do not know what is computed beside a call");
    if (o.check.value_or(false) && by_plan)
        throw UsageError("-check: looks at the repetitions of the loop, not at single calls or repeated loops "
                         "(-start, -stderr, -iter_policy stderr)");
    if (o.length_logs && !is_imb(o.part) && o.length_logs->first == o.length_logs->second)
        throw UsageError(fmt::format("-msglog: '{}:{}' is not [A:]B with 0 <= A < B <= 30", o.length_logs->first,
                                     o.length_logs->second));
    bool const listed = !o.length_file.empty() || o.sizes || !o.message_sizes.empty();
    if (o.length_logs && listed)
        throw UsageError(is_apart(o.part) ? "-msglog: not together with -msglen or -msgsz"
                                          : "-msglog: not together with -msglen or -msgsize");
    if (o.zero && listed)
        throw UsageError("-zero_size: not together with -msglen or -msgsize; list 0 or do not");
    if (o.rounds > 1 && (by_plan || o.refine))
        throw UsageError("-rounds: repeats the loops of the standard lengths; not together with -start, -stderr, "
                         "-iter_policy stderr or -refine");
    if (o.barriers && o.start)
        throw UsageError("-n_barr: barriers of the loop; not together with -start");
}

/// Takes over what was given, and notes each as a change.
class Resolver {
public:
    Resolver(Options const& o, Setup& s) : o_{o}, s_{s}, standard_{standard(o.part)} {}

    void numbers() {
        auto& p = s_.parameters;
        if (o_.iterations) {
            p.repetitions = o_.iterations->repetitions;
            p.volume = o_.iterations->volume.value_or(p.volume);
            p.non_aggregate = o_.iterations->non_aggregate.value_or(p.non_aggregate);
            change("-iter", iterations_text(p), iterations_text(standard_));
        }
        if (o_.length_logs) {
            std::tie(p.min_log, p.max_log) = *o_.length_logs;
            if (is_apart(o_.part))
                p.zero = p.min_log < 0;
            p.min_log = std::max(0, p.min_log);
            change("-msglog", logs_text(p), logs_text(standard_));
        }
        take(o_.zero, p.zero, "-zero_size", standard_.zero);
        take(o_.warm_up_repetitions, p.warm_up, "-n_warmup", standard_.warm_up);
        if (o_.warm_up) {
            p.warm_up = !*o_.warm_up ? 0 : std::max(p.warm_up, standard(Part::mpi1).warm_up);
            change("-warm_up", text(*o_.warm_up), text(standard_.warm_up > 0));
        }
        take(o_.barriers, p.barriers, "-n_barr", standard_.barriers);
        if (o_.cpu) {
            p.cpu = *o_.cpu;
            change("-cpu_secs", text(o_.cpu->count()), text(standard_.cpu.count()));
        }
    }

    /// \param given  explicit lengths and the flag that gave them
    void explicit_lengths(std::vector<Bytes> given, std::string const& flag) {
        change(flag, fmt::format("{}", fmt::join(given, ",")), "0,1,2,4,..");
        s_.lengths = std::move(given);
    }

    void method() {
        if (o_.time) {
            s_.time = o_.time;
            change("-time", text(o_.time->count()), "off");
        }
        if (o_.policy || o_.standard_error) {
            s_.policy = o_.standard_error ? Policy::standard_error : *o_.policy;
            change("-iter_policy", text(s_.policy), text(standard_policy(o_.part)));
        }
        if (o_.standard_error) {
            s_.standard_error = *o_.standard_error;
            change("-stderr", text(s_.standard_error), "off");
        }
        if (o_.refine) {
            s_.refine = o_.refine;
            change("-refine", text(*o_.refine), "off");
        }
        if (o_.start) {
            s_.start = o_.start;
            change("-start", *o_.start, "loop");
        }
        if (o_.sync) {
            s_.sync = *o_.sync;
            change("-sync_alg", *o_.sync, "none");
        }
        take(o_.root_shift, s_.rotate_root, "-root_shift", standard_shift(o_.part));
        take(o_.check, s_.check, "-check", false);
    }

    void imb() {
        auto& p = s_.parameters;
        take(o_.sync_behind, p.sync, "-sync", true);
        take(o_.dissemination, p.dissemination, "-imb_barrier", false);
        take(o_.window, p.window, "-window_size", standard_.window);
        if (o_.off_cache) {
            p.cache = o_.off_cache->cache;
            p.cache_line = o_.off_cache->line;
            change("-off_cache", fmt::format("{},{}", p.cache, p.cache_line), "off");
        }
        take(o_.moved, p.moved, "-data_type", standard_.moved);
        take(o_.reduced, p.reduced, "-red_data_type", standard_.reduced);
        take(o_.packing, p.packing, "-contig_type", standard_.packing);
        if (o_.method == Method::sync)
            s_.start = "slot";
        s_.adds_synchronised = o_.method == Method::both;
        s_.mode = o_.mode;
        s_.pauses = o_.pauses;
        s_.show_tail = o_.show_tail;
        p.threads = o_.threads;
        // A grid of one row or column is the usual order.
        if (o_.map && o_.map->rows > 1 && o_.map->columns > 1) {
            s_.map = o_.map;
            change("-map", fmt::format("{}x{}", o_.map->rows, o_.map->columns), "1x1");
        }
    }

    void p2p() {
        auto& p = s_.parameters;
        if (!o_.message_sizes.empty())
            explicit_lengths(o_.message_sizes, "-msgsz");
        if (o_.pause) {
            p.pause = *o_.pause;
            change("-pause", text(p.pause.count()), text(standard_.pause.count()));
        }
        take(o_.writes, p.writes, "-msgwr", true);
        take(o_.reads, p.reads, "-msgrd", true);
    }

    void mt() {
        auto const& t = s_.parameters.threads;
        s_.header = !o_.no_header;
        std::vector<Bytes> given;
        for (auto const count : o_.counts)
            given.push_back(count * t.element * t.threads);
        s_.lengths = std::move(given);
    }

    void change(std::string flag, std::string value, std::string standard) {
        s_.changes.push_back({std::move(flag), std::move(value), std::move(standard)});
    }

private:
    static std::string shown(bool on) { return text(on); }
    static std::string shown(int n) { return std::to_string(n); }
    static std::string shown(ElementType type) { return moved_types().text(type); }
    static std::string shown(Packing packing) { return packings().text(packing); }
    template <class T>
    void take(std::optional<T> const& given, T& target, char const* flag, T usual) {
        if (!given)
            return;
        target = *given;
        change(flag, shown(*given), shown(usual));
    }

    Options const& o_;
    Setup& s_;
    Parameters standard_;
};

using OptionRows = program::OptionTable<Options>;

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
    table.option(spellings("-thread_level"), "NAME", std::move(text),
                 program::path(&Options::threads, &Threads::multiple),
                 as::Choice<bool>{{{"single", false}, {"funneled", false}, {"serialized", false}, {"multiple", true}}});
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
    table.list("-msgsz", "SIZE", "these lengths", &Options::message_sizes, as::Size{.high = longest});
    table.option("-msglen", "FILE", "lengths from a file, one per line", &Options::length_file, as::Text{});
    table.option("-msgwr", "on|off", "write into messages before they are sent", &Options::writes, on_off())
        .unset("on");
    table.option("-msgrd", "on|off", "read messages that have arrived", &Options::reads, on_off()).unset("on");
    table.option("-pause", "USEC", "pause around each row", &Options::pause, pause_from)
        .unset(fmt::format("{:g}", p.pause.count() * 1e6));
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
        for (auto const& part : parts_of(a))
            counts.push_back(as::Integer{.low = 1, .high = longest}(part));
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
    auto const p = standard(part);
    OptionRows table;
    add_selection(table);
    table.option("-npmin", "N", "smallest number of processes", &Options::at_least, as::Int{.low = 1})
        .unset(fmt::format("{}", standard_least(part)));
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
        .unset(imb ? text(imb_time.count()) : "");
    table
        .option(spellings("-iter_policy"), "NAME",
                imb ? "dynamic (fewer repetitions for long calls), off, multiple_np (fewer for long messages and many "
                      "processes), auto (that for calls with a root, otherwise dynamic), stderr (repeat until the "
                      "error is small)"
                    : "off, dynamic (fewer repetitions for long calls), stderr (repeat until the error is small)",
                &Options::policy, policies(part))
        .unset(text(standard_policy(part)));
    table
        .option("-stderr", "EPS", "relative standard error to reach; implies -iter_policy stderr",
                &Options::standard_error, as::Number{.low = 0, .high = 1, .above_low = true})
        .unset(text(Setup{}.standard_error));
    table.option("-refine", "EPS", "add lengths where the times are not linear", &Options::refine,
                 as::Number{.low = 0, .high = 10, .above_low = true});
    if (part == Part::mpi1 || part == Part::imb_mpi1) {
        table.option("-start", "NAME",
                     "measure single calls with this start instead of a loop: free, barrier, dissemination, slot, "
                     "roundtime",
                     &Options::start, as::Name{{"free", "barrier", "dissemination", "slot", "roundtime"}});
        table
            .option(spellings("-sync_alg"), "NAME",
                    "clock synchronisation for -start: none, linear, ring, tree, jk, hca3, hier, auto", &Options::sync,
                    sync_name)
            .unset(Setup{}.sync);
    }
    if (calls || part == Part::mpi1)
        table.option(spellings("-root_shift"), "on|off", "the root rotates", &Options::root_shift, on_off())
            .unset(text(standard_shift(part)));
    if (imb && !io) {
        table
            .option(spellings("-off_cache"), "C[,L]",
                    "buffers and windows go round in twice C MByte of memory, lines of L bytes; -1: 8,64; auto: the "
                    "last-level cache",
                    &Options::off_cache, off_cache)
            .unset("off");
    }
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
    if (part == Part::imb_mpi1) {
        table
            .option(spellings("-window_size"), "N", "messages under way at once", &Options::window,
                    as::Int{.low = 1, .high = 1'000'000})
            .unset(fmt::format("{}", p.window));
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
        table.option(spellings("-show_tail"), "on|off",
                     "behind each row the smallest time of a repetition, quantiles from 10 to 99.99 % and the largest, "
                     "in us; each is timed by itself",
                     &Options::show_tail, on_off());
        table.option("-dumpfile", "FILE", "these times in us, one in a line", &Options::dump, as::Text{});
        table.option(
            "-method", "NAME",
            "imb; sync: single calls with synchronised starts, as -start slot; both: these too, in lines behind "
            "each table",
            &Options::method,
            as::Choice<Method>{{{"imb", Method::imb}, {"sync", Method::sync}, {"both", Method::both}}});
    }
    if (imb) {
        table.option(spellings("-msg_pause"), "on|off", "sleep 0.1 s or a tenth of its time behind each row",
                     &Options::pauses, on_off());
        add_thread_level(table, "what MPI is started with: multiple makes calls slower; single, funneled, serialized: "
                                "no threads");
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
    if (io)
        table
            .option(spellings("-cpu_secs"), "SECS", "duration of the CPU loop", &Options::cpu,
                    as::Duration{.above_zero = true})
            .unset(text(p.cpu.count()));
    table.option("-check", "on|off", "look at the data that arrive", &Options::check, on_off())
        .unset(text(Setup{}.check));

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

std::vector<Mode> modes_of(Benchmark const& b, Setup const& setup) {
    return setup.mode && b.modes.size() > 1 ? std::vector{*setup.mode} : b.modes;
}

as::Choice<ElementType> reduced_types() {
    return {{{"char", ElementType::character},
             {"int", ElementType::integer},
             {"float", ElementType::real32},
             {"double", ElementType::real64}}};
}
as::Choice<ElementType> moved_types() {
    return {{{"byte", ElementType::byte},
             {"char", ElementType::character},
             {"int", ElementType::integer},
             {"float", ElementType::real32},
             {"double", ElementType::real64}}};
}
as::Choice<Packing> packings() {
    return {{{"base", {}},
             {"base_vec", {.vector = true}},
             {"resize", {.resized = true}},
             {"resize_vec", {.vector = true, .resized = true}}}};
}
as::Choice<TeamBarrier> team_barriers() {
    return {{{"on", TeamBarrier::on}, {"off", TeamBarrier::off}, {"special", TeamBarrier::special}}};
}
as::Choice<Allocation> allocations() {
    return {
        {{"serial", Allocation::serial}, {"continuous", Allocation::continuous}, {"parallel", Allocation::parallel}}};
}
as::Choice<Bytes> elements() { return {{{"int", sizeof(int)}, {"char", sizeof(char)}}}; }

std::string name(Policy policy) { return policies().text(policy); }

std::vector<Word> first_words(std::string const& text) {
    constexpr char const* blanks = " \t\r\v\f";
    std::vector<Word> words;
    int number = 0;
    for (auto const& line : program::split(text, '\n')) {
        ++number;
        auto const begin = line.find_first_not_of(blanks);
        if (begin == std::string::npos || line[begin] == '#')
            continue;
        auto const end = std::min(line.find_first_of(blanks, begin), line.size());
        words.push_back({line.substr(begin, end - begin), number, static_cast<int>(begin) + 1});
    }
    return words;
}

Setup resolve(Options const& o, program::CommonOptions const& common,
              std::function<std::string(std::string const&)> const& read) {
    check(o);
    Setup s{.part = o.part,
            .benchmarks = choose(o, read),
            .at_least = o.at_least.value_or(standard_least(o.part)),
            .multi = o.multi,
            .parameters = standard(o.part),
            .rotate_root = standard_shift(o.part),
            .time = is_imb(o.part) && !is_apart(o.part) ? std::optional{imb_time} : std::nullopt,
            .policy = standard_policy(o.part),
            .memory_gbytes = o.memory,
            .memory = static_cast<Bytes>(o.memory * static_cast<double>(measure::gibi)),
            .rounds = o.rounds};
    if (!o.output.empty() && o.output == common.json)
        throw UsageError(fmt::format("-o and --json: both name the file '{}'", o.output));
    Resolver resolver{o, s};
    resolver.numbers();
    if (!o.length_file.empty())
        resolver.explicit_lengths(lengths_in(o.length_file, read(o.length_file)), "-msglen");
    if (o.sizes)
        resolver.explicit_lengths(*o.sizes, "-msgsize");
    resolver.method();
    resolver.imb();
    resolver.p2p();
    if (o.part == Part::imb_mt)
        resolver.mt();
    if (common.timer != "mpi_wtime")
        resolver.change("-timer", common.timer, "mpi_wtime");
    for (Benchmark const* const b : s.benchmarks)
        if (b->target_computes && s.by_plan())
            throw UsageError(
                fmt::format("-stderr and -iter_policy stderr: not with {}, whose target computes", b->name));
    for (Benchmark const* const b : s.benchmarks)
        if (!b->standard)
            resolver.change("benchmark", std::string{b->name}, "not in the standard");
    return s;
}

}  // namespace pmb
