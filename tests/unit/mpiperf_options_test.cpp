// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/options.hpp"
#include "mpiperf/rules.hpp"
#include "mpiperf/suite.hpp"
#include "support/catch.hpp"

#include <measure/error.hpp>
#include <measure/report.hpp>

#include <mpi.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace {

using Catch::Matchers::ContainsSubstring;
using mpiperf::Options;
using mpiperf::progression;

using List = std::vector<std::int64_t>;

/// The checked options of a command line.
Options read(std::vector<std::string> const& arguments) {
    Options options;
    program::CommonOptions common;
    program::Parser parser{"mpiperf", "test"};
    mpiperf::declare(parser, options);
    program::declare(parser, mpiperf::suite().common, common);
    static_cast<void>(parser.parse(arguments));
    mpiperf::check(options, common);
    return options;
}

std::string fault(std::vector<std::string> const& arguments) {
    try {
        static_cast<void>(read(arguments));
    } catch (measure::UsageError const& error) {
        return error.what();
    }
    return "accepted";
}

std::vector<mpiperf::Test const*> just(std::string_view name) { return {&mpiperf::find_test(name)}; }

List integers(measure::Axis const& axis) {
    List list;
    for (auto const& value : axis.values)
        list.push_back(std::get<std::int64_t>(value));
    return list;
}

measure::Decision decide(Options const& options, std::vector<double> const& samples, std::int64_t attempts) {
    auto const plan = mpiperf::plan(options, {}, measure::MonotonicTimer{});
    return plan.stop({.samples = samples, .attempts = attempts});
}

}  // namespace

TEST_CASE("synchronisers of the paper use the settings of the paper unless options change them", "[mpiperf]") {
    auto const pair = [](std::string const& algorithm, std::vector<std::string> arguments = {}) {
        arguments.emplace_back("Bcast");
        return std::visit(
            [](auto const& sync) {
                if constexpr (requires { sync.pair; })
                    return sync.pair;
                else
                    return measure::PairOptions{};
            },
            mpiperf::sync(read(arguments), {.sync_alg = algorithm}));
    };
    for (char const* published : {"linear", "ring", "ring:plain"}) {
        CHECK_FALSE(pair(published).both_ways);
        CHECK(pair(published).channel == measure::OffsetChannel::messages);
        CHECK(pair(published, {"--offset-channel", "shared"}).channel == measure::OffsetChannel::shared);
    }
    for (char const* own : {"tree", "jk", "hca3", "hier", "auto"}) {
        CHECK(pair(own).both_ways);
        CHECK(pair(own).channel == measure::OffsetChannel::shared);
        CHECK(pair(own, {"--offset-channel", "messages"}).channel == measure::OffsetChannel::messages);
    }
    CHECK_THAT(fault({"--sync-drift", "on", "Bcast"}), ContainsSubstring("only works with --sync-alg hier or auto"));
    Options shared;
    shared.offset_channel = measure::OffsetChannel::shared;
    Options one;
    one.both_ways = false;
    for (auto const& [given, option] : {std::pair{&shared, "--offset-channel"}, {&one, "--offset-roles"}}) {
        CHECK_THROWS_WITH(mpiperf::check(*given, {.sync_alg = "none"}),
                          std::string{option} + ": cannot be combined with --sync-alg none, which compares no clocks");
        CHECK_NOTHROW(mpiperf::check(*given, {.sync_alg = "tree"}));
    }
    CHECK_NOTHROW(mpiperf::check({}, {.sync_alg = "none"}));
}

TEST_CASE("defaults match the paper and MPIPerf 0.0.3", "[mpiperf]") {
    auto const o = read({"Bcast"});
    CHECK(o.tests == std::vector<std::string>{"Bcast"});
    CHECK(o.min_count == 1);
    CHECK(o.max_count == 128);
    CHECK(o.min_runs == 10);
    CHECK(o.max_runs == 100);

    auto const plan = mpiperf::plan(o, {}, measure::MonotonicTimer{});
    CHECK(plan.warm_up == 4);
    CHECK(plan.stage == 8);
    CHECK(plan.combine == measure::Combine::max);
    CHECK(plan.estimate.trim == 0.25);
    CHECK(plan.estimate.confidence == 0.95);
    auto const& slot = std::get<measure::AutoStart>(plan.start).slot;
    CHECK(slot.growth == 1.1);
    CHECK(slot.invalid_share == 0.25);
    auto const& sync = std::get<measure::LinearSync>(slot.sync);
    CHECK(sync.pair.patience == 100);
    CHECK(sync.pair.estimator == measure::OffsetEstimator::min_rtt);
}

