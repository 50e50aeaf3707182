// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/options.hpp"

#include "b_eff/exchange.hpp"
#include "program/cli/option_table.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace b_eff {

namespace {

using measure::Bytes;
using measure::UsageError;
using program::Argument;
namespace as = program::as;

constexpr int standard_random = 30;
constexpr int standard_repetitions = 3;
constexpr int quick_random = 2;
constexpr int quick_repetitions = 2;

/// A number without a unit is in MB of 2^20 bytes.
std::optional<Bytes> memory_from(Argument const& a) {
    if (program::lower(a.value) == "auto")
        return std::nullopt;
    return as::Size{.low = measure::mebi, .bare = measure::mebi}(a);
}

/// LOW:HIGH
struct RangeOf {
    [[nodiscard]] Range operator()(Argument const& a) const {
        auto const parts = program::split(a.value, ':');
        if (parts.size() != 2)
            throw UsageError(fmt::format("{}: '{}' is not a range LOW:HIGH", a.option, a.value));
        as::Number const positive{.low = 0, .above_low = true};
        Range const range{positive({a.option, parts[0]}), positive({a.option, parts[1]})};
        if (range.low >= range.high)
            throw UsageError(fmt::format("{}: '{}': the first number must be below the second", a.option, a.value));
        return range;
    }
    [[nodiscard]] std::string text(Range const& range) const { return fmt::format("{:g}:{:g}", range.low, range.high); }
};

/// A list of methods. The result is in the usual order, whatever the order of the list.
struct MethodList {
    [[nodiscard]] std::vector<Method> operator()(Argument const& a) const {
        as::Choice<Method> known;
        for (Method const m : methods)
            known.choices.emplace_back(name(m), m);
        std::vector<Method> chosen;
        for (auto& part : program::split(a.value, ','))
            chosen.push_back(known({a.option, std::move(part)}));
        std::sort(chosen.begin(), chosen.end());
        if (auto const twice = std::adjacent_find(chosen.begin(), chosen.end()); twice != chosen.end())
            throw UsageError(fmt::format("{}: '{}' names {} twice", a.option, a.value, name(*twice)));
        return chosen;
    }
    [[nodiscard]] std::string text(std::vector<Method> const& chosen) const {
        std::vector<std::string> names;
        for (Method const m : chosen)
            names.emplace_back(name(m));
        return fmt::format("{}", fmt::join(names, ","));
    }
};

program::OptionTable<Options> option_table() {
    program::OptionTable<Options> table;
    table.heading("Measurement");
    table
        .option("--mem", "SIZE",
                "set the memory of a process; a bare number is MB (2^20 bytes); auto: memory of the host or cgroup "
                "divided by its processes",
                &Options::memory, memory_from)
        .unset("auto");
    table.option("--random", "N", "measure N random patterns", &Options::random, as::Int{.low = 1, .high = 1000})
        .unset(fmt::format("{}", standard_random));
    table
        .option("--reps", "N", "repeat every measurement N times", &Options::repetitions, as::Int{.low = 1, .high = 20})
        .unset(fmt::format("{}", standard_repetitions));
    table.option("--methods", "LIST", "send with these methods, separated by commas", &Options::methods, MethodList{});
    table.flag("--no-extra", "leave out patterns that are not part of b_eff", &Options::no_extra);
    table
        .option("--loop", "NAME",
                "choose loop lengths by this rule: classic (2.5 to 5 ms) or timed (0.5 s for all patterns)",
                &Options::loop, as::Choice<LoopRule>{{{"classic", LoopRule::classic}, {"timed", LoopRule::timed}}})
        .unset("classic");
    table.flag("--quick", "make a trial run: --loop timed with 5 ms, 2 repetitions, 2 random patterns",
               &Options::quick);
    table.option("--start", "NAME", "start loops together by: barrier, slot", &Options::start,
                 as::Name{{"barrier", "slot"}});
    table.flag("--no-check", "do not verify received data", &Options::no_check);
    table.heading("Output");
    table.option("-f,--prefix", "P", "write files P.prot, .short, .sum, .plot and .gps", &Options::prefix,
                 as::ScriptName{});
    table.option("-yrange", "LOW:HIGH", "set the vertical range of the plots in MB/s", &Options::range, RangeOf{});
    table.option("--rmax", "GFLOPS", "print the balance factor for this Linpack performance of the system",
                 &Options::rmax, as::Number{.low = 0, .above_low = true});
    return table;
}

}  // namespace

void declare(program::Parser& parser, Options& o) {
    option_table().declare(parser, o);
    parser.closing("b_eff is the bandwidth of all processes together, averaged over message lengths, rings\n"
                   "and random patterns, in MB/s of 10^6 bytes.");
}

