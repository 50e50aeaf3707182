// SPDX-License-Identifier: BSD-3-Clause
// Values of several programs, each in its own unit, are converted to the time of one operation. Expected values are
// computed by hand.
#include "analysis/runs/common_terms.hpp"
#include "analysis/runs/method.hpp"
#include "support/catch.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using Catch::Approx;
using measure::common_operations;
using measure::differing_methods;
using measure::Environment;
using measure::in_common_terms;
using measure::Launch;
using measure::Method;
using measure::method_of;
using measure::method_text;
using measure::OperationKind;
using measure::Quantity;
using measure::Record;
using measure::Semantics;
using measure::Series;
using measure::SizeOf;
using measure::Value;

namespace {

Record common_terms_point(Semantics semantics, std::int64_t bytes, double value, Quantity quantity = Quantity::time) {
    Record record{.benchmark = semantics.operation + " of a suite",
                  .semantics = std::move(semantics),
                  .at = {{"ranks", 4}, {"bytes", bytes}},
                  .quantity = quantity,
                  .value = value,
                  .attempts = 10,
                  .valid = 10,
                  .kept = 10};
    return record;
}

Launch launch_of(std::string const& suite, std::vector<Record> points, std::string const& start = "slot") {
    Launch launch{.name = suite};
    launch.record.run.suite = launch.record.run.program = suite;
    launch.record.run.options["start"] = start;
    launch.record.points = std::move(points);
    return launch;
}

}  // namespace

TEST_CASE("a bandwidth becomes the time of its bytes, and its interval is inverted", "[measure][common_terms]") {
    auto record = common_terms_point({.operation = "Bcast"}, 1000, 2e9, Quantity::bandwidth);
    record.estimate = measure::Estimate{.value = 2e9,
                                        .standard_error = 1e8,
                                        .confidence = 0.95,
                                        .interval = measure::Interval{1e9, 4e9},
                                        .median = 2e9,
                                        .min = 1e9,
                                        .max = 4e9};
    auto const time = in_common_terms(Environment{.suite = "mpbench"}, record);
    REQUIRE(time);
    CHECK(time->benchmark == "Bcast");
    CHECK(time->quantity == Quantity::time);
    CHECK(time->value == Approx(500e-9));
    REQUIRE(time->estimate);
    CHECK(time->estimate->standard_error == Approx(25e-9));
    REQUIRE(time->estimate->interval);
    CHECK(time->estimate->interval->first == Approx(250e-9));
    CHECK(time->estimate->interval->second == Approx(1000e-9));
}

TEST_CASE("both directions of a stream count, and a round trip counts half", "[measure][common_terms]") {
    Semantics const both{.operation = "Send streams", .kind = OperationKind::streams, .messages = 2};
    CHECK(in_common_terms(Environment{}, common_terms_point(both, 1000, 2e9, Quantity::bandwidth))->value ==
          Approx(1000e-9));
    Semantics const trip{.operation = "PingPong", .kind = OperationKind::ping_pong, .share = 0.5};
    CHECK(in_common_terms(Environment{}, common_terms_point(trip, 8, 1e6, Quantity::rate))->value == Approx(500e-9));
}

TEST_CASE("the ping-pong of skampi becomes a PingPong of half its corrected time", "[measure][common_terms]") {
    Semantics const send{.operation = "Send", .kind = OperationKind::ping_pong, .share = 0.5, .messages = 1};
    auto record = common_terms_point(send, 8, 3e-6);
    record.correction = 1e-6;
    record.estimate =
        measure::Estimate{.value = 4e-6, .standard_error = 2e-7, .confidence = 0.95, .median = 4e-6, .min = 4e-6};
    auto const time = in_common_terms(Environment{.suite = "skampi"}, record);
    REQUIRE(time);
    CHECK(time->benchmark == "PingPong");
    CHECK(time->value == Approx(1.5e-6));
    CHECK(time->estimate->value == Approx(1.5e-6));
    CHECK(time->estimate->standard_error == Approx(1e-7));
    CHECK_FALSE(time->correction);
    CHECK(measure::common_name({.operation = "Ssend", .kind = OperationKind::ping_pong}) == "Ssend PingPong");
    CHECK(measure::common_name({.operation = "Send", .kind = OperationKind::message}) == "Send");
}

TEST_CASE("the size is that of one block, and coordinates of a single program are omitted", "[measure][common_terms]") {
    auto record = common_terms_point({.operation = "Alltoall", .size = SizeOf::blocks}, 4096, 1e-6);
    record.at.set("root", "0");
    CHECK(in_common_terms(Environment{}, record)->at.text() == "ranks=4 bytes=1024");
    record = common_terms_point({.operation = "Barrier", .kind = OperationKind::barrier}, 4096, 1e-6);
    CHECK(in_common_terms(Environment{}, record)->at.text() == "ranks=4");
    record.at = {};
    CHECK(in_common_terms(Environment{.ranks = 7}, record)->at.text() == "ranks=7");
}

