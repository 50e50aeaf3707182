// SPDX-License-Identifier: BSD-3-Clause
#include "cachebench/options.hpp"

#include "cachebench/result.hpp"
#include "llcbench/flush.hpp"
#include "llcbench/sizes.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <tuple>

namespace cachebench {

namespace {

using measure::Bytes;
using measure::UsageError;
namespace as = program::as;

constexpr int smallest_log = 8;
constexpr int largest_log = 50;  // 1 PiB; larger sizes would overflow 64-bit integers in places
constexpr Bytes largest_size = Bytes{1} << largest_log;

std::vector<Test const*> by_name(std::initializer_list<std::string_view> list) {
    std::vector<Test const*> result;
    for (auto const name : list)
        result.push_back(&test(name));
    return result;
}

/// The tests of the one-letter options, in the order of the original.
std::vector<Test const*> by_letters(Options const& o) {
    std::vector<Test const*> result;
    auto const add = [&](bool wanted, std::string_view name) {
        if (wanted)
            result.push_back(&test(name));
    };
    bool const loops = o.read || o.write || o.modify;
    add(o.set, "memset");
    add(o.copy, "memcpy");
    add(o.read || (o.tuned && !loops), o.tuned ? "handread" : "read");
    add(o.write || (o.tuned && !loops), o.tuned ? "handwrite" : "write");
    add(o.modify || (o.tuned && !loops), o.tuned ? "handrmw" : "rmw");
    return result;
}

std::vector<Test const*> chosen_tests(Options const& o, bool terminal) {
    auto result = by_letters(o);
    if (!o.tests.empty() && !result.empty())
        throw UsageError("--test cannot be combined with -r, -w, -b, -t, -s or -p");
    for (auto const& name : o.tests)
        result.push_back(&test(name));
    if (o.latency)
        result.push_back(&test("latency"));
    if (!result.empty())
        return result;
    return terminal ? by_name({"read", "write", "rmw", "memset", "memcpy"}) : by_name({"rmw"});
}

/// Checks the sizes as given, before they are rounded.
void check_sizes(std::vector<Bytes> const& sizes, Setup const& s) {
    for (Test const* const t : s.tests) {
        Bytes const least = smallest(*t, s.type->width);
        for (Bytes const size : sizes)
            if (size < least)
                throw UsageError(
                    fmt::format("--size: '{}' is too small for {} (at least {} bytes)", size, t->name, least));
    }
}

std::vector<Bytes> chosen_sizes(Options const& o, Bytes width) {
    if (!o.sizes)
        return llcbench::sizes(
            {.smallest = Bytes{1} << smallest_log, .last_log = o.max_log, .between = o.between, .multiple = width});
    std::vector<Bytes> result;
    for (Bytes const size : *o.sizes)
        program::add_once(result, size / width * width);
    return result;
}

void check_memory(Setup const& s, Options const& o, llcbench::Machine const& machine) {
    if (machine.available == 0 || s.memory() <= machine.available)
        return;
    throw UsageError(fmt::format(
        "{}: vectors of {} need {} of memory{}, but only {} is available", o.sizes ? "--size" : "-m",
        measure::text_bytes(s.largest()), measure::text_bytes(s.memory()),
        s.copies > 0 ? fmt::format(" for {} copies", s.copies) : "", measure::text_bytes(machine.available)));
}

void check(Options const& o, Bytes width) {
    check(o.layout, width);
    check(o.output, "-o");
}

using Table = program::OptionTable<Options>;

void add_tests(Table& table) {
    table.heading("Tests (default: -r -w -b -s -p on a terminal, -b to a file or pipe)");
    for (auto const& [names, text, member] :
         {std::tuple{"-r", "measure read", &Options::read},
          {"-w", "measure write", &Options::write},
          {"-b", "measure read/modify/write", &Options::modify},
          {"-t", "use tuned versions of these; alone: measure all three tuned", &Options::tuned},
          {"-s", "measure memset", &Options::set},
          {"-p", "measure memcpy", &Options::copy}})
        table.flag(names, text, member);
    table.flag("--latency", "measure the latency of dependent loads in random order", &Options::latency).unrecorded();
    table
        .option("--test", "LIST",
                fmt::format("measure these tests, in the given order: {}, all", fmt::join(names(tests()), ", ")),
                &Options::tests, llcbench::NameList{names(tests())})
        .unrecorded();
    table.option("--type", "NAME", fmt::format("set the element type: {}", fmt::join(names(types()), ", ")),
                 &Options::type, as::Name{names(types())});
    table.option("--flavour", "NAME",
                 fmt::format("choose how the untuned loops are compiled: {}", fmt::join(names(flavours()), ", ")),
                 &Options::flavour, as::Name{names(flavours())});
    auto isa_names = names(isas());
    isa_names.insert(isa_names.begin(), "auto");
    table
        .option("--isa", "NAME",
                fmt::format("choose the instruction set of flavour vector: auto (the widest of this CPU), {}",
                            fmt::join(names(isas()), ", ")),
                &Options::isa, as::Name{isa_names})
        .unrecorded();
}

void add_vectors(Table& table) {
    table.heading("Vectors");
    table
        .option("-m", "N", "measure vectors of up to 2^N bytes", &Options::max_log,
                as::Int{.low = smallest_log + 1, .high = largest_log})
        .last_wins();
    table
        .option("-x", "N", "add N sizes between consecutive powers of two", &Options::between,
                as::Int{.low = 0, .high = 1000})
        .last_wins();
    table
        .option("--size", "LIST", "measure these sizes instead: 4k,1M", &Options::sizes,
                as::list_of(as::Size{.low = 1, .high = largest_size}))
        .unrecorded();
    table.part(llcbench::layout_options("vectors"), &Options::layout);
}

void add_method(Table& table) {
    using program::path;
    table.heading("Measurement");
    table
        .option("-d", "DURATION", "measure each point this long, in at least three blocks of about 1 ms",
                path(&Options::rules, &Rules::duration), as::Duration{.above_zero = true})
        .last_wins()
        .key("duration");
    table.option("-e", "N", "repeat each size N times", &Options::repetitions, as::Int{.low = 1, .high = 1'000'000})
        .last_wins()
        .unset("2 on a terminal, otherwise 1");
    table
        .option("--stderr", "EPS", "stop earlier, at this relative standard error; 0 = off",
                path(&Options::rules, &Rules::standard_error), as::Number{.low = 0, .high = 1})
        .key("standard_error");
    table.option("--constant-iterations", "N", "make N passes at each point instead of measuring for a time",
                 path(&Options::rules, &Rules::constant_iterations), as::Integer{.low = 1, .high = 1'000'000'000'000});
    table.excludes("--constant-iterations", "--stderr");
    table.flag("-N", "do not flush the caches between sizes", &Options::no_flush);
    table.flag("--cold", "skip the untimed pass before the first block", path(&Options::rules, &Rules::cold));
    table
        .option("--copies", "N", "run N processes at the same time, each on its own core", &Options::copies,
                as::Int{.low = 1, .high = 4096})
        .unrecorded();
}

void add_output(Table& table) {
    table.heading("Output");
    table.option("--statistic", "NAME", "report this statistic of the blocks: mean, median, best", &Options::statistic,
                 llcbench::statistic_option());
    table.part(llcbench::output_options({.format_default = "dat; on a terminal a table"}), &Options::output);
}

}  // namespace

Table option_table() {
    Table table;
    add_tests(table);
    add_vectors(table);
    add_method(table);
    add_output(table);
    return table;
}

void declare(program::Parser& parser, Options& o) {
    option_table().declare(parser, o);
    parser.closing("Elements are 8-byte doubles unless --type is given. MB/s are 2^20 bytes per second.\n"
                   "read/modify/write, memcpy and copy count both directions; triad counts all three.");
}

Bytes Setup::largest() const { return *std::max_element(sizes.begin(), sizes.end()); }

int Setup::most_vectors() const {
    int most = 1;
    for (Test const* const t : tests)
        most = std::max(most, vectors(*t));
    return most;
}

Bytes Setup::memory() const { return (Arena::bytes(layout, largest(), most_vectors()) + flush) * std::max(copies, 1); }

Setup resolve(Options const& o, llcbench::Machine const& machine, bool terminal) {
    Setup s{.type = &type(o.type),
            .flavour = &flavour(o.flavour),
            .flush = o.no_flush ? 0 : llcbench::flush_size(machine.last_level_cache()),
            .rules = o.rules,
            .layout = o.layout,
            .copies = o.copies.value_or(0),
            .terminal = o.output.for_people(terminal),
            .statistic = o.statistic,
            .output = o.output};
    check(o, s.type->width);
    if (s.flavour->loops == nullptr)
        s.isa = &isa(o.isa);
    else if (o.isa != "auto")
        throw UsageError("--isa: requires --flavour vector");
    s.tests = chosen_tests(o, s.terminal);
    s.repetitions = o.repetitions.value_or(s.terminal ? 2 : 1);
    check_sizes(o.sizes.value_or(std::vector<Bytes>{}), s);
    s.sizes = chosen_sizes(o, s.type->width);
    check_memory(s, o, machine);
    return s;
}

measure::Value describe(Setup const& s, Options const& o) {
    measure::Value::Array test_list;
    for (Test const* const t : s.tests)
        test_list.emplace_back(t->name);
    measure::Value value = measure::Value::Object{{"tests", std::move(test_list)},
                                                  {"flags", s.loops().flags},
                                                  {"sizes", measure::Value::Array(s.sizes.begin(), s.sizes.end())},
                                                  {"repetitions", s.repetitions},
                                                  {"flush", s.flush},
                                                  {"copies", s.copies}};
    if (s.isa != nullptr)
        value["isa"] = s.isa->name;
    if (s.rules.constant_iterations)
        value["duration"] = measure::Value{};
    option_table().describe(o, value);
    return value;
}

}  // namespace cachebench
