// SPDX-License-Identifier: BSD-3-Clause
#include "cachebench/frequency.hpp"
#include "cachebench/method.hpp"
#include "cachebench/operation.hpp"
#include "cachebench/options.hpp"
#include "cachebench/report.hpp"
#include "cachebench/result.hpp"
#include "llcbench/points.hpp"
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
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using cachebench::Arena;
using cachebench::Operation;
using cachebench::Options;
using cachebench::Report;
using cachebench::Setup;
using cachebench::Task;
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

/// Frequency of the core in the records of `blocks`, in Hz.
constexpr double frequency = 2e9;

/// Time in seconds and number of passes of each block.
using Blocks = std::vector<std::pair<double, std::int64_t>>;

/// The record of these blocks, as the engine returns it.
measure::Record blocks(std::string_view name, Bytes bytes, Blocks const& blocks, Words const& arguments = {},
                       std::optional<double> cycles = frequency) {
    std::vector<measure::Sample> samples;
    for (auto const& [time, passes] : blocks)
        samples.push_back({.stage = 1, .time = time / static_cast<double>(passes), .iterations = passes});
    auto m = llcbench::measurement(samples, {measure::StopVerdict::converged, "budget"}, {});
    m.iterations_per_sample = blocks.back().second;
    auto const s = setup(arguments);
    cachebench::Shared const shared{.setup = s, .resolution = measure::seconds{1e-9}, .frequency = cycles};
    return finished(shared, cachebench::test(name),
                    measure::make_record(std::string{name}, {{"bytes", bytes}, {"repetition", std::int64_t{0}}}, m));
}

/// Overload for blocks that took these times, in seconds, with the same number of passes each.
measure::Record blocks(std::string_view name, Bytes bytes, std::vector<double> const& times, std::int64_t passes,
                       Words const& arguments = {}, std::optional<double> cycles = frequency) {
    Blocks each;
    for (double const time : times)
        each.emplace_back(time, passes);
    return blocks(name, bytes, each, arguments, cycles);
}

double integer(measure::Record const& r, char const* key) {
    return static_cast<double>(std::get<std::int64_t>(r.derived.find(key)->data()));
}

Task task(std::string_view test, std::string_view type, Bytes bytes) {
    return {&cachebench::test(test), &cachebench::type(type), cachebench::flavour("user").loops, bytes, 1};
}

/// The loops of every flavour and of every instruction set of this CPU.
std::vector<std::pair<std::string, cachebench::LoopTable const*>> all_loops() {
    std::vector<std::pair<std::string, cachebench::LoopTable const*>> result;
    for (auto const& flavour : cachebench::flavours())
        if (flavour.loops != nullptr)
            result.emplace_back(flavour.name, flavour.loops);
    for (auto const& isa : cachebench::usable_isas())
        result.emplace_back(isa.name, isa.loops);
    return result;
}

}  // namespace

TEST_CASE("bytes count once, but twice for read/modify/write and memcpy", "[cachebench]") {
    auto const read = counts(cachebench::test("read"), 8, 336);
    CHECK((read.n == 42 && read.touched == 336 && read.references == 42 && read.counted == 336));
    auto const rmw = counts(cachebench::test("rmw"), 8, 336);
    CHECK((rmw.n == 42 && rmw.touched == 336 && rmw.references == 84 && rmw.counted == 672));
    auto const set = counts(cachebench::test("memset"), 8, 336);
    CHECK((set.n == 336 && set.touched == 336 && set.references == 336 && set.counted == 336));
    auto const copy = counts(cachebench::test("memcpy"), 8, 336);
    CHECK((copy.n == 336 && copy.touched == 336 && copy.references == 672 && copy.counted == 672));
}

TEST_CASE("the tuned loops skip a remainder of less than eight elements and do not count it", "[cachebench]") {
    for (auto const* const name : {"handread", "handwrite"}) {
        auto const c = counts(cachebench::test(name), 8, 336);
        CHECK((c.n == 40 && c.touched == 320 && c.references == 40 && c.counted == 320));
    }
    auto const c = counts(cachebench::test("handrmw"), 4, 340);
    CHECK((c.n == 80 && c.touched == 320 && c.references == 160 && c.counted == 640));
}