TEST_CASE("a pair has two ranks, and many one-sided operations in flight are a stream", "[measure][common_terms]") {
    Semantics const trip{.operation = "PingPong", .kind = OperationKind::ping_pong};
    CHECK(in_common_terms(Environment{}, common_terms_point(trip, 8, 1e-6))->at.text() == "ranks=2 bytes=8");
    CHECK(measure::common_name({.operation = "Put_flush", .kind = OperationKind::message}) == "Put_flush");
    CHECK(measure::common_name({.operation = "Put_flush", .kind = OperationKind::stream}) == "Put_flush stream");
    CHECK(measure::common_name({.operation = "Send streams", .kind = OperationKind::streams}) == "Send streams");
}

TEST_CASE("derived datatypes have no common terms", "[measure][common_terms]") {
    auto record = common_terms_point({.operation = "Bcast"}, 8, 1e-6);
    record.at.set("datatype", "byte");
    CHECK(in_common_terms(Environment{}, record));
    record.at.set("datatype", "vector:1:16");
    CHECK_FALSE(in_common_terms(Environment{}, record));
    Environment osu{.suite = "osu"};
    osu.options["ddt"] = "vect:4:2";
    CHECK_FALSE(in_common_terms(osu, common_terms_point({.operation = "Bcast"}, 8, 1e-6)));
}

TEST_CASE("repetitions of a point are combined, with their median", "[measure][common_terms]") {
    std::vector<Record> points;
    for (double const value : {6e-6, 1e-6, 2e-6}) {
        points.push_back(common_terms_point({.operation = "Bcast"}, 8, value));
        points.back().at.set("repetition", static_cast<std::int64_t>(points.size()));
    }
    auto const common = in_common_terms(launch_of("mpbench", points));
    REQUIRE(common.launch.record.points.size() == 1);
    CHECK(common.launch.record.points[0].value == Approx(2e-6));
    CHECK(common.launch.record.points[0].valid == 30);
    CHECK(common.left_out.empty());
}

TEST_CASE("a record without common terms is omitted, and a value of 0 is dropped", "[measure][common_terms]") {
    CHECK_FALSE(in_common_terms(Environment{.suite = "own"}, Record{.benchmark = "Bcast", .value = 1}));
    CHECK_FALSE(in_common_terms(Environment{}, common_terms_point({.operation = "Bcast"}, 8, 1, Quantity::memory)));
    auto const zero = in_common_terms(Environment{}, common_terms_point({.operation = "Bcast"}, 8, 0));
    REQUIRE(zero);
    CHECK_FALSE(zero->value);
    CHECK(zero->message == "the value 0 is not above zero");
}

TEST_CASE("the value of each launch in a merged record is inverted", "[measure][common_terms]") {
    auto record = common_terms_point({.operation = "Bcast"}, 1000, 2e9, Quantity::bandwidth);
    record.derived["launches"] = 2;
    record.derived["median_error"] = 1e8;
    record.derived["launch_medians"] = Value::Array{1e9, nullptr, 4e9};
    auto const time = in_common_terms(Environment{}, record);
    // One twentieth of the value, which is 500 ns.
    CHECK(time->derived.number({"median_error"}) == Approx(25e-9));
    auto const* const list = time->derived.get<Value::Array>("launch_medians");
    REQUIRE(list != nullptr);
    REQUIRE(list->size() == 3);
    CHECK(std::get<double>((*list)[0].data()) == Approx(1e-6));
    CHECK(std::holds_alternative<std::nullptr_t>((*list)[1].data()));
    CHECK(std::get<double>((*list)[2].data()) == Approx(250e-9));
}

TEST_CASE("the first of several values at a point counts, and the others are named", "[measure][common_terms]") {
    auto second = common_terms_point({.operation = "Bcast"}, 8, 2e-6);
    second.benchmark = "Bcast by another way";
    auto const common = in_common_terms(launch_of(
        "skampi", {common_terms_point({.operation = "Bcast"}, 8, 1e-6), second, Record{.benchmark = "no operation"}}));
    REQUIRE(common.launch.record.points.size() == 1);
    CHECK(common.launch.record.points[0].value == Approx(1e-6));
    CHECK(common.left_out == std::vector<std::string>{"Bcast by another way ranks=4 bytes=8"});
}

