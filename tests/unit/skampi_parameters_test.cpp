// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"
#include "skampi/parameters/default_config.hpp"
#include "skampi/parameters/parameters.hpp"
#include "support/catch.hpp"

#include <measure/refine.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using Catch::Matchers::ContainsSubstring;
using namespace skampi;

using Texts = std::vector<std::string>;

std::string const who = "@NODE n\n@NETWORK w\n@USER u\n";
std::string const begin = who + "@MEASUREMENTS\n";  // the blocks start in line 5

Setup read(std::string const& text, int processes = 4, Filter const& filter = {}) {
    return parameters(text, "f", processes, filter);
}

/// The only task of a file.
Task task(std::string const& block, int processes = 4, std::string const& globals = "") {
    auto const setup = read(globals + begin + block, processes);
    REQUIRE(setup.tasks.size() == 1);
    return setup.tasks[0];
}

Texts faults(std::string const& text, int processes = 4) {
    Texts texts;
    try {
        static_cast<void>(read(text, processes));
    } catch (program::ParseErrors const& error) {
        for (auto const& fault : error.faults()) {
            CHECK(fault.file == "f");
            texts.push_back(std::to_string(fault.line) + ":" + std::to_string(fault.column) + " " + fault.text);
        }
    }
    return texts;
}

Texts block_faults(std::string const& block, int processes = 4) { return faults(begin + block, processes); }
/// Errors of "MPI_Bcast-length { ENTRIES }", whose entries start in column 20.
Texts entry_faults(std::string const& entries) { return block_faults("MPI_Bcast-length { " + entries + " }"); }
Texts global_faults(std::string const& line) { return faults(who + line); }

Texts names(Setup const& setup) {
    Texts result;
    for (auto const& t : setup.tasks)
        result.push_back(t.name);
    return result;
}

Texts lines(std::string const& text) {
    auto result = program::split(text, '\n');
    REQUIRE(!result.empty());
    CHECK(result.back().empty());
    result.pop_back();
    return result;
}

// --- globals

TEST_CASE("three lines are a valid file with all defaults", "[skampi]") {
    auto const setup = read(who);
    auto const& g = setup.globals;
    CHECK(g.node == "n");
    CHECK(g.network == "w");
    CHECK(g.user == "u");
    CHECK(g.machine.empty());
    CHECK(g.comments.empty());
    CHECK(g.output == "skampi.out");
    CHECK(g.log == "skampi.log");
    CHECK(g.memory == 4194304);
    CHECK(g.standard_error == 0.03);
    CHECK(g.min_repetition == 8);
    CHECK(g.max_repetition == 32);
    CHECK(g.cut == 0.25);
    CHECK(g.max_node_times == 16);
    CHECK(g.sync == Sync::barrier);
    CHECK(g.timer == "mpi_wtime");
    CHECK(g.partner == PartnerChoice::max);
    CHECK(setup.tasks.size() == 71);
}

TEST_CASE("the identification is required", "[skampi]") {
    CHECK(faults("@NODE n\n@USER u\n") == Texts{"1:1 @NETWORK is missing (a line '@NETWORK TEXT' is required)"});
    CHECK(faults("@NETWORK w\n@USER u\n") == Texts{"1:1 @NODE is missing (a line '@NODE TEXT' is required)"});
    CHECK(faults("@NODE n\n@NETWORK w\n") == Texts{"1:1 @USER is missing (a line '@USER TEXT' is required)"});
    CHECK(faults("@NODE n\n@NETWORK FILL_IN\n@USER\n") ==
          Texts{"2:10 @NETWORK is not filled in", "3:1 @USER is not filled in"});
    CHECK(faults("").size() == 3);
}

TEST_CASE("global keys are set", "[skampi]") {
    auto const setup = read("@node n\n@Network w\n@USER u\n@MACHINE m x\n@MPILIBNAME l\n@MPILIBVERS 1\n@OSNAME o\n"
                            "@OSVERS 2\n@COMMENT a\n@COMMENT b # c\n@OUTFILE out\n@LOGFILE log\n@MEMORY 8mb\n"
                            "@STANDARDERRORDEFAULT 0.1\n@MINREPDEFAULT 4\n@MAXREPDEFAULT 16\n"
                            "@CUTQUANTILEDEFAULT 0\n@MULTIPLEOFDEFAULT 6\n@STEPWIDTHDEFAULT 2\n@MAXSTEPSDEFAULT 9\n"
                            "@MINDISTDEFAULT 12\n@MAXDISTDEFAULT Invalid_Value\n@TIMEMEASUREMENTDEFAULT 1.5\n"
                            "@TIMESUITEDEFAULT 2\n@NODETIMESDEFAULT yes\n@MAXNODETIMES 3\n@DEFAULTLENGTH 1k\n"
                            "@DEFAULTCHUNKS 7\n@SYNC window\n@TIMER TSC\n@PARTNER min\n@MEASUREMENTS\n"
                            "MPI_Reduce-length {} MPI_Waitsome-nodes {}");
    auto const& g = setup.globals;
    CHECK(g.machine == "m x");
    CHECK(g.mpi_library == "l");
    CHECK(g.mpi_version == "1");
    CHECK(g.os_name == "o");
    CHECK(g.os_version == "2");
    CHECK(g.comments == Texts{"a", "b # c"});
    CHECK(g.output == "out");
    CHECK(g.log == "log");
    CHECK(g.memory == 8388608);
    CHECK(g.max_node_times == 3);
    CHECK(g.timer == "tsc");
    REQUIRE(setup.tasks.size() == 2);
    auto const& reduce = setup.tasks[0];
    CHECK(reduce.standard_error == 0.1);
    CHECK(reduce.min_repetition == 4);
    CHECK(reduce.max_repetition == 16);
    CHECK(reduce.cut == 0);
    CHECK(reduce.multiple_of == 12);  // least common multiple of 6 and the size of an int
    CHECK(reduce.step == 2);
    CHECK(reduce.max_steps == 9);
    CHECK(reduce.min_distance == 12);
    REQUIRE(reduce.time_measurement.has_value());
    CHECK(reduce.time_measurement->count() == 1.5);
    REQUIRE(reduce.time_suite.has_value());
    CHECK(reduce.time_suite->count() == 120);
    CHECK(reduce.node_times);
    CHECK(reduce.sync == Sync::window);
    CHECK(reduce.partner == PartnerChoice::min);
    auto const& nodes = setup.tasks[1];
    CHECK(nodes.length == 1024);
    CHECK(nodes.chunks == 7);
    CHECK(nodes.multiple_of == 1);
    CHECK(nodes.sync == Sync::barrier);
}

