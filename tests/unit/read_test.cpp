// SPDX-License-Identifier: BSD-3-Clause
#include "measure/read.hpp"
#include "measure/report.hpp"
#include "support/catch.hpp"

#include <fstream>
#include <sstream>

using measure::read_records;

namespace {

using Catch::Matchers::ContainsSubstring;

std::string golden() {
    std::ifstream file{MEASURE_TEST_DATA "/unit/golden.jsonl"};
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// The text of a record that was read and is written again.
std::string written(std::vector<measure::RunRecord> const& runs) {
    std::string text;
    for (auto const& run : runs) {
        text += measure::json_line(run.run) + "\n";
        for (auto const& point : run.points)
            text += measure::json_line(point) + "\n";
        for (auto const& summary : run.summaries)
            text += measure::json_line(summary) + "\n";
        if (run.end)
            text += measure::json_line(*run.end) + "\n";
    }
    return text;
}

std::string const first_line = R"({"record":"run","schema":2,"suite":"own","program":"halo"})";
std::string const point_line =
    R"({"record":"point","benchmark":"Bcast","at":{"bytes":8},"quantity":"time","unit":"s","value":1.5,"status":"converged"})";

/// The line and text of the fault, or "accepted" without a fault.
std::string fault(std::string const& text) {
    try {
        static_cast<void>(read_records(text));
    } catch (measure::RecordFault const& fault) {
        return std::to_string(fault.line()) + ": " + fault.what();
    }
    return "accepted";
}

std::string replaced(std::string text, std::string const& from, std::string const& to) {
    auto const at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("reading and writing a record gives the same text", "[read]") {
    auto const runs = read_records(golden());
    REQUIRE(runs.size() == 1);
    CHECK(runs[0].points.size() == 4);
    CHECK(runs[0].points[1].quantity == measure::Quantity::bandwidth);
    CHECK(runs[0].points[0].samples.size() == 2);
    CHECK_FALSE(runs[0].torn);
    CHECK(written(runs) == golden());
}

TEST_CASE("a new run has schema 2", "[read]") {
    CHECK_THAT(measure::json_line(measure::Environment{}), ContainsSubstring(R"("record":"run","schema":2,)"));
}

TEST_CASE("a file may hold several runs, with or without their end lines", "[read]") {
    auto const runs = read_records(first_line + "\n" + point_line + "\n" + golden());
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].points.size() == 1);
    CHECK_FALSE(runs[0].end);
    CHECK(runs[1].end->exit_code == 4);
}

TEST_CASE("an incomplete last line is ignored", "[read]") {
    auto const runs = read_records(first_line + "\n" + point_line + "\n" + point_line.substr(0, 70));
    CHECK(runs[0].points.size() == 1);
    CHECK(runs[0].torn);
    // A last line that lacks only the line break is read.
    CHECK(read_records(first_line + "\n" + point_line)[0].points.size() == 1);
}

TEST_CASE("unknown fields, kinds of lines and words of a launcher are ignored", "[read]") {
    auto const runs = read_records("[mpiexec@node] Sending Ctrl-C to processes as requested\n" +
                                   replaced(first_line, R"("schema")", R"("fan_speed":[1,{"a":null}],"schema")") +
                                   "\n" + R"({"record":"weather","rain":true})" + "\n" +
                                   replaced(point_line, R"("value")", R"("mood":"good","value")") + "\n\n");
    REQUIRE(runs.size() == 1);
    CHECK(runs[0].points.size() == 1);
    REQUIRE(runs[0].run.more.size() == 1);
    CHECK(measure::json_text(runs[0].run.more[0].second) == R"([1,{"a":null}])");
}

TEST_CASE("a damaged line is a fault, and other text is listed", "[read]") {
    // A record line is recognised even if its first byte is damaged.
    for (std::string const first : {"x", "[", " x", "0", "\x01", ""}) {
        auto const damaged = first + point_line.substr(1);
        CHECK(fault(first_line + "\n" + damaged + "\n" + point_line + "\n") ==
              "2: this line is broken: it is not a JSON object");
    }
    CHECK(fault("x" + first_line.substr(1) + "\n") == "1: this line is broken: it is not a JSON object");
    CHECK(fault(first_line + "\n0: " + point_line + "\n") == "2: this line is broken: it is not a JSON object");
    CHECK(fault(first_line + "\n" + std::string(8, '\0') + "\n") == "2: this line is broken: it is not a JSON object");
    // The end of a line, as left by two concurrent writers.
    CHECK(fault(first_line + "\n5}\n") == "2: this line is broken: it is not a JSON object");
    // Without the line break it is an incomplete line.
    CHECK(read_records(first_line + "\n" + "x" + point_line.substr(1))[0].torn);
    // Blanks around a line are allowed.
    CHECK(read_records(first_line + "\r\n  " + point_line + "\r\n\t\n")[0].points.size() == 1);
    auto const runs = read_records("[mpiexec] hello\n" + first_line + "\n" + point_line + "\n" + std::string(99, '-') +
                                   "\n" + R"({"record":"weather"})" + "\n");
    REQUIRE(runs[0].others.size() == 3);
    CHECK(runs[0].others[0].number == 1);
    CHECK(runs[0].others[0].text == "[mpiexec] hello");
    CHECK(runs[0].others[1].number == 4);
    CHECK(runs[0].others[1].text == std::string(60, '-'));
    CHECK(runs[0].others[2].number == 5);
}

TEST_CASE("settings and campaign are read back", "[read]") {
    auto run = read_records(golden())[0].run;
    CHECK_FALSE(run.mpi_settings);
    run.mpi_settings = std::vector<measure::Setting>{{"MPIR_CVAR_X", "1"}, {"binding", "0|1"}};
    run.campaign = measure::Campaign{"today", 3};
    auto const again = read_records(measure::json_line(run) + "\n")[0].run;
    CHECK(again.mpi_settings == run.mpi_settings);
    CHECK(again.campaign == run.campaign);
    CHECK(again.more.size() == run.more.size());
}

TEST_CASE("missing optional fields have their defaults", "[read]") {
    auto const runs = read_records(first_line + "\n" + point_line + "\n");
    auto const& point = runs[0].points[0];
    CHECK(point.value == 1.5);
    CHECK(point.at.bytes("bytes") == 8);
    CHECK_FALSE(point.estimate);
    CHECK(point.valid == 0);
    CHECK(point.flags.empty());
    CHECK_FALSE(runs[0].run.mpi_library);
}

TEST_CASE("broken and foreign files are refused with the line", "[read]") {
    CHECK(fault("") == "1: this is not a record file: it has no 'run' line");
    CHECK(fault("bytes,time\n8,0.5\n") == "1: this is not a record file: it has no 'run' line");
    CHECK(fault(R"({"record":"run","schema":2,"prog)") == "1: this line is cut off, and no record begins before it");
    CHECK(fault(point_line + "\n") == "1: a 'point' line before the first 'run' line");
    CHECK_THAT(fault(first_line + "\n" + point_line.substr(0, 70) + "\n" + point_line + "\n"),
               ContainsSubstring("2: this line is broken"));
    CHECK(fault(R"({"answer":42})"
                "\n") == "1: 'record' is missing");
    for (std::string const schema : {"1", "3"})
        CHECK(fault(replaced(first_line, R"("schema":2)", R"("schema":)" + schema) + "\n") ==
              "1: the record has schema " + schema + ", but only schema 2 is supported");
}

TEST_CASE("very deep nesting is refused, moderate nesting is read", "[read]") {
    auto const nested = [](std::size_t levels) {
        return replaced(point_line, R"("value")",
                        R"("derived":{"x":)" + std::string(levels, '[') + std::string(levels, ']') + R"(},"value")");
    };
    CHECK(fault(first_line + "\n" + nested(100) + "\n") == "accepted");
    CHECK(fault(first_line + "\n" + nested(100000) + "\n") == "2: this line is nested more than 200 levels deep");
}

TEST_CASE("an object with too many members is refused, but many objects are read", "[read]") {
    auto const with = [](std::string const& derived) {
        return first_line + "\n" + replaced(point_line, R"("value")", R"("derived":{)" + derived + R"(},"value")") +
               "\n";
    };
    auto const members = [](int n) {
        std::string text = R"("m0":0)";
        for (int i = 1; i < n; ++i)
            text += ",\"m" + std::to_string(i) + "\":0";
        return text;
    };
    CHECK(fault(with(members(1000))) == "accepted");
    CHECK(fault(with(members(10'001))) == "2: this line has an object of more than 10000 members");
    std::string objects = R"("x":[{"a":":::"})";
    for (int i = 0; i < 11'000; ++i)
        objects += R"(,{"a":0})";
    CHECK(fault(with(objects + "]")) == "accepted");
    // Closing brackets without opening ones, followed by opening brackets.
    CHECK(fault(first_line + "\n{}}}]]:{[:\n") == "2: this line is broken: it is not a JSON object");
}

TEST_CASE("the position of each run in the text is known", "[read]") {
    auto const runs = measure::read_records("chatter\n" + first_line + "\n" + point_line + "\n" + first_line + "\n");
    CHECK(runs[0].begin == 8);
    CHECK(runs[1].begin == 8 + first_line.size() + point_line.size() + 2);
}

TEST_CASE("a whole number may be written as a fraction and must fit", "[read]") {
    auto const whole = replaced(point_line, R"("value")", R"("attempts":30.0,"value")");
    CHECK(measure::read_records(first_line + "\n" + whole + "\n")[0].points[0].attempts == 30);
    CHECK(fault(R"({"record":"run","schema":2,"suite":"x","ranks":3000000000})"
                "\n") == "1: 'ranks' is not a whole number or is out of range: 3000000000");
}

TEST_CASE("a coordinate beyond signed 64-bit integers is not read as a negative number", "[read]") {
    auto const large = replaced(point_line, R"({"bytes":8})", R"({"bytes":9223372036854775808})");
    CHECK(measure::read_records(first_line + "\n" + large + "\n")[0].points[0].at.number("bytes") ==
          9223372036854775808.0);
}

TEST_CASE("a wrong member of a point is named", "[read]") {
    auto const [from, to, text] = GENERATE(table<std::string, std::string, std::string>({
        {R"("benchmark":"Bcast",)", "", "'benchmark' is missing"},
        {R"("value":1.5)", R"("value":"fast")", "'value' is not a number"},
        {R"({"bytes":8})", "[8]", "'at' is not an object"},
        {R"({"bytes":8})", R"({"bytes":[8]})", "the coordinate 'bytes' is not a scalar"},
        {R"("time")", R"("colour")", "the quantity 'colour' is not known"},
        {R"("converged")", R"("maybe")", "the status 'maybe' is not known"},
        {R"("value")", R"("flags":[1],"value")", "'flags' is not an array of strings"},
        {R"("value")", R"("estimate":{"interval":[1]},"value")", "'interval' is not a pair of numbers"},
        {R"("value")", R"("attempts":1e300,"value")", "'attempts' is not a whole number or is out of range: 1e+300"},
        {R"("value")", R"("valid":1.5,"value")", "'valid' is not a whole number or is out of range: 1.5"},
        {R"("value")", R"("valid":18446744073709551615,"value")",
         "'valid' is not a whole number or is out of range: 18446744073709551615"},
    }));
    CHECK(fault(first_line + "\n" + replaced(point_line, from, to) + "\n") == "2: " + text);
}
