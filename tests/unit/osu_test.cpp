// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/fan.hpp"
#include "bodies/grid.hpp"
#include "osu/catalogue.hpp"
#include "osu/options.hpp"
#include "osu/rules.hpp"
#include "osu/table.hpp"
#include "program/runtime/files.hpp"
#include "support/catch.hpp"

#include <measure/error.hpp>
#include <measure/main.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

using Catch::Approx;
using measure::UsageError;
using osu::Options;

namespace {

osu::Row const& row(std::string const& name) {
    auto const* const found = osu::find("osu_" + name);
    REQUIRE(found != nullptr);
    return *found;
}

Options read(std::string const& name, std::vector<std::string> const& words) {
    Options options;
    program::Parser parser{"osu_" + name, "Measures."};
    program::CommonOptions common;
    declare(parser, row(name), options);
    declare(parser, common_use(row(name)), common);
    parser.parse(words);
    return options;
}

std::string refusal(std::string const& name, std::vector<std::string> const& words, int processes = 2) {
    try {
        check(row(name), read(name, words), processes);
        return {};
    } catch (UsageError const& error) {
        return error.what();
    }
}

std::string before(std::string const& name, std::vector<std::string> const& words = {}) {
    auto const options = read(name, words);
    osu::RunFacts const facts{.pairs = 2, .sides = {4, 3}, .topology_time = 12.5};
    return lines_before(row(name), options, facts, "MPI_CHAR", true);
}

std::string line(std::string const& name, std::vector<std::string> const& words, measure::Record const& record) {
    return measure::table_row(columns(row(name), read(name, words)), measure::TableForm::text, record);
}

/// Right-aligned in 18 columns, as in the published tables.
std::string right(std::string const& text) { return std::string(18 - text.size(), ' ') + text; }

}  // namespace

TEST_CASE("each program of the catalogue has its own name, title and folder", "[osu]") {
    std::set<std::string> names;
    for (auto const& each : osu::catalogue()) {
        CAPTURE(each.name);
        CHECK(names.insert(each.name).second);
        CHECK(osu::find("/some/where/osu_" + each.name) == &each);
        CHECK((each.pattern == osu::Pattern::collective) == (each.collective != nullptr));
        CHECK((each.pattern == osu::Pattern::one_sided) == (each.operation != nullptr));
    }
    CHECK(row("ibcast").full_title() == "OSU MPI Non-Blocking Broadcast Latency");
    CHECK(row("ialltoall").full_title() == "OSU MPI Non-blocking All-to-All Latency");
    CHECK(row("ialltoallv").full_title() == "OSU MPI Non-blocking All-to-Allv Personalized Exchange Latency");
    CHECK(row("alltoallw_persistent").full_title() == "OSU MPI All-to-Allw Personalized Exchange Persistent Latency");
    CHECK(row("neighbor_alltoallw").full_title() == "OSU MPI All-to-Allw Personalized Exchange Latency");
    CHECK(row("ineighbor_allgatherv").full_title() == "OSU MPI Non-blocking Neighborhood Allgatherv Latency");
    CHECK(row("cas_latency").full_title() == "OSU MPI_Compare_and_swap latency");
}

TEST_CASE("a collective has the variants that its row declares", "[osu]") {
    CHECK(row("reduce_scatter_block").full_title() == "OSU MPI Reduce_scatter_block Latency");
    CHECK(row("ireduce_scatter_block").full_title() == "OSU MPI Non-blocking Reduce_scatter_block Latency");
    CHECK(osu::find("osu_reduce_scatter_block_persistent") == nullptr);
    CHECK(osu::find("osu_reduce_scatter_persistent") != nullptr);
    CHECK(osu::find("osu_neighbor_reduce_scatter_block") == nullptr);
}

TEST_CASE("a program is recognised by the last osu_ in the last component of its path", "[osu]") {
    CHECK(osu::find("x-osu_bcast") == &row("bcast"));
    CHECK(osu::find("./osu_a/lm_osu_bw") == &row("bw"));
    CHECK(osu::find("measure-osu") == nullptr);
    CHECK(osu::find("osu_nothing") == nullptr);
    CHECK(osu::find("osu_bw/latency") == nullptr);
}