TEST_CASE("Wtime is a timer name, and unknown timers are refused", "[skampi]") {
    CHECK(read(who + "@TIMER Wtime\n").globals.timer == "mpi_wtime");
    CHECK(read(who + "@TIMER synthetic:tick=1us\n").globals.timer == "synthetic:tick=1us");
    CHECK(global_faults("@TIMER sundial") ==
          Texts{"4:8 @TIMER: 'sundial' is unknown (mpi_wtime, gettimeofday, tsc, monotonic or monotonic_raw)"});
}

TEST_CASE("wrong global keys are refused", "[skampi]") {
    CHECK(global_faults("@MEMROY 4") == Texts{"4:1 unknown key '@MEMROY'; did you mean '@MEMORY'?"});
    CHECK(global_faults("@XYZZY 4") == Texts{"4:1 unknown key '@XYZZY'"});
    CHECK(global_faults("@USER v") == Texts{"4:1 @USER is given twice (first in line 3)"});
    CHECK(global_faults("@MEMORY 1000").size() == 1);
    CHECK(global_faults("@MEMORY 1024").empty());
    CHECK(global_faults("@MEMORY 2TB").size() == 1);
    CHECK(global_faults("@STANDARDERRORDEFAULT 1") ==
          Texts{"4:23 @STANDARDERRORDEFAULT: '1' is out of range (a number greater than 0 and less than 1)"});
    CHECK(global_faults("@MINREPDEFAULT 1").size() == 1);
    CHECK(global_faults("@MAXREPDEFAULT 4") == Texts{"4:1 @MINREPDEFAULT 8 is greater than @MAXREPDEFAULT 4"});
    CHECK(global_faults("@MINREPDEFAULT 64") == Texts{"4:1 @MINREPDEFAULT 64 is greater than @MAXREPDEFAULT 32"});
    CHECK(global_faults("@CUTQUANTILEDEFAULT 0.5").size() == 1);
    CHECK(global_faults("@MULTIPLEOFDEFAULT 0").size() == 1);
    CHECK(global_faults("@STEPWIDTHDEFAULT 1") ==
          Texts{"4:19 @STEPWIDTHDEFAULT: '1' is out of range (a number greater than 1)"});
    CHECK(global_faults("@MAXSTEPSDEFAULT 1").size() == 1);
    CHECK(global_faults("@MINDISTDEFAULT 0").size() == 1);
    CHECK(global_faults("@MAXDISTDEFAULT 7").size() == 1);
    CHECK(global_faults("@TIMESUITEDEFAULT 0").size() == 1);
    CHECK(global_faults("@NODETIMESDEFAULT maybe").size() == 1);
    CHECK(global_faults("@DEFAULTLENGTH -1").size() == 1);
    CHECK(global_faults("@DEFAULTCHUNKS 0").size() == 1);
    CHECK(global_faults("@SYNC Fence") == Texts{"4:7 @SYNC: 'Fence' is unknown (Barrier or Window)"});
    CHECK(global_faults("@PARTNER 3") == Texts{"4:10 @PARTNER: '3' is unknown (Max or Min)"});
    CHECK(global_faults("@OUTFILE").size() == 1);
}

TEST_CASE("global keys accept Default_Value, and limits accept Invalid_Value", "[skampi]") {
    auto const t = task("MPI_Bcast-length {}", 4,
                        "@MEMORY Default_Value\n@MINDISTDEFAULT default_value\n@TIMESUITEDEFAULT Invalid_Value\n"
                        "@TIMEMEASUREMENTDEFAULT invalid_value\n");
    CHECK(t.min_distance == 4);
    CHECK_FALSE(t.time_suite.has_value());
    CHECK_FALSE(t.time_measurement.has_value());
}

// --- measurements

TEST_CASE("a block without keys has all defaults", "[skampi]") {
    auto const t = task("MPI_Bcast-length {}");
    CHECK(t.routine == find_routine("MPI_Bcast"));
    CHECK(t.variation == Variation::length);
    CHECK(t.scale == Scale::dynamic_log);
    CHECK(t.start == 4);
    CHECK(t.end == 4194304);
    CHECK(t.step == 1.414213562);
    CHECK(t.multiple_of == 4);
    CHECK(t.max_steps == 64);
    CHECK(t.min_distance == 4);
    CHECK(t.standard_error == 0.03);
    CHECK(t.noise_guard);
    CHECK(t.min_repetition == 8);
    CHECK(t.max_repetition == 32);
    CHECK(t.cut == 0.25);
    CHECK_FALSE(t.time_measurement.has_value());
    CHECK_FALSE(t.time_suite.has_value());
    CHECK_FALSE(t.node_times);
    CHECK(t.nodes == 4);
    CHECK(t.chunks == 1);
    CHECK(t.datatype == find_datatype("MPI_BYTE"));
    CHECK(t.op == nullptr);
    CHECK(t.root == 0);
    CHECK(t.sync == Sync::barrier);
    CHECK(t.partner == PartnerChoice::max);
    CHECK(t.skip.empty());
}

