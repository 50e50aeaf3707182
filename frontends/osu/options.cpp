// SPDX-License-Identifier: BSD-3-Clause
#include "osu/options.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace osu {

namespace {

using measure::UsageError;
using program::Argument;
using program::refuse;
using program::split;
namespace as = program::as;
using Table = program::OptionTable<Options>;

/// What follows that beginning; empty where there is another one.
std::string behind(std::string_view begin, std::string const& text) {
    return text.starts_with(begin) ? text.substr(begin.size()) : std::string{};
}

struct AsSizes {
    SizeRange operator()(Argument const& argument) const {
        auto const parts = split(argument, ':');
        if (parts.size() > 2 || argument.value.find_first_not_of(':') == std::string::npos)
            refuse(argument, "is not [MIN:]MAX");
        auto const read = [](Argument const& part) {
            return part.value.empty() ? std::nullopt : std::optional{as::Size{}(part)};
        };
        SizeRange const range{parts.size() == 2 ? read(parts.front()) : std::nullopt, read(parts.back())};
        if (range.low && range.high && *range.low > *range.high)
            refuse(argument, "goes down");
        return range;
    }
    [[nodiscard]] std::string text(SizeRange const& range) const {
        auto const end = [](auto const& size) { return size ? as::Size{}.text(*size) : std::string{}; };
        return range.low || range.high ? end(range.low) + ":" + end(range.high) : std::string{};
    }
};

std::vector<int> tails(Argument const& argument) {
    std::vector<int> list;
    for (auto const& part : split(argument, ','))
        list.push_back(as::Int{.low = 1, .high = 100}(part));
    if (list.size() > 5)
        refuse(argument, "has more than 5 percentiles");
    return list;
}

struct AsTypes {
    TypeList operator()(Argument const& argument) const {
        constexpr std::array all{Type::mpi_char, Type::mpi_int, Type::mpi_float};
        TypeList list;
        for (auto const& part : split(argument, ',')) {
            auto const place = program::position(part, {"mpi_char", "mpi_int", "mpi_float", "all"});
            for (std::size_t i = 0; i < all.size(); ++i)
                if (place == i || place == all.size())
                    program::add_once(list.types, all[i]);
        }
        return list;
    }
    [[nodiscard]] std::string text(TypeList const& list) const {
        std::string text;
        for (Type const type : list.types)
            text += fmt::format("{}{}", text.empty() ? "" : ",", program::lower(mpi(type).name));
        return text;
    }
};

struct AsTeams {
    Teams operator()(Argument const& argument) const {
        auto const parts = split(argument, ':');
        if (parts.size() > 2)
            refuse(argument, "is not [SENDERS:]RECEIVERS");
        as::Int const read{.low = 1, .high = 127};
        return parts.size() == 1 ? Teams{.receiver = read(parts[0])} : Teams{read(parts[0]), read(parts[1])};
    }
    [[nodiscard]] std::string text(Teams const& t) const { return fmt::format("{}:{}", t.sender, t.receiver); }
};

struct AsRoot {
    bodies::Root operator()(Argument const& argument) const {
        if (argument.value == "rotate")
            return {.rotates = true};
        auto const parts = split(argument, ':');
        if (parts.size() != 2 || parts[0].value != "fixed")
            refuse(argument, "is not fixed:RANK or rotate");
        return {.rank = as::Int{.low = 0}(parts[1])};
    }
    [[nodiscard]] std::string text(bodies::Root const& root) const {
        return root.rotates ? "rotate" : fmt::format("fixed:{}", root.rank);
    }
};

struct AsNeighbourhood {
    Neighbourhood operator()(Argument const& argument) const {
        if (auto file = behind("graph:", argument.value); !file.empty())
            return {.file = std::move(file)};
        auto const parts = split(argument, ':');
        if (parts.size() != 3 || parts[0].value != "cart")
            refuse(argument, "is neither cart:DIMENSIONS:RADIUS nor graph:FILE");
        as::Int const read{.low = 1, .high = 16};
        return {read(parts[1]), read(parts[2])};
    }
    [[nodiscard]] std::string text(Neighbourhood const& n) const {
        return n.file.empty() ? fmt::format("cart:{}:{}", n.dimensions, n.radius) : "graph:" + n.file;
    }
};

struct AsDerivation {
    Derivation operator()(Argument const& argument) const {
        using enum Derivation::Kind;
        if (argument.value == "cont")
            return {.kind = contiguous};
        if (auto file = behind("indx:", argument.value); !file.empty())
            return {.kind = indexed, .file = std::move(file)};
        auto const parts = split(argument, ':');
        if (parts[0].value != "vect" || (parts.size() != 1 && parts.size() != 3))
            refuse(argument, "is none of cont, vect:STRIDE:LENGTH, indx:FILE");
        Derivation d{.kind = vector};
        if (parts.size() == 3) {
            d.stride = as::Int{.low = 1}(parts[1]);
            d.length = as::Int{.low = 1, .high = d.stride}(parts[2]);
        }
        return d;
    }
    [[nodiscard]] std::string text(Derivation const& d) const {
        using enum Derivation::Kind;
        return d.kind == none         ? std::string{}
               : d.kind == contiguous ? "cont"
               : d.kind == vector     ? fmt::format("vect:{}:{}", d.stride, d.length)
                                      : "indx:" + d.file;
    }
};

std::string validation(Argument const& argument) {
    if (argument.value != "on" && behind("log:", argument.value).empty())
        refuse(argument, "is not log:DIR");
    return argument.value;
}

as::Choice<bodies::WindowKind> window_kinds() {
    using enum bodies::WindowKind;
    return {{{"allocate", allocate}, {"create", create}, {"dynamic", dynamic}}};
}

using Predicate = bool (*)(Row const&);

bool is_stream(Row const& row) { return row.pattern == Pattern::stream || row.pattern == Pattern::fan; }
bool is_collective(Row const& row) { return row.collective != nullptr; }
bool has_teams(Row const& row) { return row.pattern == Pattern::threads || row.is(forks); }
bool has_types(Row const& row) { return row.is_two_sided() || (is_collective(row) && !row.is_barrier()) || row.sums(); }
bool has_derivation(Row const& row) {
    return row.is_two_sided() || (is_collective(row) && !row.is_barrier() && !row.sums());
}
/// Fans send without looking at what arrives.
bool has_check(Row const& row) { return has_types(row) && row.pattern != Pattern::fan; }
bool has_window(Row const& row) { return is_stream(row) || (row.operation != nullptr && row.is(bandwidth)); }
bool has_rate(Row const& row) { return row.is(pairs) && is_stream(row); }
bool has_own_buffers(Row const& row) {
    return is_stream(row) || (row.pattern == Pattern::ping_pong && !row.is(persistent));
}
bool has_in_place(Row const& row) {
    return is_collective(row) && !row.is_barrier() && !row.has_neighbours() &&
           row.collective->content != bodies::Content::root_everywhere;
}
bool has_root(Row const& row) {
    return row.is_rooted() && row.relative != bodies::Relative::persistent &&
           row.collective->content != bodies::Content::root_everywhere;
}

void add_loop(Table& table, auto&& is) {
    table.heading("Loop");
    if (is([](Row const& row) { return row.has_sizes(); }))
        table
            .option("-m,--message-size", "[MIN:]MAX", "sizes, doubled from MIN on: 8, 4:1M, 4:, :1M", &Options::sizes,
                    AsSizes{})
            .unset("the program's");
    table.option("-i,--iterations", "N", "iterations of each size", &Options::iterations, as::Int{.low = 1})
        .unset("10000 to 20, by program and size");
    table.option("-x,--warmup", "N", "iterations before them, not timed", &Options::warm_up, as::Int{.low = 0})
        .unset("a tenth to a hundredth of them");
    table
        .option("-z,--tail-lat", "[LIST]", "columns of percentiles, up to five, 1 to 100; alone 50,90,99",
                &Options::tails, tails)
        .implied("50,90,99")
        .unset("none");
    if (is(is_collective))
        table.flag("-f,--full", "more columns", &Options::full);
    if (is(has_check)) {
        table
            .option("-c,--validation", "[log:DIR]",
                    "look at every byte that arrives, behind the timed loop; log:DIR: faults into DIR/log-RANK.log",
                    &Options::validation, validation)
            .implied("on")
            .unset("off");
        table.option("-u,--validation-warmup", "N", "executions with known data before that, 0 to 10",
                     &Options::validation_warm_up, as::Int{.low = 0, .high = 10});
    }
    if (is(has_types))
        table
            .list("-T,--type", "LIST",
                  "of the elements: mpi_char, mpi_int, mpi_float, all; sizes are rounded down to whole elements",
                  &Options::type_lists, AsTypes{})
            .unset("mpi_char");
}

void add_messages(Table& table, auto&& is) {
    table.heading("What is measured");
    if (is(has_window))
        table.option("-W,--window-size", "N", "messages under way at once", &Options::window, as::Int{.low = 1});
    if (is(has_own_buffers))
        table.option("-b,--buffer-num", "KIND", "buffers of a window's messages: single, multiple",
                     &Options::own_buffers, as::Choice<bool>{{{"single", false}, {"multiple", true}}});
    if (is(has_derivation))
        table
            .option("-D,--ddt", "TYPE",
                    "a message is one element of a derived type: cont, vect:STRIDE:LENGTH (vect is 8:4), or indx:FILE "
                    "with lines DISPLACEMENT,LENGTH; all in elements",
                    &Options::derivation, AsDerivation{})
            .unset("none");
    if (is(has_rate)) {
        table.option("-p,--num-pairs", "N", "pairs of processes", &Options::pairs, as::Int{.low = 1})
            .unset("half of the processes");
        table.option("-R,--print-rate", "0|1", "print the message rate", &Options::rate,
                     as::Choice<bool>{{{"1", true}, {"0", false}}});
        table.flag("-V,--vary-window", "windows 1, 2, 4 .. 128 side by side", &Options::vary_window);
    }
    if (is([](Row const& row) { return row.is_nonblocking(); }))
        table.option("-t,--num-test-calls", "N", "calls of MPI_Test while computing", &Options::tests,
                     as::Int{.low = 0});
    else if (is(has_teams))
        table.option("-t,--num-threads", "[S:]R", "threads or processes of sender and receiver, up to 127",
                     &Options::teams, AsTeams{});
    if (is(is_collective))
        table.option("-M,--mem-limit", "SIZE", "memory of a process for one buffer", &Options::memory,
                     as::Size{.low = measure::mebi});
    if (is(has_root))
        table.option("-k,--root-rank", "KIND", "fixed:RANK, or rotate: another root in each iteration", &Options::root,
                     AsRoot{});
    if (is(has_in_place))
        table.flag("-l,--in-place", "with MPI_IN_PLACE", &Options::in_place);
    if (is([](Row const& row) { return row.has_neighbours(); }))
        table.option("-N,--nhbr", "cart:D:R|graph:FILE",
                     "neighbours: within R on a periodic grid of D dimensions, or by lines FROM,TO of a file",
                     &Options::neighbourhood, AsNeighbourhood{});
    if (is([](Row const& row) { return row.operation != nullptr; })) {
        table.option("-w,--win-options", "KIND", "memory of the window: allocate, create, dynamic",
                     &Options::window_kind, window_kinds());
        std::vector<std::string> ways;
        for (auto const& way : bodies::rma_synchronisations)
            ways.emplace_back(way.name);
        table
            .option("-s,--sync-option", "NAME", fmt::format("completion: {}", fmt::join(ways, ", ")),
                    &Options::synchronisation, as::Name{ways})
            .unset("flush, pscw both ways");
    }
}

void add_method(Table& table) {
    table.heading("Method and output");
    table.option("--method", "NAME", "osu: the published loop; sync: synchronised starts; both: one behind the other",
                 &Options::method,
                 as::Choice<Method>{{{"osu", Method::osu}, {"sync", Method::sync}, {"both", Method::both}}});
    table.option("--format", "VERSION", "tables, sizes and counts of 7.4 or 5.3", &Options::format,
                 as::Choice<Format>{{{"7.4", Format::v7_4}, {"5.3", Format::v5_3}}});
    table.flag("--plain", "no lines on stderr that begin with #+", &Options::plain);
}

void add_reserved(Table& table, Row const* row) {
    auto const add = [&](char const* names, char const* value, char const* why) {
        table.option(names, value, fmt::format("refused ({})", why), &Options::reserved, as::Refused{why}).unrecorded();
    };
    table.heading("Words of the original that are refused");
    add("-d,--accelerator", "TYPE", "host buffers only");
    if (row != nullptr && has_rate(*row)) {
        add("-w", "N", "version 7 has -W");
        add("-r", "0|1", "version 7 has -R");
        add("--cuda-target", "TYPE", "host buffers only");
    } else {
        add("-r,--cuda-target", "TYPE", "host buffers only");
    }
    add("-a,--array-size", "N", "host buffers only");
    add("-P,--papi", "LIST", "no hardware counters");
    add("-G,--graph", "LIST", "measure report draws from the record of --json");
    table.flag("-I,--session", "refused (MPI is initialised by MPI_Init)", &Options::session).unrecorded();
}

}  // namespace