TEST_CASE("iterations and warm-up match the published tables", "[osu]") {
    using osu::Counts;
    auto const counts = [](std::string const& name, measure::Bytes bytes, std::vector<std::string> const& words = {}) {
        return osu::counts(row(name), read(name, words), bytes);
    };
    CHECK(counts("latency", 8192) == Counts{100, 10000});
    CHECK(counts("latency", 16384) == Counts{10, 1000});
    CHECK(counts("bw", 8) == Counts{10, 100});
    CHECK(counts("bw", 8192) == Counts{10, 100});
    CHECK(counts("bw", 16384) == Counts{2, 20});
    CHECK(counts("mbw_mr", 16384) == Counts{10, 100});
    CHECK(counts("mbw_mr", 16384, {"--format", "5.3"}) == Counts{2, 20});
    CHECK(counts("allreduce", 8192) == Counts{100, 1000});
    CHECK(counts("allreduce", 16384) == Counts{10, 100});
    CHECK(counts("allreduce", 16384, {"--format", "5.3"}) == Counts{200, 1000});  // 4096 elements
    CHECK(counts("allreduce", 65536, {"--format", "5.3"}) == Counts{10, 100});
    CHECK(counts("barrier", 0) == Counts{100, 1000});
    CHECK(counts("fop_latency", 1) == Counts{100, 10000});
    CHECK(counts("put_bw", 16384) == Counts{2, 20});
    CHECK(counts("allreduce", 16384, {"-i", "7", "-x", "0"}) == Counts{0, 7});
    auto const varied = [](int window, std::vector<std::string> const& words) {
        return osu::counts(row("mbw_mr"), read("mbw_mr", words), 8, window);
    };
    CHECK(varied(8, {"-V"}) == Counts{10, 100});
    CHECK(varied(8, {"-V", "--format", "5.3"}) == Counts{80, 800});
    CHECK(varied(128, {"-V", "--format", "5.3"}) == Counts{5, 50});
    CHECK(varied(8, {"-V", "--format", "5.3", "-i", "3", "-x", "1"}) == Counts{1, 3});
}

TEST_CASE("sizes double within the requested range", "[osu]") {
    using Bytes = std::vector<measure::Bytes>;
    auto const sizes = [](std::string const& name, std::vector<std::string> const& words,
                          osu::Type type = osu::Type::mpi_char,
                          int processes = 2) { return osu::sizes(row(name), read(name, words), type, processes); };
    CHECK(sizes("latency", {"-m", "3:20"}).measured == Bytes{3, 6, 12});
    CHECK(sizes("latency", {"-m", "4"}).measured == Bytes{1, 2, 4});
    CHECK(sizes("latency", {"-m", "0:2"}).measured == Bytes{0, 1, 2});
    CHECK(sizes("latency", {"-m", "4k:8k"}).measured == Bytes{4096, 8192});
    CHECK(sizes("latency", {"-m", "2M:"}).measured == Bytes{2 << 20, 4 << 20});
    CHECK(sizes("latency", {}).measured.size() == 23);
    CHECK(sizes("latency", {"--format", "5.3"}).measured.size() == 24);
    CHECK(sizes("bw", {"--format", "5.3"}).measured.size() == 23);
    CHECK(sizes("allreduce", {}).measured.size() == 21);
    CHECK(sizes("allreduce", {"--format", "5.3"}, osu::Type::mpi_float).measured.size() == 19);
    CHECK(sizes("latency", {"-m", "0:8"}, osu::Type::mpi_int).measured == Bytes{4, 8});
    auto const whole = sizes("bw", {"-m", "7:30"}, osu::Type::mpi_int);
    CHECK(whole.measured == Bytes{4, 12, 28});
    CHECK(whole.is_rounded);
    CHECK_FALSE(sizes("bw", {"-m", "4:32"}, osu::Type::mpi_int).is_rounded);
    CHECK(sizes("cas_latency", {}, osu::Type::mpi_int).measured == Bytes{4});
    CHECK(sizes("acc_latency", {}).measured.size() == 23);
    CHECK(sizes("acc_latency", {"--format", "5.3"}).measured.size() == 24);
    auto const cut = sizes("allgather", {"-M", "1M"}, osu::Type::mpi_char, 4);
    CHECK(cut.measured.back() == 262144);
    CHECK(cut.cut == Bytes{524288, 1048576});
    CHECK(sizes("bcast", {"-M", "1M"}, osu::Type::mpi_char, 4).cut.empty());
    CHECK_THROWS_AS(sizes("latency", {"-m", "1:2"}, osu::Type::mpi_int), UsageError);
}