TEST_CASE("latency counts one access per node, which is a cache line", "[cachebench]") {
    auto const c = counts(cachebench::test("latency"), 8, 1000);
    CHECK((c.n == 15 && c.touched == 960 && c.references == 15 && c.counted == 0));
    CHECK(smallest(cachebench::test("latency"), 8) == 128);
    CHECK(smallest(cachebench::test("handread"), 8) == 64);
    CHECK(smallest(cachebench::test("memset"), 8) == 8);
}

TEST_CASE("copy counts two directions, triad three, a non-temporal write one", "[cachebench]") {
    auto const copy = counts(cachebench::test("copy"), 8, 336);
    CHECK((copy.n == 42 && copy.touched == 336 && copy.references == 84 && copy.counted == 672));
    auto const triad = counts(cachebench::test("triad"), 8, 336);
    CHECK((triad.n == 42 && triad.touched == 336 && triad.references == 126 && triad.counted == 1008));
    auto const stream = counts(cachebench::test("ntwrite"), 4, 336);
    CHECK((stream.n == 84 && stream.touched == 336 && stream.references == 84 && stream.counted == 336));
}

TEST_CASE("bytes per cycle use the leading number if the frequency is known", "[cachebench]") {
    auto const triad = blocks("triad", 4096, {2e-6}, 1);
    CHECK(*cachebench::bytes_per_cycle(triad) == Catch::Approx(3 * 4096 / 2e-6 / frequency));
    auto const best = blocks("read", 4096, {2e-6, 1e-6}, 1, {"--statistic", "best"});
    CHECK(*cachebench::bytes_per_cycle(best) == Catch::Approx(4096 / 1e-6 / frequency));
    CHECK_FALSE(cachebench::bytes_per_cycle(blocks("latency", 640, {1e-3}, 100)));
    CHECK_FALSE(cachebench::bytes_per_cycle(blocks("read", 4096, {2e-6}, 1, {}, std::nullopt)));
}

TEST_CASE("a frequency comes from the fastest bursts if they agree", "[cachebench]") {
    std::vector<double> times(40, 2e-5);
    CHECK_FALSE(cachebench::frequency_of({}, 30000));
    CHECK(*cachebench::frequency_of(times, 30000) == Catch::Approx(1.5e9));
    std::fill_n(times.begin(), 3, 1e-5);
    CHECK_FALSE(cachebench::frequency_of(times, 30000));
    std::fill_n(times.begin(), 4, 1.01e-5);
    times[0] = 1e-5;
    CHECK(*cachebench::frequency_of(times, 30000) == Catch::Approx(3e9));
    if (auto const found = cachebench::core_frequency())
        CHECK((*found > 1e8 && *found < 1e10));
}

TEST_CASE("rate and time per access are computed from all passes together", "[cachebench]") {
    // 1 MiB of doubles, two blocks of two passes: 4 MiB in 4 ms.
    auto const read = blocks("read", mebi, {1e-3, 3e-3}, 2);
    CHECK(*read.value == Catch::Approx(1000.0 * mebi));
    CHECK(number(read.derived, "time_per_access") == Catch::Approx(4e-3 / (4 * 131072.0)));
    CHECK(number(read.derived, "best_bandwidth") == Catch::Approx(2000.0 * mebi));
    CHECK(*llcbench::deviation(read) == Catch::Approx((2000 - 2000 / 3.0) / std::sqrt(2.0) * mebi));
    CHECK(integer(read, "passes") == 4);
    auto const rmw = blocks("rmw", mebi, {1e-3, 3e-3}, 2);
    CHECK(*rmw.value == Catch::Approx(2000.0 * mebi));
    CHECK(number(rmw.derived, "time_per_access") == Catch::Approx(2e-3 / (4 * 131072.0)));
}

