// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/run/argument_sequence.hpp"
#include "skampi/run/bench.hpp"
#include "skampi/run/cost_model.hpp"
#include "skampi/run/partner.hpp"
#include "skampi/run/point_runner.hpp"
#include "skampi/run/run_files.hpp"
#include "support/catch.hpp"

#include <measure/comm.hpp>
#include <measure/error.hpp>
#include <measure/units.hpp>

#include <cmath>
#include <new>
#include <string>
#include <vector>

using namespace skampi;
using Arguments = std::vector<std::int64_t>;

namespace {

Task ping_pong() {
    Task task{.name = "MPI_Send-MPI_Recv", .routine = find_routine("MPI_Send-MPI_Recv")};
    task.variation = Variation::length;
    task.scale = Scale::dynamic_log;
    task.start = 256;
    task.end = 16384;
    task.step = 2;
    task.multiple_of = 4;
    task.min_distance = 8;
    task.standard_error = 0.05;
    return task;
}

CostModel model(std::string const& text) { return cost_model_from({"--cost-model", text}); }

/// Runs through the sequence with times of a model. \return the arguments in the order of measurement
Arguments walked(ArgumentSequence& sequence, CostModel const& times) {
    Arguments order;
    while (auto const argument = sequence.next(false)) {
        sequence.add(*argument, times.time(*argument), 0);
        order.push_back(*argument);
    }
    return order;
}

}  // namespace

TEST_CASE("a jump is bracketed by four refined points", "[skampi][arguments]") {
    ArgumentSequence sequence{ping_pong()};
    CHECK(sequence.initial() == Arguments{256, 512, 1024, 2048, 4096, 8192, 16384});
    auto const order = walked(sequence, model("jump:10,0.010,3000,45,0.008"));
    CHECK(order == Arguments{256, 512, 1024, 2048, 4096, 8192, 16384, 2896, 3444, 3160, 3024});
    CHECK(sequence.refined() == 4);
    CHECK(sequence.stop() == "accuracy");
    REQUIRE(sequence.max_error());
    CHECK(*sequence.max_error() == Catch::Approx(0.0442).margin(5e-5));
}

TEST_CASE("refinement ends at the maximum number of points and reports the remaining error", "[skampi][arguments]") {
    auto task = ping_pong();
    task.max_steps = 9;
    ArgumentSequence sequence{task};
    CHECK(walked(sequence, model("jump:10,0.010,3000,45,0.008")).size() == 9);
    CHECK(sequence.stop() == "limit");
    CHECK(*sequence.max_error() == Catch::Approx(0.1892).margin(5e-5));
}

TEST_CASE("a refinement that the noise guard ends reports this and the error of the paper", "[skampi][arguments]") {
    auto task = ping_pong();
    task.end = 1024;
    // 256-512: D1 = 10 - (14 - 256 * 6/512) = -1; 512-1024: D2 = 20 - (14 + 512 * 4/256) = -2.
    auto const walk = [&] {
        ArgumentSequence sequence{task};
        for (double const time : {10, 14, 20})
            sequence.add(*sequence.next(false), time, 1.5);
        CHECK_FALSE(sequence.next(false));
        CHECK(*sequence.max_error() == 0);
        return sequence;
    };
    auto const held = walk();
    CHECK(held.stop() == "noise_guard");
    CHECK(*held.paper_error() == Catch::Approx(0.1));
    task.standard_error = 0.11;
    auto const fine = walk();
    CHECK(fine.stop() == "accuracy");
    CHECK(*fine.paper_error() == Catch::Approx(0.1));
}

TEST_CASE("a straight line is not refined", "[skampi][arguments]") {
    ArgumentSequence sequence{ping_pong()};
    CHECK(walked(sequence, model("jump:5,0.001")).size() == 7);
    CHECK(sequence.stop() == "accuracy");
    CHECK(*sequence.max_error() == Catch::Approx(0).margin(1e-9));
}

TEST_CASE("a fixed scale has its initial points and no error", "[skampi][arguments]") {
    auto task = ping_pong();
    task.scale = Scale::fixed_log;
    ArgumentSequence sequence{task};
    CHECK(walked(sequence, model("jump:10,0.010,3000,45,0.008")).size() == 7);
    CHECK(sequence.stop() == "fixed");
    CHECK_FALSE(sequence.max_error());
    CHECK_FALSE(sequence.paper_error());
    CHECK_FALSE(sequence.refines());
}

TEST_CASE("a time limit during the initial points leaves a measurement incomplete", "[skampi][arguments]") {
    ArgumentSequence sequence{ping_pong()};
    CHECK(sequence.next(false) == 256);
    sequence.add(256, 1, 0);
    CHECK_FALSE(sequence.next(true));
    CHECK(sequence.incomplete());
    CHECK(sequence.stop() == "limit");
}

