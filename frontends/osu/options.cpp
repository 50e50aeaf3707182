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

/// The text after the given beginning; empty if the text begins differently.
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
            refuse(argument, "has a minimum above its maximum");
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
            refuse(argument, "is not cont, vect:STRIDE:LENGTH or indx:FILE");
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
/// Fans send without checking the received data.
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
            .option("-m,--message-size", "[MIN:]MAX", "measure sizes from MIN to MAX, doubling: 8, 4:1M, 4:, :1M",
                    &Options::sizes, AsSizes{})
            .unset("set by the program");
    table.option("-i,--iterations", "N", "measure N iterations of each size", &Options::iterations, as::Int{.low = 1})
        .unset("10000 to 20, by program and size");
    table
        .option("-x,--warmup", "N", "execute N untimed iterations before the timed ones", &Options::warm_up,
                as::Int{.low = 0})
        .unset("a tenth to a hundredth of -i");
    table
        .option("-z,--tail-lat", "[LIST]", "add columns for up to five percentiles, 1 to 100; without a list 50,90,99",
                &Options::tails, tails)
        .implied("50,90,99")
        .unset("none");
    if (is(is_collective))
        table.flag("-f,--full", "print more columns", &Options::full);
    if (is(has_check)) {
        table
            .option("-c,--validation", "[log:DIR]",
                    "verify all received data after the timed loop; log:DIR reports wrong data in DIR/log-RANK.log",
                    &Options::validation, validation)
            .implied("on")
            .unset("off");
        table.option("-u,--validation-warmup", "N",
                     "with -c, make N + 1 calls with known data and verify each of them, N = 0 to 10",
                     &Options::validation_warm_up, as::Int{.low = 0, .high = 10});
    }
    if (is(has_types))
        table
            .list("-T,--type", "LIST",
                  "use elements of type: mpi_char, mpi_int, mpi_float, all (sizes are rounded down to whole elements)",
                  &Options::type_lists, AsTypes{})
            .unset("mpi_char");
}

void add_messages(Table& table, auto&& is) {
    table.heading("Parameters");
    if (is(has_window))
        table.option("-W,--window-size", "N", "keep N messages in flight", &Options::window, as::Int{.low = 1});
    if (is(has_own_buffers))
        table.option("-b,--buffer-num", "KIND",
                     "hold the messages of a window in: single (one buffer for all), multiple (one buffer each)",
                     &Options::own_buffers, as::Choice<bool>{{{"single", false}, {"multiple", true}}});
    if (is(has_derivation))
        table
            .option("-D,--ddt", "TYPE",
                    "send one element of a derived type: cont, vect:STRIDE:LENGTH (vect alone means 8:4), or indx:FILE "
                    "with lines DISPLACEMENT,LENGTH; the numbers count elements of -T",
                    &Options::derivation, AsDerivation{})
            .unset("none");
    if (is(has_rate)) {
        table.option("-p,--num-pairs", "N", "use N pairs of processes", &Options::pairs, as::Int{.low = 1})
            .unset("half of the processes");
        table.option("-R,--print-rate", "0|1", "print the message rate", &Options::rate,
                     as::Choice<bool>{{{"1", true}, {"0", false}}});
        table.flag("-V,--vary-window", "measure windows of 1, 2, 4 .. 128 messages side by side",
                   &Options::vary_window);
    }
    if (is([](Row const& row) { return row.is_nonblocking(); }))
        table.option("-t,--num-test-calls", "N", "call MPI_Test N times while computing", &Options::tests,
                     as::Int{.low = 0});
    else if (is(has_teams))
        table.option("-t,--num-threads", "[S:]R",
                     "use S threads or processes in the sender and R in the receiver, up to 127", &Options::teams,
                     AsTeams{});
    if (is(is_collective))
        table.option("-M,--mem-limit", "SIZE", "limit the memory of a process for one buffer", &Options::memory,
                     as::Size{.low = measure::mebi});
    if (is(has_root))
        table.option("-k,--root-rank", "KIND",
                     "choose the root: fixed:RANK, or rotate for another root in each iteration", &Options::root,
                     AsRoot{});
    if (is(has_in_place))
        table.flag("-l,--in-place", "use MPI_IN_PLACE", &Options::in_place);
    if (is([](Row const& row) { return row.has_neighbours(); }))
        table.option(
            "-N,--nhbr", "cart:D:R|graph:FILE",
            "choose the neighbours: within R on a periodic grid of D dimensions, or from lines FROM,TO of a file",
            &Options::neighbourhood, AsNeighbourhood{});
    if (is([](Row const& row) { return row.operation != nullptr; })) {
        table.option("-w,--win-options", "KIND", "choose the window's memory: allocate, create or dynamic",
                     &Options::window_kind, window_kinds());
        std::vector<std::string> ways;
        for (auto const& way : bodies::rma_synchronisations)
            ways.emplace_back(way.name);
        table
            .option("-s,--sync-option", "NAME",
                    fmt::format("choose how operations complete: {}", fmt::join(ways, ", ")), &Options::synchronisation,
                    as::Name{ways})
            .unset("flush; pscw for osu_put_bibw");
    }
}

