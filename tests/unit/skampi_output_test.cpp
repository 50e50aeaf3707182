// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/files.hpp"
#include "skampi/output/number.hpp"
#include "skampi/output/output.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace {

using Catch::Matchers::ContainsSubstring;
using skampi::Block;
using skampi::Output;
using skampi::Row;

/// The example in the documentation of the format.
Output example() {
    Output output;
    output.head = {{"VERSION", "skampi 0.1.0"}, {"MACHINE", "TestCluster"}, {"COMMENT", "one"}, {"COMMENT", ""}};
    Block block{.name = "MPI_Send-MPI_Recv", .variable = "length", .duration = 1.92};
    block.keys = {{"pattern", "point-to-point"},
                  {"stepwidth", "1.414214 (multiple of 4)"},
                  {"overhead", "2 0.045100 0.00030000"},
                  {"overhead", "3 0.046200 0.00030000"}};
    block.rows = {
        {.argument = 0, .length = 0, .time = 41.2104, .error = 0.331, .samples = 8},
        {.argument = 2896, .length = 2896, .time = 79.917, .error = 1.0042, .samples = 12, .flags = {"refined"}},
        {.argument = 4096,
         .length = 4096,
         .time = 118.55,
         .error = 3.91,
         .samples = 32,
         .flags = {"refined", "maxrep"}}};
    block.trailer = {{"stop", "accuracy"}, {"max_error", "0.0281"}};
    output.blocks.push_back(std::move(block));
    output.finished = "2025-01-31T10:09:12Z";
    output.runtime = 552;
    return output;
}

constexpr char const* example_text = "# SKaMPI output format 1\n"
                                     "#@VERSION skampi 0.1.0\n"
                                     "#@MACHINE TestCluster\n"
                                     "#@COMMENT one\n"
                                     "#@COMMENT\n"
                                     "#@END_HEADER\n"
                                     "# begin result \"MPI_Send-MPI_Recv\"\n"
                                     "#: pattern = point-to-point\n"
                                     "#: stepwidth = 1.414214 (multiple of 4)\n"
                                     "#: overhead = 2 0.045100 0.00030000\n"
                                     "#: overhead = 3 0.046200 0.00030000\n"
                                     "#| length=    bytes   time_us  stderr_us   n\n"
                                     "length= 0         0   41.2104    0.33100   8\n"
                                     "length= 2896   2896   79.9170     1.0042  12  # refined\n"
                                     "length= 4096   4096  118.5500     3.9100  32  # refined,maxrep\n"
                                     "#. stop = accuracy\n"
                                     "#. max_error = 0.0281\n"
                                     "# end result \"MPI_Send-MPI_Recv\"\n"
                                     "# duration = 1.92 sec\n"
                                     "\n"
                                     "# Finished at 2025-01-31T10:09:12Z\n"
                                     "# Total runtime 552 seconds\n";

/// A file with one measurement that contains these lines.
std::string around(std::string const& lines) {
    return fmt::format("# SKaMPI output format 1\n#@PROCS 4\n#@END_HEADER\n# begin result \"a\"\n{}# end result \"a\"\n"
                       "# duration = 1.00 sec\n\n",
                       lines);
}

std::vector<program::ParseError> faults_of(std::string const& text) {
    try {
        static_cast<void>(skampi::read_output(text, "f.out"));
    } catch (program::ParseErrors const& faults) {
        return faults.faults();
    }
    return {};
}

}  // namespace

TEST_CASE("numbers have at least four decimals and five significant digits", "[skampi]") {
    CHECK(skampi::number_text(41.2104) == "41.2104");
    CHECK(skampi::number_text(118550) == "118550.0000");
    CHECK(skampi::number_text(1) == "1.0000");
    CHECK(skampi::number_text(0.5) == "0.50000");
    CHECK(skampi::number_text(-0.00123456) == "-0.0012346");
    CHECK(skampi::number_text(1e-15) == "0.000000000000");
    CHECK(skampi::number_text(0) == "0.0000");
}