TEST_CASE("a time limit during refinement ends it with the stop limit", "[skampi][arguments]") {
    ArgumentSequence sequence{ping_pong()};
    auto const times = model("jump:10,0.010,3000,45,0.008");
    for (int i = 0; i < 7; ++i) {
        auto const argument = sequence.next(false);
        sequence.add(*argument, times.time(*argument), 0);
    }
    CHECK_FALSE(sequence.next(true));
    CHECK_FALSE(sequence.incomplete());
    CHECK(sequence.stop() == "limit");
    CHECK(sequence.refined() == 0);
}

TEST_CASE("too many initial points are thinned out", "[skampi][arguments]") {
    auto task = ping_pong();
    task.scale = Scale::fixed_linear;
    task.start = 0;
    task.end = 40;
    task.step = 1;
    task.max_steps = 4;
    // 0 4 8 .. 40 are eleven points; indices 0 4 8 and the last one are kept.
    ArgumentSequence sequence{task};
    CHECK(sequence.coarsened() == 4);
    CHECK(sequence.initial() == Arguments{0, 16, 32, 40});

    task.end = std::int64_t{1} << 40;
    ArgumentSequence far{task};
    CHECK(far.initial().size() <= 4);
    CHECK(far.initial().back() == task.end);
    CHECK(far.coarsened() > 100000);
}

TEST_CASE("without variation there is one point", "[skampi][arguments]") {
    Task task{.name = "MPI_Wtime", .routine = find_routine("MPI_Wtime")};
    ArgumentSequence sequence{task};
    CHECK(sequence.next(false) == 0);
    sequence.add(0, 1, 0);
    CHECK_FALSE(sequence.next(false));
    CHECK(sequence.stop() == "fixed");
}

TEST_CASE("a cost model uses the last piece that begins at or below the argument", "[skampi][cost_model]") {
    auto const times = model("jump:10,0.010,3000,45,0.008,5000,1,0");
    CHECK(times.time(256) == Catch::Approx(12.56));
    CHECK(times.time(2999) == Catch::Approx(39.99));
    CHECK(times.time(3000) == Catch::Approx(69));
    CHECK(times.time(9000) == Catch::Approx(1));
}

TEST_CASE("samples of a cost model are reproducible and different for each point", "[skampi][cost_model]") {
    auto const times = model("jump:10,0,noise=0.1,seed=3");
    ModelledTime a{times, "A", 4};
    ModelledTime b{times, "A", 4};
    ModelledTime other{times, "A", 8};
    auto const first = a.next();
    CHECK(first == b.next());
    CHECK(first != other.next());
    CHECK(first != a.next());
}

TEST_CASE("outliers of a cost model have the given share and factor", "[skampi][cost_model]") {
    ModelledTime samples{model("jump:1,0,outlier=0.25:100"), "A", 0};
    int outliers = 0;
    for (int i = 0; i < 1000; ++i) {
        double const us = samples.next().count() * 1e6;
        REQUIRE((us == Catch::Approx(1) || us == Catch::Approx(100)));
        outliers += us > 50;
    }
    CHECK(outliers > 180);
    CHECK(outliers < 320);
}

TEST_CASE("the clock of a model shows the given time to a picosecond", "[skampi][cost_model]") {
    ModelTimer const timer;
    auto const copy = timer;
    auto const begin = timer.now();
    timer.advance(measure::seconds{12.560001e-6});
    CHECK(copy.between(begin, copy.now()).count() == Catch::Approx(12.560001e-6).epsilon(1e-12));
}

TEST_CASE("an invalid cost model is refused", "[skampi][cost_model]") {
    for (std::string const text :
         {"", "jump", "jump:1", "jump:1,2,3", "jump:1,2,3,4", "jump:a,b", "jump:1,2,noise=x", "jump:1,2,noise=-1",
          "jump:1,2,outlier=1", "jump:1,2,outlier=2:3", "jump:1,2,x=3", "jump:1,0,30,1,0,20,1,0", "step:1,2"})
        CHECK_THROWS_AS(model(text), measure::UsageError);
}

TEST_CASE("the partner is the last of the slow ranks, the nearest is the first of the fast ones", "[skampi][partner]") {
    using measure::seconds;
    std::vector<seconds> const latencies{seconds{1.04}, seconds{1},    seconds{1.96},
                                         seconds{2},    seconds{1.91}, seconds{1.89}};
    auto const partners = choose_partners(latencies);
    CHECK(partners.farthest.rank == 5);  // 1.91 >= 0.95 * 2
    CHECK(partners.nearest.rank == 1);   // 1.04 <= 1.05 * 1
    CHECK(choose_partners({}).farthest.rank == 0);
}