TEST_CASE("percentiles are order statistics, and at least the first", "[osu]") {
    std::array const values{1.0, 2.0, 3.0, 4.0, 5.0};
    CHECK(osu::tail(values, 50) == 2);  // floor(2.5)
    CHECK(osu::tail(values, 90) == 4);
    CHECK(osu::tail(values, 100) == 5);
    CHECK(osu::tail(values, 1) == 1);
}

TEST_CASE("overlap is computed from overall, computation and pure communication time", "[osu]") {
    CHECK(osu::overlap(12, 10, 8) == Approx(75));
    CHECK(osu::overlap(20, 10, 8) == Approx(-25));
}

TEST_CASE("a mean raised by few iterations is disturbed", "[osu]") {
    CHECK_FALSE(osu::is_disturbed(std::array{1.0}));
    // Without the last value the mean is 1; with it 1.1 and 1.2.
    CHECK_FALSE(osu::is_disturbed(std::array{1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.99}));
    CHECK(osu::is_disturbed(std::array{1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0}));
    // The slowest hundredth of 200 values has two values.
    std::vector<double> times(200, 1.0);
    times[198] = times[199] = 20;
    CHECK(osu::is_disturbed(times));
    times[198] = times[197] = times[199] = 4;
    CHECK_FALSE(osu::is_disturbed(times));
}

TEST_CASE("a derived type sends the pieces that fit into the buffer", "[osu]") {
    using osu::Run;
    using Kind = osu::Derivation::Kind;
    CHECK(osu::sent({.kind = Kind::contiguous}, 20) == std::vector<Run>{{0, 20}});
    CHECK(osu::sent({.kind = Kind::contiguous}, 0).empty());
    CHECK(osu::sent({.kind = Kind::vector}, 20) == std::vector<Run>{{0, 4}, {8, 4}});
    CHECK(osu::sent({.kind = Kind::vector}, 7).empty());
    osu::Derivation const named{.kind = Kind::indexed, .file = "runs", .runs = osu::runs_from("0,1\n6, 2\n", "runs")};
    CHECK(osu::sent(named, 7) == std::vector<Run>{{0, 1}});
    CHECK(osu::length(osu::sent(named, 8)) == 3);
    CHECK_THROWS_AS(osu::runs_from("0,0\n", "empty"), measure::UsageError);

    osu::Options options;
    options.derivation = {.kind = Kind::vector};
    options.sizes = {.low = 1, .high = 32};
    CHECK(osu::sizes(*osu::find("osu_latency"), options, osu::Type::mpi_char, 2).measured ==
          std::vector<measure::Bytes>{8, 16, 32});
    CHECK(osu::sizes(*osu::find("osu_bcast"), options, osu::Type::mpi_int, 2).measured ==
          std::vector<measure::Bytes>{32});
}

TEST_CASE("rank i of the first host is the hub for rank i of each other host", "[osu]") {
    using Ranks = std::vector<int>;
    auto const roles = bodies::fan_roles({"c", "a", "b", "a", "c", "b"});
    REQUIRE(roles.size() == 6);
    CHECK(roles[1].is_hub);
    CHECK(roles[1].peers == Ranks{2, 0});
    CHECK(roles[3].peers == Ranks{5, 4});
    CHECK_FALSE(roles[4].is_hub);
    CHECK(roles[4].peers == Ranks{3});
    CHECK(bodies::fan_roles({"a", "a"}).empty());
    CHECK(bodies::fan_roles({"a", "b", "a"}).empty());
}

