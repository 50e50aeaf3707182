// SPDX-License-Identifier: BSD-3-Clause
#include "llcbench/points.hpp"
#include "operation.hpp"
#include "options.hpp"
#include "report.hpp"
#include "result.hpp"
#include "rules.hpp"
#include "support/catch.hpp"
#include "support/kiwi.hpp"

#include <measure/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace {

using cachebench::Arena;
using cachebench::Figures;
using cachebench::Operation;
using cachebench::Options;
using cachebench::Report;
using cachebench::Setup;
using cachebench::Task;
using cachebench::Timed;
using measure::Bytes;
using measure::mebi;
using test::environment;
using test::kiwi;
using test::number;
using test::parsed;
using test::Words;

Setup setup(Words const& arguments, bool terminal = false) {
    return resolve(parsed<Options>(arguments), kiwi(), terminal);
}

Words tests_of(Words const& arguments, bool terminal = false) {
    Words result;
    for (auto const* const test : setup(arguments, terminal).tests)
        result.emplace_back(test->name);
    return result;
}

/// Blocks of these lengths, s.
Timed timed(std::vector<double> const& times, std::int64_t passes) {
    Timed t{.passes = passes};
    t.blocks = llcbench::measurement(times, {measure::Verdict::converged, "budget"}, {});
    return t;
}

Task task(std::string_view test, std::string_view type, Bytes bytes, std::string_view flavour = "user") {
    return {&cachebench::test(test), &cachebench::type(type), &cachebench::flavour(flavour), bytes, 1};
}

}  // namespace

TEST_CASE("bytes count once, and twice for read/modify/write and memcpy", "[cachebench]") {
    auto const read = counts(cachebench::test("read"), 8, 336);
    CHECK((read.n == 42 && read.touched == 336 && read.references == 42 && read.counted == 336));
    auto const rmw = counts(cachebench::test("rmw"), 8, 336);
    CHECK((rmw.n == 42 && rmw.touched == 336 && rmw.references == 84 && rmw.counted == 672));
    auto const set = counts(cachebench::test("memset"), 8, 336);
    CHECK((set.n == 336 && set.touched == 336 && set.references == 336 && set.counted == 336));
    auto const copy = counts(cachebench::test("memcpy"), 8, 336);
    CHECK((copy.n == 336 && copy.touched == 336 && copy.references == 672 && copy.counted == 672));
}

TEST_CASE("the tuned loops leave out what does not fill eight and do not count it", "[cachebench]") {
    for (auto const* const name : {"handread", "handwrite"}) {
        auto const c = counts(cachebench::test(name), 8, 336);
        CHECK((c.n == 40 && c.touched == 320 && c.references == 40 && c.counted == 320));
    }
    auto const c = counts(cachebench::test("handrmw"), 4, 340);
    CHECK((c.n == 80 && c.touched == 320 && c.references == 160 && c.counted == 640));
}

TEST_CASE("latency counts nodes of a cache line", "[cachebench]") {
    auto const c = counts(cachebench::test("latency"), 8, 1000);
    CHECK((c.n == 15 && c.touched == 960 && c.references == 15 && c.counted == 0));
    CHECK(smallest(cachebench::test("latency"), 8) == 128);
    CHECK(smallest(cachebench::test("handread"), 8) == 64);
    CHECK(smallest(cachebench::test("memset"), 8) == 8);
}

TEST_CASE("rate and time per access come from all passes together", "[cachebench]") {
    // 1 MiB of doubles, two blocks of two passes: 4 MiB in 4 ms.
    auto const read = figures(counts(cachebench::test("read"), 8, mebi), std::array{1e-3, 3e-3}, 2);
    CHECK(*read.rate == Catch::Approx(1000));
    CHECK(read.nanoseconds == Catch::Approx(4e6 / (4 * 131072.0)));
    CHECK(read.best == Catch::Approx(2000));
    CHECK(read.deviation == Catch::Approx((2000 - 2000 / 3.0) / std::sqrt(2.0)));
    CHECK(read.passes == 4);
    auto const rmw = figures(counts(cachebench::test("rmw"), 8, mebi), std::array{1e-3, 3e-3}, 2);
    CHECK(*rmw.rate == Catch::Approx(2000));
    CHECK(rmw.nanoseconds == Catch::Approx(2e6 / (4 * 131072.0)));
}