TEST_CASE("many node times are reduced to the extremes and some values between them", "[skampi][runner]") {
    std::vector<double> const times{5, 1, 4, 2, 3};
    using Times = std::vector<double>;
    CHECK(selected_node_times(times, 5) == Times{1, 2, 3, 4, 5});
    CHECK(selected_node_times(times, 0).empty());
    CHECK(selected_node_times(times, 1) == Times{3});
    CHECK(selected_node_times(times, 2) == Times{1, 5});
    // Indices floor(5 i / 3), i < 3, and the largest value.
    CHECK(selected_node_times(times, 4) == Times{1, 2, 4, 5});
    // Fewer processes than columns, because the measurement has more at other arguments: floor(2 i / 3).
    CHECK(selected_node_times({8, 7}, 4) == Times{7, 7, 8, 8});
}

TEST_CASE("buffers are counted on the process with the largest ones", "[skampi][catalogue]") {
    auto const bytes = [](char const* id, measure::Bytes length, int nodes, measure::Bytes size = 1) {
        return buffer_bytes(*find_routine(id), length, nodes, size);
    };
    CHECK(bytes("MPI_Wtime", 100, 4) == 0);
    CHECK(bytes("MPI_Send-MPI_Recv", 100, 2) == 200);
    CHECK(bytes("MPI_Waitsome", 100, 4) == 600);
    CHECK(bytes("MPI_Bcast", 100, 4) == 100);
    CHECK(bytes("MPI_Reduce", 100, 4, 4) == 200);
    CHECK(bytes("MPI_Gather", 100, 4) == 500);
    CHECK(bytes("MPI_Scatter", 100, 4) == 500);
    CHECK(bytes("MPI_Allgather", 100, 4) == 500);
    CHECK(bytes("MPI_Alltoall", 100, 4) == 800);
    // 25 numbers for 4 processes: the longest block has 7.
    CHECK(bytes("MPI_Reduce_scatter", 100, 4, 4) == 128);
    CHECK(bytes("MPI_Reduce_Scatterv", 100, 4, 4) == 228);
    CHECK(bytes("Halo_2D", 100, 4) == 800);
    CHECK(bytes("Halo_3D", 100, 4) == 1200);
    CHECK(bytes("Transpose", 80, 4, 8) == 1280);
    CHECK(bytes("MPI_Alltoall", std::int64_t{1} << 40, 1000) == std::int64_t{2000} << 40);
}

TEST_CASE("buffered sends have memory for all messages in flight", "[skampi][catalogue]") {
    auto const bytes = [](char const* id, int nodes) { return attached_bytes(*find_routine(id), 100, nodes); };
    CHECK(bytes("MPI_Bsend-MPI_Recv", 2) == 4 * (100 + MPI_BSEND_OVERHEAD));
    CHECK(bytes("MPI_Bsend", 4) == 6 * (100 + MPI_BSEND_OVERHEAD));
    CHECK(bytes("MPI_Send-MPI_Recv", 2) == 0);
    CHECK(bytes("MPI_Send", 4) == 0);
    CHECK(bytes("MPI_Bcast", 4) == 0);
}

TEST_CASE("all memory of a process counts, including attached buffers and partial results", "[skampi][catalogue]") {
    constexpr measure::Bytes length = 4096;
    auto const solo = measure::Comm::solo();
    auto const has_room = [&](char const* id, measure::Bytes room) {
        Task task{.name = id, .routine = find_routine(id)};
        task.variation = Variation::length;
        task.datatype = find_datatype("MPI_DOUBLE");
        try {
            Bench const bench{solo, setting(task, length), room};
            return true;
        } catch (std::bad_alloc const&) {
            return false;
        }
    };
    // Memory needed on one process, in bytes.
    auto const needs = [&](char const* id, measure::Bytes bytes) {
        CAPTURE(id);
        CHECK(has_room(id, bytes));
        CHECK_FALSE(has_room(id, bytes - 1));
    };
    needs("MPI_Send-MPI_Recv", 2 * length);
    needs("MPI_Reduce", 2 * length);
    needs("MPI_Reduce_Scatterv", 3 * length);
    needs("Transpose", 4 * length);
    // Attaching a buffer needs MPI.
    CHECK_FALSE(has_room("MPI_Bsend-MPI_Recv", 6 * length));
}