TEST_CASE("connections of a graph are lines with two ranks", "[osu]") {
    using bodies::Edge;
    CHECK(osu::edges_from("# a ring\n0,1\n 1 , 2 # and on\n\n2,0\n", "ring", 3) ==
          std::vector<Edge>{{0, 1}, {1, 2}, {2, 0}});
    CHECK_THROWS_AS(osu::edges_from("# nothing\n", "none", 3), measure::UsageError);
    try {
        static_cast<void>(osu::edges_from("0,1\n0,3\n0\n", "bad", 3));
        FAIL("two wrong lines must be refused");
    } catch (program::ParseErrors const& errors) {
        REQUIRE(errors.faults().size() == 2);
        CHECK(errors.faults()[0].line == 2);
        CHECK(errors.faults()[1].text == "'0' does not have the form FROM,TO");
    }
}

TEST_CASE("neighbours on a grid are all ranks within the radius, also across its edges", "[osu]") {
    using Ranks = std::vector<int>;
    CHECK(bodies::grid_neighbours(0, std::array{3}, 1) == Ranks{2, 1});
    CHECK(bodies::grid_neighbours(2, std::array{5}, 2) == Ranks{0, 1, 3, 4});
    auto const around = bodies::grid_neighbours(4, std::array{3, 3}, 1);
    CHECK(around == Ranks{0, 1, 2, 3, 5, 6, 7, 8});
}

TEST_CASE("the published loop runs all iterations and synchronises like the original", "[osu]") {
    auto const of = [](std::string const& name, std::int64_t batch = 1) {
        return published_plan({}, row(name), {5, 100}, batch);
    };
    auto const bcast = of("bcast");
    CHECK(bcast.meets);
    CHECK(bcast.combine == measure::Combine::mean);
    CHECK(bcast.warm_up == 5);
    CHECK(bcast.iterations == 100);
    CHECK_FALSE(of("barrier").meets);
    CHECK(of("ibarrier").meets);
    CHECK_FALSE(of("latency").meets);
    CHECK(of("latency").combine == measure::Combine::root);
    CHECK(of("mbw_mr").meets);
    auto const put = of("put_latency", 10);
    CHECK(put.iterations == 10);
    CHECK(put.warm_up == 0);
    CHECK(osu::batch(row("put_latency"), {}, {5, 100}, false) == 10);
    CHECK(osu::batch(row("put_latency"), {}, {100, 10000}, false) == 1000);
    CHECK(osu::batch(row("put_latency"), {}, {5, 105}, false) == 1);
    CHECK(osu::batch(row("put_latency"), {}, {5, 100}, true) == 1);
    CHECK(osu::batch(row("put_latency"), read("put_latency", {"-z"}), {5, 100}, false) == 1);
    CHECK(osu::batch(row("latency"), {}, {5, 100}, false) == 1);
    // Threads always run at least five rounds.
    CHECK(osu::batch(row("latency_mt"), {}, {5, 100}, false) == 10);
    CHECK(osu::batch(row("latency_mt"), read("latency_mt", {"-t", "4:4"}), {5, 100}, true) == 20);
    CHECK(osu::batch(row("latency_mt"), read("latency_mt", {"-t", "4:4", "-z"}), {5, 1000}, false) == 100);
    CHECK(osu::batch(row("latency_mt"), read("latency_mt", {"-t", "4:4"}), {5, 15}, false) == 15);
}