TEST_CASE("rate and time per access agree for each test and type", "[cachebench]") {
    for (auto const& test : cachebench::tests())
        for (auto const& type : cachebench::types()) {
            auto const c = counts(test, type.width, 4096);
            auto const f = figures(c, std::array{2e-3}, 100);
            bool const is_call = test.work == cachebench::Work::set || test.work == cachebench::Work::copy;
            if (c.counted == 0)
                CHECK_FALSE(f.rate.has_value());
            else
                CHECK(*f.rate == Catch::Approx((is_call ? 1 : static_cast<double>(type.width)) / 1048576 /
                                               (f.nanoseconds * 1e-9)));
            CHECK_FALSE(f.deviation.has_value());
        }
}

TEST_CASE("copies add up to what the machine delivers", "[cachebench]") {
    std::array const two{Figures{.nanoseconds = 2, .rate = 100, .best = 110, .deviation = 3, .passes = 5},
                         Figures{.nanoseconds = 2, .rate = 100, .best = 120, .deviation = 4, .passes = 6}};
    auto const all = cachebench::sum(two);
    CHECK(*all.rate == Catch::Approx(200));
    CHECK(all.nanoseconds == Catch::Approx(1));
    CHECK(all.best == Catch::Approx(230));
    CHECK(all.deviation == Catch::Approx(5));
    CHECK(all.passes == 11);
    // What is not known of one is not known of all.
    CHECK_FALSE(cachebench::sum(std::array{two[0], Figures{.nanoseconds = 2, .rate = 100, .best = 120}}).deviation);
}

TEST_CASE("vectors start at their alignment plus the offset, with the pad between them", "[cachebench]") {
    CHECK(Arena::bytes({.align = 64, .offset = 8, .pad = 100}, 256, true) == 704);
    CHECK(Arena::bytes({.align = 64, .offset = 8, .pad = 100}, 256, false) == 320);
    Arena const arena{{.align = 4096, .offset = 24}, 10000, true};
    auto const distance = [&](Bytes size) {
        return static_cast<std::byte*>(arena.second(size)) - static_cast<std::byte*>(arena.first(size));
    };
    CHECK(reinterpret_cast<std::uintptr_t>(arena.first(10000)) % 4096 == 24);
    CHECK(distance(10000) == 12288);
    CHECK(distance(1000) == 4096);  // shorter vectors lie closer
}

TEST_CASE("every kernel of every flavour does what is checked, and damage is found", "[cachebench]") {
    Arena const arena{{}, 4096, true};
    for (auto const& test : cachebench::tests())
        for (auto const& type : cachebench::types())
            for (auto const& flavour : cachebench::flavours())
                for (Bytes const bytes : {336, 4096}) {
                    INFO(test.name << " " << type.name << " " << flavour.name << " " << bytes);
                    Operation operation{{&test, &type, &flavour, bytes, 1}, arena};
                    for (std::int64_t const passes : {1, 2, 300}) {
                        operation.make_ready(passes);
                        operation.run(passes);
                        CHECK_FALSE(operation.defect().has_value());
                    }
                    operation.damage();
                    CHECK(operation.defect().has_value());
                }
}

TEST_CASE("floats count further than a float can", "[cachebench]") {
    Bytes const bytes = 72 * mebi;  // 18.9 million elements, more than 2^24
    Arena const arena{{}, bytes, false};
    for (auto const* const name : {"read", "handread"}) {
        Operation operation{task(name, "float", bytes), arena};
        operation.run(3);
        CHECK_FALSE(operation.defect().has_value());
    }
    Operation small{task("read", "float", 64), arena};
    small.run(20'000'000 / 16);
    CHECK_FALSE(small.defect().has_value());

    Operation rising{task("rmw", "float", 64), arena};
    CHECK(rising.longest_block() < (1 << 24));
    for (int i = 0; i < 5; ++i) {
        rising.make_ready(rising.longest_block());
        rising.run(rising.longest_block());
        CHECK_FALSE(rising.defect().has_value());
    }
}

TEST_CASE("a defect names the element", "[cachebench]") {
    Arena const arena{{}, 256, false};
    Operation operation{task("memset", "double", 256), arena};
    operation.run(1);
    operation.damage();
    CHECK(operation.defect() == "element 128 is 241, not 240");
}