namespace {

std::vector<std::string> const three_names{"A", "B", "C"};

measure::JournalRun run_of(int processes = 2, std::string configuration = "x") {
    return {
        .id = "new", .processes = processes, .configuration = std::move(configuration), .output = "out.1", .date = "d"};
}

std::string const begun = "RUN old 1 procs=2 config=x out=out date=d\n";

Start start_after(std::string const& log, std::optional<std::int64_t> size = 100, StartOptions options = {},
                  measure::JournalRun const& now = run_of()) {
    return plan_start(measure::replay(log), now, three_names, size, options);
}

}  // namespace

TEST_CASE("without a log and after a complete run, everything is measured into a new file", "[skampi][run_files]") {
    for (std::string const& log : {std::string{}, begun + "BEGIN A\nDONE A offset=50 record=0\nEND old\n"}) {
        auto const start = start_after(log);
        CHECK_FALSE(start.resumes);
        CHECK(start.run.output == "out.1");
        CHECK(start.measure == three_names);
        CHECK(start.extent.output == 0);
    }
}

TEST_CASE("a crash is recorded, and crashed measurements come last", "[skampi][run_files]") {
    auto const start = start_after(begun + "BEGIN A\nDONE A offset=50 record=7\nBEGIN B\n");
    CHECK(start.resumes);
    CHECK(start.run.id == "old");
    CHECK(start.run.output == "out");
    CHECK(start.extent == measure::JournalExtent{50, 7});
    REQUIRE(start.crashed.size() == 1);
    CHECK(start.crashed[0] == std::pair<std::string, int>{"B", 1});
    CHECK(start.measure == std::vector<std::string>{"C", "B"});
    CHECK(start.abandon.empty());
}

TEST_CASE("crashed measurements are skipped if requested", "[skampi][run_files]") {
    auto const start = start_after(begun + "BEGIN A\nCRASH A 1\nBEGIN B\n", 100, {.skip_crashed = true});
    CHECK(start.measure == std::vector<std::string>{"C"});
    CHECK(start.abandon == std::vector<std::string>{"A", "B"});
}

TEST_CASE("an interrupted measurement keeps its place", "[skampi][run_files]") {
    auto const start = start_after(begun + "BEGIN A\nINTERRUPT A\n", 0);
    CHECK(start.crashed.empty());
    CHECK(start.measure == three_names);
}

TEST_CASE("an unfinished run with other settings is refused, and the difference is named", "[skampi][run_files]") {
    auto const log = begun + "BEGIN A\nDONE A offset=50 record=0\n";
    CHECK_THROWS_WITH(start_after(log, 100, {}, run_of(3)),
                      Catch::Matchers::ContainsSubstring("2 processes in the journal, 3 now"));
    CHECK_THROWS_WITH(start_after(log, 100, {}, run_of(2, "y")), Catch::Matchers::ContainsSubstring("configuration"));
    CHECK_THROWS_WITH(start_after(log, std::nullopt), Catch::Matchers::ContainsSubstring("no longer exists"));
    CHECK_THROWS_WITH(start_after(log, 49), Catch::Matchers::ContainsSubstring("only 49 of 50 bytes"));
    CHECK_FALSE(start_after(log, 49, {.fresh = true}).resumes);
    // The output file is not needed before the first measurement is finished.
    CHECK(start_after(begun + "BEGIN A\n", std::nullopt).resumes);
}

TEST_CASE("a text that is not a log is refused, an incomplete log is not", "[skampi][run_files]") {
    for (char const* const text : {"my notes\n", "my notes", "my\nnotes\n", "\n", "RUNNING\n", "run 1"})
        CHECK_THROWS_WITH(state_of("notes", text), "notes: this is not a log of skampi");
    for (char const* const text : {"", "R", "RUN", "RUN old 1 pro"})
        CHECK_FALSE(state_of("log", text).run);
    CHECK(state_of("log", begun).run == measure::replay(begun).run);
    CHECK_THROWS_WITH(state_of("log", begun + "what\n" + begun), Catch::Matchers::StartsWith("log: journal, line 2:"));
}

TEST_CASE("a file cannot have two purposes", "[skampi][run_files]") {
    CHECK_NOTHROW(require_different(std::vector<NamedFile>{{"A", "x"}, {"B", "x.1"}, {"C", ""}, {"D", ""}}));
    CHECK_THROWS_WITH(require_different(std::vector<NamedFile>{{"A", "x"}, {"B", "y"}, {"C", "./z/../x"}}),
                      "A and C are the same file './z/../x'");
    // A name that is too long for a file is compared as text.
    std::string const too_long(256, 'x');
    CHECK_NOTHROW(require_different(std::vector<NamedFile>{{"A", too_long}, {"B", "y"}}));
    CHECK_THROWS_WITH(require_different(std::vector<NamedFile>{{"A", too_long}, {"B", too_long}}),
                      "A and B are the same file '" + too_long + "'");
}