TEST_CASE("the header matches both versions", "[osu]") {
    std::string const end = "\n";
    std::string const type = "# Datatype: MPI_CHAR.\n";
    CHECK(before("latency") ==
          "\n# OSU MPI Latency Test v7.4" + end + type + "# Size    " + right("Avg Latency(us)") + "\n");
    CHECK(before("latency", {"--format", "5.3"}) ==
          "# OSU MPI Latency Test v5.3" + end + "# Size    " + right("Latency (us)") + "\n");
    CHECK(before("bw", {"-z"}) == "\n# OSU MPI Bandwidth Test v7.4" + end + type + "# Size    " +
                                      right("Bandwidth (MB/s)") + " P50 Tail BW(MB/s) P90 Tail BW(MB/s)" +
                                      " P99 Tail BW(MB/s)\n");
    CHECK(before("mbw_mr") == "# OSU MPI Multiple Bandwidth / Message Rate Test v7.4" + end +
                                  "# [ pairs: 2 ] [ window size: 64 ]\n" + type + "# Size    " + right("MB/s") +
                                  right("Messages/s") + "\n");
    CHECK(before("mbw_mr", {"-V"}) == "# OSU MPI Multiple Bandwidth / Message Rate Test v7.4" + end +
                                          "# [ pairs: 2 ] [ window size: varied ]\n\n" +
                                          "# Uni-directional Bandwidth (MB/sec)\n" + type);
    CHECK(before("allreduce", {"-f"}) == "\n# OSU MPI Allreduce Latency Test v7.4" + end + type + "# Size    " +
                                             right("Avg Latency(us)") + right("Min Latency(us)") +
                                             right("Max Latency(us)") + "  Iterations\n");
    CHECK(before("barrier", {"-z"}) == "\n# OSU MPI Barrier Latency Test v7.4" + end + "# Avg Latency(us)" +
                                           "  P50 Tail Lat(us)  P90 Tail Lat(us)  P99 Tail Lat(us)\n");
    CHECK(before("iallgather") == "\n# OSU MPI Non-blocking Allgather Latency Test v7.4" + end +
                                      "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n" + type +
                                      "# Size    " + right("Overall(us)") + right("Compute(us)") +
                                      right("Pure Comm.(us)") + right("Overlap(%)") + "\n");
    CHECK(before("ibarrier", {"--format", "5.3"}) == "\n# OSU MPI Non-blocking Barrier Latency Test v5.3" + end +
                                                         "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n" +
                                                         right("Overall(us)") + right("Compute(us)") +
                                                         right("Pure Comm.(us)") + right("Overlap(%)") + "\n");
    CHECK(before("put_bibw") == "# OSU MPI_Put Bi-directional Bandwidth Test v7.4" + end +
                                    "# Window creation: MPI_Win_allocate\n" +
                                    "# Synchronization: MPI_Win_post/start/complete/wait\n" + type + "# Size    " +
                                    right("Bandwidth (MB/s)") + "\n");
    CHECK(before("neighbor_allgather") ==
          "# Dimensions size = 4 3 \n# Time took to create topology graph:12.50 us.\n\n" +
              ("# OSU MPI Neighborhood Allgather Latency Test v7.4" + end) + type + "# Size    " +
              right("Avg Latency(us)") + "\n");
}

TEST_CASE("rows have two decimals and the column widths of the published tables", "[osu]") {
    measure::Record record{.at = {{"ranks", std::int64_t{2}}, {"bytes", std::int64_t{8}}},
                           .value = 1.234e-6,
                           .attempts = 1000,
                           .over_ranks = measure::RankSpread{1e-6, 1.234e-6, 1.5e-6},
                           .iterations_per_sample = 1};
    CHECK(line("latency", {}, record) == "8         " + right("1.23") + "\n");
    CHECK(line("allreduce", {"-f"}, record) ==
          "8         " + right("1.23") + right("1.00") + right("1.50") + "        1000\n");
    CHECK(line("barrier", {}, record) == "             1.23\n");
    CHECK(line("latency", {"-c"}, record) == "8         " + right("1.23") + right("Pass") + "\n");
    CHECK(line("acc_latency", {"-c"}, record) == "8         " + right("1.23") + right("passed") + "\n");
    record.derived["percentiles"]["50"] = 1e-6;
    CHECK(line("latency", {"-z50"}, record) == "8         " + right("1.23") + right("1.00") + "\n");
    record.derived["overlap"] = 0.25;
    CHECK(line("ibarrier", {}, record).substr(0, 13) == "         1.23");
    record.quantity = measure::Quantity::bandwidth;
    record.value = 123456789;
    record.derived["message_rate"] = 15432098.625;
    CHECK(line("mbw_mr", {}, record) == "8         " + right("123.46") + right("15432098.62") + "\n");
    CHECK(line("mbw_mr", {"-R", "0"}, record) == "8         " + right("123.46") + "\n");
    record.value.reset();
    CHECK(line("bw", {"-c"}, record) == "8         " + right("-") + right("Fail") + "\n");
}