TEST_CASE("a rate is all bytes divided by all time, whatever the passes per block", "[cachebench]") {
    // One pass over 1 MiB in 2 ms and three passes in 2 ms: 4 MiB in 4 ms. The mean time per pass would give 750 MB/s.
    auto const read = blocks("read", mebi, Blocks{{2e-3, 1}, {2e-3, 3}});
    CHECK(*read.value == Catch::Approx(1000.0 * mebi));
    CHECK(*llcbench::number(read, llcbench::Statistic::mean) == Catch::Approx(1000.0 * mebi));
    // Deviations of 1 ms and -1 ms: sqrt(2 * 2) / 4 ms, which is half of the time of a pass.
    CHECK(*read.estimate->standard_error == Catch::Approx(500.0 * mebi));
    CHECK(*llcbench::deviation(read) == Catch::Approx(1000.0 * mebi / std::sqrt(2.0)));
    CHECK(number(read.derived, "time_per_access") == Catch::Approx(1e-3 / 131072));
    // Ten loads per pass.
    auto const latency = blocks("latency", 640, Blocks{{2e-3, 100}, {2e-3, 300}});
    CHECK(*latency.value == Catch::Approx(1e-6));
    CHECK(*llcbench::deviation(latency) == Catch::Approx((2e-6 - 2e-6 / 3) / std::sqrt(2.0)));
}

TEST_CASE("rate and time per access agree for each test and type", "[cachebench]") {
    for (auto const& test : cachebench::tests())
        for (auto const& type : cachebench::types()) {
            auto const c = counts(test, type.width, 4096);
            auto const r = blocks(test.name, 4096, {2e-3}, 100, {"--type", std::string{type.name}});
            auto const access = number(r.derived, "time_per_access");
            if (c.counted == 0)
                CHECK(*r.value == Catch::Approx(access));
            else
                CHECK(*r.value == Catch::Approx((is_call(test) ? 1 : static_cast<double>(type.width)) / access));
            CHECK_FALSE(llcbench::deviation(r).has_value());
        }
}

TEST_CASE("cachebench: the selected statistic is the leading number", "[cachebench]") {
    // 1, 2 and 4 ms for 1 MiB: 1000, 500 and 250 MB/s, 3 MiB in 7 ms.
    std::vector<double> const times{1e-3, 4e-3, 2e-3};
    auto const value = [&](char const* statistic) {
        auto const r = blocks("read", mebi, times, 1, {"--statistic", statistic});
        CHECK(std::get<std::string>(r.derived.find("statistic")->data()) == statistic);
        CHECK(number(r.derived, "time_per_access") == Catch::Approx(8 / *r.value));
        return *r.value / mebi;
    };
    CHECK(value("mean") == Catch::Approx(3000 / 7.0));
    CHECK(value("median") == Catch::Approx(500));
    CHECK(value("best") == Catch::Approx(1000));
    auto const latency = blocks("latency", 640, {2e-3, 1e-3, 5e-3}, 100, {"--statistic", "best"});
    CHECK(*latency.value == Catch::Approx(1e-6));
}

TEST_CASE("the rates of parallel copies add up to the rate of the machine", "[cachebench]") {
    std::array const two{blocks("read", mebi, {1e-3, 3e-3}, 2), blocks("read", mebi, {2e-3, 6e-3}, 2)};
    auto const all = cachebench::sum(two);
    REQUIRE(all.has_value());
    CHECK(*all->value == Catch::Approx(1500.0 * mebi));
    CHECK(all->estimate->max == Catch::Approx(3000.0 * mebi));
    CHECK(*llcbench::deviation(*all) ==
          Catch::Approx(std::hypot(*llcbench::deviation(two[0]), *llcbench::deviation(two[1]))));
    CHECK(cachebench::passes(*all) == 8);
    // The sum lacks every number that one of the copies lacks.
    CHECK_FALSE(llcbench::deviation(*cachebench::sum(std::array{two[0], blocks("read", mebi, {1e-3}, 2)})));
    CHECK_FALSE(cachebench::sum(std::array{two[0], measure::Record{}}));
}