TEST_CASE("the text of a method names the start and whose time counts", "[measure][common_terms]") {
    auto const collective = common_terms_point({.operation = "Bcast"}, 8, 1e-6);
    auto const method = [&](std::string const& suite, std::string const& start, Record const& record) {
        return method_text(method_of(launch_of(suite, {}, start).record.run, record));
    };
    CHECK(method("mpiperf", "slot", collective) == "synchronised starts, slowest process");
    CHECK(method("pmb", "loop", collective) == "loop of calls, slowest process, root changes with each call");
    CHECK(method("osu", "osu", collective) == "a barrier before each call, mean over processes");
    CHECK(method("skampi", "", collective) == "between two barriers, less the time of a barrier, root");
    CHECK(method("mpbench", "", collective) == "loop of calls and an acknowledgement at its end, root");
    auto const reduce = common_terms_point({.operation = "Reduce"}, 8, 1e-6);
    CHECK(method("mpbench", "", reduce) == "loop of calls, root");
    auto const barrier = common_terms_point({.operation = "Barrier", .kind = OperationKind::barrier}, 0, 1e-6);
    CHECK(method("skampi", "", barrier) == "calls timed one by one, root");
    auto by_window = collective;
    by_window.derived["start"] = "window";
    CHECK(method("skampi", "", by_window) == "synchronised starts, slowest process");
    CHECK(method("own", "of its own", collective) == "method not known");
    // Records from converted text output do not contain the start, so it follows from the suite.
    CHECK(method("imb", "", collective) == "a barrier before each call, slowest process");
    CHECK(method("pmb", "", collective) == "loop of calls, slowest process, root changes with each call");
    CHECK(method("osu", "", collective) == "a barrier before each call, mean over processes");
    auto window = collective;
    window.benchmark = "MPI_Bcast-length-SM";
    CHECK(method("skampi", "", window) == "synchronised starts, slowest process");
    auto const trip = common_terms_point({.operation = "PingPong", .kind = OperationKind::ping_pong}, 8, 1e-6);
    CHECK(method("mpiperf", "slot", trip) == "half of a round trip");

    auto const ping_ping = common_terms_point({.operation = "PingPing", .kind = OperationKind::ping_pong}, 8, 1e-6);
    CHECK(method("imb", "", ping_ping) == "one message each way at once");
    auto const sendrecv = common_terms_point({.operation = "Sendrecv", .kind = OperationKind::parallel}, 8, 1e-6);
    CHECK(method("imb", "loop", sendrecv) == "loop of calls, slowest process");
    // With the method `both`, the value comes from the loop, whatever the start of the other measurement.
    Environment both = launch_of("osu", {}).record.run;
    both.options["method"] = "both";
    CHECK(method_text(method_of(both, collective)) == "a barrier before each call, mean over processes");
    both.options["method"] = "sync";
    CHECK(method_text(method_of(both, collective)) == "synchronised starts, slowest process");
    both.options["cold"] = true;
    CHECK(method_text(method_of(both, collective)) == "synchronised starts, slowest process, cold caches");

    Environment run = launch_of("mpiperf", {}).record.run;
    run.options["time_of"] = "mean";
    CHECK(method_text(method_of(run, collective)) == "synchronised starts, mean over processes");
}

TEST_CASE("only the differences between methods are named", "[measure][common_terms]") {
    Method const slots{.start = "synchronised starts", .processes = "slowest process"};
    Method const loop{.start = "loop of calls", .processes = "slowest process"};
    CHECK(differing_methods(std::vector{slots, slots}).empty());
    CHECK(differing_methods(std::vector{slots, loop}) == "synchronised starts or loop of calls");
    CHECK(differing_methods(std::vector{slots, Method{.start = "loop of calls"}}) ==
          "synchronised starts or loop of calls; slowest process or not known");
}

TEST_CASE("an operation is common if programs of two suites have it, with one curve each", "[measure][common_terms]") {
    auto const bcast = common_terms_point({.operation = "Bcast"}, 8, 1e-6);
    auto const scan = common_terms_point({.operation = "Scan"}, 8, 1e-6);
    auto of_skampi = bcast;
    of_skampi.benchmark = "MPI_Bcast-length";
    Launch const a = launch_of("mpiperf", {});
    Launch const b = launch_of("skampi", {}, "");
    std::vector<Series> const series{{.label = "m", .launches = {&a}, .points = {bcast, scan}},
                                     {.label = "n", .launches = {&a}, .points = {scan}},
                                     {.label = "s", .launches = {&b}, .points = {of_skampi}}};
    auto const operations = common_operations(series);
    REQUIRE(operations.size() == 1);
    CHECK(operations[0].name == "Bcast");
    REQUIRE(operations[0].series.size() == 2);
    CHECK(operations[0].series[0].label == "m: Bcast of a suite (synchronised starts, slowest process)");
    CHECK(operations[0].series[1].label ==
          "s: MPI_Bcast-length (between two barriers, less the time of a barrier, root)");
    CHECK(common_operations(std::span{series}.first(2)).empty());
}