TEST_CASE("defaults depend on the pattern and on the variation", "[skampi]") {
    auto const pair = task("MPI_Send-MPI_Recv {}");
    CHECK(pair.variation == Variation::length);
    CHECK(pair.start == 0);
    CHECK(pair.end == 2097152);  // two buffers in 4 MiB
    CHECK(pair.nodes == 2);

    auto const nodes = task("MPI_Bcast-nodes {}");
    CHECK(nodes.variation == Variation::nodes);
    CHECK(nodes.scale == Scale::fixed_linear);
    CHECK(nodes.start == 2);
    CHECK(nodes.end == 4);
    CHECK(nodes.step == 1);
    CHECK(nodes.multiple_of == 1);
    CHECK(nodes.length == 256);

    auto const chunks = task("MPI_Waitsome-chunks {}");
    CHECK(chunks.variation == Variation::chunks);
    CHECK(chunks.scale == Scale::fixed_linear);
    CHECK(chunks.start == 1);
    CHECK(chunks.end == 30);
    CHECK(chunks.nodes == 4);

    auto const workers = task("MPI_Waitsome-length {}");
    CHECK(workers.chunks == 10);
    CHECK(workers.end == 699048);  // 2 * 3 buffers in 4 MiB, in multiples of 4

    auto const reduce = task("MPI_Reduce-length {}");
    CHECK(reduce.datatype == find_datatype("MPI_INT"));
    CHECK(reduce.op == find_reduction("MPI_SUM"));

    auto const simple = task("MPI_Wtime {}");
    CHECK(simple.variation == Variation::none);
    CHECK(simple.scale == Scale::fixed_linear);
    CHECK(simple.nodes == 1);
    CHECK(simple.length == 0);
    REQUIRE(simple.datatype != nullptr);

    auto const barrier = task("MPI_Barrier {}");
    CHECK(barrier.variation == Variation::nodes);
    CHECK(barrier.start == 2);
    CHECK(barrier.length == 0);
}

TEST_CASE("keys of a block are set", "[skampi]") {
    auto const t = task("own { Type = MPI_Reduce; Variation = Length; Scale = Fixed_lin; Start_Argument = 8;\n"
                        "End_Argument = 1k; Stepwidth = 64B; Multiple_of = 8; Max_Steps = 10; Min_Distance = 16;\n"
                        "Max_Distance = Invalid_Value; Standard_Error = 0.5; Refine_Error = Default_Value;\n"
                        "Noise_Guard = no; Min_Repetition = 3; Max_Repetition = 5; Cut_Quantile = 0.1;\n"
                        "Time_Measurement = 2; Time_Suite = 3; Node_Times = Yes; Default_Nodes = 3;\n"
                        "Datatype = MPI_DOUBLE; Op = MPI_MAX; Root = 2; Sync = Window; Partner = Min; }");
    CHECK(t.routine == find_routine("MPI_Reduce"));
    CHECK(t.scale == Scale::fixed_linear);
    CHECK(t.start == 8);
    CHECK(t.end == 1024);
    CHECK(t.step == 64);
    CHECK(t.multiple_of == 8);
    CHECK(t.max_steps == 10);
    CHECK(t.min_distance == 16);
    CHECK(t.standard_error == 0.5);
    CHECK_FALSE(t.noise_guard);
    CHECK(t.min_repetition == 3);
    CHECK(t.max_repetition == 5);
    CHECK(t.cut == 0.1);
    CHECK(t.time_measurement.value().count() == 2);
    CHECK(t.time_suite.value().count() == 180);
    CHECK(t.node_times);
    CHECK(t.nodes == 3);
    CHECK(t.datatype == find_datatype("MPI_DOUBLE"));
    CHECK(t.op == find_reduction("MPI_MAX"));
    CHECK(t.root == 2);
    CHECK(t.sync == Sync::window);
}

TEST_CASE("the example file is read", "[skampi]") {
    auto const setup = read(R"(# SKaMPI parameter file
@MACHINE  TestCluster
@NODE     2 x 3.0 GHz 16-core, 64 GiB
@NETWORK  10 Gbit Ethernet
@USER     A. Tester
@MEMORY   4194304

@MEASUREMENTS

MPI_Send-MPI_Recv {
  Type = MPI_Send-MPI_Recv;   Variation = Length;   Scale = Dynamic_log;
  Start_Argument = 0;         End_Argument = Max_Value;
  Stepwidth = 1.414213562;    Multiple_of = 4;
  Max_Steps = 64;             Min_Distance = 8;     Max_Distance = Invalid_Value;
  Min_Repetition = Default_Value;  Max_Repetition = 64;
  Standard_Error = 0.02;      Cut_Quantile = 0.25;
  Time_Measurement = Invalid_Value; Time_Suite = 2.0;
  Node_Times = No;
}
MPI_Bcast-nodes-short { Variation = Nodes; Scale = Fixed_linear;
  Default_Message_Length = 256; Start_Argument = 2; End_Argument = Max_Value; Stepwidth = 1; Node_Times = Yes; }
MPI_Bcast-nodes-long  { Variation = Nodes; Default_Message_Length = 64kB; }
MPI_Reduce-length     { Variation = Length; Op = MPI_MAX; Datatype = MPI_DOUBLE; Multiple_of = 8; }
MPI_Waitsome-chunks   { Variation = Chunks; Default_Message_Length = 256; Start_Argument = 1; End_Argument = 100; Stepwidth = 5; }
MPI_Wtime             { Variation = None; }
)");
    REQUIRE(setup.tasks.size() == 6);
    auto const& t = setup.tasks;
    CHECK(t[0].min_distance == 8);
    CHECK(t[0].max_repetition == 64);
    CHECK(t[0].standard_error == 0.02);
    CHECK(t[0].time_suite.value().count() == 120);
    CHECK(t[1].node_times);
    CHECK(t[2].length == 65536);
    CHECK(t[3].multiple_of == 8);
    CHECK(t[3].end == 2097152);
    CHECK(t[4].end == 100);
    CHECK(t[4].step == 5);
    CHECK(t[5].variation == Variation::none);
}