TEST_CASE("vectors start at their alignment plus the offset, with the pad between them", "[cachebench]") {
    CHECK(Arena::bytes({.align = 64, .offset = 8, .pad = 100}, 256, 2) == 704);
    CHECK(Arena::bytes({.align = 64, .offset = 8, .pad = 100}, 256, 1) == 320);
    Arena const arena{{.align = 4096, .offset = 24}, 10000, 3};
    auto const distance = [&](Bytes size) {
        return static_cast<std::byte*>(arena.start(1, size)) - static_cast<std::byte*>(arena.start(0, size));
    };
    CHECK(reinterpret_cast<std::uintptr_t>(arena.start(0, 10000)) % 4096 == 24);
    CHECK(distance(10000) == 12288);
    CHECK(distance(1000) == 4096);  // shorter vectors are closer together
}

TEST_CASE("every kernel of every flavour computes what the check expects, and damage is found", "[cachebench]") {
    Arena const arena{{}, 4096, 3};
    for (auto const& test : cachebench::tests())
        for (auto const& type : cachebench::types())
            for (auto const& [name, loops] : all_loops())
                for (Bytes const bytes : {336, 4096}) {
                    INFO(test.name << " " << type.name << " " << name << " " << bytes);
                    Operation operation{{&test, &type, loops, bytes, 1}, arena};
                    for (std::int64_t const passes : {1, 2, 300}) {
                        operation.make_ready(passes);
                        operation.run(passes);
                        CHECK_FALSE(operation.defect().has_value());
                    }
                    operation.damage();
                    CHECK(operation.defect().has_value());
                }
}

TEST_CASE("write stores a register that is incremented through all passes", "[cachebench]") {
    Arena const arena{{}, 256, 1};
    auto const stored = [&](std::string_view test, std::string_view type, auto zero) {
        Operation operation{task(test, type, 256), arena};
        operation.run(2);
        operation.run(3);
        std::vector<decltype(zero)> elements(256 / sizeof zero);
        std::memcpy(elements.data(), arena.start(0, 256), 256);
        return elements;
    };
    for (auto const* const test : {"write", "handwrite"}) {
        // It starts with n = 32; before the last of five passes it is 32 + 4 * 32.
        auto const doubles = stored(test, "double", std::uint64_t{});
        auto const floats = stored(test, "float", std::uint32_t{});
        auto const bytes = stored(test, "char", static_cast<unsigned char>(0));
        CHECK((doubles[0] == 160 && doubles[1] == 161 && doubles[31] == 191));
        // 64 + 4 * 64, and 256 + 4 * 256 modulo 256.
        CHECK((floats[0] == 320 && floats[9] == 329 && floats[63] == 383));
        CHECK((bytes[0] == 0 && bytes[1] == 1 && bytes[255] == 255));
    }
}

TEST_CASE("every element is processed at any length and alignment, and adjacent memory is untouched", "[cachebench]") {
    std::vector<std::int64_t> lengths{127, 128, 129, 255, 511, 512, 513, 959, 1023, 1100};
    for (std::int64_t n = 1; n <= 70; ++n)
        lengths.push_back(n);
    // An offset that is aligned for every vector width, and one that is not.
    Bytes const offset = GENERATE(64, 8);
    Arena const arena{{.align = 64, .offset = offset, .pad = 64}, 1100 * 8, 3};
    for (auto const& test : cachebench::tests()) {
        if (test.tuned || is_call(test) || test.work == cachebench::Work::latency)
            continue;
        for (auto const& type : cachebench::types())
            for (auto const& [name, loops] : all_loops())
                for (auto const n : lengths) {
                    Bytes const bytes = n * type.width;
                    Operation operation{{&test, &type, loops, bytes, 1}, arena};
                    auto* const first = static_cast<unsigned char*>(arena.start(0, bytes));
                    std::span const below{first - 8, 8};
                    std::span const above{first + bytes, 56};
                    std::fill(below.begin(), below.end(), 0xa5);
                    std::fill(above.begin(), above.end(), 0xa5);
                    operation.run(3);
                    auto const untouched = [](unsigned char c) { return c == 0xa5; };
                    // A single assertion for speed, because there are many cases.
                    if (operation.defect() || !std::all_of(below.begin(), below.end(), untouched) ||
                        !std::all_of(above.begin(), above.end(), untouched))
                        FAIL(test.name << " " << type.name << " " << name << " " << n << " behind " << offset << ": "
                                       << operation.defect().value_or("something beside the vector"));
                }
    }
}

