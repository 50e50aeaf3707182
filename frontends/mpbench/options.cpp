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
/// The size of a message is an int, and PVM adds its own bytes to it.
constexpr Bytes largest_size(Api api) { return api == Api::mpi ? std::numeric_limits<int>::max() : measure::gibi; }
constexpr Bytes sum_width = 4;
constexpr int most_tasks = 10'000;

std::vector<std::string> names(Api api) {
    std::vector<std::string> result;
    for (Test const& t : tests(api))
        result.emplace_back(t.name);
    return result;
}

/// Appends the names of --test to the tests that earlier letters selected.
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
    parser.heading("Tests, measured in the given order");
    for (Test const& t : tests(o.api))
        if (t.letter != '\0')
            parser.flag(fmt::format("-{}", t.letter), fmt::format("{}: {}", t.name, t.text),
                        [&o, name = t.name] { o.tests.emplace_back(name); });
    parser.option("--test", "LIST",
                  fmt::format("measure these tests: {}, all{}", fmt::join(names(o.api), ", "),
                              o.api == Api::mpi ? " (without the last three)" : ""),
                  o.tests, [&o](Argument const& list) { return with_names(o.api, o.tests, list); });
    if (o.api == Api::pvm)
        parser.option("--tasks", "P", "run P tasks: this program is the first and starts the others", o.tasks,
                      as::Int{.low = 2, .high = most_tasks});
}

using Table = program::OptionTable<Options>;

void add_messages(Table& rows, Api api) {
    rows.heading("Messages");
    rows.option("-m", "N", "send messages of up to 2^N bytes", &Options::max_log,
                as::Int{.low = 2, .high = largest_log})
        .last_wins();
    rows.option("--min", "N", "start with messages of 2^N bytes", &Options::min_log,
                as::Int{.low = 0, .high = largest_log})
        .unrecorded();
    rows.option("-x", "N", "add N sizes between consecutive powers of two", &Options::between,
                as::Int{.low = 0, .high = 1000})
        .last_wins();
    rows.option("-M,--size", "LIST", "measure these sizes instead: 4,1k,64K,1m", &Options::sizes,
                as::list_of(as::Size{.low = 1, .high = largest_size(api)}))
        .last_wins()
        .unrecorded();
    rows.option("--range", "LOW:HIGH:STEP", "measure these sizes in bytes instead", &Options::range,
                llcbench::SizeRange{.high = largest_size(api)})
        .unrecorded();
}

void add_method(Table& rows) {
    using program::path;
    rows.heading("Measurement");
    rows.option("-i", "N", "make N iterations between two readings of the timer",
                path(&Options::rules, &Rules::iterations), as::Integer{.low = 1, .high = 1'000'000'000})
        .last_wins()
        .key("iterations");
    rows.option("-e", "N", "repeat each size N times", &Options::repetitions, as::Int{.low = 1, .high = 1'000'000})
        .last_wins()
        .key("repetitions");
    rows.option("--max-volume", "SIZE", "limit the bytes that a size sends, by making fewer iterations, but at least 5",
                path(&Options::rules, &Rules::max_volume), as::Size{.low = 1});
    rows.option("--max-seconds", "DURATION", "limit the time of a size, by making fewer iterations",
                path(&Options::rules, &Rules::max_seconds), as::Duration{.above_zero = true});
    rows.flag("--exact-iterations", "make exactly the iterations of -i, without limits of volume and time",
              path(&Options::rules, &Rules::exact));
    rows.option("--stderr", "EPS", "repeat until this relative standard error; 0 = off",
                path(&Options::rules, &Rules::standard_error), as::Number{.low = 0, .high = 1})
        .key("standard_error");
    rows.flag("-f", "flush caches between sizes", &Options::flush_sizes).key("flush_sizes");
    rows.flag("-F", "flush caches between repetitions", &Options::flush_repetitions).key("flush_repetitions");
    rows.flag("-X", "flush caches before every iteration and time each separately",
              path(&Options::rules, &Rules::flush_each))
        .key("flush_each");
    rows.option("--flush-size", "SIZE", "flush with a buffer of this size", &Options::flush_size,
                as::Size{.low = 1, .high = 64 * measure::gibi})
        .unset("twice the last-level cache, 16 to 512 MiB")
        .unrecorded();
    rows.flag("--verify", "check the data of each size, untimed; exit with code 3 if they are wrong", &Options::verify);
}

void add_output(Table& rows) {
    rows.heading("Output");
    rows.option("--units", "NAME", "print rates in this unit: mb, kb (2^20, 2^10 bytes) or si (10^6 bytes) per second",
                &Options::units, as::Choice<Units>{{{"mb", Units::mb}, {"kb", Units::kb}, {"si", Units::si}}})
        .unrecorded();
    rows.option("--statistic", "NAME", "report this statistic of the loops: mean, median, best", &Options::statistic,
                llcbench::statistic_option());
    rows.part(llcbench::output_options({}), &Options::output);
}

void check(Options const& o, int tasks) {
    if (tasks < 2)
        throw UsageError(fmt::format("every test needs at least 2 tasks, but there is only {}", tasks));
    if (o.tests.empty())
        throw UsageError("no test is selected; use -b -r -l -c -y -z -d -a -B or --test LIST");
    if (o.sizes && o.range)
        throw UsageError("--range and --size cannot be combined");
    if (o.min_log > o.max_log)
        throw UsageError(fmt::format("--min: '{}' is more than -m ({})", o.min_log, o.max_log));
    check(o.output, "-o");
    if (o.flush_size && !(o.flush_sizes || o.flush_repetitions || o.rules.flush_each))
        throw UsageError("--flush-size: requires -f, -F or -X");
    if (o.rules.exact && o.rules.standard_error > 0)
        throw UsageError("--exact-iterations and --stderr cannot be combined");
}

void check_sizes(Setup const& s, Options const& o) {
    for (Test const* const t : s.tests)
        for (Bytes const size : s.sizes)
            if (adds(t->kind) && size % sum_width != 0)
                throw UsageError(
                    fmt::format("{}: {} bytes is not a multiple of {}, the size of the integers that {} adds",
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
    parser.closing("Task 0 is the master. In tests between two tasks the last task is the slave, and the\n"
                   "tasks between them are idle.");
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
    // Each point of the record needs unique coordinates.
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
            throw UsageError(fmt::format(
                "messages of {} need {} of memory for each task on a host, which is not available; select smaller "
                "ones with -m or --size",
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