TEST_CASE("letter case and line ends have no effect", "[skampi]") {
    std::string const block = "own { Type = MPI_Reduce; Scale = Fixed_Log; End_Argument = Max_Value; Op = MPI_MAX; }\n";
    auto const expected = resolved_text(read(begin + block));
    CHECK(resolved_text(read(
              "@node n\n@network w\n@user u\n@measurements\n"
              "own { TYPE = mpi_reduce; scale = FIXED_LOG; end_argument = MAX_VALUE; oP = mpi_Max; }")) == expected);
    std::string crlf;
    for (char const c : begin + block)
        crlf += c == '\n' ? "\r\n" : std::string(1, c);
    CHECK(resolved_text(read(crlf)) == expected);
    CHECK(resolved_text(read("\xEF\xBB\xBF" + begin + block)) == expected);
    CHECK(resolved_text(read("# first\n\n  " + begin + block)) == expected);
    CHECK(resolved_text(read(
              "@NODE n\n@NETWORK w\n@USER u\n@MEASUREMENTS\n"
              "own { TYPE = MPI_REDUCE; SCALE = FIXED_LOG; END_ARGUMENT = MAX_VALUE; OP = MPI_MAX; }")) == expected);
}

TEST_CASE("a name determines the routine and the variation", "[skampi]") {
    CHECK(task("MPI_Bcast-nodes-short-SM {}").routine == find_routine("MPI_Bcast"));
    CHECK(task("MPI_Bcast-nodes-long {}").variation == Variation::nodes);
    CHECK(task("MPI_Waitany-chunks {Type = MPI_Waitsome;}").variation == Variation::chunks);
    CHECK(task("MPI_Bcast {}").variation == Variation::length);
    CHECK(task("mpi_bcast-LENGTH {}").routine == find_routine("MPI_Bcast"));
    CHECK(task("x { Type = MPI_Bcast; Variation = Number_of_nodes; }").variation == Variation::nodes);
    CHECK(task("x { Type = MPI_Send-MPI_Recv; Variation = No; }").variation == Variation::none);
}

TEST_CASE("-SM at the end of a name selects windows", "[skampi]") {
    CHECK(task("MPI_Bcast-length-SM { Sync = Barrier; }").sync == Sync::window);
    CHECK(task("MPI_Bcast-SM {}").sync == Sync::window);
    CHECK(task("MPI_Send-MPI_Recv-SM {}").sync == Sync::barrier);
}

TEST_CASE("an unknown routine is refused", "[skampi]") {
    CHECK(block_faults("MPI_Bcst-length {}") == Texts{"5:1 'MPI_Bcst' is not a routine; did you mean 'MPI_Bcast'?"});
    CHECK(block_faults("x { Type = Nothing_at_all; }") ==
          Texts{"5:12 'Nothing_at_all' is not a routine (--list shows all)"});
    auto const codes = block_faults("x { Type = 17; }");
    REQUIRE(codes.size() == 1);
    CHECK_THAT(codes[0], ContainsSubstring("5:12 Type: '17' is a number; use the name of a routine: MPI_Wtime, ") &&
                             ContainsSubstring("MPI_Alltoallv"));
}

TEST_CASE("a variation must be possible for the routine", "[skampi]") {
    CHECK(block_faults("MPI_Barrier-length {}") ==
          Texts{"5:1 the variation 'length' is not possible for MPI_Barrier (Nodes or None)"});
    CHECK(block_faults("x { Type = MPI_Commsplit; Variation = Length; }").size() == 1);
    CHECK(block_faults("x { Type = MPI_Bcast; Variation = Chunks; }") ==
          Texts{"5:35 the variation 'chunks' is not possible for MPI_Bcast (Length, Nodes or None)"});
    CHECK(block_faults("x { Type = MPI_Wtime; Variation = Length; }") ==
          Texts{"5:35 the variation 'length' is not possible for MPI_Wtime (None)"});
    CHECK(block_faults("x { Type = MPI_Send-MPI_Recv; Variation = Nodes; }").size() == 1);
    CHECK(block_faults("x { Type = MPI_Bcast; Variation = Breadth; }").size() == 1);
}

TEST_CASE("wrong keys and words of a block are refused", "[skampi]") {
    CHECK(entry_faults("Scael = Fixed_log;") == Texts{"5:20 unknown key 'Scael'; did you mean 'Scale'?"});
    CHECK(entry_faults("Xyzzy = 1;") == Texts{"5:20 unknown key 'Xyzzy'"});
    CHECK(entry_faults("Scale = Blah;") == Texts{"5:28 Scale: 'Blah' is unknown (Fixed_linear, Fixed_lin, Fixed_log, "
                                                 "Dynamic_linear, Dynamic_lin or Dynamic_log)"});
    CHECK(entry_faults("Sync = Fence;") == Texts{"5:27 Sync: 'Fence' is unknown (Barrier or Window)"});
    CHECK(entry_faults("Partner = 3;") == Texts{"5:30 Partner: '3' is unknown (Max or Min)"});
    CHECK(entry_faults("Node_Times = 1;") == Texts{"5:33 Node_Times: '1' is unknown (Yes or No)"});
    CHECK(entry_faults("Datatype = int;").size() == 1);
    CHECK(entry_faults("Op = MPI_MEAN;").size() == 1);
    CHECK(entry_faults("Max_Distance = 7;") ==
          Texts{"5:35 Max_Distance: '7' is not supported yet (only Default_Value and Invalid_Value)"});
    CHECK(entry_faults("Refine_Error = 0.1;").size() == 1);
}

