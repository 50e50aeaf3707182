// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/output/post.hpp"
#include "skampi/output/records.hpp"
#include "support/catch.hpp"

#include <measure/error.hpp>

#include <array>
#include <string>
#include <vector>

namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using skampi::Block;
using skampi::Input;
using skampi::Row;

Row row(std::int64_t argument, double time, std::vector<std::string> flags = {}) {
    return {.argument = argument,
            .length = argument,
            .time = time,
            .error = time / 10,
            .samples = 8,
            .flags = std::move(flags)};
}

Block block(std::string name, std::vector<Row> rows, std::string status = "ok") {
    return {.name = std::move(name),
            .keys = {{"pattern", "collective"},
                     {"type", "MPI_Bcast"},
                     {"nodes", "4"},
                     {"standard_error", "0.03"},
                     {"status", std::move(status)}},
            .variable = "length",
            .rows = std::move(rows),
            .duration = 2};
}

Input input(std::string const& path, std::vector<Block> blocks) {
    std::string const date = "2025-01-0" + std::to_string(1 + blocks.size());
    return {path,
            {.head = {{"DATE", path}, {"MACHINE", "M"}, {"PROCS", "4"}},
             .blocks = std::move(blocks),
             .finished = date,
             .runtime = 10}};
}

std::string difference(Input const& a, Input const& b) {
    try {
        static_cast<void>(skampi::merge(std::array{a, b}));
    } catch (measure::UsageError const& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("a point is the median of three files or the mean of two", "[skampi]") {
    std::array const inputs{input("a", {block("x", {row(4, 10), row(8, 14)})}),
                            input("b", {block("x", {row(4, 100), row(8, 10)})}),
                            input("c", {block("x", {row(4, 12)})})};
    auto const merged = skampi::merge(inputs);
    REQUIRE(merged.blocks.size() == 1);
    Block const& x = merged.blocks[0];
    REQUIRE(x.rows.size() == 2);
    CHECK(x.rows[0].time == 12);
    CHECK(x.rows[0].error == 1.2);
    CHECK(x.rows[0].samples == 24);
    CHECK(x.rows[0].flags == std::vector<std::string>{"files=3"});
    CHECK(x.rows[1].time == 12);
    CHECK(x.rows[1].samples == 16);
    CHECK(x.rows[1].flags == std::vector<std::string>{"files=2"});
    CHECK(x.duration == 6);
    CHECK(merged.runtime == 30);
}

TEST_CASE("a point in one of three files is kept unless only common points are requested", "[skampi]") {
    std::array const inputs{input("a", {block("x", {row(4, 10), row(16, 1, {"refined"})})}),
                            input("b", {block("x", {row(4, 11), row(8, 3)})}), input("c", {block("x", {row(4, 12)})})};
    auto const all = skampi::merge(inputs);
    REQUIRE(all.blocks[0].rows.size() == 3);
    CHECK(all.blocks[0].rows[1].flags == std::vector<std::string>{"files=1"});
    CHECK(all.blocks[0].rows[2].argument == 16);
    CHECK(all.blocks[0].rows[2].flags == std::vector<std::string>{"refined", "files=1"});
    auto const common = skampi::merge(inputs, true);
    REQUIRE(common.blocks[0].rows.size() == 1);
    CHECK(common.blocks[0].rows[0].time == 11);
}

TEST_CASE("flags are united, and a merged file counts as its number of files", "[skampi]") {
    std::array const inputs{input("a", {block("x", {row(4, 10, {"maxrep", "files=3"})})}),
                            input("b", {block("x", {row(4, 12, {"time-limit", "maxrep"})})})};
    auto const merged = skampi::merge(inputs);
    CHECK(merged.blocks[0].rows[0].flags == std::vector<std::string>{"maxrep", "time-limit", "files=4"});
    CHECK(skampi::files(merged.blocks[0].rows[0]) == 4);
}

TEST_CASE("a single file is copied, also if given twice", "[skampi]") {
    Input const once{"once", skampi::merge(std::array{input("a", {block("x", {row(4, 10)}), block("y", {})})})};
    CHECK(once.output.blocks.size() == 2);
    CHECK(once.output.blocks[0].rows[0].time == 10);
    CHECK(*once.output.head_key("MERGED") == "1 file");
    CHECK(*once.output.head_key("MERGED_FILE") == "a");
    auto const twice = skampi::merge(std::array{once});
    CHECK(skampi::text({.blocks = twice.blocks}) == skampi::text({.blocks = once.output.blocks}));
    CHECK(twice.head.size() == once.output.head.size());
    CHECK(*twice.head_key("MERGED_FILE") == "once");
}

TEST_CASE("node times are medians of the available values", "[skampi]") {
    auto a = row(4, 1);
    a.node_times = {1.0, std::nullopt};
    auto b = row(4, 1);
    b.node_times = {3.0, std::nullopt, 7.0};
    auto const merged = skampi::merge(std::array{input("a", {block("x", {a})}), input("b", {block("x", {b})})});
    CHECK(merged.blocks[0].rows[0].node_times == std::vector<std::optional<double>>{2.0, std::nullopt, 7.0});
}

TEST_CASE("the head comes from the first file and the end from the last one", "[skampi]") {
    auto const merged = skampi::merge(std::array{input("a", {}), input("b", {block("x", {})}), input("c", {})});
    CHECK(*merged.head_key("DATE") == "a");
    CHECK(*merged.head_key("MERGED") == "3 files");
    CHECK(std::count(merged.head.begin(), merged.head.end(), skampi::Field{"MERGED_FILE", "c"}) == 1);
    CHECK(merged.finished == "2025-01-02");
}

TEST_CASE("overheads are medians per number of processes and keep their place", "[skampi]") {
    auto const with = [](std::vector<skampi::Field> const& overheads) {
        Block result = block("x", {row(4, 1)});
        result.keys.insert(result.keys.begin() + 1, overheads.begin(), overheads.end());
        return result;
    };
    std::array const inputs{input("a", {with({{"overhead", "2 1 0.5"}, {"overhead", "3 5 0.5"}})}),
                            input("b", {with({{"overhead", "2 3 0.1"}})})};
    auto const merged = skampi::merge(inputs);
    auto const& keys = merged.blocks[0].keys;
    REQUIRE(keys.size() == 7);
    CHECK(keys[1] == skampi::Field{"overhead", "2 2.0000 0.30000"});
    CHECK(keys[2] == skampi::Field{"overhead", "3 5.0000 0.50000"});
    CHECK(keys[3].key == "type");
}

TEST_CASE("overheads are kept if the first file has no rows for the measurement", "[skampi]") {
    auto with = block("x", {row(4, 10)});
    with.keys.insert(with.keys.begin() + 1, {"overhead", "2 1.5 0.1"});
    std::array const inputs{input("a", {block("x", {}, "incomplete")}), input("b", {with})};
    auto const merged = skampi::merge(inputs);
    REQUIRE(merged.blocks[0].key("overhead") != nullptr);
    CHECK(*merged.blocks[0].key("overhead") == "2 1.5000 0.10000");
}

TEST_CASE("the worst status is kept, but skipped measurements are ignored", "[skampi]") {
    auto const merged_status = [](std::string const& a, std::string const& b) {
        auto const merged = skampi::merge(
            std::array{input("a", {block("x", {row(4, 1)}, a)}), input("b", {block("x", {row(4, 3)}, b)})});
        return merged.blocks.empty() ? "none" : merged.blocks[0].status();
    };
    CHECK(merged_status("ok", "ok") == "ok");
    CHECK(merged_status("ok", "incomplete") == "incomplete");
    CHECK(merged_status("failed", "incomplete") == "failed");
    CHECK(merged_status("skipped", "ok") == "ok");
    CHECK(merged_status("skipped", "skipped") == "skipped");
    CHECK(merged_status("abandoned", "ok") == "ok");
    CHECK(merged_status("abandoned", "abandoned") == "none");
}

TEST_CASE("the trailer recounts points, adds samples and drops keys that differ between files", "[skampi]") {
    auto a = block("x", {row(4, 1), row(8, 1)});
    auto b = block("x", {row(4, 1), row(6, 1, {"refined"})});
    a.trailer = {
        {"stop", "limit"}, {"points_initial", "2"}, {"points_refined", "0"}, {"max_error", "0.1"}, {"samples", "16"}};
    b.trailer = {
        {"stop", "limit"}, {"points_initial", "1"}, {"points_refined", "1"}, {"max_error", "0.2"}, {"samples", "40"}};
    auto const merged = skampi::merge(std::array{input("a", {a}), input("b", {b})});
    CHECK(merged.blocks[0].trailer ==
          std::vector<skampi::Field>{
              {"stop", "limit"}, {"points_initial", "2"}, {"points_refined", "1"}, {"samples", "56"}});
}

TEST_CASE("files with different configurations are refused with the first difference", "[skampi]") {
    auto const a = input("a", {block("x", {row(4, 1)})});
    auto other = a;
    other.path = "b";
    CHECK(difference(a, other).empty());
    other.output.head = {{"MACHINE", "M"}, {"PROCS", "8"}, {"USER", "u"}};
    CHECK_THAT(difference(a, other), ContainsSubstring("PROCS is '4' in 'a' and '8' in 'b'"));
    other = input("b", {block("x", {row(4, 1)})});
    other.output.blocks[0].keys[2].value = "3";
    other.output.blocks[0].keys[3].value = "0.5";
    CHECK_THAT(difference(a, other), ContainsSubstring("nodes of x is '4' in 'a' and '3' in 'b'"));
    other.output.blocks[0].name = "y";
    CHECK(difference(a, other).empty());
    other = input("b", {block("x", {row(4, 1)})});
    other.output.blocks[0].keys.erase(other.output.blocks[0].keys.begin() + 1);
    CHECK_THAT(difference(a, other), ContainsSubstring("type of x is 'MPI_Bcast' in 'a' and missing in 'b'"));
}

TEST_CASE("the record of a row has its coordinates, its value in seconds and its flags", "[skampi]") {
    Block measurement{.name = "MPI_Send-length",
                      .keys = {{"pattern", "master-worker"}, {"nodes", "4"}, {"chunks", "10"}, {"cut", "0.25"}},
                      .variable = "length",
                      .rows = {row(256, 50, {"time-limit", "files=3"})}};
    auto const records = skampi::records(measurement);
    REQUIRE(records.size() == 1);
    CHECK(records[0].at.text() == "ranks=4 bytes=256 chunks=10");
    CHECK(*records[0].value == Approx(50e-6));
    CHECK(records[0].status == measure::PointStatus::exhausted);
    CHECK(records[0].flags == std::vector<std::string>{"time_limit"});
    CHECK(records[0].valid == 8);
    CHECK(records[0].kept == 4);
    CHECK_FALSE(records[0].estimate);
    CHECK(std::get<std::int64_t>(records[0].derived.find("files")->data()) == 3);
    CHECK(std::get<double>(records[0].derived.find("time_per_chunk")->data()) == Approx(5e-6));
    CHECK(std::get<double>(records[0].derived.find("standard_error_population")->data()) == Approx(5e-6));
    measurement.variable = "nodes";
    CHECK(skampi::records(measurement)[0].at.text() == "ranks=256 bytes=256 chunks=10");
    measurement.keys[0].value = "point-to-point";
    CHECK(skampi::records(measurement)[0].at.text() == "ranks=256 bytes=256");
    CHECK(std::get<double>(skampi::records(measurement)[0].derived.find("bandwidth")->data()) ==
          Approx(2 * 256 / 50e-6));
}

TEST_CASE("records name the routine, whatever the name of the measurement", "[skampi]") {
    auto const operation = [](Block const& measurement) {
        auto const records = skampi::records(measurement);
        REQUIRE(records.size() == 1);
        return records[0].semantics ? records[0].semantics->operation : "";
    };
    CHECK(operation(block("x", {row(4, 10)})) == "Bcast");
    CHECK(operation(block("x", {}, "skipped")) == "Bcast");
    CHECK(operation({.name = "MPI_Bcast-length", .rows = {row(4, 10)}}).empty());
}

TEST_CASE("a measurement without rows is one point without a value", "[skampi]") {
    Block const skipped{.name = "x", .keys = {{"status", "skipped"}, {"reason", "needs 2 processes"}}};
    CHECK(skampi::records(skipped).at(0).status == measure::PointStatus::skipped);
    CHECK(skampi::records(skipped).at(0).message == "needs 2 processes");
    CHECK(skampi::records({.name = "x", .keys = {{"status", "failed"}}}).at(0).status == measure::PointStatus::crashed);
    CHECK(skampi::summary(skipped).value == 0);
}

TEST_CASE("overheads of the fallback are merged separately", "[skampi]") {
    auto const with = [](std::vector<skampi::Field> const& overheads) {
        auto result = block("x", {row(4, 10)});
        result.keys.insert(result.keys.begin() + 1, overheads.begin(), overheads.end());
        return result;
    };
    std::array const inputs{input("a", {with({{"overhead", "2 1 0.5"}, {"overhead", "2 200 3 barrier"}})}),
                            input("b", {with({{"overhead", "2 3 0.1"}})})};
    auto const keys = skampi::merge(inputs).blocks[0].keys;
    CHECK(keys[1] == skampi::Field{"overhead", "2 2.0000 0.30000"});
    CHECK(keys[2] == skampi::Field{"overhead", "2 200.0000 3.0000 barrier"});
}

TEST_CASE("a run must occur only once, also as a part of a merged file", "[skampi]") {
    auto const run = [](std::string const& path, std::string const& id) {
        auto result = input(path, {block("x", {row(4, 10)})});
        result.output.head.push_back({"RUN_ID", id});
        return result;
    };
    CHECK_THAT(difference(run("a", "r1"), run("b", "r1")), ContainsSubstring("'a' and 'b' contain the same run: r1"));
    CHECK(difference(run("a", "r1"), run("b", "r2")).empty());
    Input const merged{"m", skampi::merge(std::array{run("a", "r1"), run("b", "r2")})};
    CHECK(*merged.output.head_key("RUN_ID") == "r1");
    CHECK_THAT(difference(merged, run("c", "r2")), ContainsSubstring("'m' and 'c' contain the same run: r2"));
    CHECK(difference(merged, run("c", "r3")).empty());
    // Files that do not identify their run are not compared.
    CHECK(difference(input("a", {}), input("b", {})).empty());
    CHECK_THAT(difference(input("a", {}), input("./a", {})), ContainsSubstring("'./a' is given twice"));
}
