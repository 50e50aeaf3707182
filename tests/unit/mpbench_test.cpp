// SPDX-License-Identifier: BSD-3-Clause
#include "mpbench/check.hpp"
#include "mpbench/loops.hpp"
#include "mpbench/method.hpp"
#include "mpbench/mpi_loops.hpp"
#include "mpbench/options.hpp"
#include "mpbench/pvm/timing.hpp"
#include "mpbench/report.hpp"
#include "mpbench/result.hpp"
#include "mpbench/rules.hpp"
#include "support/catch.hpp"
#include "support/kiwi.hpp"

#include <measure/comm.hpp>
#include <measure/error.hpp>
#include <measure/sweep.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using measure::Bytes;
using measure::kibi;
using measure::mebi;
using measure::seconds;
using mpbench::by_volume;
using mpbench::Kind;
using mpbench::Rules;
using mpbench::Setup;
using mpbench::Timed;
using mpbench::Units;
using mpbench::within_time;
using test::Words;

Setup setup(Words const& arguments, int tasks = 2, mpbench::Api api = mpbench::Api::mpi) {
    mpbench::Options options;
    options.api = api;
    return resolve(test::parsed(arguments, options), tasks, 16 * mebi);
}

Words tests_of(Words const& arguments) {
    Words result;
    for (auto const* const test : setup(arguments).tests)
        result.emplace_back(test->name);
    return result;
}

/// Loops with these times per iteration on the master, in seconds.
Timed timed(std::vector<double> times, std::int64_t iterations, std::vector<double> tasks = {}) {
    return {.iterations = iterations,
            .times = std::move(times),
            .tasks = std::move(tasks),
            .decision = {measure::StopVerdict::converged, "count"}};
}

measure::Record record_of(std::string_view name, Timed const& t, Bytes bytes = mebi, mpbench::Facts facts = {}) {
    measure::Point at;
    if (bytes > 0)
        at.set("bytes", bytes);
    if (!(facts.timer.resolution > seconds{0}))
        facts.timer.resolution = seconds{1e-9};
    return result(measure::make_record(std::string{name}, at, measurement(t)), mpbench::test(name), facts);
}

/// The text of a record in one column of its row.
std::string cell(measure::Record const& record, std::string_view heading, Units units = Units::mb) {
    Setup in_units;
    in_units.units = units;
    auto const all = columns(mpbench::test(record.benchmark), in_units);
    auto const found = std::find_if(all.begin(), all.end(), [&](auto const& each) { return each.heading == heading; });
    REQUIRE(found != all.end());
    return found->cell(record);
}

double value_of(std::string_view name, Timed const& t, Bytes bytes = mebi, Units units = Units::mb) {
    return std::stod(cell(record_of(name, t, bytes), "value", units));
}

/// The calls of a task in order; "[" and "]" are clock readings. Messages from other tasks are always available.
struct Calls {
    Words log{};
    std::int64_t now = 0;
    std::int64_t cost = 100;  ///< time of a call, in ns
    void add(std::string const& call) { log.push_back(call); }
};

/// A clock that advances whenever a call is made.
struct CallTimer : measure::detail::NanosecondStamps {
    Calls* calls;
    explicit CallTimer(Calls& c) : calls{&c} {}
    [[nodiscard]] stamp now() const noexcept { return calls->now; }
    [[nodiscard]] stamp begin() const noexcept {
        calls->add("[");
        return calls->now;
    }
    [[nodiscard]] stamp end() const noexcept {
        calls->add("]");
        return calls->now;
    }
    [[nodiscard]] seconds resolution() const noexcept { return seconds{1e-9}; }
};

class FakeTransport {
public:
    FakeTransport(Calls& calls, int rank, int size) : calls_{&calls}, rank_{rank}, size_{size} {}
    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return size_; }
    bool send(void const*, Bytes bytes, int task, int tag) { return call("send", bytes, task, tag); }
    bool receive(void*, Bytes bytes, int task, int tag) { return call("receive", bytes, task, tag); }
    bool exchange(void const*, void*, Bytes bytes, int task) { return call("exchange", bytes, task, 1); }
    bool barrier() { return call("barrier"); }
    bool broadcast(void*, Bytes bytes) { return call("broadcast", bytes); }
    bool reduce(void const*, void*, Bytes bytes) { return call("reduce", bytes); }
    bool allreduce(void const*, void*, Bytes bytes) { return call("allreduce", bytes); }
    bool alltoall(void const*, void*, Bytes bytes) { return call("alltoall", bytes); }
    void expect(std::int64_t) {}
    bool post(void*, Bytes bytes, int task, int tag, std::int64_t n) {
        return call("post" + std::to_string(n), bytes, task, tag);
    }
    bool begin_send(void const*, Bytes bytes, int task, int tag) { return call("isend", bytes, task, tag); }
    bool begin_ready_send(void const*, Bytes bytes, int task, int tag) { return call("irsend", bytes, task, tag); }
    bool wait_all() { return call("wait"); }
    void share(std::int64_t& number) {
        if (!decisions.empty()) {
            number = decisions.front();
            decisions.pop_front();
        }
    }
    [[nodiscard]] std::vector<double> gather(std::span<double const> values) const {
        std::vector<double> all;
        for (int i = 0; i < size_; ++i)
            all.insert(all.end(), values.begin(), values.end());
        return all;
    }

    std::deque<std::int64_t> decisions{};  ///< decisions received from the master
    bool fails = false;

private:
    bool call(std::string name, Bytes bytes = -1, int task = -2, int tag = 0) {
        if (bytes >= 0)
            name += " " + std::to_string(bytes);
        if (task > -2)
            name += (task == mpbench::any_task ? " any" : " " + std::to_string(task)) + " tag " + std::to_string(tag);
        calls_->add(name);
        calls_->now += calls_->cost;
        return !fails;
    }
    Calls* calls_;
    int rank_;
    int size_;
};
static_assert(mpbench::Agreeing<FakeTransport> && mpbench::NonBlocking<FakeTransport>);