TEST_CASE("numbers must be within their bounds", "[skampi]") {
    for (auto const* const value : {"0", "-1", "1.5", "1"})
        CHECK(entry_faults(std::string("Standard_Error = ") + value + ";") ==
              Texts{std::string("5:37 Standard_Error: '") + value +
                    "' is out of range (a number greater than 0 and less than 1)"});
    CHECK(entry_faults("Standard_Error = abc;") == Texts{"5:37 Standard_Error: 'abc' is not a number"});
    CHECK(entry_faults("Standard_Error = 1k;").size() == 1);
    CHECK(entry_faults("Min_Repetition = 1;").size() == 1);
    CHECK(entry_faults("Min_Repetition = 9; Max_Repetition = 8;") ==
          Texts{"5:37 Min_Repetition 9 is greater than Max_Repetition 8"});
    CHECK(entry_faults("Max_Repetition = 4;") == Texts{"5:37 Min_Repetition 8 is greater than Max_Repetition 4"});
    CHECK(entry_faults("Cut_Quantile = 0.5;") ==
          Texts{"5:35 Cut_Quantile: '0.5' is out of range (a number of at least 0 and less than 0.5)"});
    CHECK(entry_faults("Cut_Quantile = -0.1;").size() == 1);
    CHECK(entry_faults("Stepwidth = 1;") == Texts{"5:32 Stepwidth: '1' is out of range (a number greater than 1)"});
    CHECK(entry_faults("Scale = Fixed_linear; Stepwidth = 0;").size() == 1);
    CHECK(entry_faults("Scale = Fixed_linear; Stepwidth = 1.5;").empty());
    CHECK(entry_faults("Max_Steps = 0;").size() == 1);
    CHECK(entry_faults("Min_Distance = 0;").size() == 1);
    CHECK(entry_faults("Multiple_of = 0;").size() == 1);
    CHECK(entry_faults("Start_Argument = -4;").size() == 1);
    CHECK(entry_faults("Start_Argument = 99999999999999999999;").size() == 1);
    CHECK(entry_faults("Time_Suite = 0;").size() == 1);
    CHECK(entry_faults("Root = -1;").size() == 1);
    CHECK(entry_faults("Default_Nodes = 1;") ==
          Texts{"5:36 Default_Nodes: 1 is fewer than the 2 processes that MPI_Bcast needs"});
    CHECK(block_faults("MPI_Bcast-nodes { Start_Argument = 2k; }").size() == 1);
}

TEST_CASE("an empty range is refused", "[skampi]") {
    CHECK(entry_faults("Start_Argument = 64; End_Argument = 32;") ==
          Texts{"5:37 Start_Argument 64 is greater than End_Argument 32"});
    CHECK(entry_faults("End_Argument = 3;") == Texts{"5:35 Start_Argument 4 is greater than End_Argument 3"});
    CHECK(entry_faults("Start_Argument = 5; End_Argument = 7;") ==
          Texts{"5:37 no multiple of 4 between Start_Argument 5 and End_Argument 7"});
    CHECK(entry_faults("Start_Argument = 8; End_Argument = 16; Max_Steps = 1;") ==
          Texts{"5:71 Max_Steps: 1 is too few for a range (at least 2)"});
    CHECK(entry_faults("Start_Argument = 8; End_Argument = 8; Max_Steps = 1;").empty());
    CHECK(block_faults("MPI_Waitsome-chunks { Start_Argument = 31; }") ==
          Texts{"5:40 Start_Argument 31 is greater than End_Argument 30 (Max_Value)"});
    CHECK(block_faults("MPI_Waitsome-chunks { Start_Argument = 0; }").size() == 1);
}

TEST_CASE("a start is rounded up and an end is rounded down", "[skampi]") {
    auto const t = task("MPI_Bcast-length { Start_Argument = 5; End_Argument = 1023; }");
    CHECK(t.start == 8);
    CHECK(t.end == 1020);
    auto const from_zero = task("MPI_Bcast-length { Start_Argument = 0; }");
    CHECK(from_zero.start == 0);
    CHECK(from_zero.end == 4194304);
    CHECK(measure::geometric_points(0, 16, 2, 4) == std::vector<std::int64_t>{0, 4, 8, 16});
}

TEST_CASE("4 to 1024 by the square root of two gives multiples of four", "[skampi]") {
    auto const t = task("MPI_Bcast-length { Scale = Fixed_log; Start_Argument = 4; End_Argument = 1024; }");
    CHECK(measure::geometric_points(t.start, t.end, t.step, t.multiple_of) ==
          std::vector<std::int64_t>{4, 8, 12, 16, 24, 32, 44, 64, 92, 128, 180, 256, 364, 512, 724, 1024});
}