TEST_CASE("a cycle holds all of its nodes", "[cachebench]") {
    for (std::int64_t const n : {1, 2, 3, 1000}) {
        std::vector<std::byte> memory(static_cast<std::size_t>(n * cachebench::node));
        CHECK(cachebench::make_cycle(memory.data(), n, 7) == n);
    }
}

TEST_CASE("a cycle is no straight walk, and the seed decides", "[cachebench]") {
    constexpr std::int64_t n = 64;
    auto const links = [&](std::uint64_t seed) {
        std::vector<std::byte> memory(static_cast<std::size_t>(n * cachebench::node));
        CHECK(cachebench::make_cycle(memory.data(), n, seed) == n);
        std::vector<std::ptrdiff_t> steps;
        for (std::int64_t i = 0; i < n; ++i) {
            std::byte const* next = nullptr;
            std::memcpy(&next, memory.data() + i * cachebench::node, sizeof next);
            steps.push_back(next - memory.data());
        }
        return steps;
    };
    CHECK(links(1) == links(1));
    CHECK(links(1) != links(2));
    auto const steps = links(1);
    CHECK(std::adjacent_find(steps.begin(), steps.end(), std::greater<>{}) != steps.end());
}

TEST_CASE("a fixed number of passes is one block that is measured once", "[cachebench]") {
    Arena const arena{{}, 4096, false};
    Operation operation{task("handread", "double", 4096), arena};
    cachebench::Stopwatch const watch{.timer = measure::MonotonicRawTimer{}, .resolution = measure::seconds{1e-9}};
    auto const t = time_point(operation, {.constant_iterations = 5000}, watch, false);
    CHECK(t.passes == 5000);
    CHECK(t.blocks.samples.size() == 1);
    CHECK(t.stands());
    cachebench::Stopwatch const coarse{.timer = measure::MonotonicRawTimer{}, .resolution = measure::seconds{10}};
    auto const short_one = time_point(operation, {.constant_iterations = 1}, coarse, false);
    CHECK(short_one.too_short);
    CHECK_FALSE(short_one.stands());
    CHECK(time_point(operation, {.constant_iterations = 10}, watch, true).defect.has_value());
}

TEST_CASE("a record has the rate in bytes, and the time of an access", "[cachebench]") {
    auto const work = counts(cachebench::test("handrmw"), 8, mebi + 8);
    auto const r = record("handrmw", {{"bytes", mebi + 8}}, timed({1e-3, 3e-3}, 2), work);
    CHECK(r.quantity == measure::Quantity::bandwidth);
    CHECK(*r.value == Catch::Approx(2000.0 * 1048576));
    CHECK(r.iterations_per_sample == 2);
    CHECK(number(r.derived, "time_per_access") == Catch::Approx(4e-3 / (8 * 131072)));
    CHECK(number(r.derived, "best_bandwidth") == Catch::Approx(4000.0 * 1048576));
    CHECK(std::get<std::int64_t>(r.derived.find("passes")->data()) == 4);
    CHECK(std::get<std::int64_t>(r.derived.find("bytes_touched")->data()) == mebi);
    CHECK(r.samples.at(0).time == Catch::Approx(0.5e-3));
    CHECK(8 / *r.value == Catch::Approx(number(r.derived, "time_per_access")));
}

TEST_CASE("the record of latency has the time of one load", "[cachebench]") {
    auto const work = counts(cachebench::test("latency"), 8, 640);
    auto const r = record("latency", {{"bytes", std::int64_t{640}}}, timed({1e-3}, 100), work);
    CHECK(r.quantity == measure::Quantity::time);
    CHECK(*r.value == Catch::Approx(1e-6));
    CHECK(r.samples.at(0).time == Catch::Approx(1e-5));
}

TEST_CASE("a number that does not stand is not in the record", "[cachebench]") {
    auto const work = counts(cachebench::test("read"), 8, 256);
    auto broken = timed({1e-3}, 1);
    broken.defect = "element 3 is 4, not 5";
    auto const crashed = record("read", {}, broken, work);
    CHECK(crashed.outcome == measure::Outcome::crashed);
    CHECK(crashed.reason == "element 3 is 4, not 5");
    CHECK_FALSE(crashed.value.has_value());
    auto short_one = timed({1e-9}, 1);
    short_one.too_short = true;
    auto const none = record("read", {}, short_one, work);
    CHECK(none.outcome == measure::Outcome::no_valid_samples);
    CHECK_FALSE(none.value.has_value());
    auto const never = record("read", {}, timed({}, 1), work);
    CHECK(never.outcome == measure::Outcome::skipped);
    CHECK(never.reason == "time_budget");
}