struct Bed {
    explicit Bed(Bytes of_a_message) : memory(static_cast<std::size_t>(2 * of_a_message)), bytes{of_a_message} {}
    [[nodiscard]] mpbench::Message message() { return {memory.data(), memory.data() + bytes, bytes}; }
    std::vector<std::byte> memory;
    Bytes bytes;
};

/// The calls of a task in a loop of two iterations.
Words loop_of(Kind kind, int rank, int size = 2, Bytes bytes = 8) {
    Calls calls;
    FakeTransport t{calls, rank, size};
    Bed bed{bytes};
    CHECK(mpbench::time_iterations(t, kind, bed.message(), 2, CallTimer{calls}).succeeded);
    return calls.log;
}

/// Measures a size without MPI.
measure::Measurement size_of(Calls& calls, Kind kind, Rules const& rules, Bytes bytes,
                             seconds resolution = seconds{1e-9}, bool fails = false) {
    measure::AnyTimer const timer{CallTimer{calls}};
    llcbench::Flush flush{64};
    FakeTransport t{calls, 0, 2};
    t.fails = fails;
    Bed bed{bytes};
    mpbench::Stopwatch const watch{.timer = timer, .resolution = resolution, .flush = &flush};
    mpbench::TransportLoops loops{t, kind, bed.message(), rules, watch};
    return mpbench::SizeLoops{loops, rules, kind, bytes, resolution}.measure(false);
}

/// Measures the same with the library's run, on the master.
mpbench::Measured loops_of(Calls& calls, Kind kind, Rules const& rules, Bytes bytes, seconds resolution = seconds{1e-9},
                           bool fails = false) {
    llcbench::Flush flush{64};
    FakeTransport t{calls, 0, 2};
    t.fails = fails;
    Bed bed{bytes};
    auto plan = mpbench::plan();
    plan.timer = CallTimer{calls};
    auto const solo = measure::Comm::solo();
    return mpbench::measure_size(mpbench::MpiLoops{solo, t, kind, bed.message(), rules, plan, flush}, rules, kind,
                                 bytes, resolution, false);
}

/// Results of both methods, each with its own calls.
std::vector<measure::Measurement> both_of(Kind kind, Rules const& rules, Bytes bytes,
                                          seconds resolution = seconds{1e-9}, std::int64_t cost = 100) {
    Calls by_transport{.cost = cost};
    Calls by_run{.cost = cost};
    return {size_of(by_transport, kind, rules, bytes, resolution),
            loops_of(by_run, kind, rules, bytes, resolution).measurement};
}

}  // namespace