TEST_CASE("options may follow the test name and may be bundled", "[mpiperf]") {
    auto const o = read({"bcast", "-adx1k", "-X", "64KiB", "-S8", "-w", "SEC"});
    CHECK(o.no_trim);
    CHECK(o.cold);
    CHECK(o.min_count == 1024);
    CHECK(o.max_count == 65536);
    CHECK(o.count_step.multiply == 8);
    CHECK(o.scale == mpiperf::TimeScale::sec);
}

TEST_CASE("each start has two names", "[mpiperf]") {
    CHECK(read({"-z", "nosync"}).start == "free");
    CHECK(read({"--start", "free"}).start == "free");
    CHECK(read({"-z", "synctime"}).start == "slot");
    CHECK(read({"--start", "roundtime"}).start == "roundtime");
    CHECK_FALSE(read({}).start.has_value());
}

TEST_CASE("a wrong value is reported with its option", "[mpiperf]") {
    auto const [option, value] = GENERATE(table<std::string, std::string>({
        {"-p", "0"},
        {"-P", "0"},
        {"-g", "0"},
        {"-G", "1"},
        {"-x", "abc"},
        {"-x", "1XiB"},
        {"-x", "-4"},
        {"-X", "1e99"},
        {"-s", "0"},
        {"-s", "-1"},
        {"-S", "1"},
        {"-S", "0"},
        {"--median-interval", "0"},
        {"--noise", "0"},
        {"-e", "0"},
        {"-e", "-5"},
        {"-E", "0"},
        {"-c", "0"},
        {"--tests-per-compute", "0"},
        {"-r", "0"},
        {"-R", "0"},
        {"-z", "foo"},
        {"-w", "min"},
        {"-t", "nosuch"},
        {"--trim", "51"},
        {"--slot-scale", "1"},
        {"--confidence", "1"},
        {"--se", "best"},
        {"--align", "3"},
        {"--cold-blocks", "1"},
        {"--precision", "13"},
        {"--format", "xml"},
        {"--root", "-1"},
        {"--bcast-factor", "0"},
        {"--sync-patience", "0"},
        {"--time-of", "nobody"},
    }));
    auto const message = fault({option, value, "Bcast"});
    CAPTURE(option, value);
    CHECK_THAT(message, ContainsSubstring(option));
    CHECK_THAT(message, ContainsSubstring(value));
}