TEST_CASE("page faults are those of a pass, not of a block", "[cachebench]") {
    auto const work = counts(cachebench::test("read"), 8, 256);
    auto many = timed({1e-3, 1e-3}, 1000);
    many.blocks.settling = {.faults_counted = 20, .faults_all_ranks = 20};
    auto const settled = record("read", {}, many, work);
    CHECK_FALSE(settled.has_flag("unsettled"));
    CHECK(number(*settled.derived.find("settling"), "faults_counted") == Catch::Approx(0.01));
    many.blocks.settling = {.faults_counted = 21, .faults_all_ranks = 21};
    CHECK(record("read", {}, many, work).has_flag("unsettled"));
}

TEST_CASE("what is measured without a test option depends on where it is printed", "[cachebench]") {
    CHECK(tests_of({}) == Words{"rmw"});
    CHECK(tests_of({}, true) == Words{"read", "write", "rmw", "memset", "memcpy"});
    CHECK(setup({}).repetitions == 1);
    CHECK(setup({}, true).repetitions == 2);
    CHECK(setup({"-o", "x"}, true).tests.size() == 1);
    CHECK_FALSE(setup({"--format", "csv"}, true).terminal);
}

TEST_CASE("letters are measured in the order of the original, names in the order given", "[cachebench]") {
    CHECK(tests_of({"-rwbsp", "-x1", "-m10", "-d0.05", "-e2"}) == Words{"memset", "memcpy", "read", "write", "rmw"});
    CHECK(tests_of({"-tr"}) == Words{"handread"});
    CHECK(tests_of({"-t"}) == Words{"handread", "handwrite", "handrmw"});
    CHECK(tests_of({"-ts"}) == Words{"memset", "handread", "handwrite", "handrmw"});
    CHECK(tests_of({"--test", "write,READ"}) == Words{"write", "read"});
    CHECK(tests_of({"--latency"}) == Words{"latency"});
    CHECK(tests_of({"--test", "all"}).size() == 9);
}

TEST_CASE("bundled options carry their values", "[cachebench]") {
    auto const s = setup({"-rwbsp", "-x1", "-m10", "-d0.05", "-e2"});
    CHECK(s.sizes == std::vector<Bytes>{256, 384, 512, 768, 1024});
    CHECK(s.rules.duration.count() == 0.05);
    CHECK(s.repetitions == 2);
}

TEST_CASE("sizes are multiples of the element", "[cachebench]") {
    CHECK(setup({"-x", "2", "-m", "9", "--type", "int"}).sizes == std::vector<Bytes>{256, 340, 424, 512});
    CHECK(setup({"-x", "2", "-m", "9", "--type", "char"}).sizes == std::vector<Bytes>{256, 341, 426, 512});
    CHECK(setup({"--size", "1M,100,96,4k"}).sizes == std::vector<Bytes>{mebi, 96, 4096});
}

TEST_CASE("the default is five seconds, up to 16 MiB, one size between powers", "[cachebench]") {
    auto const s = setup({});
    CHECK(s.rules.duration.count() == 5);
    CHECK(s.sizes.size() == 33);
    CHECK(s.sizes.back() == 16 * mebi);
    CHECK(s.flush == 16 * mebi);
    CHECK(setup({"-N"}).flush == 0);
    CHECK(s.type->name == "double");
    CHECK(s.flavour->name == "user");
    CHECK(s.layout.align == 64);
}