TEST_CASE("the maximum volume limits the iterations of long messages", "[mpbench]") {
    Rules const rules;
    CHECK(by_volume(rules, Kind::bandwidth, 4) == 500);
    CHECK(by_volume(rules, Kind::bandwidth, 512 * kibi) == 500);
    CHECK(by_volume(rules, Kind::bandwidth, mebi) == 256);
    CHECK(by_volume(rules, Kind::bandwidth, 16 * mebi) == 16);
    CHECK(by_volume(rules, Kind::bandwidth, 256 * mebi) == 5);
    CHECK(by_volume(rules, Kind::bandwidth, 0) == 500);
    CHECK(by_volume({.iterations = 1}, Kind::bandwidth, 4) == 1);
    CHECK(by_volume({.iterations = 3}, Kind::bandwidth, 256 * mebi) == 3);
    CHECK(by_volume({.max_volume = mebi}, Kind::bandwidth, 64 * kibi) == 16);
    CHECK(by_volume({.iterations = 1'000'000}, Kind::irecv, 4) == 10'000);
    CHECK(by_volume({.exact = true}, Kind::bandwidth, 256 * mebi) == 500);
}

TEST_CASE("the time limit reduces the iterations further, down to one", "[mpbench]") {
    CHECK(within_time({}, 500, seconds{0.02}) == 500);
    CHECK(within_time({}, 500, seconds{0.1}) == 100);
    CHECK(within_time({}, 500, seconds{60}) == 1);
    CHECK(within_time({.exact = true}, 500, seconds{60}) == 500);
}

TEST_CASE("a loop that is too short for the timer gets ten times the iterations", "[mpbench]") {
    CHECK(longer({}, Kind::latency, 500, seconds{20e-6}, seconds{1e-6}) == 500);
    CHECK(longer({}, Kind::latency, 500, seconds{19e-6}, seconds{1e-6}) == 5000);
    CHECK(longer({}, Kind::latency, 200'000, seconds{0}, seconds{1e-6}) == 1'000'000);
    CHECK(longer({}, Kind::latency, 2'000'000, seconds{0}, seconds{1e-6}) == 2'000'000);
    CHECK(longer({}, Kind::irecv, 5000, seconds{0}, seconds{1e-6}) == 10'000);
    CHECK(longer({.exact = true}, Kind::latency, 1, seconds{0}, seconds{1e-6}) == 1);
}

TEST_CASE("message bytes depend on the kind of the test", "[mpbench]") {
    CHECK(mpbench::message_bytes(Kind::alltoall, 4, 3) == 3);
    CHECK(mpbench::message_bytes(Kind::alltoall, 2, 3) == 0);
    CHECK(mpbench::message_bytes(Kind::alltoall, 64, 2) == 64);
    CHECK(mpbench::message_bytes(Kind::bandwidth, 7, 3) == 7);
    CHECK(mpbench::message_bytes(Kind::barrier, 7, 3) == 0);
    CHECK(mpbench::counted_bytes(Kind::bibw, 8) == 16);
    CHECK(mpbench::counted_bytes(Kind::broadcast, 8) == 8);
}

TEST_CASE("message sizes follow the options", "[mpbench]") {
    auto const usual = setup({"-b"});
    CHECK(usual.sizes.size() == 23);
    CHECK((usual.sizes.front() == 4 && usual.sizes.back() == 16 * mebi));
    CHECK(usual.rules.iterations == 500);
    CHECK(setup({"-b", "-x", "2", "-m", "6"}).sizes == std::vector<Bytes>{4, 8, 12, 16, 20, 24, 32, 40, 52, 64});
    CHECK(setup({"-b", "-M", "4,1k,64K,1m", "-m", "3"}).sizes == std::vector<Bytes>{4, 1024, 65536, mebi});
    CHECK(setup({"-b", "--min", "0", "-m", "3"}).sizes == std::vector<Bytes>{1, 2, 4, 8});
    CHECK(setup({"-b", "-M", "64,6"}).sizes == std::vector<Bytes>{64, 6});
    CHECK(setup({"-b", "--range", "6:14:4"}).sizes == std::vector<Bytes>{6, 10, 14});
    CHECK(setup({"-b", "--range", "8:20:6"}).sizes == std::vector<Bytes>{8, 14, 20});
    CHECK(setup({"-b", "-x1", "-m10", "-e2"}).sizes.size() == 16);
    CHECK(setup({"-b", "-x1", "-m4", "-e2"}).sizes == std::vector<Bytes>{4, 8, 12, 16});
    CHECK(setup({"-b", "-x1", "-m4", "-e2"}).repetitions == 2);
    CHECK(setup({"-rm10"}).sizes.size() == 9);
    CHECK(setup({"-rm10", "-m", "3"}).sizes == std::vector<Bytes>{4, 8});
    CHECK(setup({"-r", "-i", "7", "-e2", "-i", "9", "-e3"}).rules.iterations == 9);
    CHECK_THROWS_WITH(setup({"-r", "--min", "3", "--min", "4"}), "--min: given more than once");
}

TEST_CASE("tests run in the order given", "[mpbench]") {
    CHECK(tests_of({"-b", "-l"}) == Words{"bandwidth", "latency"});
    CHECK(tests_of({"-l", "-b"}) == Words{"latency", "bandwidth"});
    CHECK(tests_of({"-lb", "--test", "isend,barrier", "-r"}) ==
          Words{"latency", "bandwidth", "isend", "barrier", "roundtrip"});
    CHECK(tests_of({"-l", "--test", "latency,roundtrip,latency"}) == Words{"latency", "roundtrip"});
    CHECK(tests_of({"--test", "all"}) == Words{"bandwidth", "roundtrip", "latency", "broadcast", "reduce", "allreduce",
                                               "bibw", "alltoall", "barrier"});
}

TEST_CASE("PVM has fewer tests and shorter messages", "[mpbench]") {
    CHECK(mpbench::tests().size() == 12);
    CHECK(mpbench::tests(mpbench::Api::pvm).size() == 9);
    CHECK(mpbench::tests(mpbench::Api::pvm).back().name == "barrier");
    CHECK(setup({"--test", "all"}, 2, mpbench::Api::pvm).tests.size() == 9);
    CHECK_THROWS_WITH(setup({"--test", "isend"}, 2, mpbench::Api::pvm), Catch::Matchers::ContainsSubstring("'isend'"));
    CHECK(setup({"-b", "-M", "1k"}, 2, mpbench::Api::pvm).memory() == 4096);
    CHECK(setup({"-b", "-M", "1k"}).memory() == 2048);
    CHECK(setup({"-b", "-M", "2147483647"}).largest() == 2147483647);
    CHECK_THROWS_WITH(setup({"-b", "-M", "1073741825"}, 2, mpbench::Api::pvm),
                      Catch::Matchers::ContainsSubstring("1073741825"));
}

TEST_CASE("mpbench: wrong options are named", "[mpbench]") {
    std::vector<std::pair<Words, std::string>> const wrong{
        {{"-m", "10"}, "no test is selected"},
        {{"-b", "-i", "0"}, "-i"},
        {{"-b", "-i", "-5"}, "-i"},
        {{"-b", "-i", "abc"}, "-i"},
        {{"-b", "-m", "1"}, "-m"},
        {{"-b", "-m", "40"}, "-m"},
        {{"-b", "-e", "0"}, "-e"},
        {{"-b", "-x", "-1"}, "-x"},
        {{"-b", "-M", "4k:8k"}, "-M"},
        {{"-b", "-M", "0"}, "-M"},
        {{"-b", "-M", "2G"}, "-M"},
        {{"-b", "--min", "9", "-m", "8"}, "--min"},
        {{"-b", "--range", "4:8:4", "-M", "4"}, "--range"},
        {{"-y", "-M", "6"}, "-M: 6 bytes"},
        {{"-z", "--min", "0"}, "--min"},
        {{"-y", "--range", "4:8:2"}, "--range"},
        {{"--test", "foo"}, "--test"},
        {{"-b", "--stderr", "0.1", "--exact-iterations"}, "--exact-iterations"},
        {{"-b", "--max-seconds", "0"}, "--max-seconds"},
        {{"-b", "--flush-size", "1M"}, "--flush-size"},
        {{"-b", "--info"}, "--info"},
        {{"-b", "--timestamp"}, "--timestamp"},
        {{"-b", "--plain", "--format", "csv"}, "--plain"},
        {{"-b", "--units", "gb"}, "--units"},
        {{"-b", "extra"}, "extra"},
        {{"-b", "-N"}, "-N"}};
    for (auto const& [arguments, name] : wrong) {
        INFO(arguments.front() << " .. " << arguments.back());
        CHECK_THROWS_AS(setup(arguments), measure::UsageError);
        CHECK_THROWS_WITH(setup(arguments), Catch::Matchers::ContainsSubstring(name));
    }
    CHECK_THROWS_WITH(setup({"-B"}, 1), Catch::Matchers::ContainsSubstring("at least 2 tasks"));
    CHECK_NOTHROW(setup({"-b", "-M", "6"}));
}

TEST_CASE("a flush buffer exists only if something is flushed", "[mpbench]") {
    CHECK(setup({"-b"}).flush == 0);
    CHECK(setup({"-b", "-f"}).flush == 16 * mebi);
    CHECK(setup({"-b", "-X", "--flush-size", "1M"}).flush == mebi);
    CHECK(setup({"-b", "-F", "-m", "20"}).memory() == 18 * mebi);
}

TEST_CASE("bandwidth: the sends and one acknowledgement are timed", "[mpbench]") {
    CHECK(loop_of(Kind::bandwidth, 0) ==
          Words{"barrier", "[", "send 8 1 tag 1", "send 8 1 tag 1", "receive 4 1 tag 2", "]", "barrier"});
    CHECK(loop_of(Kind::bandwidth, 1) ==
          Words{"barrier", "[", "receive 8 0 tag 1", "receive 8 0 tag 1", "send 4 0 tag 2", "]", "barrier"});
}

TEST_CASE("latency: only the sends are timed, the acknowledgement comes later", "[mpbench]") {
    CHECK(loop_of(Kind::latency, 0) ==
          Words{"barrier", "[", "send 8 1 tag 1", "send 8 1 tag 1", "]", "receive 4 1 tag 2", "barrier"});
    CHECK(loop_of(Kind::latency, 1) ==
          Words{"barrier", "[", "receive 8 0 tag 1", "receive 8 0 tag 1", "]", "send 4 0 tag 2", "barrier"});
}

TEST_CASE("roundtrip: each iteration is a send and its reply", "[mpbench]") {
    CHECK(loop_of(Kind::roundtrip, 0) == Words{"barrier", "[", "send 8 1 tag 1", "receive 8 1 tag 2", "send 8 1 tag 1",
                                               "receive 8 1 tag 2", "]", "barrier"});
    CHECK(loop_of(Kind::roundtrip, 1) == Words{"barrier", "[", "receive 8 0 tag 1", "send 8 0 tag 2",
                                               "receive 8 0 tag 1", "send 8 0 tag 2", "]", "barrier"});
}

TEST_CASE("broadcast: all broadcasts are timed, then one acknowledgement per task", "[mpbench]") {
    CHECK(loop_of(Kind::broadcast, 0, 3) == Words{"barrier", "[", "broadcast 8", "broadcast 8", "receive 4 any tag 3",
                                                  "receive 4 any tag 3", "]", "barrier"});
    CHECK(loop_of(Kind::broadcast, 2, 3) ==
          Words{"barrier", "[", "broadcast 8", "broadcast 8", "send 4 0 tag 3", "]", "barrier"});
}

TEST_CASE("collective operations are the same on all tasks", "[mpbench]") {
    for (int const rank : {0, 2}) {
        CHECK(loop_of(Kind::reduce, rank, 3) == Words{"barrier", "[", "reduce 8", "reduce 8", "]", "barrier"});
        CHECK(loop_of(Kind::allreduce, rank, 3) == Words{"barrier", "[", "allreduce 8", "allreduce 8", "]", "barrier"});
        CHECK(loop_of(Kind::alltoall, rank, 3, 9) == Words{"barrier", "[", "alltoall 3", "alltoall 3", "]", "barrier"});
        CHECK(loop_of(Kind::barrier, rank, 3, 0) == Words{"barrier", "[", "barrier", "barrier", "]", "barrier"});
    }
    CHECK(loop_of(Kind::bibw, 0) == Words{"barrier", "[", "exchange 8 1 tag 1", "exchange 8 1 tag 1", "]", "barrier"});
    CHECK(loop_of(Kind::bibw, 1) == Words{"barrier", "[", "exchange 8 0 tag 1", "exchange 8 0 tag 1", "]", "barrier"});
}

TEST_CASE("receives are posted before the master sends", "[mpbench]") {
    CHECK(loop_of(Kind::isend, 0) ==
          Words{"barrier", "[", "isend 8 1 tag 1", "wait", "isend 8 1 tag 1", "wait", "]", "barrier"});
    CHECK(loop_of(Kind::irecv, 1) ==
          Words{"post2 8 0 tag 1", "barrier", "[", "wait", "send 4 0 tag 2", "]", "barrier"});
    CHECK(loop_of(Kind::irecv, 0) ==
          Words{"barrier", "[", "send 8 1 tag 1", "send 8 1 tag 1", "receive 4 1 tag 2", "]", "barrier"});
    CHECK(loop_of(Kind::irsend, 1) ==
          Words{"post2 8 0 tag 1", "send 0 0 tag 2", "barrier", "[", "wait", "]", "barrier"});
    CHECK(loop_of(Kind::irsend, 0) == Words{"receive 0 1 tag 2", "barrier", "[", "irsend 8 1 tag 1", "wait",
                                            "irsend 8 1 tag 1", "wait", "]", "barrier"});
}

TEST_CASE("tasks between the two of a pair stay idle", "[mpbench]") {
    CHECK(loop_of(Kind::latency, 0, 2).size() == loop_of(Kind::latency, 1, 2).size());
    // The master of a pair communicates with the last task.
    CHECK(loop_of(Kind::latency, 0, 5)[2] == "send 8 4 tag 1");
}

TEST_CASE("a size is probed with two iterations, then measured", "[mpbench]") {
    Calls by_transport;
    Calls by_run;
    Rules const rules{.iterations = 7};
    auto const m = size_of(by_transport, Kind::latency, rules, 8);
    auto const n = loops_of(by_run, Kind::latency, rules, 8).measurement;
    for (auto const* const each : {&m, &n}) {
        CHECK(each->iterations_per_sample == 7);
        REQUIRE(each->samples.size() == 1);
        CHECK(each->samples[0].time == Catch::Approx(100e-9));
        CHECK((each->verdict == measure::StopVerdict::converged && each->stop_reason == "count"));
        CHECK(each->settling.runs == 2);
    }
    for (auto const* const log : {&by_transport.log, &by_run.log}) {
        CHECK(std::count(log->begin(), log->end(), "send 8 1 tag 1") == 9);
        CHECK(std::count(log->begin(), log->end(), "[") == 2);
    }
}

TEST_CASE("an exact number of iterations is not probed", "[mpbench]") {
    Calls by_transport;
    Calls by_run;
    Rules const rules{.iterations = 7, .exact = true};
    CHECK(size_of(by_transport, Kind::latency, rules, 8, seconds{1}).iterations_per_sample == 7);
    CHECK(loops_of(by_run, Kind::latency, rules, 8, seconds{1}).measurement.iterations_per_sample == 7);
    for (auto const* const log : {&by_transport.log, &by_run.log})
        CHECK(std::count(log->begin(), log->end(), "send 8 1 tag 1") == 7);
}

TEST_CASE("the time limit of a size uses the result of the probe", "[mpbench]") {
    for (auto const& m : both_of(Kind::latency, {}, 8, seconds{1e-9}, 1'000'000'000))
        CHECK(m.iterations_per_sample == 10);
    for (auto const& m : both_of(Kind::latency, {}, 8, seconds{1e-9}, 100'000'000'000))
        CHECK(m.iterations_per_sample == 1);
}

TEST_CASE("short loops are repeated with more iterations", "[mpbench]") {
    // 20 steps of 10 us are 2000 sends.
    for (auto const& m : both_of(Kind::latency, {}, 8, seconds{10e-6})) {
        CHECK((m.iterations_per_sample == 5000 && m.attempts == 1));
        CHECK(m.settling.runs == 2 + 500);
    }
    for (auto const& m : both_of(Kind::latency, {.iterations = 1}, 8, seconds{10e-9}))
        CHECK(m.iterations_per_sample == 10);
    // The first loop decides, even with an error target.
    for (auto const& m : both_of(Kind::latency, {.standard_error = 0.05}, 8, seconds{10e-6})) {
        CHECK((m.iterations_per_sample == 5000 && m.attempts == 5));
        CHECK(m.settling.runs == 2 + 500);
    }
}

TEST_CASE("loops are repeated until the standard error is small enough", "[mpbench]") {
    for (auto const& m : both_of(Kind::latency, {.iterations = 10, .standard_error = 0.05}, 8)) {
        CHECK((m.valid == 5 && m.iterations_per_sample == 10));  // no scatter, so the minimum
        CHECK(m.stop_reason == "relative_error");
    }
}

TEST_CASE("with a flush before each operation, each one is a sample with its own barrier and readings", "[mpbench]") {
    Calls calls;
    auto const m = size_of(calls, Kind::roundtrip, {.iterations = 2, .exact = true, .flush_each = true}, 8);
    CHECK(calls.log == Words{"barrier", "[", "send 8 1 tag 1", "receive 8 1 tag 2", "]", "barrier", "barrier", "[",
                             "send 8 1 tag 1", "receive 8 1 tag 2", "]", "barrier"});
    for (auto const& each : both_of(Kind::latency, {.iterations = 7, .flush_each = true}, 8)) {
        CHECK((each.valid == 7 && each.iterations_per_sample == 1));
        CHECK(each.estimate->value == Catch::Approx(100e-9));
    }
    // At least five samples, in loops of three.
    for (auto const& each : both_of(Kind::latency, {.iterations = 3, .standard_error = 0.05, .flush_each = true}, 8))
        CHECK(each.valid == 6);
    // 20 steps of 10 ns are two sends.
    for (auto const& each : both_of(Kind::latency, {.iterations = 1, .flush_each = true}, 8, seconds{10e-9}))
        CHECK(each.valid == 10);
}

TEST_CASE("isend also times the calls alone", "[mpbench]") {
    Calls calls;
    auto const t = loops_of(calls, Kind::isend, {.iterations = 10}, 8);
    CHECK(t.measurement.estimate->value == Catch::Approx(200e-9));  // the call and the wait
    REQUIRE(t.call_time);
    CHECK(*t.call_time == Catch::Approx(100e-9));
    CHECK_FALSE(loops_of(calls, Kind::isend, {.iterations = 2, .flush_each = true}, 8).call_time);
    CHECK_FALSE(loops_of(calls, Kind::irsend, {.iterations = 2}, 8).call_time);
}

TEST_CASE("before each loop the master waits until the slave has posted its receives", "[mpbench]") {
    Calls calls;
    static_cast<void>(loops_of(calls, Kind::irsend, {.iterations = 3}, 8));
    // The probe has a loop of two, followed by a loop of three.
    CHECK(std::count(calls.log.begin(), calls.log.end(), "receive 0 1 tag 2") == 2);
    CHECK(std::count(calls.log.begin(), calls.log.end(), "irsend 8 1 tag 1") == 5);
}

TEST_CASE("a failing call crashes the point", "[mpbench]") {
    Calls calls;
    auto const m = size_of(calls, Kind::reduce, {.iterations = 3}, 8, seconds{1e-9}, true);
    auto const n = loops_of(calls, Kind::reduce, {.iterations = 3}, 8, seconds{1e-9}, true).measurement;
    for (auto const* const each : {&m, &n}) {
        CHECK((each->attempts == 1 && each->valid == 0 && each->invalid.failed == 1));
        auto const r = measure::make_record("reduce", {}, *each);
        CHECK(r.status == measure::PointStatus::crashed);
        CHECK_FALSE(r.value);
    }
    CHECK(m.message == "a call reported an error");
}

TEST_CASE("a signal on any task ends the size on all tasks", "[mpbench]") {
    Calls calls;
    std::atomic<int> const stop{2};
    measure::AnyTimer const timer{CallTimer{calls}};
    Rules const rules;
    Bed bed{8};
    auto const measure_size = [&](FakeTransport& t, mpbench::Stopwatch const& watch) {
        mpbench::TransportLoops loops{t, Kind::reduce, bed.message(), rules, watch};
        static_cast<void>(mpbench::SizeLoops{loops, rules, Kind::reduce, 8, {}}.measure(false));
    };
    FakeTransport master{calls, 0, 2};
    CHECK_THROWS_AS(measure_size(master, {.timer = timer, .control = {.stop = &stop}}), measure::Interrupted);
    FakeTransport other{calls, 1, 2};
    other.decisions = {-2};
    CHECK_THROWS_AS(measure_size(other, {.timer = timer}), measure::Interrupted);
}

TEST_CASE("the other tasks follow the iterations of the master", "[mpbench]") {
    Calls calls;
    measure::AnyTimer const timer{CallTimer{calls}};
    Rules const rules;
    Bed bed{8};
    FakeTransport slave{calls, 1, 2};
    // After the probe: a loop of 3, which is too short; then two loops of 30.
    slave.decisions = {0, 3, 0, 30, 1, 0, 30};
    mpbench::Stopwatch const watch{.timer = timer};
    mpbench::TransportLoops loops{slave, Kind::latency, bed.message(), rules, watch};
    static_cast<void>(mpbench::SizeLoops{loops, rules, Kind::latency, 8, {}}.measure(false));
    CHECK(std::count(calls.log.begin(), calls.log.end(), "receive 8 0 tag 1") == 2 + 3 + 30 + 30);
    CHECK(slave.decisions.empty());
}

TEST_CASE("values follow the formulas of the tests", "[mpbench]") {
    auto const t = timed({2e-3}, 500);
    CHECK(value_of("bandwidth", t) == Catch::Approx(500));
    CHECK(value_of("bandwidth", t, mebi, Units::kb) == Catch::Approx(512'000));
    CHECK(value_of("bandwidth", t, mebi, Units::si) == Catch::Approx(524.288));
    CHECK(value_of("bibw", t) == Catch::Approx(1000));
    CHECK(value_of("roundtrip", t) == Catch::Approx(500));
    CHECK(value_of("roundtrip", t, mebi, Units::kb) == Catch::Approx(500));
    CHECK(value_of("latency", t) == Catch::Approx(2000));
    CHECK(value_of("barrier", timed({2e-3}, 500, {2e-3, 3e-3}), 0) == Catch::Approx(2000));
    CHECK(cell(record_of("barrier", timed({2e-3}, 500, {2e-3, 3e-3}), 0), "tasks") == "2");
    auto const message = record_of("irsend", t);
    CHECK(cell(message, "value") == "2000.000000");
    CHECK(cell(message, "MB/s") == "500.000000");
    CHECK_FALSE(message.derived.find("call_time"));
    CHECK(cell(record_of("isend", t, mebi, {.call_time = 1e-6}), "call_us") == "1.000000");
}

TEST_CASE("records are in base units", "[mpbench]") {
    auto const t = timed({2e-3}, 500, {2e-3, 4e-3});
    auto const reduce = record_of("reduce", t);
    CHECK(reduce.quantity == measure::Quantity::bandwidth);
    CHECK(*reduce.value == Catch::Approx(500.0 * mebi));
    CHECK(reduce.iterations_per_sample == 500);
    REQUIRE(reduce.over_ranks);
    CHECK(reduce.over_ranks->min == Catch::Approx(250.0 * mebi));
    CHECK(cell(reduce, "slowest") == "250.000000");
    CHECK(cell(record_of("barrier", t, 0), "slowest") == "4000.000000");
    CHECK(record_of("roundtrip", t).quantity == measure::Quantity::rate);
    CHECK(*record_of("latency", t).value == Catch::Approx(2e-3));
    CHECK_FALSE(record_of("latency", t).over_ranks);
    CHECK(record_of("latency", t, 64, {.tasks = 3}).at.text() == "ranks=3 bytes=64");
    CHECK(record_of("latency", t, 64, {.oversubscribed = true}).has_flag("oversubscribed"));
}

TEST_CASE("a rate is the work over the mean time, and its spread is that of the rates of the loops", "[mpbench]") {
    auto const r = record_of("bandwidth", timed({1e-3, 3e-3}, 10));
    CHECK(cell(r, "value") == "500.000000");
    CHECK(cell(r, "repetitions") == "2");
    // Mean 2 ms, error 1 ms, which is 50 %. 1000 and 333.3 MB/s deviate by 666.7 / sqrt(2).
    CHECK(*r.estimate->standard_error == Catch::Approx(250.0 * mebi));
    CHECK(cell(r, "stddev") == "471.4");
    CHECK(cell(record_of("latency", timed({1e-3, 3e-3}, 10)), "stddev") == "1414");
    CHECK(cell(r, "stderr") == "250.0");
    auto const one = record_of("bandwidth", timed({2e-3}, 10));
    CHECK((cell(one, "stddev") == "-" && cell(one, "stderr") == "-"));
    CHECK(cell(record_of("bandwidth", timed({2e-3, 2e-3}, 10)), "stddev") == "0");
}

TEST_CASE("the selected statistic is the leading number, and all statistics are shown", "[mpbench]") {
    using llcbench::Statistic;
    auto const t = timed({1e-3, 2e-3, 6e-3}, 10);
    auto const shown = [&](std::string_view name, Statistic statistic) {
        auto const r = record_of(name, t, mebi, {.statistic = statistic});
        Words words;
        for (char const* const heading : {"value", "best", "median", "mean"})
            words.push_back(cell(r, heading));
        return words;
    };
    // The mean is 3 ms; 1 MiB in 1, 2 and 3 ms.
    CHECK(shown("latency", Statistic::mean) == Words{"3000.000000", "1000.000000", "2000.000000", "3000.000000"});
    CHECK(shown("bandwidth", Statistic::mean) == Words{"333.333333", "1000.000000", "500.000000", "333.333333"});
    CHECK(shown("bandwidth", Statistic::median)[0] == "500.000000");
    CHECK(shown("roundtrip", Statistic::best)[0] == "1000.000000");
    auto const message = record_of("irecv", t, mebi, {.statistic = Statistic::median});
    CHECK(test::number(message.derived, "bandwidth") == Catch::Approx(500.0 * mebi));
}

TEST_CASE("a time below the resolution of the timer is not a number", "[mpbench]") {
    auto const r = record_of("latency", timed({0}, 1'000'000));
    CHECK(r.status == measure::PointStatus::no_valid_samples);
    CHECK_FALSE(r.value);
    CHECK(cell(r, "value") == "-");
    CHECK(record_of("latency", timed({0.9e-9}, 10)).flags == Words{"near_timer_floor"});
    CHECK(record_of("latency", timed({1.1e-9}, 10)).flags.empty());
    // Separately timed operations may take 0 s; their mean and total time count.
    auto const each = timed({0, 20e-9}, 1);
    CHECK(*record_of("latency", each, 64, {.flush_each = true}).value == Catch::Approx(10e-9));
    CHECK(record_of("latency", each, 64, {.flush_each = true}).flags.empty());
    CHECK(record_of("latency", each, 64, {.flush_each = true, .timer = {.resolution = seconds{3e-9}}}).flags ==
          Words{"near_timer_floor"});
    CHECK_FALSE(record_of("bandwidth", each, 64, {.flush_each = true, .statistic = llcbench::Statistic::best}).value);
    CHECK_FALSE(record_of("latency", each, 64).value);
}

TEST_CASE("tasks whose clock went back have no time", "[mpbench]") {
    auto t = timed({1e-6, -3.0}, 10);
    t.is_backward = true;
    auto const r = record_of("latency", t);
    CHECK(r.status == measure::PointStatus::no_valid_samples);
    CHECK_FALSE(r.value);
    CHECK((r.attempts == 2 && r.valid == 0 && r.invalid.backward == 2));
    CHECK(r.message == "the clock went back");
}

TEST_CASE("a setup defines the points", "[mpbench]") {
    auto const s = setup({"-aB", "-M", "2,4,5,64", "-e", "2"}, 3);
    CHECK(s.messages(mpbench::test("alltoall")) == std::vector<Bytes>{3, 63});
    CHECK(s.messages(mpbench::test("bandwidth")) == std::vector<Bytes>{2, 4, 5, 64});
    CHECK(s.messages(mpbench::test("barrier")).empty());
    mpbench::Shared shared{.setup = s};
    auto const program = program_of(shared);
    Words points;
    for (auto const& benchmark : program.benchmarks)
        for (auto const& at : measure::points_of(measure::axes_of(benchmark, program.axes)))
            points.push_back(benchmark.name + " " + at.text());
    CHECK(points == Words{"alltoall bytes=3 repetition=0", "alltoall bytes=3 repetition=1",
                          "alltoall bytes=63 repetition=0", "alltoall bytes=63 repetition=1", "barrier repetition=0",
                          "barrier repetition=1"});
    auto const none = setup({"-a", "-M", "2"}, 3);
    mpbench::Shared empty{.setup = none};
    CHECK(program_of(empty).benchmarks.empty());
}

namespace {

/// Records the message sizes that it measures.
class NotingBench final : public mpbench::Bench {
public:
    explicit NotingBench(std::vector<Bytes>& measured) : measured_{measured} {}
    void warm_up(mpbench::Test const&, Bytes) override {}
    std::vector<double> check(mpbench::Test const&, Bytes, bool) override { return {}; }
    mpbench::Measured measure(mpbench::Test const&, Bytes bytes, measure::Plan const&, bool) override {
        measured_.push_back(bytes);
        return {};
    }

private:
    std::vector<Bytes>& measured_;
};

/// Sizes of measured messages, in bytes, if only sizes up to `most` fit into memory.
std::vector<Bytes> measured_up_to(Bytes most, Setup s) {
    leave_too_large(s, [most, flush = s.flush](Bytes bytes) { return bytes - flush <= 2 * most; });
    std::vector<Bytes> measured;
    mpbench::Shared shared{.setup = s};
    shared.bench = std::make_unique<NotingBench>(measured);
    auto const program = program_of(shared);
    auto const solo = measure::Comm::solo();
    for (auto const& benchmark : program.benchmarks)
        for (auto const& at : measure::points_of(measure::axes_of(benchmark, program.axes))) {
            auto const before = measured.size();
            try {
                static_cast<void>(benchmark.loop(solo, program.plan, {at}));
            } catch (std::bad_alloc const&) {
                CHECK(measured.size() == before);
            }
        }
    return measured;
}

}  // namespace

TEST_CASE("no message is longer than the largest size that fits into memory", "[mpbench]") {
    // Three tasks divide 1024 bytes into parts of 341, 1023 bytes in total.
    CHECK(measured_up_to(64, setup({"-a", "-M", "16,64,1k"}, 3)) == std::vector<Bytes>{15, 63});
    // The dropped size has the same message as the kept one.
    CHECK(measured_up_to(63, setup({"-a", "-M", "63,64"}, 3)) == std::vector<Bytes>{63});
    for (auto const& test : mpbench::tests()) {
        CAPTURE(test.name);
        for (int const tasks : {2, 3, 5})
            for (Bytes const bytes : measured_up_to(64, setup({"--test", std::string{test.name}, "-m", "12"}, tasks)))
                CHECK(bytes <= 64);
    }
}

TEST_CASE("wrong data are located", "[mpbench]") {
    constexpr Bytes bytes = 600;
    Bed bed{bytes};
    auto const m = bed.message();
    for (Bytes i = 0; i < bytes; ++i)
        m.receive[i] = std::byte{mpbench::pattern(i, bytes)};
    CHECK(wrong_byte(Kind::bandwidth, m, 1, 2) == -1);
    m.receive[517] ^= std::byte{4};
    CHECK(wrong_byte(Kind::bandwidth, m, 1, 2) == 517);
    // Each of three tasks sends its bytes 200 to 399 to the second one.
    for (Bytes i = 0; i < bytes; ++i)
        m.receive[i] = std::byte{mpbench::pattern(200 + i % 200, bytes)};
    CHECK(wrong_byte(Kind::alltoall, m, 1, 3) == -1);
    CHECK(wrong_byte(Kind::alltoall, m, 2, 3) == 0);
    for (Bytes i = 0; i < bytes; i += 4) {
        std::array<unsigned char, 4> const four{mpbench::pattern(i, bytes), mpbench::pattern(i + 1, bytes),
                                                mpbench::pattern(i + 2, bytes), mpbench::pattern(i + 3, bytes)};
        std::uint32_t number = 0;
        std::memcpy(&number, four.data(), 4);
        number *= 3;
        std::memcpy(m.receive + i, &number, 4);
    }
    CHECK(wrong_byte(Kind::reduce, m, 0, 3) == -1);
    CHECK(wrong_byte(Kind::reduce, m, 0, 2) == 0);
}

TEST_CASE("a PVM header names the numbers that include a barrier", "[mpbench]") {
    auto s = setup({"-cb", "-i", "100"}, 3, mpbench::Api::pvm);
    s.layer = {{"pvm", "3.4.6"}};
    measure::Environment e;
    llcbench::Machine const machine;
    std::ostringstream out;
    mpbench::Report report{out, s, machine};
    report.begin({.name = "broadcast"}, e);
    CHECK(out.str().find("test=broadcast api=pvm tasks=3 ") != std::string::npos);
    CHECK(out.str().find("\n# pvm=3.4.6 includes=one barrier in each iteration\n") != std::string::npos);
    report.begin({.name = "bandwidth"}, e);
    CHECK(out.str().find("\n# pvm=3.4.6\n") != std::string::npos);
    report.begin({.name = "latency"}, e);
    CHECK(out.str().find("\n# pvm=3.4.6 timed=the send call alone, not the transfer of the message\n") !=
          std::string::npos);
}

TEST_CASE("a block has a header and rows", "[mpbench]") {
    auto s = setup({"-B", "-i", "100"}, 4);
    s.oversubscribed = true;
    llcbench::Machine const machine{.os = "Linux", .host = "kiwi", .arch = "x86_64", .kernel = "6.1"};
    auto e = test::environment();
    e.mpi_library = "MPICH 4.0.2";
    std::ostringstream out;
    mpbench::Report report{out, s, machine};
    report.begin({.name = "barrier"}, e);
    report.row(record_of("barrier", timed({8.5e-6}, 100, {8.5e-6, 8.75e-6}), 0, {.tasks = 4}));
    report.row(record_of("barrier", timed({0}, 100, {0}), 0, {.tasks = 4}));
    CHECK(out.str() ==
          "# mpbench test=barrier api=mpi tasks=4 unit=us\n"
          "# host=kiwi os=Linux arch=x86_64 cpu=Fast CPU mpi=MPICH 4.0.2\n"
          "# caches=unknown memory=unknown kernel=6.1\n"
          "# compiler=gcc 12.2.0\n"
          "# timer=tsc resolution=2 ns overhead=20 ns date=2026-01-31T12:00:00Z\n"
          "# iterations=100 max_volume=268435456 max_seconds=10 repetitions=1 stderr=0 statistic=mean verify=no\n"
          "# flush=none\n"
          "# columns: tasks value iterations repetitions stddev stderr best median mean slowest\n"
          "# oversubscribed: yes\n"
          "4 8.500000 100 1 - - 8.500000 8.500000 8.500000 8.750000\n"
          "# note: 4: too short for the timer\n"
          "4 - 100 0 - - - - - -\n");
}

TEST_CASE("a row reports the page faults of its loops", "[mpbench]") {
    auto t = timed({1e-3, 1e-3}, 100);
    CHECK_FALSE(record_of("bandwidth", t).has_flag("unsettled"));
    t.settling = {.faults_counted = 2, .faults_all_ranks = 4};
    CHECK_FALSE(record_of("bandwidth", t).has_flag("unsettled"));
    t.settling = {.faults_counted = 3, .faults_all_ranks = 6};
    auto const s = setup({"-b"});
    llcbench::Machine const machine;
    std::ostringstream out;
    mpbench::Report report{out, s, machine};
    report.begin({.name = "bandwidth"}, {});
    report.row(record_of("bandwidth", t, 64));
    report.end();
    CHECK(out.str().ends_with(
        "\n# unsettled: 64 bytes: memory was touched for the first time while this row was measured\n"));
}

TEST_CASE("the semantics of each operation in records are unchanged", "[mpbench]") {
    auto const of = [](std::string_view name) { return mpbench::test(name).semantics(); };
    using measure::OperationKind;
    using measure::SizeOf;
    CHECK(of("allreduce") == measure::Semantics{"Allreduce"});
    CHECK(of("alltoall") == measure::Semantics{"Alltoall", OperationKind::collective, SizeOf::blocks});
    CHECK(of("bandwidth") == measure::Semantics{"Send stream", OperationKind::stream, SizeOf::whole, 1, 1});
    CHECK(of("barrier") == measure::Semantics{"Barrier", OperationKind::barrier});
    CHECK(of("bibw") == measure::Semantics{"Send streams", OperationKind::streams, SizeOf::whole, 1, 2});
    CHECK(of("broadcast") == measure::Semantics{"Bcast"});
    CHECK(of("reduce") == measure::Semantics{"Reduce"});
    CHECK(of("roundtrip") == measure::Semantics{"PingPong", OperationKind::ping_pong, SizeOf::whole, 0.5, 1});
    CHECK_FALSE(of("latency"));
    CHECK_FALSE(of("isend"));
}

TEST_CASE("sizes that do not fit into memory are dropped, the largest first", "[mpbench]") {
    auto some = setup({"-b", "-M", "1k,4k,16k"});
    REQUIRE(some.memory() == 2 * 16384);
    leave_too_large(some, [](measure::Bytes bytes) { return bytes <= 2 * 4096; });
    CHECK(some.largest() == 4096);
    CHECK(some.most < 16384);
    CHECK(some.sizes.size() == 3);
    CHECK_THROWS_WITH(leave_too_large(some, [](measure::Bytes) { return false; }),
                      Catch::Matchers::StartsWith("messages of 1 KiB need 2 KiB"));
}