MpiType mpi(Type type) noexcept {
    using enum bodies::NumberKind;
    std::array const all{MpiType{"MPI_CHAR", MPI_CHAR, int8}, MpiType{"MPI_INT", MPI_INT, int32},
                         MpiType{"MPI_FLOAT", MPI_FLOAT, real32}, MpiType{"MPI_LONG_LONG", MPI_LONG_LONG, int64}};
    return all[static_cast<std::size_t>(type)];
}

std::vector<Type> Options::types() const {
    std::vector<Type> types;
    for (auto const& list : type_lists)
        for (Type const type : list.types)
            program::add_once(types, type);
    return types;
}

std::string option_text(Derivation const& derivation) { return AsDerivation{}.text(derivation); }

std::string window_name(bodies::WindowKind kind) { return window_kinds().text(kind); }

Table option_table(Row const* row) {
    auto const is = [row](Predicate predicate) { return row == nullptr || predicate(*row); };
    Table table;
    if (row != nullptr && row->is_startup()) {
        table.heading("Options");
        table.option("-z,--tail-lat", "[LIST]", "ignored", &Options::tails, tails).implied("50").unrecorded();
        if (row->pattern == Pattern::init)
            table.flag("-I,--session", "a session of MPI 4 in place of MPI_Init", &Options::session);
        return table;
    }
    add_loop(table, is);
    add_messages(table, is);
    add_method(table);
    add_reserved(table, row);
    return table;
}