TEST_CASE("Min_Value and Max_Value are the smallest and the largest possible value", "[skampi]") {
    auto const t = task("MPI_Bcast-length { Start_Argument = Min_Value; End_Argument = max_value; }");
    CHECK(t.start == 0);
    CHECK(t.end == 4194304);
    auto const one = task("MPI_Bcast-length { Start_Argument = Max_Value; }");
    CHECK(one.start == one.end);
    CHECK(task("MPI_Bcast-length { Start_Argument = 0; End_Argument = Min_Value; }").end == 0);
    CHECK(task("MPI_Barrier-nodes { Start_Argument = Min_Value; }").start == 1);
    CHECK(task("MPI_Bcast-nodes { Start_Argument = Min_Value; }").start == 2);
}

TEST_CASE("the largest length fits into the memory of the process that needs most", "[skampi]") {
    CHECK(task("MPI_Reduce-length {}").end == 2097152);    // m + m
    CHECK(task("MPI_Gather-length {}").end == 838860);     // 4 m + m in 4 MiB, in multiples of 4
    CHECK(task("MPI_Allgather-length {}").end == 838860);  // as for MPI_Gather
    CHECK(task("MPI_Alltoall-length {}").end == 524288);   // 2 * 4 m
    CHECK(task("MPI_Bcast-length { Multiple_of = 1000; }").end == 4194000);
}

TEST_CASE("an end that does not fit is refused with the bytes it needs", "[skampi]") {
    CHECK(block_faults("MPI_Alltoall-length { End_Argument = 1M; }") ==
          Texts{"5:38 End_Argument: 1048576 needs 8388608 bytes of buffers, but @MEMORY is 4194304"});
    CHECK(block_faults("MPI_Alltoall-nodes { Default_Message_Length = 1M; End_Argument = 4; }") ==
          Texts{"5:66 End_Argument: 4 needs 8388608 bytes of buffers, but @MEMORY is 4194304"});
    CHECK(faults("@MEMORY 4G\n" + begin + "MPI_Bcast-length { End_Argument = 4G; }") ==
          Texts{"6:35 End_Argument: 4294967296 needs more elements, or a larger attached buffer, than MPI can count"});
}

TEST_CASE("the size of an attached buffer must fit into an int of MPI", "[skampi]") {
    std::string const memory = "@MEMORY 4G\n" + begin;
    CHECK(faults(memory + "MPI_Bsend-MPI_Recv { End_Argument = 600M; }").size() == 1);
    CHECK(faults(memory + "MPI_Send-MPI_Recv { End_Argument = 600M; }").empty());
    CHECK(faults(memory + "MPI_Bsend-MPI_Recv { End_Argument = 500M; }").empty());
}

TEST_CASE("a measurement is skipped if even its start does not fit", "[skampi]") {
    CHECK(task("MPI_Alltoall-nodes-long { Default_Message_Length = 2M; }").skip == "memory");
    CHECK(task("MPI_Bcast-length { Start_Argument = 5M; }").skip == "memory");
    CHECK(task("MPI_Bcast { Variation = None; Default_Message_Length = 5M; }").skip == "memory");
    CHECK(task("MPI_Bcast { Variation = None; Default_Message_Length = 4M; }").skip.empty());
}

TEST_CASE("the number of processes is limited by the memory", "[skampi]") {
    auto const t = task("MPI_Alltoall-nodes-long { Default_Message_Length = 64k; }", 100);
    CHECK(t.start == 2);
    CHECK(t.end == 32);  // 2 * 32 * 64 KiB
    auto const setup = read(who, 5000);
    CHECK(std::none_of(setup.tasks.begin(), setup.tasks.end(), [](Task const& one) { return one.start > one.end; }));
}

TEST_CASE("a measurement that needs more processes is skipped", "[skampi]") {
    auto const alone = read(who, 1);
    CHECK(alone.tasks.size() == 71);
    for (auto const& t : alone.tasks) {
        CAPTURE(t.name);
        CHECK(t.skip == (t.routine->pattern == Pattern::simple ? "" : "needs 2 processes"));
    }
    CHECK(task("MPI_Bcast-nodes { Start_Argument = 6; End_Argument = 8; }").skip == "needs 6 processes");
    CHECK(task("MPI_Bcast-length { Default_Nodes = 5; }").skip == "needs 5 processes");
    CHECK(task("MPI_Barrier { Start_Argument = 1; }", 1).skip.empty());
    CHECK(block_faults("MPI_Bcast-nodes { End_Argument = 8; }") ==
          Texts{"5:34 End_Argument: 8 is out of range (from 2 to 4 processes)"});
    CHECK(block_faults("MPI_Bcast-nodes { Start_Argument = 1; }") ==
          Texts{"5:36 Start_Argument: 1 is out of range (at least 2)"});
}

TEST_CASE("the root must take part in every measured point", "[skampi]") {
    CHECK(entry_faults("Root = 4;") == Texts{"5:27 Root: rank 4 does not take part with 4 processes"});
    CHECK(entry_faults("Root = 3;").empty());
    CHECK(block_faults("MPI_Bcast-nodes { Root = 2; }").size() == 1);
    CHECK(block_faults("MPI_Bcast-nodes { Root = 2; Start_Argument = 3; }").empty());
    CHECK(task("MPI_Allgather-length { Root = 9; }").root == 0);
}

TEST_CASE("lengths are multiples of the datatype", "[skampi]") {
    CHECK(block_faults("MPI_Bcast-nodes { Datatype = MPI_DOUBLE; Default_Message_Length = 12; }") ==
          Texts{"5:67 Default_Message_Length: 12 is not a multiple of the 8 bytes of MPI_DOUBLE"});
    CHECK(entry_faults("Datatype = MPI_DOUBLE; Multiple_of = 4;") ==
          Texts{"5:57 Multiple_of: 4 is not a multiple of the 8 bytes of MPI_DOUBLE"});
    CHECK(faults("@DEFAULTLENGTH 6\n" + begin + "MPI_Reduce-nodes {}").size() == 1);
    CHECK(faults("@DEFAULTLENGTH 6\n" + begin + "MPI_Reduce-length {} MPI_Bcast-nodes {}").empty());
    CHECK(task("MPI_Bcast-length { Datatype = MPI_DOUBLE; }").multiple_of == 8);
}