TEST_CASE("window sizes are columns next to each other", "[osu]") {
    std::vector<measure::Record> records;
    for (std::int64_t window : {1, 2})
        for (std::int64_t bytes : {1, 2}) {
            measure::Record record{.at = {{"bytes", bytes}, {"window", window}},
                                   .quantity = measure::Quantity::bandwidth,
                                   .value = static_cast<double>(bytes * window) * 1e6};
            record.derived["message_rate"] = static_cast<double>(window) * 1e6;
            records.push_back(record);
        }
    CHECK(osu::varied_windows({}, records) == "#                 1           2\n"
                                              "1              1.00        2.00\n"
                                              "2              2.00        4.00\n"
                                              "\n# Message Rate Profile\n"
                                              "#                 1           2\n"
                                              "1        1000000.00  2000000.00\n"
                                              "2        1000000.00  2000000.00\n");
}

TEST_CASE("lines that the original does not print begin with #+", "[osu]") {
    measure::Record record{.at = {{"bytes", std::int64_t{8}}},
                           .value = 0.45e-6,
                           .estimate = measure::Estimate{.median = 0.42e-6, .median_interval = {{0.41e-6, 0.43e-6}}},
                           .attempts = 1000,
                           .valid = 1000,
                           .over_ranks = measure::RankSpread{0.35e-6, 0.45e-6, 0.56e-6},
                           .flags = {"near_timer_floor"}};
    record.derived["slowest"]["median"] = 0.55e-6;
    CHECK(osu::remarks(row("bcast"), {}, std::vector{record}) ==
          "#+ method=osu: mean over iterations, then over ranks; barrier before each\n"
          "#+ bytes=8 median=0.42us interval=0.41..0.43us slowest=0.55us spread=1.6 valid=1000/1000 "
          "flags=near_timer_floor\n"
          "#+ ranks leave a barrier at different times; --method both measures with synchronised starts "
          "(frontends/osu/README.md)\n");
    CHECK(osu::remarks(row("bcast"), {.plain = true}, std::vector{record}).empty());
    CHECK(osu::signature({}, "0.1.0") == "#+ libmeasure 0.1.0\n");
    CHECK(osu::signature({.plain = true}, "0.1.0").empty());
}

TEST_CASE("each folder of programs is listed once", "[osu]") {
    CHECK(osu::folders() ==
          std::vector<std::string>{"startup", "pt2pt", "congestion", "pt2pt/persistent", "collective", "one-sided"});
}

TEST_CASE("options are parsed like the original, with units", "[osu]") {
    CHECK(read("latency", {"-z"}).tails == std::vector{50, 90, 99});
    CHECK(read("latency", {"-z1,2"}).tails == std::vector{1, 2});
    CHECK(read("latency", {"-i5"}).iterations == 5);
    CHECK(read("latency", {"-T", "MPI_INT,mpi_char"}).types() == std::vector{osu::Type::mpi_int, osu::Type::mpi_char});
    CHECK(read("latency", {"-T", "mpi_float", "-T", "mpi_int,mpi_float"}).types() ==
          std::vector{osu::Type::mpi_float, osu::Type::mpi_int});
    CHECK(read("latency", {"-T", "all"}).types().size() == 3);
    using Types = std::vector<osu::Type>;
    CHECK(osu::types(row("allreduce"), read("allreduce", {})) == Types{osu::Type::mpi_char});
    CHECK(osu::types(row("allreduce"), read("allreduce", {"--format", "5.3"})) == Types{osu::Type::mpi_float});
    CHECK(osu::types(row("allreduce"), read("allreduce", {"--format", "5.3", "-T", "mpi_char"})) ==
          Types{osu::Type::mpi_char});
    for (auto const* const name : {"fop_latency", "cas_latency"}) {
        CHECK(osu::types(row(name), read(name, {})) == Types{osu::Type::mpi_char});
        CHECK(osu::types(row(name), read(name, {"--format", "5.3"})) == Types{osu::Type::mpi_long_long});
    }
    CHECK(osu::mpi(osu::Type::mpi_long_long).size() == 8);
    CHECK(read("latency", {"D", "D"}).words == std::vector<std::string>{"D", "D"});
    CHECK(read("latency", {"-c"}).validates());
    CHECK(read("latency", {"-clog:some"}).log_folder() == "some");
    CHECK(read("gather", {"-k", "rotate"}).root.rotates);
    CHECK(read("gather", {"-k", "fixed:1"}).root.rank == 1);
    CHECK(read("put_bibw", {}).sync_name(row("put_bibw")) == "pscw");
    CHECK(read("put_bw", {}).sync_name(row("put_bw")) == "flush");
    CHECK(read("iallgather", {"-t", "3"}).tests == 3);
}