TEST_CASE("floats count beyond the exact range of a float", "[cachebench][not_quick]") {
    Bytes const bytes = 72 * mebi;  // 18.9 million elements, more than 2^24
    Arena const arena{{}, bytes, 1};
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

TEST_CASE("a defect report names the element", "[cachebench]") {
    Arena const arena{{}, 256, 1};
    Operation operation{task("memset", "double", 256), arena};
    operation.run(1);
    operation.damage();
    CHECK(operation.defect() == "element 128 is 241, not 240");
}

TEST_CASE("a cycle visits all its nodes", "[cachebench]") {
    for (std::int64_t const n : {1, 2, 3, 1000}) {
        std::vector<std::byte> memory(static_cast<std::size_t>(n * cachebench::node));
        CHECK(cachebench::make_cycle(memory.data(), n, 7) == n);
    }
}

TEST_CASE("a cycle is not a linear walk and depends on the seed", "[cachebench]") {
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

TEST_CASE("a fixed number of passes has at least three blocks of equal length", "[cachebench]") {
    using cachebench::constant_blocks;
    std::int64_t const any = std::numeric_limits<std::int64_t>::max();
    CHECK(constant_blocks(3000, any) == 3);
    CHECK(constant_blocks(20000, any) == 4);
    CHECK(constant_blocks(2, any) == 2);
    CHECK(constant_blocks(1, any) == 1);
    // A prime number of passes needs a single block.
    CHECK(constant_blocks(10007, any) == 1);
    // No block is longer than allowed.
    CHECK(constant_blocks(100, 30) == 4);
    CHECK(constant_blocks(10007, 5000) == 3);
}

TEST_CASE("a time limit needs at least three blocks, an error target at least five", "[cachebench]") {
    using measure::StopVerdict;
    std::vector<double> const same(5, 1e-3);
    auto const after = [&](measure::StoppingRule const& rule, std::size_t blocks, double spent) {
        return rule({.samples = std::span{same}.first(blocks),
                     .attempts = static_cast<std::int64_t>(blocks),
                     .spent = measure::seconds{spent}});
    };
    auto const time = cachebench::stopping({.duration = measure::seconds{1}});
    CHECK(after(time, 2, 5) == StopVerdict::more);
    CHECK(after(time, 3, 0.9) == StopVerdict::more);
    CHECK(after(time, 3, 1) == StopVerdict::converged);
    auto const error = cachebench::stopping({.duration = measure::seconds{1}, .standard_error = 0.01});
    CHECK(after(error, 4, 0.5) == StopVerdict::more);
    CHECK(after(error, 5, 0.5) == StopVerdict::converged);
    CHECK(after(error, 3, 1) == StopVerdict::exhausted);
}

TEST_CASE("blocks last 1 ms or 1000 clock steps", "[cachebench]") {
    auto const lowest = [](double resolution) {
        auto plan = cachebench::plan({});
        cachebench::choose_blocks(plan, {}, measure::seconds{resolution});
        return std::get<measure::TargetDuration>(plan.batch).low.count();
    };
    CHECK(lowest(20e-9) == Catch::Approx(1e-3));
    CHECK(lowest(1e-6) == Catch::Approx(1e-3));
    CHECK(lowest(4e-3) == Catch::Approx(4));
}

TEST_CASE("a record has the rate in bytes/s and the time per access", "[cachebench]") {
    auto const r = blocks("handrmw", mebi + 8, {1e-3, 3e-3}, 2);
    CHECK(r.quantity == measure::Quantity::bandwidth);
    CHECK(*r.value == Catch::Approx(2000.0 * 1048576));
    CHECK(r.iterations_per_sample == 2);
    CHECK(number(r.derived, "time_per_access") == Catch::Approx(4e-3 / (8 * 131072)));
    CHECK(number(r.derived, "best_bandwidth") == Catch::Approx(4000.0 * 1048576));
    CHECK(integer(r, "passes") == 4);
    CHECK(integer(r, "bytes_touched") == mebi);
    CHECK(r.samples.at(0).time == Catch::Approx(0.5e-3));
    CHECK(8 / *r.value == Catch::Approx(number(r.derived, "time_per_access")));
}

TEST_CASE("the record of latency has the time of one load", "[cachebench]") {
    auto const r = blocks("latency", 640, {1e-3}, 100);
    CHECK(r.quantity == measure::Quantity::time);
    CHECK(*r.value == Catch::Approx(1e-6));
    CHECK(r.samples.at(0).time == Catch::Approx(1e-5));
}

TEST_CASE("a fixed number of passes can be too short for the timer", "[cachebench]") {
    auto const none = blocks("read", 256, {99e-9}, 1, {"--constant-iterations", "1"});
    CHECK(none.status == measure::PointStatus::no_valid_samples);
    CHECK(none.message == "too short for the timer");
    CHECK_FALSE(none.value.has_value());
    CHECK(blocks("read", 256, {101e-9}, 1, {"--constant-iterations", "1"}).value.has_value());
}

TEST_CASE("the default tests depend on where the output goes", "[cachebench]") {
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
    // New tests follow those that existing scripts know.
    CHECK(tests_of({"--test", "all"}) == Words{"read", "write", "rmw", "handread", "handwrite", "handrmw", "memset",
                                               "memcpy", "latency", "copy", "triad", "ntwrite"});
}

TEST_CASE("cachebench: bundled options carry their values", "[cachebench]") {
    auto const s = setup({"-rwbsp", "-x1", "-m10", "-d0.05", "-e2"});
    CHECK(s.sizes == std::vector<Bytes>{256, 384, 512, 768, 1024});
    CHECK(s.rules.duration.count() == 0.05);
    CHECK(s.repetitions == 2);
}

TEST_CASE("sizes are multiples of the element size", "[cachebench]") {
    CHECK(setup({"-x", "2", "-m", "9", "--type", "int"}).sizes == std::vector<Bytes>{256, 340, 424, 512});
    CHECK(setup({"-x", "2", "-m", "9", "--type", "char"}).sizes == std::vector<Bytes>{256, 341, 426, 512});
    CHECK(setup({"-x", "2", "-m", "9"}).sizes == std::vector<Bytes>{256, 336, 424, 512});
    CHECK(setup({"--size", "1M,100,96,4k"}).sizes == std::vector<Bytes>{mebi, 96, 4096});
    CHECK(setup({"--size", "4k,512"}).sizes == std::vector<Bytes>{4096, 512});
}

TEST_CASE("the default is 5 s per size, up to 16 MiB, with one size between powers of two", "[cachebench]") {
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

TEST_CASE("cachebench: wrong options are named", "[cachebench]") {
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

TEST_CASE("explicit vectors use the widest instruction set or the requested one", "[cachebench]") {
    auto const usable = cachebench::usable_isas();
    CHECK(usable.front().name == "scalar");
    auto const widest = setup({"--flavour", "vector"});
    REQUIRE(widest.isa != nullptr);
    CHECK(widest.isa->name == usable.back().name);
    CHECK(&widest.loops() == usable.back().loops);
    for (auto const& isa : cachebench::isas()) {
        Words const arguments{"--flavour", "vector", "--isa", std::string{isa.name}};
        if (isa.loops != nullptr) {
            CHECK(setup(arguments).isa->name == isa.name);
            continue;
        }
        std::string has = "it supports scalar";
        for (auto const& each : std::span{usable}.subspan(1))
            has += ", " + std::string{each.name};
        CHECK_THROWS_AS(setup(arguments), measure::UsageError);
        CHECK_THROWS_WITH(setup(arguments), "--isa: this CPU does not support " + std::string{isa.name} + "; " + has);
    }
    CHECK(setup({}).isa == nullptr);
    CHECK_THROWS_WITH(setup({"--isa", "scalar"}), "--isa: requires --flavour vector");
    CHECK_THROWS_WITH(setup({"--flavour", "vector", "--isa", "foo"}), Catch::Matchers::ContainsSubstring("--isa"));
}

TEST_CASE("vectors that do not fit into memory are refused with both sizes", "[cachebench]") {
    CHECK_THROWS_WITH(setup({"-r", "-m", "40"}), Catch::Matchers::ContainsSubstring("-m: vectors of 1 TiB") &&
                                                     Catch::Matchers::ContainsSubstring("only 4 GiB is available"));
    CHECK_NOTHROW(setup({"-r", "-N", "-m", "32"}));
    CHECK_NOTHROW(setup({"--test", "copy", "-N", "-m", "31"}));
    CHECK_THROWS_AS(setup({"--test", "triad", "-N", "-m", "31"}), measure::UsageError);  // three vectors
    CHECK_THROWS_AS(setup({"-r", "-m", "32"}), measure::UsageError);                     // no memory left for the flush
    CHECK_THROWS_AS(setup({"-p", "-N", "-m", "32"}), measure::UsageError);               // two vectors
    CHECK_THROWS_AS(setup({"-r", "-N", "-m", "32", "--copies", "2"}), measure::UsageError);
}

TEST_CASE("cachebench: a terminal shows the table of the original", "[cachebench]") {
    auto const s = setup({"-t", "-b"}, true);
    auto const here = kiwi();
    std::ostringstream out;
    Report report{out, s, here};
    report.begin(cachebench::test("handrmw"), environment());
    // 512 bytes counted per pass: 33400.504 MB/s are 14.619 ns for 64 accesses.
    report.row(blocks("handrmw", 256, {512 / (33400.504 * mebi)}, 1));
    report.row(blocks("handrmw", 384, {768 / (66801.008 * mebi)}, 1));
    CHECK(out.str() == "\n\t\tTuned double RMW Cache Test\n\n"
                       "C Size\t\tNanosec\t\tMB/sec\t\t% Chnge\n"
                       "-------\t\t-------\t\t-------\t\t-------\n"
                       "256             0.2284          33400.50        1.00\n"
                       "384             0.1142          66801.01        0.50\n");
}

TEST_CASE("a file gets a header and numbers", "[cachebench]") {
    auto const s = setup({"-t", "-r"});
    auto const here = kiwi();
    std::ostringstream out;
    Report report{out, s, here, frequency};
    report.begin(cachebench::test("handread"), environment());
    // 256 bytes in 128, 256 and 1024 units of time: 2, 1 and 0.25 MB/s; 768 bytes in 1408 units.
    double const unit = 1.0 / mebi;
    report.row(blocks("handread", 256, {128 * unit, 256 * unit, 1024 * unit}, 1));
    report.row(blocks("handread", 320, {7 * 320 * unit}, 7));
    auto short_one = blocks("handread", 384, {1}, 1);
    report.row(llcbench::too_short(short_one));
    auto const text = out.str();
    CHECK(text.starts_with("# cachebench test=handread type=double w=8 flavour=user unit=MB/s (1 MB = 1048576 bytes) "
                           "statistic=mean\n# host=kiwi os=Linux arch=x86_64 cpu=Fast CPU\n"));
    // Flags of the build configuration may come first.
    auto const flags = text.substr(std::min(text.find("\n# flags="), text.size()));
    CHECK_THAT(flags.substr(0, flags.find('\n', 1)), Catch::Matchers::ContainsSubstring("-O2 "));
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("# fp_reassociation=no\n# core_frequency=2 GHz\n") &&
                         Catch::Matchers::ContainsSubstring(" flush=16777216 "));
    CHECK(text.ends_with("# columns: bytes MB/s ns best_MB/s median_MB/s mean_MB/s stddev passes B/cycle\n"
                         "256 0.545455 13987 2.000000 1.000000 0.545455 0.877971 3 0.0002860\n"
                         "320 1.000000 7629 1.000000 1.000000 1.000000 - 7 0.0005243\n"
                         "# note: 384: too short for the timer\n"
                         "384 - - - - - - 0 -\n"));
}