void add_method(Table& table) {
    table.heading("Method and output");
    table.option("--method", "NAME",
                 "measure by: osu (the published loop), sync (synchronised starts), both (one after the other)",
                 &Options::method,
                 as::Choice<Method>{{{"osu", Method::osu}, {"sync", Method::sync}, {"both", Method::both}}});
    table.option("--format", "VERSION", "use the tables, sizes and counts of version 7.4 or 5.3", &Options::format,
                 as::Choice<Format>{{{"7.4", Format::v7_4}, {"5.3", Format::v5_3}}});
    table.flag("--plain", "omit the lines on stderr that begin with #+", &Options::plain);
}

void add_reserved(Table& table, Row const* row) {
    auto const add = [&](char const* names, char const* value, char const* why) {
        table.option(names, value, fmt::format("refused ({})", why), &Options::reserved, as::Refused{why}).unrecorded();
    };
    table.heading("Options of the original that are not supported");
    add("-d,--accelerator", "TYPE", "only host buffers are supported");
    if (row != nullptr && has_rate(*row)) {
        add("-w", "N", "version 7 uses -W");
        add("-r", "0|1", "version 7 uses -R");
        add("--cuda-target", "TYPE", "only host buffers are supported");
    } else {
        add("-r,--cuda-target", "TYPE", "only host buffers are supported");
    }
    add("-a,--array-size", "N", "only host buffers are supported");
    add("-P,--papi", "LIST", "hardware counters are not supported");
    add("-G,--graph", "LIST", "use measure report with the record of --json");
    table.flag("-I,--session", "refused (only osu_init measures sessions)", &Options::session).unrecorded();
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
        table.option("-z,--tail-lat", "[LIST]", "has no effect", &Options::tails, tails).implied("50").unrecorded();
        if (row->pattern == Pattern::init)
            table.flag("-I,--session", "measure a session of MPI 4 instead of MPI_Init", &Options::session);
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
    parser.arguments("H|D", "location of the buffers; always host memory", options.words);
    auto const given = [](program::Parser const& read, char const* option) {
        return read.knows(option) && read.given(option);
    };
    parser.check([&row, &options, given](program::Parser const& read) {
        if (options.session && row.pattern != Pattern::init)
            throw UsageError("-I: only osu_init measures sessions; this program uses MPI_Init");
        for (auto const& word : options.words)
            if (word == "M" || word == "MD" || word == "MH")
                throw UsageError(fmt::format("'{}': only host buffers are supported", word));
            else if (options.words.size() != 2 || (word != "H" && word != "D"))
                throw UsageError(fmt::format("unexpected argument '{}'; see osu_{} --help", word, row.name));
        for (char const* const option : {"--start", "--sync-alg", "--stop", "--trim", "--confidence", "--batch"})
            if (options.method == Method::osu && given(read, option))
                throw UsageError(fmt::format("{} needs --method sync or both", option));
        if (given(read, "-V") && given(read, "-W"))
            throw UsageError("-V and -W cannot be combined");
        if (options.vary_window && !options.tails.empty())
            throw UsageError("-V and -z cannot be combined");
        if (options.vary_window && options.validates())
            throw UsageError("-V and -c cannot be combined; the tables of -V have no column for the result of -c");
        if (options.derivation.is_on() && options.validates())
            throw UsageError("-D and -c cannot be combined");
        if (options.in_place && options.validates())
            throw UsageError("-l and -c cannot be combined");
    });
}

void check(Row const& row, Options const& options, int processes) {
    int const least = row.is_startup() ? 1 : 2;
    if (auto const only = only_processes(row); only && processes != *only)
        throw UsageError(fmt::format("exactly {} processes are needed, but there {} {}", *only,
                                     processes == 1 ? "is" : "are", processes));
    if (processes < least)
        throw UsageError(fmt::format("at least {} processes are needed, but there is {}", least, processes));
    if (options.pairs && *options.pairs > processes / 2)
        throw UsageError(fmt::format("-p: {} pairs need more than {} processes", *options.pairs, processes));
    if (options.root.rank >= processes)
        throw UsageError(fmt::format("-k: rank {} does not exist among {} ranks", options.root.rank, processes));
    if (row.is(both_ways) && row.operation != nullptr && options.sync_name(row) != "pscw" &&
        options.sync_name(row) != "fence")
        throw UsageError(fmt::format("-s: for both directions use pscw or fence, not {}", options.sync_name(row)));
    if (row.operation != nullptr && row.operation->effect == bodies::RmaEffect::swap)
        for (auto const type : options.types())
            if (type == Type::mpi_float)
                throw UsageError("-T: MPI_Compare_and_swap does not support MPI_FLOAT");
    bool const synchronises = row.collective != nullptr;
    if (options.method == Method::sync && !synchronises)
        throw UsageError("--method sync is only for collectives; the processes of this program synchronise themselves");
}

}  // namespace osu