program::CommonUse common_use(Row const& row) {
    program::CommonUse use{.measures = !row.is_startup()};
    use.sync_alg = use.start = use.plan = use.seed = use.strict = use.list = use.measures;
    use.aliases = {{"--version", "-v"}};
    return use;
}

void declare(program::Parser& parser, Row const& row, Options& options) {
    option_table(&row).declare(parser, options);
    parser.arguments("H|D", "where buffers lie: host memory, whatever is said", options.words);
    auto const given = [](program::Parser const& read, char const* option) {
        return read.knows(option) && read.given(option);
    };
    parser.check([&row, &options, given](program::Parser const& read) {
        if (options.session && row.pattern != Pattern::init)
            throw UsageError("-I: MPI is initialised by MPI_Init, sessions are not measured");
        for (auto const& word : options.words)
            if (word == "M" || word == "MD" || word == "MH")
                throw UsageError(fmt::format("'{}': host buffers only", word));
            else if (options.words.size() != 2 || (word != "H" && word != "D"))
                throw UsageError(fmt::format("unexpected argument '{}' (see osu_{} --help)", word, row.name));
        for (char const* const option : {"--start", "--sync-alg", "--stop", "--trim", "--confidence", "--batch"})
            if (options.method == Method::osu && given(read, option))
                throw UsageError(fmt::format("{}: acts with --method sync and both only", option));
        if (given(read, "-V") && given(read, "-W"))
            throw UsageError("-V and -W exclude each other");
        if (options.vary_window && !options.tails.empty())
            throw UsageError("-V and -z exclude each other");
        if (options.vary_window && options.validates())
            throw UsageError("-V and -c exclude each other: its tables have no place for what -c finds");
        if (options.derivation.is_on() && options.validates())
            throw UsageError("-D and -c exclude each other");
        if (options.in_place && options.validates())
            throw UsageError("-l and -c exclude each other");
    });
}