TEST_CASE("a reduction must be defined by MPI for the element type", "[skampi]") {
    CHECK(block_faults("MPI_Reduce-length { Op = MPI_LAND; Datatype = MPI_DOUBLE; }") ==
          Texts{"5:26 MPI_LAND is not defined for elements of MPI_DOUBLE"});
    CHECK(block_faults("MPI_Reduce-length { Datatype = MPI_BYTE; }") ==
          Texts{"5:32 MPI_SUM is not defined for elements of MPI_BYTE"});
    CHECK(block_faults("MPI_Reduce-length { Datatype = MPI_CHAR; Op = MPI_BOR; }").size() == 1);
    CHECK(block_faults("MPI_Reduce-length { Datatype = MPI_BYTE; Op = MPI_BOR; }").empty());
    CHECK(block_faults("MPI_Reduce-length { Datatype = MPI_UNSIGNED; Op = MPI_LXOR; }").empty());
    CHECK(block_faults("MPI_Reduce-length { Datatype = MPI_FLOAT; Op = MPI_PROD; }").empty());
}

TEST_CASE("datatypes have the sizes that MPI defines", "[skampi]") {
    for (auto const& type : datatypes()) {
        CAPTURE(type.name);
        CHECK(type.size > 0);
        CHECK(find_datatype(program::lower(type.name)) == &type);
    }
    CHECK(find_datatype("MPI_LONG")->size == 8);
    CHECK(find_datatype("MPI_NOTHING") == nullptr);
    CHECK(find_reduction("mpi_bxor") != nullptr);
    CHECK(find_reduction("") == nullptr);
}

TEST_CASE("Invalid_Value is accepted for settings that can be off or have no meaning", "[skampi]") {
    CHECK(block_faults("MPI_Wtime { Scale = Invalid_Value; Start_Argument = Invalid_Value; Op = Invalid_Value;\n"
                       "Default_Message_Length = Invalid_Value; Default_Chunks = Invalid_Value; }")
              .empty());
    CHECK(entry_faults("Min_Distance = Invalid_Value; Time_Suite = Invalid_Value;").empty());
    CHECK(entry_faults("Standard_Error = Invalid_Value;") ==
          Texts{"5:37 Standard_Error: Invalid_Value is not possible because the measurement needs a value"});
    CHECK(entry_faults("End_Argument = Invalid_Value;").size() == 1);
    CHECK(entry_faults("Default_Chunks = Invalid_Value;").empty());
    CHECK(task("MPI_Bcast-length { Time_Suite = Invalid_Value; Time_Measurement = Default_Value; }", 4,
               "@TIMESUITEDEFAULT 1\n@TIMEMEASUREMENTDEFAULT 2\n")
              .time_measurement.value()
              .count() == 2);
}

TEST_CASE("a step that would give countless points is refused", "[skampi]") {
    CHECK(entry_faults("Stepwidth = 1.0000000001;").size() == 1);
    CHECK(entry_faults("Scale = Fixed_linear; Stepwidth = 1e-9;").size() == 1);
    CHECK(entry_faults("Scale = Fixed_linear;").empty());
}

TEST_CASE("all errors in a file are reported in the order of the file", "[skampi]") {
    CHECK(faults("@NODE n\n@NETWORK w\n@MEMORY x\n@MEASUREMENTS\n"
                 "A { Type = MPI_Bcst; Scale = Blah; }\nMPI_Bcast-length { Op = 1 }\n"
                 "B { Type = MPI_Reduce; Standard_Error = 0; Root = 4; }\n") ==
          Texts{"1:1 @USER is missing (a line '@USER TEXT' is required)",
                "3:9 @MEMORY: 'x' is not a size (a number with B, k, M, G, KiB, MiB or GiB)",
                "5:12 'MPI_Bcst' is not a routine; did you mean 'MPI_Bcast'?",
                "5:30 Scale: 'Blah' is unknown (Fixed_linear, Fixed_lin, Fixed_log, Dynamic_linear, Dynamic_lin or "
                "Dynamic_log)",
                "6:25 Op: '1' is unknown (MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, "
                "MPI_BOR or MPI_BXOR)",
                "6:27 expected ';' after '1', found '}'",
                "7:41 Standard_Error: '0' is out of range (a number greater than 0 and less than 1)",
                "7:51 Root: rank 4 does not take part with 4 processes"});
}

TEST_CASE("messages stay short for any file content", "[skampi][not_quick]") {
    std::string const longest(1 << 20, 'x');
    for (auto const& text :
         {"@" + longest + " 1\n", "@MEMORY " + longest + "\n", "@MEASUREMENTS\n" + longest + " {}",
          "@MEASUREMENTS\nA { Type = " + longest + "; }", "@MEASUREMENTS\nA { Type = MPI_Bcast; " + longest + " = 1; }",
          "@MEASUREMENTS\nA { Type = MPI_Bcast; Root = " + longest + "; }"}) {
        auto const found = global_faults(text);
        CHECK(!found.empty());
        for (auto const& fault : found)
            CHECK(fault.size() < 250);
    }
}

// --- default suite, filters, texts