TEST_CASE("an output file has the documented text", "[skampi]") { CHECK(skampi::text(example()) == example_text); }

TEST_CASE("a file without an end has no tail", "[skampi]") {
    Output output = example();
    output.finished.clear();
    CHECK_THAT(skampi::text(output), !ContainsSubstring("Finished") && !ContainsSubstring("runtime"));
    CHECK(skampi::read_output(skampi::text(output), "f.out").finished.empty());
}

TEST_CASE("reading returns what was written", "[skampi]") {
    Output const output = skampi::read_output(example_text, "f.out");
    CHECK(skampi::text(output) == example_text);
    CHECK(output.head == example().head);
    CHECK(*output.head_key("MACHINE") == "TestCluster");
    CHECK(output.head_key("NODE") == nullptr);
    REQUIRE(output.blocks.size() == 1);
    Block const& block = output.blocks[0];
    CHECK(block.keys == example().blocks[0].keys);
    CHECK(block.trailer == example().blocks[0].trailer);
    CHECK(block.variable == "length");
    CHECK(block.duration == 1.92);
    CHECK(block.status() == "ok");
    REQUIRE(block.rows.size() == 3);
    Row const& row = block.rows[1];
    CHECK(row.argument == 2896);
    CHECK(row.length == 2896);
    CHECK(row.time == 79.917);
    CHECK(row.error == 1.0042);
    CHECK(row.samples == 12);
    CHECK(row.has("refined"));
    CHECK_FALSE(block.rows[0].has("refined"));
    CHECK(output.finished == "2025-01-31T10:09:12Z");
    CHECK(output.runtime == 552);
    CHECK(output.block("MPI_Send-MPI_Recv") == &output.blocks[0]);
    CHECK(output.block("MPI_Bcast-length") == nullptr);
}

TEST_CASE("missing node times and errors are dashes, in rows with any number of processes", "[skampi]") {
    Block block{.name = "n", .variable = "nodes"};
    block.rows = {
        {.argument = 2, .length = 8, .time = 1, .samples = 1, .node_times = {1.0, 2.0}},
        {.argument = 3, .length = 8, .time = 2, .error = 0, .samples = 8, .node_times = {std::nullopt, 20.5, 3.25}}};
    Output output;
    output.blocks.push_back(block);
    auto const text = skampi::text(output);
    CHECK_THAT(text, ContainsSubstring("#| nodes=  bytes  time_us  stderr_us  n  node0_us  node1_us  node2_us\n"
                                       "nodes= 2       8   1.0000        ---  1    1.0000    2.0000       ---\n"
                                       "nodes= 3       8   2.0000     0.0000  8       ---   20.5000    3.2500\n"));
    auto const read = skampi::read_output(text, "f.out");
    CHECK_FALSE(read.blocks.at(0).rows.at(0).error.has_value());
    CHECK(read.blocks.at(0).rows.at(1).error == 0);
    CHECK(read.blocks.at(0).rows.at(0).node_times == block.rows[0].node_times);
    CHECK(read.blocks.at(0).rows.at(1).node_times == block.rows[1].node_times);
}

TEST_CASE("columns of sorted node times are named by the share of processes that are faster", "[skampi]") {
    Block block{.name = "n", .keys = {skampi::sorted_node_times()}, .variable = "nodes"};
    block.rows = {{.argument = 9, .time = 1, .samples = 1, .node_times = {1.0, 2.0, 3.0, 4.0}}};
    auto const heading = [&] {
        Output output;
        output.blocks.push_back(block);
        auto const text = skampi::text(output);
        auto const begin = text.find("  n  ") + 5;
        return text.substr(begin, text.find('\n', begin) - begin);
    };
    CHECK(heading() == "min_us  p33_us  p66_us  max_us");
    block.rows[0].node_times = {1.0};
    CHECK(heading() == "median_us");
    block.keys.clear();
    CHECK(heading() == "node0_us");
}