TEST_CASE("a measurement that is impossible is refused in one line", "[osu]") {
    for (auto const& [name, words] :
         std::vector<std::pair<std::string, std::vector<std::string>>>{{"latency", {"-q"}},
                                                                       {"latency", {"-i"}},
                                                                       {"latency", {"-i", "abc"}},
                                                                       {"latency", {"-i", "0"}},
                                                                       {"latency", {"-x", "-1"}},
                                                                       {"latency", {"-m", "abc"}},
                                                                       {"latency", {"-m", "8:4"}},
                                                                       {"latency", {"-m", ":"}},
                                                                       {"latency", {"-T", "foo"}},
                                                                       {"latency", {"-z101"}},
                                                                       {"latency", {"-zfoo"}},
                                                                       {"latency", {"-z1,2,3,4,5,6"}},
                                                                       {"latency", {"-f"}},
                                                                       {"latency", {"-d", "cuda"}},
                                                                       {"latency", {"-P", "x"}},
                                                                       {"latency", {"-G", "png"}},
                                                                       {"latency", {"-I"}},
                                                                       {"latency", {"-u", "11"}},
                                                                       {"latency_mt", {"-t", "0:1"}},
                                                                       {"latency", {"-clog"}},
                                                                       {"latency", {"stray"}},
                                                                       {"latency", {"D"}},
                                                                       {"latency", {"D", "M"}},
                                                                       {"latency", {"--start", "slot"}},
                                                                       {"latency", {"--stop", "count:9"}},
                                                                       {"bcast", {"--batch", "2", "--method", "osu"}},
                                                                       {"latency", {"--method", "sync"}},
                                                                       {"bw", {"-W", "0"}},
                                                                       {"mbw_mr", {"-R", "2"}},
                                                                       {"mbw_mr", {"-V", "-W", "8"}},
                                                                       {"mbw_mr", {"-p", "2"}},
                                                                       {"put_latency", {"-s", "foo"}},
                                                                       {"put_bibw", {"-s", "lock"}},
                                                                       {"cas_latency", {"-T", "mpi_float"}},
                                                                       {"gather", {"-k", "fixed:7"}},
                                                                       {"latency", {"-D", "cont", "-c"}},
                                                                       {"bw_fan_in", {"-c"}},
                                                                       {"hello", {"-I"}},
                                                                       {"latency_persistent", {"-b", "multiple"}},
                                                                       {"mbw_mr", {"-V", "-c"}},
                                                                       {"latency", {"-D", "vect:8"}},
                                                                       {"latency", {"-D", "vect:4:8"}},
                                                                       {"latency", {"-D", "indx:"}},
                                                                       {"allreduce", {"-D", "cont"}},
                                                                       {"neighbor_allgather", {"-N", "ring:1:1"}}}) {
        CAPTURE(name, words);
        auto const text = refusal(name, words);
        CHECK_FALSE(text.empty());
        CHECK(text.find('\n') == std::string::npos);
    }
    CHECK(refusal("latency", {}, 3) == "exactly 2 processes are needed, but there are 3");
    CHECK(refusal("mbw_mr", {}, 1) == "at least 2 processes are needed, but there is 1");
    CHECK(refusal("mbw_mr", {}, 3).empty());
    CHECK(refusal("hello", {}, 1).empty());
    CHECK(refusal("mbw_mr", {"-w", "8"}) == "-w: version 7 uses -W");
    CHECK(refusal("mbw_mr", {"-r", "0"}) == "-r: version 7 uses -R");
    CHECK(refusal("mbw_mr", {"--cuda-target", "cpu"}) == "--cuda-target: only host buffers are supported");
    CHECK(refusal("bw", {"-r", "cpu"}) == "-r: only host buffers are supported");
}