TEST_CASE("the default suite has 71 measurements in order", "[skampi]") {
    auto const all = names(read(who));
    REQUIRE(all.size() == 71);
    CHECK(Texts(all.begin(), all.begin() + 6) ==
          Texts{"MPI_Wtime", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Iprobe", "Buffer_attach", "MPI_Send-MPI_Recv"});
    CHECK(Texts(all.begin() + 14, all.begin() + 26) ==
          Texts{"MPI_Issend-MPI_Recv", "MPI_Waitsome-length", "MPI_Waitsome-chunks", "MPI_Waitsome-nodes",
                "MPI_Waitany-length", "MPI_Recv_Any_Source-length", "MPI_Send-length", "MPI_Ssend-length",
                "MPI_Isend-length", "MPI_Bsend-length", "MPI_Bcast-length", "MPI_Bcast-nodes-short"});
    CHECK(all.back() == "MPI_Commsplit-nodes");
    CHECK(names(read(begin)) == all);
    for (int const processes : {2, 3})
        CHECK(names(read(who, processes)) == all);
    auto sorted = all;
    std::sort(sorted.begin(), sorted.end());
    CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
}

TEST_CASE("short is 256 bytes and long is 65536 bytes in the default suite", "[skampi]") {
    auto const setup = read(who + "@DEFAULTLENGTH 8\n", 4, {.only = {"MPI_Bcast-nodes-*", "MPI_Reduce-nodes"}});
    REQUIRE(setup.tasks.size() == 3);
    CHECK(setup.tasks[0].length == 256);
    CHECK(setup.tasks[1].length == 65536);
    CHECK(setup.tasks[2].length == 8);
}

TEST_CASE("measurements are selected by patterns of their names", "[skampi]") {
    CHECK(names(read(who, 4, {.only = {"MPI_W*", "MPI_Bcast-length"}, .skip = {"*-nodes", "*some-*"}})) ==
          Texts{"MPI_Wtime", "MPI_Waitany-length", "MPI_Bcast-length"});
    CHECK(read(who, 4, {.skip = {"MPI_Wtime"}}).tasks.size() == 70);
    CHECK_THROWS_WITH(read(who, 4, {.only = {"nothing"}}), "--only, --skip: no measurement matches the selection");
}

TEST_CASE("the hash of a configuration ignores comments and file names", "[skampi]") {
    auto const hash = config_hash(read(who));
    CHECK(hash.size() == 16);
    CHECK(hash.find_first_not_of("0123456789abcdef") == std::string::npos);
    CHECK(config_hash(read(who + "@COMMENT x\n@OUTFILE y\n@LOGFILE z\n")) == hash);
    CHECK(config_hash(read(who + "@MEMORY 4M\n# comment\n")) == hash);
    CHECK(config_hash(read(who + "@MEMORY 8M\n")) != hash);
    CHECK(config_hash(read(who + "@TIMER tsc\n")) != hash);
    CHECK(config_hash(read(who + "@MAXSTEPSDEFAULT 65\n")) != hash);
    CHECK(config_hash(read(who, 4, {.skip = {"MPI_Wtime"}})) != hash);
}

TEST_CASE("equal configurations have equal texts and hashes", "[skampi]") {
    auto const setup = read(who, 4, {.only = {"MPI_Wtime"}});
    CHECK(config_hash(setup) == config_hash(read("# other lines\n\n" + who, 4, {.only = {"MPI_Wtime"}})));
    CHECK_THAT(resolved_text(setup), ContainsSubstring("node n\n") && ContainsSubstring("measurement MPI_Wtime "));
}

TEST_CASE("--check prints one line per measurement", "[skampi]") {
    CHECK(lines(check_text(read(who))).size() == 71);
    auto const setup =
        read(begin + "MPI_Bcast-length-SM {}\nMPI_Wtime {}\nbig { Type = MPI_Barrier; Start_Argument = 5; }");
    CHECK(lines(check_text(setup)) ==
          Texts{"MPI_Bcast-length-SM  collective MPI_Bcast: length 4..4194304 dynamic_log step 1.414213562 multiple 4, "
                "repetitions 8..32, epsilon 0.03, sync window",
                "MPI_Wtime            simple MPI_Wtime: one point, repetitions 8..32, epsilon 0.03",
                "big                  collective MPI_Barrier: skipped: needs 5 processes"});
}

TEST_CASE("--list prints one line per routine", "[skampi]") {
    auto const all = lines(routines_text());
    CHECK(all.size() == routines().size());
    auto const count = [&](std::string const& pattern) {
        return std::count_if(all.begin(), all.end(), [&](std::string const& line) {
            return line.find(" " + pattern + " ") != std::string::npos;
        });
    };
    CHECK(count("simple") == 5);
    CHECK(count("point-to-point") == 10);
    CHECK(count("master-worker") == 7);
    CHECK(count("collective") == 22);
    auto const bcast =
        std::find_if(all.begin(), all.end(), [](auto const& line) { return line.starts_with("MPI_Bcast "); });
    REQUIRE(bcast != all.end());
    CHECK_THAT(*bcast, ContainsSubstring("  LN ") && ContainsSubstring("  paper ") &&
                           ContainsSubstring("MPI_Bcast-length MPI_Bcast-nodes-short MPI_Bcast-nodes-long"));
}

TEST_CASE("the default file fails only on the three lines of identification", "[skampi]") {
    auto text = default_config();
    auto const found = faults(text);
    REQUIRE(found.size() == 3);
    CHECK_THAT(found[0], ContainsSubstring("@NODE is not filled in"));
    CHECK_THAT(found[1], ContainsSubstring("@NETWORK is not filled in"));
    CHECK_THAT(found[2], ContainsSubstring("@USER is not filled in"));
    for (auto const* const value : {"n", "w", "u"})
        text.replace(text.find("FILL_IN"), 7, value);
    CHECK(resolved_text(read(text)) == resolved_text(read(who)));
}

}  // namespace