TEST_CASE("a measurement without rows keeps its variable and status", "[skampi]") {
    Block block{.name = "n", .keys = {{"status", "skipped"}, {"reason", "needs 2 processes"}}, .variable = "nodes"};
    Output output;
    output.blocks = {block, Block{.name = "m"}};
    auto const read = skampi::read_output(skampi::text(output), "f.out");
    REQUIRE(read.blocks.size() == 2);
    CHECK(read.blocks[0].variable == "nodes");
    CHECK(read.blocks[0].status() == "skipped");
    CHECK(read.blocks[0].rows.empty());
    CHECK(read.blocks[1].variable == "point");
}

TEST_CASE("unknown keys, comments, extra blanks and CRLF are accepted", "[skampi]") {
    auto const output = skampi::read_output("# SKaMPI output format 1\r\n"
                                            "#@FUTURE  a # b \r\n"
                                            "# a remark\r\n"
                                            "#@END_HEADER\r\n"
                                            "# begin result \"a\"\r\n"
                                            "#: colour = red = green\r\n"
                                            "# another\r\n"
                                            "  length=\t4   4 1.5 .25 8   # x , y\r\n"
                                            "# end result \"a\"\r\n",
                                            "f.out");
    CHECK(*output.head_key("FUTURE") == "a # b");
    Block const& block = output.blocks.at(0);
    CHECK(*block.key("colour") == "red = green");
    CHECK(block.variable == "length");
    CHECK(block.duration == 0);
    CHECK(block.rows.at(0).error == 0.25);
    CHECK(block.rows.at(0).flags == std::vector<std::string>{"x", "y"});
}

TEST_CASE("an incomplete last measurement is ignored together with its errors", "[skampi]") {
    std::string const text = around("length= 4 4 1 0 8\n") + "# begin result \"b\"\nlength= 4 4 1 0 8\nlength= 8 8";
    auto const output = skampi::read_output(text, "f.out");
    CHECK(output.blocks.size() == 1);
    CHECK(output.block("b") == nullptr);
    CHECK(output.finished.empty());
    // The line after the date is missing, so the file is not finished.
    CHECK(skampi::read_output(around("") + "# Finished at 2025-0", "f.out").finished.empty());
}

TEST_CASE("a malformed row is an error with its line", "[skampi]") {
    auto const [row, text] = GENERATE(table<std::string, std::string>({
        {"length= 4 4 1.5 0.2", "a row needs at least five numbers"},
        {"size= 4 4 1.5 0.2 8", "'size=' is not length=, nodes=, chunks= or point="},
        {"length 4 4 1.5 0.2 8", "'length' is not length="},
        {"length= -4 4 1.5 0.2 8", "argument: '-4' is out of range"},
        {"length= 4 4 1,5 0.2 8", "time: '1,5' is not a number"},
        {"length= 4 4 nan 0.2 8", "time: 'nan' is not a number"},
        {"length= 4 4 1.5 -1 8", "standard error: '-1' is out of range"},
        {"length= 4 4 1.5 0.2 8.5", "number of samples: '8.5' is not an integer"},
        {"length= 4 4 1.5 0.2 8 x", "node time: 'x' is not a number"},
        {"nodes= 4 4 1.5 0.2 8", "'nodes=' in a table of 'length='"},
        {"length= 2 2 1.5 0.2 8", "the argument 2 follows 2"},
        {"length= 4 4 1.5 0.2 1000000000001", "number of samples: '1000000000001' is out of range"},
        {"length= 4 4 1.5 0.2 8 # files=x", "files: 'x' is not an integer"},
        {"#: key", "'key' does not have the form key = value"},
        {"#: nodes = many", "nodes: 'many' is not an integer"},
        {"#: chunks = 0", "chunks: '0' is out of range"},
        {"#: cut = 0.9", "cut: '0.9' is out of range"},
        {"#. samples = few", "number of samples: 'few' is not an integer"},
        {"#. points_refined = -1", "points_refined: '-1' is out of range"},
        {"#. max_error = ?", "max_error: '?' is not a number"},
        {"#. paper_error = ?", "paper_error: '?' is not a number"},
        {"#: overhead = 2 1.0", "overhead: '2 1.0' does not have the form PROCESSES TIME ERROR"},
    }));
    auto const faults = faults_of(around("#| length= bytes time_us stderr_us n\nlength= 2 2 1 0 8\n" + row + "\n"));
    REQUIRE(faults.size() == 1);
    CHECK_THAT(faults[0].text, ContainsSubstring(text));
    CHECK(faults[0].line == 7);
    CHECK(faults[0].file == "f.out");
}