TEST_CASE("contradicting options are refused by name", "[mpiperf]") {
    CHECK_THAT(fault({"-p", "2", "-P", "1"}), ContainsSubstring("-p") && ContainsSubstring("-P"));
    CHECK_THAT(fault({"-x", "10", "-X", "5"}), ContainsSubstring("-x") && ContainsSubstring("-X"));
    CHECK_THAT(fault({"-r", "200", "-R", "100"}), ContainsSubstring("-r") && ContainsSubstring("-R"));
    CHECK_THAT(fault({"-r", "200"}), ContainsSubstring("200"));
    CHECK_THAT(fault({"-g", "1", "-G", "2"}), ContainsSubstring("cannot be combined"));
    CHECK_THAT(fault({"-s", "1", "-S", "2"}), ContainsSubstring("cannot be combined"));
    CHECK_THAT(fault({"-e", "5", "-E", "30"}), ContainsSubstring("both stopping rules"));
    CHECK_THAT(fault({"-e", "5", "--median-interval", "2"}), ContainsSubstring("-e are both stopping rules"));
    CHECK_THAT(fault({"-E", "5", "--median-interval", "2"}), ContainsSubstring("-E are both stopping rules"));
    CHECK_THAT(fault({"-e", "5", "--stop", "count:30"}), ContainsSubstring("--stop and -e are both stopping rules"));
    CHECK_THAT(fault({"--stop", "count:30", "-z", "nosync"}), ContainsSubstring("-z nosync: takes no stopping rule"));
    CHECK_THAT(fault({"--batch", "4", "-z", "nosync"}), ContainsSubstring("cannot be combined with --batch"));
    CHECK_THAT(fault({"--stop", "count:30", "--first-calls", "5"}), ContainsSubstring("cannot be combined"));
    CHECK_THAT(fault({"--median-interval", "2", "-R", "23"}), ContainsSubstring("at least 24 runs"));
    CHECK(fault({"--median-interval", "2", "-R", "24"}) == "accepted");
    CHECK_THAT(fault({"--median-interval", "2", "-z", "nosync"}), ContainsSubstring("nosync"));
    CHECK_THAT(fault({"--noise", "1s", "--check"}), ContainsSubstring("cannot be combined"));
    CHECK_THAT(fault({"--noise", "1s", "-p", "1"}), ContainsSubstring("-p: --noise always uses all processes"));
    CHECK_THAT(fault({"-j", "-P", "1"}), ContainsSubstring("-P: -j always uses all processes"));
    CHECK(fault({"--check", "-p", "1"}) == "accepted");
    CHECK_THAT(fault({"-t", "all"}), ContainsSubstring("--check"));
    CHECK(fault({"-t", "all", "--check"}) == "accepted");
    CHECK_THAT(fault({"--check", "Bcast"}), ContainsSubstring("Bcast"));
    CHECK_THAT(fault({"--check", "-z", "nosync"}), ContainsSubstring("nosync"));
}

TEST_CASE("an option that does not exist is reported as unknown", "[mpiperf]") {
    auto const option = GENERATE("--nosuch", "--measure");
    CHECK_THAT(fault({option}), ContainsSubstring("unknown option"));
}

TEST_CASE("counts grow by the requested step and include the maximum only if requested", "[mpiperf]") {
    CHECK(progression(1, 128, {}, false) == List{1, 2, 4, 8, 16, 32, 64, 128});
    CHECK(progression(1, 100, {}, false) == List{1, 2, 4, 8, 16, 32, 64});
    CHECK(progression(1, 100, {}, true) == List{1, 2, 4, 8, 16, 32, 64, 100});
    CHECK(progression(1, 128, {}, true) == List{1, 2, 4, 8, 16, 32, 64, 128});
    CHECK(progression(1024, 65536, {.multiply = 8}, false) == List{1024, 8192, 65536});
    CHECK(progression(2, 9, {.add = 3}, false) == List{2, 5, 8});
    CHECK(progression(7, 7, {}, false) == List{7});
}

TEST_CASE("the count after 0 is 1", "[mpiperf]") {
    CHECK(progression(0, 4, {}, false) == List{0, 1, 2, 4});
    CHECK(progression(0, 0, {}, false) == List{0});
    CHECK(progression(0, 4, {.add = 2}, false) == List{0, 2, 4});
}

TEST_CASE("counts near the maximum do not overflow", "[mpiperf]") {
    auto const most = std::numeric_limits<std::int64_t>::max();
    CHECK(progression(most - 1, most, {.add = 1}, false) == List{most - 1, most});
    CHECK(progression(most - 1, most, {}, false) == List{most - 1});
}

TEST_CASE("a test can have its own counts, sorted and without duplicates", "[mpiperf]") {
    CHECK(mpiperf::named_test("Bcast").counts.empty());
    CHECK(mpiperf::named_test("Bcast:4K,8,0,8").name == "Bcast");
    CHECK(mpiperf::named_test("Bcast:4K,8,0,8").counts == List{0, 8, 4096});

    auto const o = read({"bcast:8,20", "Allreduce", "-X", "2"});
    CHECK(mpiperf::own_counts(o, "Bcast") == List{8, 20});
    CHECK(mpiperf::own_counts(o, "Allreduce").empty());
    CHECK(mpiperf::own_counts(o, "Gather").empty());
    auto const bcast = mpiperf::benchmark_of(mpiperf::find_test("Bcast"), o);
    REQUIRE(bcast.axes.size() == 1);
    CHECK(bcast.axes[0].name == "count");
    CHECK(integers(bcast.axes[0]) == List{8, 20});
    CHECK(mpiperf::benchmark_of(mpiperf::find_test("Allreduce"), o).axes.empty());
    CHECK(integers(mpiperf::axes(o, just("Allreduce"), 2)[1]) == List{1, 2});
}

