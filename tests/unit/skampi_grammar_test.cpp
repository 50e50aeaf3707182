// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/parameters/grammar.hpp"
#include "support/catch.hpp"

#include <string>
#include <vector>

namespace {

using namespace skampi::grammar;

Syntax const parameter_file{.block_sections = {"MEASUREMENTS"}};
Syntax const report_file{.block_sections = {"COMPARISONS"},
                         .assignment_sections = {"OPTIONS"},
                         .headers = false,
                         .lists = true,
                         .quoted_names = true};

std::string text(program::ParseError const& fault) {
    return std::to_string(fault.line) + ":" + std::to_string(fault.column) + " " + fault.text;
}

std::vector<std::string> grammar_faults(std::string const& file, Syntax const& syntax = parameter_file) {
    std::vector<std::string> texts;
    for (auto const& fault : parse(file, "f", syntax).faults) {
        CHECK(fault.file == "f");
        texts.push_back(text(fault));
    }
    return texts;
}

std::vector<std::string> grammar_block_faults(std::string const& blocks) {
    return grammar_faults("@MEASUREMENTS\n" + blocks);
}

Document well(std::string const& file, Syntax const& syntax = parameter_file) {
    auto document = parse(file, "f", syntax);
    for (auto const& fault : document.faults)
        FAIL_CHECK(text(fault));
    return document;
}

using Texts = std::vector<std::string>;

TEST_CASE("a header line has a key and a trimmed text", "[skampi]") {
    auto const d = well("# comment\n\n@NODE   two cores # 3 GHz  \n  @User me\n@EMPTY\n");
    REQUIRE(d.headers.size() == 3);
    CHECK(d.headers[0].key == "NODE");
    CHECK(d.headers[0].text == "two cores # 3 GHz");
    CHECK(d.headers[0].place.line == 3);
    CHECK(d.headers[0].text_place.column == 9);
    CHECK(d.headers[1].key == "User");
    CHECK(d.headers[1].place.column == 3);
    CHECK(d.headers[2].text.empty());
    CHECK(d.section("MEASUREMENTS") == nullptr);
}

TEST_CASE("a header text continues in lines that begin with a blank", "[skampi]") {
    auto const d = well("@NODE one\n  two  \n\tthree\n @USER me\n # comment\n@COMMENT\n  late");
    REQUIRE(d.headers.size() == 3);
    CHECK(d.headers[0].text == "one two three");
    CHECK(d.headers[1].text == "me");
    CHECK(d.headers[2].text == "late");
    CHECK(d.headers[2].text_place.line == 7);
    CHECK(d.headers[2].text_place.column == 3);
}

TEST_CASE("a line outside of any header gives one error together with the lines that follow it", "[skampi]") {
    CHECK(grammar_faults("@NODE x\nMPI_Bcast-length {\n Scale = Fixed_log;\n}\n@USER y\n") ==
          Texts{"2:1 'MPI_Bcast-length' is outside of a section; is '@MEASUREMENTS' missing before it?"});
    CHECK(grammar_faults("@NODE x\n\n  y\n") ==
          Texts{"3:3 'y' is outside of a section; is '@MEASUREMENTS' missing before it?"});
}

TEST_CASE("a header key must be followed by a blank", "[skampi]") {
    CHECK(grammar_faults("@NODE=x\n@ USER y\n") ==
          Texts{"1:1 expected '@', a key of letters and a blank", "2:1 expected '@', a key of letters and a blank"});
}

TEST_CASE("white space and comments are allowed anywhere in blocks", "[skampi]") {
    auto const d =
        well("@measurements # all\nA-1.x{Scale=Fixed_log;Start = 4;}\n  B\n{ # first\nOp = \"a # b\"\n;}C{}");
    auto const* const section = d.section("MEASUREMENTS");
    REQUIRE(section != nullptr);
    REQUIRE(section->blocks.size() == 3);
    CHECK(section->blocks[0].name == "A-1.x");
    REQUIRE(section->blocks[0].entries.size() == 2);
    CHECK(section->blocks[0].entries[1].key == "Start");
    CHECK(section->blocks[0].entries[1].place.column == 23);
    CHECK(section->blocks[0].entries[1].values[0].text == "4");
    CHECK(section->blocks[1].place.line == 3);
    CHECK(section->blocks[1].entries[0].values[0].kind == Value::Kind::string);
    CHECK(section->blocks[1].entries[0].values[0].text == "a # b");
    CHECK(section->blocks[2].entries.empty());
}

TEST_CASE("CRLF and a byte-order mark have no effect", "[skampi]") {
    std::string const lines = "@NODE x\r\n y\r\n@MEASUREMENTS\r\nA { Scale\r\n = Fixed_log; }\r\n";
    for (auto const& file : {lines, "\xEF\xBB\xBF" + lines}) {
        auto const d = well(file);
        REQUIRE(d.headers.size() == 1);
        CHECK(d.headers[0].text == "x y");
        CHECK(d.headers[0].place.column == 1);
        REQUIRE(d.section("MEASUREMENTS") != nullptr);
        CHECK(d.section("MEASUREMENTS")->blocks.at(0).entries.at(0).values[0].text == "Fixed_log");
    }
}

TEST_CASE("a value is a number with a unit, a word or a string", "[skampi]") {
    auto const check = [](std::string const& spelled, Value::Kind kind, std::string const& number,
                          std::string const& unit) {
        CAPTURE(spelled);
        auto const d = well("@MEASUREMENTS\nA { K = " + spelled + "; }");
        auto const& v = d.section("MEASUREMENTS")->blocks.at(0).entries.at(0).values.at(0);
        CHECK(v.kind == kind);
        CHECK(v.text == number);
        CHECK(v.unit == unit);
        CHECK(v.place.column == 9);
    };
    check("64kB", Value::Kind::number, "64", "kB");
    check("-1", Value::Kind::number, "-1", "");
    check("+1.5e-3", Value::Kind::number, "1.5e-3", "");
    check(".5MiB", Value::Kind::number, ".5", "MiB");
    check("Max_Value", Value::Kind::word, "Max_Value", "");
    check("nan", Value::Kind::word, "nan", "");
    check("\"4 MiB\"", Value::Kind::string, "4 MiB", "");
    check("\"\"", Value::Kind::string, "", "");
    CHECK(grammar_block_faults("A { K = -inf; }") == Texts{"2:9 '-inf' is neither a number, a word nor a string"});
}

TEST_CASE("the error for a missing character is at the place where it should be", "[skampi]") {
    CHECK(grammar_block_faults("A {\n Scale = Fixed_log\n Stepwidth = 2; Op = x; }\nB {}\n") ==
          Texts{"4:2 expected ';' after 'Fixed_log', found 'Stepwidth'"});
    CHECK(grammar_block_faults("A { Scale = Fixed_log }\nB {}") ==
          Texts{"2:23 expected ';' after 'Fixed_log', found '}'"});
    CHECK(grammar_block_faults("A { Scale Fixed_log; }") ==
          Texts{"2:11 expected '=' after the key 'Scale', found 'Fixed_log'"});
    CHECK(grammar_block_faults("A { Scale = ; }") == Texts{"2:13 expected a value, found ';'"});
    CHECK(grammar_block_faults("A { = 3; }") == Texts{"2:5 expected a key, found '='"});
    CHECK(grammar_block_faults("A { X1 = 3; }") == Texts{"2:5 expected a key, found 'X1'"});
    CHECK(grammar_block_faults("A Scale = 1; Op = 2; }") ==
          Texts{"2:3 expected '{' after the name 'A', found 'Scale'"});
    CHECK(grammar_block_faults("A { Max_Steps = 12x3; }") ==
          Texts{"2:17 '12x3' is neither a number, a word nor a string"});
}

TEST_CASE("a block that is not closed ends where the next one begins", "[skampi]") {
    auto const file = "@MEASUREMENTS\nA { Scale = x;\nB { Scale = y; }\nC { Scale = z;";
    CHECK(grammar_faults(file) ==
          Texts{"3:1 expected '}' at the end of the block 'A' that begins in line 2, found 'B'",
                "4:15 expected '}' at the end of the block 'C' that begins in line 4, found the end of the file"});
    CHECK(parse(file, "f", parameter_file).section("MEASUREMENTS")->blocks.size() == 3);
    CHECK(grammar_block_faults("A {\n@NODE x\nB {}") ==
          Texts{"3:1 expected '}' at the end of the block 'A' that begins in line 2, found '@'",
                "3:1 '@NODE' is out of place: header lines must come before '@MEASUREMENTS'"});
}

TEST_CASE("names and keys must be unique", "[skampi]") {
    CHECK(grammar_block_faults("A { Op = x;\n op = y; }\nA {}") ==
          Texts{"3:2 the key 'op' is given twice (first in line 2)",
                "4:1 the name 'A' is given twice (first in line 2)"});
    CHECK(grammar_block_faults("@MEASUREMENTS") == Texts{"2:1 '@MEASUREMENTS' is given twice (first in line 1)"});
}

TEST_CASE("a name has at most 64 characters", "[skampi]") {
    CHECK(grammar_block_faults(std::string(64, 'a') + " {}").empty());
    CHECK(grammar_block_faults(std::string(65, 'a') + " {}") ==
          Texts{"2:1 the name '" + std::string(40, 'a') + "...' is longer than 64 characters"});
}

TEST_CASE("all errors in a file are found", "[skampi]") {
    CHECK(grammar_block_faults("A { Scale = ; Op x; Root = 1 2; }\n? { Op = 1 }\nB {}") ==
          Texts{"2:13 expected a value, found ';'", "2:18 expected '=' after the key 'Op', found 'x'",
                "2:30 expected ';' after '1', found '2'", "3:1 expected a name, found '?'",
                "3:12 expected ';' after '1', found '}'"});
}

TEST_CASE("text after the name of a section is an error", "[skampi]") {
    CHECK(grammar_faults("@MEASUREMENTS A {}\n") ==
          Texts{"1:15 expected the end of the line after '@MEASUREMENTS', found 'A'"});
}

TEST_CASE("a string must be closed in its line", "[skampi]") {
    CHECK(grammar_block_faults("A { Op = \"x; }\nB {}") == Texts{"2:10 this string has no closing quote in its line"});
    CHECK(grammar_block_faults("A { Op = \"") ==
          Texts{"2:10 this string has no closing quote in its line",
                "2:11 expected '}' at the end of the block 'A' that begins in line 2, found the end of the file"});
}

TEST_CASE("input that is not text is refused", "[skampi]") {
    CHECK(grammar_faults({"@NODE x\n@\0\x01", 11}) == Texts{"2:2 found a zero byte: this is not a text file"});
    CHECK(grammar_faults("\x7f"
                         "ELF\x01\n") ==
          Texts{"1:1 '?' is outside of a section; is '@MEASUREMENTS' missing before it?"});
    CHECK(grammar_faults("").empty());
}

TEST_CASE("any garbage gives errors and ends quickly", "[skampi]") {
    std::string const marks = "@{}=;\"#,\n aA1.+-\r\xEF?";
    unsigned state = 1;
    for (int trial = 0; trial < 300; ++trial) {
        std::string file = "@MEASUREMENTS\n";
        for (int i = 0; i < 200; ++i) {
            state = state * 1103515245U + 12345U;
            file += marks[(state >> 16U) % marks.size()];
        }
        CHECK(!parse(file, "f", parameter_file).faults.empty());
        CHECK(!parse("@OPTIONS\n" + file, "f", report_file).faults.empty());
    }
}

TEST_CASE("a line of 1 MiB is read, and errors quote only a part of it", "[skampi]") {
    std::string const longest(1 << 20, 'x');
    CHECK(well("@NODE " + longest).headers.at(0).text.size() == longest.size());
    for (auto const& fault : grammar_block_faults("A { Op = " + longest + " 1; }\n" + longest))
        CHECK(fault.size() < 200);
    CHECK(grammar_block_faults("A { " + longest).size() == 2);
}

TEST_CASE("a report file has options, lists and quoted names", "[skampi]") {
    auto const d = well("@OPTIONS\nminimum_data = 4;  format = html, latex;\n title = \"Two, three\"; @COMPARISONS\n"
                        "\"Gather variants\" { measurements = MPI_Gather-length, file:1/A.b+c, 3; y = time; }\nB {}",
                        report_file);
    auto const* const options = d.section("OPTIONS");
    REQUIRE(options != nullptr);
    REQUIRE(options->entries.size() == 3);
    CHECK(options->entries[1].values.size() == 2);
    CHECK(options->entries[1].values[1].text == "latex");
    CHECK(options->entries[2].values.at(0).text == "Two, three");
    auto const* const comparisons = d.section("COMPARISONS");
    REQUIRE(comparisons != nullptr);
    REQUIRE(comparisons->blocks.size() == 2);
    CHECK(comparisons->blocks[0].name == "Gather variants");
    CHECK(comparisons->blocks[0].entries[0].values.at(1).text == "file:1/A.b+c");
    CHECK(comparisons->blocks[0].entries[0].values.at(2).kind == Value::Kind::number);
}

TEST_CASE("errors in a report file are found", "[skampi]") {
    CHECK(grammar_faults("@OPTION\nx = 1;\n@OPTIONS\nformat = html,;\ntitle = \"x\"\n@COMPARISONS\n\"A {}\n",
                         report_file) ==
          Texts{"1:1 unknown section '@OPTION' ('@OPTIONS' or '@COMPARISONS')",
                "2:1 'x' is outside of a section; is '@OPTIONS' or '@COMPARISONS' missing before it?",
                "4:15 expected a value, found ';'", "6:1 expected ';' after 'x', found '@'",
                "7:1 this string has no closing quote in its line"});
    CHECK(grammar_faults("@OPTIONS\n@OTHER\n", report_file) ==
          Texts{"2:1 unknown section '@OTHER' ('@OPTIONS' or '@COMPARISONS')"});
    CHECK(grammar_faults("@COMPARISONS\n\"A\" { y = time;\n\"B\" {}\n", report_file) ==
          Texts{"3:1 expected '}' at the end of the block 'A' that begins in line 2, found '\"'"});
}

TEST_CASE("a comma is an error in a file without lists", "[skampi]") {
    CHECK(grammar_block_faults("A { Op = x, y; }") == Texts{"2:11 expected ';' after 'x', found ','"});
}

}  // namespace

TEST_CASE("a quoted name must not be empty", "[skampi]") {
    CHECK(grammar_faults("@COMPARISONS\n\"\" { y = time; }\n", report_file) == Texts{"2:1 the name is empty"});
}
