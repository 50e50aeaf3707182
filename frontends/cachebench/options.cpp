// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "llcbench/sizes.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <limits>

namespace cachebench {

namespace {

using frontend::Argument;
using measure::Bytes;
using measure::UsageError;
namespace as = frontend::as;

constexpr int smallest_log = 8;
constexpr int largest_log = 50;  // a PiB; beyond it sizes would leave 64 bits somewhere
constexpr Bytes largest_size = Bytes{1} << largest_log;
constexpr Bytes largest_shift = measure::gibi;  // of --offset, --pad, --align

/// The names of --test in their order.
std::vector<std::string> test_names(Argument const& list) {
    auto known = names(tests());
    known.emplace_back("all");
    std::vector<std::string> result;
    for (auto& part : frontend::split(list.value, ',')) {
        auto name = as::Name{known}({list.option, std::move(part)});
        if (name == "all")
            for (Test const& test : tests())
                result.emplace_back(test.name);
        else
            result.push_back(std::move(name));
    }
    return result;
}

Bytes alignment(Argument const& argument) {
    Bytes const size = as::Size{.low = 8, .high = largest_shift}(argument);
    if (!std::has_single_bit(static_cast<std::uint64_t>(size)))
        throw UsageError(fmt::format("{}: '{}' is not a power of two", argument.option, argument.value));
    return size;
}

std::vector<Test const*> by_name(std::initializer_list<std::string_view> list) {
    std::vector<Test const*> result;
    for (auto const name : list)
        result.push_back(&test(name));
    return result;
}

/// The letters' tests in the order of the original.
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
        throw UsageError("--test: not together with -r, -w, -b, -t, -s or -p");
    for (auto const& name : o.tests)
        result.push_back(&test(name));
    if (o.latency)
        result.push_back(&test("latency"));
    if (!result.empty())
        return result;
    return terminal ? by_name({"read", "write", "rmw", "memset", "memcpy"}) : by_name({"rmw"});
}

void check_sizes(Setup const& s) {
    for (Test const* const t : s.tests) {
        Bytes const least = smallest(*t, s.type->width);
        for (Bytes const size : s.sizes)
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
        if (Bytes const rounded = size / width * width;
            std::find(result.begin(), result.end(), rounded) == result.end())
            result.push_back(rounded);
    return result;
}

void check_memory(Setup const& s, Options const& o, llcbench::Machine const& machine) {
    if (machine.available == 0 || s.memory() <= machine.available)
        return;
    throw UsageError(fmt::format("{}: vectors of {} need {} of memory{}, {} are available", o.sizes ? "--size" : "-m",
                                 measure::text_bytes(s.largest()), measure::text_bytes(s.memory()),
                                 s.copies > 0 ? fmt::format(" for {} copies", s.copies) : "",
                                 measure::text_bytes(machine.available)));
}

void check(Options const& o, Bytes width) {
    if (o.layout.offset % width != 0)
        throw UsageError(
            fmt::format("--offset: '{}' is not a multiple of the element size ({} bytes)", o.layout.offset, width));
    if (o.plain && o.format == llcbench::Format::csv)
        throw UsageError("--plain: goes with --format dat only");
    if (o.output.empty() && (o.timestamp || o.info))
        throw UsageError(fmt::format("{}: needs a file (-o FILE)", o.timestamp ? "--timestamp" : "--info"));
    if (o.rules.constant_iterations && o.rules.standard_error > 0)
        throw UsageError("--constant-iterations: not together with --stderr");
}

void declare_tests(frontend::Parser& parser, Options& o) {
    parser.heading("Tests (default: on a terminal -r -w -b -s -p, to a file or pipe -b)");
    parser.flag("-r", "read", o.read);
    parser.flag("-w", "write", o.write);
    parser.flag("-b", "read/modify/write", o.modify);
    parser.flag("-t", "tuned versions of these; alone: of all three", o.tuned);
    parser.flag("-s", "memset", o.set);
    parser.flag("-p", "memcpy", o.copy);
    parser.flag("--latency", "time of loads that wait for each other, in random order", o.latency);
    parser.option("--test", "LIST",
                  fmt::format("the same by name, in this order: {}, all", fmt::join(names(tests()), ", ")), o.tests,
                  test_names);
    parser.option("--type", "NAME",
                  fmt::format("type of the elements: {} (default double, 8 bytes)", fmt::join(names(types()), ", ")),
                  o.type, as::Name{names(types())});
    parser.option(
        "--flavour", "NAME",
        fmt::format("how the untuned loops are compiled: {} (default user)", fmt::join(names(flavours()), ", ")),
        o.flavour, as::Name{names(flavours())});
}

void declare_method(frontend::Parser& parser, Options& o) {
    parser.heading("Vectors");
    parser.option("-m", "N", "log2 of the largest vector in bytes (default 24)", o.max_log,
                  as::Int{.low = smallest_log + 1, .high = largest_log});
    parser.option("-x", "N", "sizes between powers of two (default 1)", o.between, as::Int{.low = 0, .high = 1000});
    parser.option("--size", "LIST", "these sizes instead: 4k,1M", o.sizes, llcbench::SizeList{.high = largest_size});
    parser.option("--align", "SIZE", "vectors start at multiples of this power of two (default 64)", o.layout.align,
                  alignment);
    parser.option("--offset", "SIZE", "and so many bytes behind (default 0)", o.layout.offset,
                  as::Size{.high = largest_shift});
    parser.option("--pad", "SIZE", "unused bytes between the two vectors of memcpy (default 0)", o.layout.pad,
                  as::Size{.high = largest_shift});
    parser.heading("Measurement");
    parser.option("-d", "DURATION", "time of a point (default 5 s)", o.rules.duration,
                  as::Duration{.above_zero = true});
    parser.option("-e", "N", "repetitions of each size (default: on a terminal 2, otherwise 1)", o.repetitions,
                  as::Int{.low = 1, .high = 1'000'000});
    parser.option("--stderr", "EPS", "stop earlier, at this relative standard error (default 0: off)",
                  o.rules.standard_error, as::Number{.low = 0, .high = 1});
    parser.option("--constant-iterations", "N", "so many passes for each point instead of a time",
                  o.rules.constant_iterations, as::Integer{.low = 1, .high = 1'000'000'000'000});
    parser.flag("-N", "no cache flush between sizes", o.no_flush);
    parser.flag("--cold", "no untimed pass before the first block", o.rules.cold);
    parser.option("--copies", "N", "so many processes at the same time, each on a core", o.copies,
                  as::Int{.low = 1, .high = 4096});
}

void declare_output(frontend::Parser& parser, Options& o) {
    parser.heading("Output");
    parser.option("-o,--output", "FILE", "write to a file", o.output, as::Text{});
    parser.option("--format", "NAME", "dat or csv (default dat; on a terminal a table)", o.format,
                  as::Choice<llcbench::Format>{{{"dat", llcbench::Format::dat}, {"csv", llcbench::Format::csv}}});
    parser.flag("--plain", "sizes and MB/s only, no comments", o.plain);
    parser.flag("--timestamp", "put date and time into the file's name", o.timestamp);
    parser.flag("--info", "describe the machine in a file FILE.info beside the output", o.info);
}

}  // namespace

void declare(frontend::Parser& parser, Options& o) {
    declare_tests(parser, o);
    declare_method(parser, o);
    declare_output(parser, o);
    parser.closing("Elements are double of 8 bytes unless --type says otherwise. MB/s are of 2^20\n"
                   "bytes; read/modify/write and memcpy count both directions.");
}

Bytes Setup::largest() const { return *std::max_element(sizes.begin(), sizes.end()); }

bool Setup::two_vectors() const {
    return std::any_of(tests.begin(), tests.end(), [](Test const* t) { return t->work == Work::copy; });
}

Bytes Setup::memory() const { return (Arena::bytes(layout, largest(), two_vectors()) + flush) * std::max(copies, 1); }

Setup resolve(Options const& o, llcbench::Machine const& machine, bool terminal) {
    Setup s{.type = &type(o.type),
            .flavour = &flavour(o.flavour),
            .flush = o.no_flush ? 0 : llcbench::flush_size(machine.last_level_cache()),
            .rules = o.rules,
            .layout = o.layout,
            .copies = o.copies.value_or(0),
            .terminal = terminal && o.output.empty() && !o.format && !o.plain,
            .format = o.plain ? llcbench::Format::plain : o.format.value_or(llcbench::Format::dat),
            .output = o.output,
            .timestamp = o.timestamp,
            .info = o.info};
    check(o, s.type->width);
    s.tests = chosen_tests(o, s.terminal);
    s.repetitions = o.repetitions.value_or(s.terminal ? 2 : 1);
    s.sizes = chosen_sizes(o, s.type->width);
    check_sizes(s);
    check_memory(s, o, machine);
    return s;
}

measure::Value describe(Setup const& s) {
    measure::Value::Array test_list;
    for (Test const* const t : s.tests)
        test_list.emplace_back(t->name);
    measure::Value::Array size_list;
    for (Bytes const size : s.sizes)
        size_list.emplace_back(size);
    measure::Value const duration = s.rules.constant_iterations ? measure::Value{} : measure::Value{s.rules.duration};
    return measure::Value::Object{{"tests", std::move(test_list)},
                                  {"type", s.type->name},
                                  {"flavour", s.flavour->name},
                                  {"flags", s.flavour->loops->flags},
                                  {"sizes", std::move(size_list)},
                                  {"repetitions", s.repetitions},
                                  {"duration", duration},
                                  {"standard_error", s.rules.standard_error},
                                  {"constant_iterations", s.rules.constant_iterations},
                                  {"flush", s.flush},
                                  {"cold", s.rules.cold},
                                  {"align", s.layout.align},
                                  {"offset", s.layout.offset},
                                  {"pad", s.layout.pad},
                                  {"copies", s.copies},
                                  {"output", s.output}};
}

}  // namespace cachebench