TEST_CASE("own counts are rounded to whole elements of a datatype and must be transferable", "[mpiperf]") {
    // Elements have 16 bytes: 1, 16, 17 become 16, 16, 32.
    auto const o = read({"--datatype", "vector:2:4", "Bcast:1,16,17"});
    CHECK(integers(mpiperf::benchmark_of(mpiperf::find_test("Bcast"), o).axes.at(0)) == List{16, 32});
    bodies::CountLimits const narrow{.has_wide_calls = false};
    auto const big = read({"Allreduce:8,4GiB", "Gather"});
    CHECK_THROWS_WITH(mpiperf::axes(big, just("Allreduce"), 2, narrow), ContainsSubstring("4294967296"));
    CHECK_NOTHROW(mpiperf::axes(big, just("Gather"), 2, narrow));
}

TEST_CASE("a wrong list of counts is refused with the test", "[mpiperf]") {
    CHECK(fault({"Bcast:"}) == "'Bcast:': a count is missing (TEST:COUNT[,COUNT..])");
    CHECK(fault({"Bcast:8,"}) == "'Bcast:8,': a count is missing (TEST:COUNT[,COUNT..])");
    CHECK_THAT(fault({"Bcast:8,abc"}), ContainsSubstring("Bcast:8,abc: 'abc' is not a size"));
    CHECK_THAT(fault({"Bcast:-4"}), ContainsSubstring("Bcast:-4: '-4' is out of range"));
    CHECK_THAT(fault({"Bcast:1:2"}), ContainsSubstring("'1:2' is not a size"));
    CHECK_THAT(fault({"Bcast:8", "bcast:9"}), ContainsSubstring("bcast:9: the test is named twice"));
    CHECK_THAT(fault({"Bcast:8", "Bcast"}), ContainsSubstring("Bcast: the test is named twice"));
    CHECK_THAT(fault({"Bcast", "Bcast:8"}), ContainsSubstring("Bcast:8: the test is named twice"));
    CHECK(fault({"Bcast", "Bcast"}) == "accepted");
    CHECK_THAT(fault({"--check", "Bcast:8"}), ContainsSubstring("'Bcast:8'"));
}

TEST_CASE("the record has the counts of -x and -X if a test uses them", "[mpiperf]") {
    auto const described = [](std::vector<std::string> const& arguments) {
        auto const o = read(arguments);
        auto const value = mpiperf::describe(o, {}, mpiperf::axes(o, just("Bcast"), 2), false);
        return measure::json_text(*value.find("tests")) + " " + measure::json_text(*value.find("count"));
    };
    CHECK(described({"Bcast:8,4K", "Gather", "-X", "2"}) == R"(["Bcast:8,4K","Gather"] [1,2])");
    CHECK(described({"Bcast:8,4K", "Gather:1"}) == R"(["Bcast:8,4K","Gather:1"] null)");
}

TEST_CASE("a threaded test with counts requests thread support too", "[mpiperf]") {
    auto const level = mpiperf::suite().thread_level;
    CHECK(level({"mpiperf", "thread_pingpong:8,64"}) == MPI_THREAD_MULTIPLE);
    CHECK(level({"mpiperf", "Bcast:8"}) == MPI_THREAD_SINGLE);
}

TEST_CASE("by default all ranks of the world are measured", "[mpiperf]") {
    CHECK(integers(mpiperf::axes(read({}), just("Bcast"), 6)[0]) == List{6});
    CHECK(integers(mpiperf::axes(read({"-p", "1"}), just("Bcast"), 6)[0]) == List{1, 2, 4, 6});
    CHECK(integers(mpiperf::axes(read({"-p", "2"}), just("Bcast"), 5)[0]) == List{2, 4, 5});
    CHECK(integers(mpiperf::axes(read({"-p", "1", "-P", "6", "-g", "4"}), just("Bcast"), 8)[0]) == List{1, 5, 6});
    CHECK(integers(mpiperf::axes(read({"-P", "3"}), just("Bcast"), 6)[0]) == List{3});
    CHECK(integers(mpiperf::axes(read({"-p", "2", "-g", "2"}), just("Bcast"), 6)[0]) == List{2, 4, 6});
}