TEST_CASE("all errors in an output file are found", "[skampi]") {
    auto const faults = faults_of("# SKaMPI output format 1\nhello\n#@END_HEADER\n"
                                  "# begin result \"a\"\nlength= 1\n# end result \"a\"\n"
                                  "# begin result \"a\"\n# end result \"b\"\n7\n");
    REQUIRE(faults.size() == 5);
    CHECK(faults[0].text == "'hello' is outside of a measurement");
    CHECK(faults[1].line == 5);
    CHECK(faults[2].text == "measurement 'a' appears twice");
    CHECK(faults[3].text == "measurement 'a' has the end mark of 'b'");
    CHECK(faults[4].line == 9);
}

TEST_CASE("a file that is not an output file is refused", "[skampi]") {
    CHECK(faults_of("").at(0).text == "not an output file of skampi (format 1)");
    CHECK(faults_of("hello\n").size() == 1);
    CHECK(faults_of("# SKaMPI output format 2\n").at(0).text == "an output file of a format other than 1");
    CHECK(faults_of("# SKaMPI output format 1\n#@PROCS 4\n").at(0).text == "the head has no end (#@END_HEADER)");
    CHECK(faults_of("# SKaMPI output format 1\n# begin result \"a\"\n").at(0).line == 2);
    CHECK_THAT(faults_of("# SKaMPI output format 1\n#@END_HEADER\n# begin result \"../a\"\n").at(0).text,
               ContainsSubstring("1 to 64 of the characters"));
    auto const unended = faults_of(around("# begin result \"c\"\n"));
    REQUIRE(unended.size() == 1 + 1);
    CHECK(unended[0].text == "measurement 'a' has no end");
}

TEST_CASE("an overhead is read as it is written", "[skampi]") {
    CHECK(skampi::text(skampi::OverheadLine{.nodes = 2, .time = 0.0451, .error = 0.0003}) == "2 0.045100 0.00030000");
    auto const overheads = skampi::overheads(example().blocks[0]);
    REQUIRE(overheads.size() == 2);
    CHECK(overheads[1].nodes == 3);
    CHECK(overheads[1].time == 0.0462);
    CHECK(overheads[1].error == 0.0003);
    CHECK(overheads[1].sync.empty());
    auto const fallback = skampi::overhead_from("2 208.90 0.30000 barrier");
    CHECK(fallback.time == 208.9);
    CHECK(fallback.sync == "barrier");
    CHECK(skampi::text(fallback) == "2 208.9000 0.30000 barrier");
}

TEST_CASE("unsettled rows are named below the table and stay unsettled when read", "[skampi]") {
    auto output = example();
    for (auto& row : output.blocks[0].rows)
        row.flags = {"unsettled"};
    auto const text = skampi::text(output);
    CHECK_THAT(text,
               ContainsSubstring("\n# unsettled: 0, 2896, 4096 bytes: memory was touched for the first time while "
                                 "these rows were measured\n#. stop = accuracy\n"));
    CHECK(skampi::text(skampi::read_output(text, "skampi.out")) == text);
}
