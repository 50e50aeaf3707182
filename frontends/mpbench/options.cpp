// SPDX-License-Identifier: BSD-3-Clause
#include "mpbench/options.hpp"

#include "llcbench/sizes.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace mpbench {

namespace {

using measure::Bytes;
using measure::UsageError;
using program::Argument;
namespace as = program::as;

constexpr int largest_log = 30;
/// A message's bytes are an int; PVM adds its own to them.
constexpr Bytes largest_size(Api api) { return api == Api::mpi ? std::numeric_limits<int>::max() : measure::gibi; }
constexpr Bytes sum_width = 4;
constexpr int most_tasks = 10'000;

std::vector<std::string> names(Api api) {
    std::vector<std::string> result;
    for (Test const& t : tests(api))
        result.emplace_back(t.name);
    return result;
}

/// Appends the names of --test to what letters before it have chosen.
std::vector<std::string> with_names(Api api, std::vector<std::string> chosen, Argument const& list) {
    auto known = names(api);
    known.emplace_back("all");
    for (auto& part : program::split(list.value, ',')) {
        auto name = as::Name{known}({list.option, std::move(part)});
        if (name != "all") {
            chosen.push_back(std::move(name));
            continue;
        }
        for (Test const& t : tests(api))
            if (t.letter != '\0')
                chosen.emplace_back(t.name);
    }
    return chosen;
}

void declare_tests(program::Parser& parser, Options& o) {
    parser.heading("Tests, in the order given");
    for (Test const& t : tests(o.api))
        if (t.letter != '\0')
            parser.flag(fmt::format("-{}", t.letter), fmt::format("{}: {}", t.name, t.text),
                        [&o, name = t.name] { o.tests.emplace_back(name); });
    parser.option("--test", "LIST",
                  fmt::format("by name: {}, all{}", fmt::join(names(o.api), ", "),
                              o.api == Api::mpi ? " (without the last three)" : ""),
                  o.tests, [&o](Argument const& list) { return with_names(o.api, o.tests, list); });
    if (o.api == Api::pvm)
        parser.option("--tasks", "P", "tasks, of which this program starts all but the first", o.tasks,
                      as::Int{.low = 2, .high = most_tasks});
}

using Table = program::OptionTable<Options>;

void add_messages(Table& rows, Api api) {
    rows.heading("Messages");
    rows.option("-m", "N", "log2 of the largest message in bytes", &Options::max_log,
                as::Int{.low = 2, .high = largest_log})
        .last_wins();
    rows.option("--min", "N", "log2 of the smallest message", &Options::min_log, as::Int{.low = 0, .high = largest_log})
        .unrecorded();
    rows.option("-x", "N", "sizes between powers of two", &Options::between, as::Int{.low = 0, .high = 1000})
        .last_wins();
    rows.option("-M,--size", "LIST", "these sizes instead: 4,1k,64K,1m", &Options::sizes,
                as::list_of(as::Size{.low = 1, .high = largest_size(api)}))
        .last_wins()
        .unrecorded();
    rows.option("--range", "LOW:HIGH:STEP", "these sizes instead, in bytes", &Options::range,
                llcbench::SizeRange{.high = largest_size(api)})
        .unrecorded();
}

void add_method(Table& rows) {
    using program::path;
    rows.heading("Measurement");
    rows.option("-i", "N", "iterations between two readings of the timer", path(&Options::rules, &Rules::iterations),
                as::Integer{.low = 1, .high = 1'000'000'000})
        .last_wins()
        .key("iterations");
    rows.option("-e", "N", "repetitions of each size", &Options::repetitions, as::Int{.low = 1, .high = 1'000'000})
        .last_wins()
        .key("repetitions");
    rows.option("--max-volume", "SIZE", "fewer iterations, down to 5, beyond so many bytes",
                path(&Options::rules, &Rules::max_volume), as::Size{.low = 1});
    rows.option("--max-seconds", "DURATION", "fewer iterations where a size would take longer",
                path(&Options::rules, &Rules::max_seconds), as::Duration{.above_zero = true});
    rows.flag("--exact-iterations", "as many iterations as -i says, whatever they take",
              path(&Options::rules, &Rules::exact));
    rows.option("--stderr", "EPS", "repeat until this relative standard error; 0: off",
                path(&Options::rules, &Rules::standard_error), as::Number{.low = 0, .high = 1})
        .key("standard_error");
    rows.flag("-f", "flush caches between sizes", &Options::flush_sizes).key("flush_sizes");
    rows.flag("-F", "flush caches between repetitions", &Options::flush_repetitions).key("flush_repetitions");
    rows.flag("-X", "flush caches before every iteration, and time each alone",
              path(&Options::rules, &Rules::flush_each))
        .key("flush_each");
    rows.option("--flush-size", "SIZE", "bytes to flush with", &Options::flush_size,
                as::Size{.low = 1, .high = 64 * measure::gibi})
        .unset("twice the last-level cache, 16 to 512 MiB")
        .unrecorded();
    rows.flag("--verify", "check the data of each size, untimed; exit code 3 where they are wrong", &Options::verify);
}

void add_output(Table& rows) {
    rows.heading("Output");
    rows.option("--units", "NAME", "of rates: mb, kb (2^20, 2^10 bytes) or si (10^6) per second", &Options::units,
                as::Choice<Units>{{{"mb", Units::mb}, {"kb", Units::kb}, {"si", Units::si}}})
        .unrecorded();
    rows.option("--statistic", "NAME", "number of the loops that leads: mean, median, best", &Options::statistic,
                llcbench::statistic_option());
    rows.part(llcbench::output_options({}), &Options::output);
}

void check(Options const& o, int tasks) {
    if (tasks < 2)
        throw UsageError(fmt::format("every test needs at least 2 tasks, there is {}", tasks));
    if (o.tests.empty())
        throw UsageError("no test is chosen (-b -r -l -c -y -z -d -a -B, or --test LIST)");
    if (o.sizes && o.range)
        throw UsageError("--range: not together with --size");
    if (o.min_log > o.max_log)
        throw UsageError(fmt::format("--min: '{}' is more than -m ({})", o.min_log, o.max_log));
    check(o.output, "-o");
    if (o.flush_size && !(o.flush_sizes || o.flush_repetitions || o.rules.flush_each))
        throw UsageError("--flush-size: goes with -f, -F or -X only");
    if (o.rules.exact && o.rules.standard_error > 0)
        throw UsageError("--exact-iterations: not together with --stderr");
}

void check_sizes(Setup const& s, Options const& o) {
    for (Test const* const t : s.tests)
        for (Bytes const size : s.sizes)
            if (adds(t->kind) && size % sum_width != 0)
                throw UsageError(fmt::format("{}: {} bytes are no multiple of {}, the bytes of a number that {} adds",
                                             o.sizes   ? "-M"
                                             : o.range ? "--range"
                                                       : "--min",
                                             size, sum_width, t->name));
}

}  // namespace

Table option_table(Api api) {
    Table rows;
    add_messages(rows, api);
    add_method(rows);
    add_output(rows);
    return rows;
}

void declare(program::Parser& parser, Options& o) {
    declare_tests(parser, o);
    option_table(o.api).declare(parser, o);
    parser.closing("Task 0 is the master; of tests between two the last task is the slave, and those\n"
                   "between them are idle.");
}

Bytes Setup::largest() const {
    Bytes largest = 0;
    for (auto const size : sizes)
        if (size <= most)
            largest = std::max(largest, size);
    return largest;
}

bool Setup::leave_largest() {
    auto const smallest = *std::min_element(sizes.begin(), sizes.end());
    if (largest() == smallest)
        return false;
    most = largest() - 1;
    return true;
}

std::vector<Bytes> Setup::messages(Test const& test) const {
    std::vector<Bytes> result;
    for (Bytes const size : sizes)
        if (Bytes const bytes = message_bytes(test.kind, size, tasks); bytes > 0)
            program::add_once(result, bytes);
    return result;
}

Setup resolve(Options const& o, int tasks, Bytes usual_flush) {
    check(o, tasks);
    Setup s{o};
    s.tasks = tasks;
    if (o.flush_sizes || o.flush_repetitions || o.rules.flush_each)
        s.flush = o.flush_size.value_or(usual_flush);
    // Points of the record have coordinates that no other has.
    for (auto const& name : o.tests)
        program::add_once(s.tests, &test(name));
    Bytes const smallest = Bytes{1} << o.min_log;
    s.sizes = o.sizes   ? *o.sizes
              : o.range ? *o.range
                        : llcbench::sizes({.smallest = smallest,
                                           .last_log = o.max_log,
                                           .between = o.between,
                                           .multiple = std::min(smallest, sum_width)});
    check_sizes(s, o);
    return s;
}

void leave_too_large(Setup& setup, std::function<bool(Bytes)> const& fits) {
    while (!fits(setup.memory()))
        if (!setup.leave_largest())
            throw UsageError(
                fmt::format("messages of {} need {} of memory for each of the tasks on a host, which is not available",
                            measure::text_bytes(setup.largest()), measure::text_bytes(setup.memory())));
}

measure::Value describe(Setup const& s, Options const& o) {
    measure::Value::Array test_list;
    for (Test const* const t : s.tests)
        test_list.emplace_back(t->name);
    measure::Value value = measure::Value::Object{{"api", std::string{name(s.api)}},
                                                  {"tasks", s.tasks},
                                                  {"tests", std::move(test_list)},
                                                  {"sizes", measure::Value::Array(s.sizes.begin(), s.sizes.end())},
                                                  {"flush", s.flush}};
    option_table(s.api).describe(o, value);
    return value;
}

}  // namespace mpbench