TEST_CASE("by default waits are checked on several numbers of processes up to all", "[mpiperf]") {
    using Sizes = std::vector<std::int64_t>;
    CHECK(mpiperf::sizes_to_check(read({}), 6) == Sizes{1, 2, 4, 6});
    CHECK(mpiperf::sizes_to_check(read({"-p", "2", "-P", "4", "-g", "1"}), 6) == Sizes{2, 3, 4});
    CHECK_THROWS_WITH(mpiperf::sizes_to_check(read({"-p", "3"}), 2), ContainsSubstring("-p"));
    CHECK_THROWS_WITH(mpiperf::sizes_to_check(read({"-P", "3"}), 2), ContainsSubstring("-P"));
}

TEST_CASE("a report by process cannot be the record or the configuration file", "[mpiperf]") {
    mpiperf::Options o;
    o.per_process = "./x";
    CHECK_THROWS_WITH(mpiperf::check(o, {.json = "x"}), ContainsSubstring("--json"));
    CHECK_THROWS_WITH(mpiperf::check(o, {.config = "x"}), ContainsSubstring("--config"));
    CHECK_NOTHROW(mpiperf::check(o, {.json = "y"}));
}

TEST_CASE("values that do not fit the world are refused", "[mpiperf]") {
    CHECK_THROWS_WITH(mpiperf::axes(read({"-p", "3"}), just("Bcast"), 2), ContainsSubstring("-p"));
    CHECK_THROWS_WITH(mpiperf::axes(read({"-P", "3"}), just("Bcast"), 2), ContainsSubstring("-P"));
    CHECK_THROWS_WITH(mpiperf::axes(read({"--root", "2"}), just("Bcast"), 2), ContainsSubstring("--root"));
    CHECK_NOTHROW(mpiperf::axes(read({"--root", "2"}), just("Alltoall"), 2));
}

TEST_CASE("a count that needs large-count functions is refused with its value if they are missing", "[mpiperf]") {
    bodies::CountLimits const narrow{.has_wide_calls = false};
    auto const big = read({"-x", "4GiB", "-X", "4GiB"});
    CHECK_THROWS_WITH(mpiperf::axes(big, just("Allreduce"), 2, narrow), ContainsSubstring("4294967296"));
    CHECK_NOTHROW(mpiperf::axes(big, just("Bcast"), 2, narrow));
    CHECK_NOTHROW(mpiperf::axes(big, just("Barrier"), 2, narrow));
    // 3 displacements of 1 GiB: the last is 2 GiB, which exceeds the largest int by one.
    auto const packed = read({"-x", "1GiB", "-X", "1GiB"});
    CHECK_THROWS_WITH(mpiperf::axes(packed, just("Alltoallw"), 3, narrow), ContainsSubstring("1073741824"));
    CHECK_NOTHROW(mpiperf::axes(packed, just("Alltoallw"), 2, narrow));
}

TEST_CASE("rule 1 needs 30 valid runs of at least 10 and stops at 100", "[mpiperf]") {
    auto const o = read({});
    std::vector<double> const thirty(30, 1e-6);
    std::vector<double> const some(29, 1e-6);
    CHECK(decide(o, thirty, 32) == measure::StopVerdict::converged);
    CHECK(decide(o, some, 96) == measure::StopVerdict::more);
    CHECK(decide(o, some, 104) == measure::StopVerdict::exhausted);

    std::vector<double> const five(5, 1e-6);
    CHECK(decide(read({"-E", "5"}), five, 8) == measure::StopVerdict::more);
    CHECK(decide(read({"-E", "5"}), five, 16) == measure::StopVerdict::converged);
}