TEST_CASE("wrong options are named", "[cachebench]") {
    std::vector<std::pair<Words, std::string>> const wrong{{{"-m", "8"}, "-m"},
                                                           {{"-m", "abc"}, "-m"},
                                                           {{"-m", "70"}, "-m"},
                                                           {{"-e", "0"}, "-e"},
                                                           {{"-x", "-1"}, "-x"},
                                                           {{"-d", "-1"}, "-d"},
                                                           {{"-d", "0"}, "-d"},
                                                           {{"--type", "foo"}, "--type"},
                                                           {{"--flavour", "foo"}, "--flavour"},
                                                           {{"--size", "0"}, "--size"},
                                                           {{"--size", "7"}, "--size"},
                                                           {{"-t", "--size", "56"}, "--size"},
                                                           {{"--latency", "--size", "64"}, "--size"},
                                                           {{"--test", "foo"}, "--test"},
                                                           {{"--test", "read", "-r"}, "--test"},
                                                           {{"--offset", "4"}, "--offset"},
                                                           {{"--align", "48"}, "--align"},
                                                           {{"--copies", "0"}, "--copies"},
                                                           {{"--constant-iterations", "0"}, "--constant-iterations"},
                                                           {{"--info"}, "--info"},
                                                           {{"--timestamp"}, "--timestamp"},
                                                           {{"--plain", "--format", "csv"}, "--plain"},
                                                           {{"extra"}, "extra"}};
    for (auto const& [arguments, name] : wrong) {
        INFO(arguments.front() << " " << arguments.back());
        CHECK_THROWS_AS(setup(arguments), measure::UsageError);
        CHECK_THROWS_WITH(setup(arguments), Catch::Matchers::ContainsSubstring(name));
    }
    CHECK_THROWS_WITH(setup({"-r", "--size", "4"}), "--size: '4' is too small for read (at least 8 bytes)");
}

TEST_CASE("vectors that do not fit into memory are refused with both numbers", "[cachebench]") {
    CHECK_THROWS_WITH(setup({"-r", "-m", "40"}), Catch::Matchers::ContainsSubstring("-m: vectors of 1 TiB") &&
                                                     Catch::Matchers::ContainsSubstring("4 GiB are available"));
    CHECK_NOTHROW(setup({"-r", "-N", "-m", "32"}));
    CHECK_THROWS_AS(setup({"-r", "-m", "32"}), measure::UsageError);        // no room for the flush
    CHECK_THROWS_AS(setup({"-p", "-N", "-m", "32"}), measure::UsageError);  // two vectors
    CHECK_THROWS_AS(setup({"-r", "-N", "-m", "32", "--copies", "2"}), measure::UsageError);
}

TEST_CASE("a terminal gets the table of the original", "[cachebench]") {
    auto const s = setup({"-t", "-b"}, true);
    std::ostringstream out;
    Report report{out, s, kiwi()};
    report.begin(cachebench::test("handrmw"), environment());
    report.row({.bytes = 256, .figures = Figures{.nanoseconds = 0.2284, .rate = 33400.504}});
    report.row({.bytes = 384, .figures = Figures{.nanoseconds = 0.1142, .rate = 66801.0}});
    CHECK(out.str() == "\n\t\tTuned double RMW Cache Test\n\n"
                       "C Size\t\tNanosec\t\tMB/sec\t\t% Chnge\n"
                       "-------\t\t-------\t\t-------\t\t-------\n"
                       "256             0.2284          33400.50        1.00\n"
                       "384             0.1142          66801.00        0.50\n");
}

TEST_CASE("a file gets a head and numbers", "[cachebench]") {
    auto const s = setup({"-r"});
    auto const here = kiwi();
    std::ostringstream out;
    Report report{out, s, here};
    report.begin(cachebench::test("handread"), environment());
    report.row(
        {.bytes = 256,
         .figures = Figures{.nanoseconds = 0.2284, .rate = 33400.5, .best = 33500, .deviation = 12, .passes = 7}});
    report.row({.bytes = 320, .figures = Figures{.nanoseconds = 0.2284, .rate = 33400.5, .best = 33500, .passes = 1}});
    report.row({.bytes = 384, .note = "too short for the timer"});
    auto const text = out.str();
    CHECK(text.starts_with("# cachebench test=handread type=double w=8 flavour=user unit=MB/s (1 MB = 1048576 bytes)\n"
                           "# host=kiwi os=Linux arch=x86_64 cpu=Fast CPU\n"));
    // Those of the configuration may come before.
    auto const flags = text.substr(std::min(text.find("\n# flags="), text.size()));
    CHECK_THAT(flags.substr(0, flags.find('\n', 1)), Catch::Matchers::ContainsSubstring("-O2 "));
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("# fp_reassociation=no\n") &&
                         Catch::Matchers::ContainsSubstring(" flush=16777216 "));
    CHECK(text.ends_with("# columns: bytes MB/s ns best_MB/s stddev passes\n"
                         "256 33400.500000 0.2284 33500.000000 12.000000 7\n"
                         "320 33400.500000 0.2284 33500.000000 - 1\n"
                         "# note: 384: too short for the timer\n"
                         "384 - - - - 0\n"));
}