void check(Row const& row, Options const& options, int processes) {
    int const least = row.is_startup() ? 1 : 2;
    if (auto const only = only_processes(row); only && processes != *only)
        throw UsageError(fmt::format("exactly {} processes are needed, and there {} {}", *only,
                                     processes == 1 ? "is" : "are", processes));
    if (processes < least)
        throw UsageError(fmt::format("at least {} processes are needed, and there is {}", least, processes));
    if (options.pairs && *options.pairs > processes / 2)
        throw UsageError(fmt::format("-p: {} pairs are more than {} processes have", *options.pairs, processes));
    if (options.root.rank >= processes)
        throw UsageError(fmt::format("-k: there is no rank {} among {}", options.root.rank, processes));
    if (row.is(both_ways) && row.operation != nullptr && options.sync_name(row) != "pscw" &&
        options.sync_name(row) != "fence")
        throw UsageError(fmt::format("-s: both ways only pscw and fence, not {}", options.sync_name(row)));
    if (row.operation != nullptr && row.operation->effect == bodies::RmaEffect::swap)
        for (auto const type : options.types())
            if (type == Type::mpi_float)
                throw UsageError("-T: MPI_Compare_and_swap takes no MPI_FLOAT");
    bool const synchronises = row.collective != nullptr;
    if (options.method == Method::sync && !synchronises)
        throw UsageError("--method sync: these processes synchronise themselves; the method is for collectives");
}

}  // namespace osu