TEST_CASE("rule 2 uses a relative error, which may be a fraction of a per cent", "[mpiperf]") {
    // Alternating 9 and 11: mean 10, s = sqrt(10/9) = 1.0541 for ten runs, standard error 0.3333, relative 0.0333.
    std::vector<double> const xs{9, 11, 9, 11, 9, 11, 9, 11, 9, 11};
    CHECK(decide(read({"-e", "5"}), xs, 16).reason == "relative_error");
    CHECK(decide(read({"-e", "3.4"}), xs, 16) == measure::StopVerdict::converged);
    CHECK(decide(read({"-e", "3.3"}), xs, 16) == measure::StopVerdict::more);
    CHECK(decide(read({"-e", "0.5"}), xs, 96) == measure::StopVerdict::more);
    CHECK(decide(read({"-e", "0.5"}), xs, 100) == measure::StopVerdict::exhausted);
}

TEST_CASE("the rule of the library needs a narrow median interval in two stages of at least 16 runs", "[mpiperf]") {
    auto const o = read({"--median-interval", "1", "-R", "64"});
    CHECK(o.median_interval == 0.01);
    CHECK(mpiperf::fewest_for_median(o) == 16);
    CHECK(mpiperf::fewest_for_median(read({"--median-interval", "1", "-r", "40"})) == 40);
    auto const plan = mpiperf::plan(o, {}, measure::MonotonicTimer{});
    std::vector<double> const samples(24, 1.0);
    auto const after = [&](std::size_t n, std::size_t before) {
        return plan.stop({.samples = std::span{samples}.first(n), .attempts = std::ssize(samples), .previous = before});
    };
    CHECK(after(16, 8) == measure::StopVerdict::more);
    CHECK(after(24, 16) == measure::StopVerdict::converged);
    CHECK(after(24, 16).reason == "interval");
    std::vector<double> spread(64, 1.0);
    std::fill(spread.begin(), spread.begin() + 32, 1.5);
    CHECK(plan.stop({.samples = spread, .attempts = 64, .previous = 56}) == measure::StopVerdict::exhausted);
}

TEST_CASE("without synchronisation all calls are one sample after one warm-up call", "[mpiperf]") {
    auto const plan = mpiperf::plan(read({"-z", "nosync", "-R", "50"}), {}, measure::MonotonicTimer{});
    CHECK(std::holds_alternative<measure::FreeStart>(plan.start));
    CHECK(std::get<measure::FixedCount>(plan.batch).iterations == 50);
    CHECK(plan.stage == 1);
    CHECK(plan.warm_up == 1);
    CHECK(plan.stop({.samples = std::vector<double>{1e-6}, .attempts = 1}) == measure::StopVerdict::converged);
}

TEST_CASE("round-time has a limit of 0.5 s per point", "[mpiperf]") {
    auto const plan = mpiperf::plan(read({"-z", "roundtime"}), {}, measure::MonotonicTimer{});
    std::vector<double> const xs(20, 1e-6);
    CHECK(plan.stop({.samples = xs, .attempts = 20, .spent = measure::seconds{0.49}}) == measure::StopVerdict::more);
    CHECK(plan.stop({.samples = xs, .attempts = 20, .spent = measure::seconds{0.5}}) ==
          measure::StopVerdict::exhausted);
}

TEST_CASE("options that reintroduce an error of the original are named", "[mpiperf]") {
    CHECK(mpiperf::deviations(read({})).empty());
    CHECK(mpiperf::deviations(read({"--no-warmup", "--time-of", "root", "--rotate-root", "-z", "barrier"})) ==
          std::vector<std::string>{"--no-warmup", "--time-of root", "--rotate-root", "-z barrier"});
    CHECK(mpiperf::deviations(read({"-z", "nosync"})) == std::vector<std::string>{"-z nosync"});
}

TEST_CASE("the point of a reduction counts doubles", "[mpiperf]") {
    auto const bytes = [](char const* test) {
        measure::Point at{{"ranks", std::int64_t{2}}, {"count", std::int64_t{3}}};
        mpiperf::benchmark_of(mpiperf::find_test(test), {}).complete(at);
        return at.bytes("bytes");
    };
    CHECK(bytes("Allreduce") == 24);
    CHECK(bytes("Bcast") == 3);
    CHECK(bytes("Barrier") == 0);
}