Bytes Setup::buffers() const noexcept { return 2 * area(largest()); }

Setup resolve(Options const& o, int ranks, std::uint64_t seed, MachineMemory const& machine) {
    if (ranks < 2)
        throw UsageError(fmt::format("b_eff needs at least 2 processes, but there is {}", ranks));
    if (ranks > 65536)
        throw UsageError(fmt::format("--ranks: '{}' is more than 65536", ranks));
    if (o.quick && o.loop == LoopRule::classic)
        throw UsageError("--quick uses --loop timed and cannot be combined with --loop classic");
    if (!o.memory && machine.share < measure::mebi)
        throw UsageError(fmt::format("--mem: auto finds {} per process, but at least 1 MiB is needed",
                                     measure::text_bytes(machine.share)));
    Setup s{.ranks = ranks,
            .prefix = o.prefix,
            .range = o.range,
            .memory = o.memory.value_or(machine.share),
            .memory_source = o.memory ? "given by --mem" : machine.source,
            .random = o.random.value_or(o.quick ? quick_random : standard_random),
            .repetitions = o.repetitions.value_or(o.quick ? quick_repetitions : standard_repetitions),
            .loop = o.quick ? LoopRule::timed : o.loop.value_or(LoopRule::classic),
            .methods = o.methods,
            .slots = o.start == "slot",
            .extra = !o.no_extra,
            .quick = o.quick,
            .check = !o.no_check,
            .seed = seed};
    if (s.quick) {
        s.row_budget = 0.005;
        s.last_two_limit = 1;
    }
    if (o.rmax)
        s.rmax = *o.rmax * 1e9;
    s.lengths = lengths(largest_length(s.memory));
    s.patterns = catalogue(ranks, s.random, s.extra);
    return s;
}

std::vector<std::string> marks(Setup const& s, bool shortened, bool oversubscribed) {
    std::vector<std::string> all;
    auto const add = [&](bool holds, std::string mark) {
        if (holds)
            all.push_back(std::move(mark));
    };
    add(s.methods.size() < methods.size(), "PARTIAL");
    add(s.quick, "QUICK");
    add(s.loop == LoopRule::timed, "TIMED");
    add(s.repetitions != (s.quick ? quick_repetitions : standard_repetitions), fmt::format("REPS={}", s.repetitions));
    add(s.random != (s.quick ? quick_random : standard_random), fmt::format("RANDOM={}", s.random));
    add(s.slots, "SLOT");
    add(!s.check, "UNCHECKED");
    add(shortened, "SHORTENED");
    add(oversubscribed, "OVERSUBSCRIBED");
    return all;
}

std::string label(Setup const& s, std::vector<std::string> const& marks) {
    bool const is_partial = s.methods.size() < methods.size();
    std::vector<std::string> const others{marks.begin() + (is_partial ? 1 : 0), marks.end()};
    return fmt::format("b_eff{}{}", is_partial ? "(partial)" : "",
                       others.empty() ? "" : fmt::format("[{}]", fmt::join(others, ",")));
}

measure::Value describe(Setup const& s, std::vector<std::vector<int>> const& orders) {
    using Array = measure::Value::Array;
    Array names;
    for (Method const m : s.methods)
        names.emplace_back(name(m));
    Array all_rings;
    for (Pattern const& p : s.patterns)
        if (p.family == Family::ring) {
            auto const sizes = p.rings.sizes();
            all_rings.emplace_back(Array(sizes.begin(), sizes.end()));
        }
    Array permutations;
    for (auto const& order : orders)
        permutations.emplace_back(Array(order.begin(), order.end()));
    auto const plane = grid(2, s.ranks).extents;
    auto const space = grid(3, s.ranks).extents;
    return measure::Value::Object{
        {"memory", s.memory},
        {"lmax", s.largest()},
        {"lengths", Array(s.lengths.begin(), s.lengths.end())},
        {"repetitions", s.repetitions},
        {"random", s.random},
        {"methods", std::move(names)},
        {"loop", s.loop == LoopRule::classic ? "classic" : "timed"},
        {"seed", static_cast<std::int64_t>(s.seed)},
        {"rings", std::move(all_rings)},
        {"permutations", std::move(permutations)},
        {"grids", Array{Array(plane.begin(), plane.begin() + 2), Array(space.begin(), space.end())}},
        {"start", s.slots ? "slot" : "barrier"},
        {"extra", s.extra},
        {"check", s.check},
        {"quick", s.quick},
        {"memory_source", s.memory_source},
        {"prefix", s.prefix}};
}

}  // namespace b_eff
