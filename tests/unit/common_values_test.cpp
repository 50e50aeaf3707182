// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/values.hpp"
#include "support/catch.hpp"

#include <string>
#include <vector>

using measure::UsageError;
using program::Argument;
namespace as = program::as;

namespace {

/// The error message of a conversion for a text; empty if there is none.
template <class Convert>
std::string fault(Convert const& convert, std::string const& text) {
    try {
        static_cast<void>(convert(Argument{"-x", text}));
        return {};
    } catch (UsageError const& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("a size is a number of bytes or of binary units in any letter case", "[common][values]") {
    struct Row {
        std::string text;
        measure::Bytes bytes;
    };
    std::vector<Row> const rows{
        {"0", 0},        {"1", 1},           {"64B", 64},          {"64b", 64},
        {"1k", 1024},    {"1K", 1024},       {"2KiB", 2048},       {"2kib", 2048},
        {"3M", 3145728}, {"1MIB", 1048576},  {"4GiB", 4294967296}, {"1g", 1073741824},
        {"1.5k", 1536},  {"0.5MiB", 524288}, {"12 KiB", 12288},    {"9223372036854775807", 9223372036854775807}};
    for (Row const& row : rows) {
        INFO(row.text);
        CHECK(as::Size{}({"-x", row.text}) == row.bytes);
    }
}

TEST_CASE("an invalid size is reported with the option, the text and the allowed form", "[common][values]") {
    std::string const units = "(a number with B, k, M, G, KiB, MiB or GiB)";
    for (std::string const text :
         {"abc", "", "1XiB", "KiB", "1 2", "0x10", "1..5", "1.3", "0.3k", "--", "1e3", "nan", "1  k", "1KiBs"}) {
        INFO(text);
        CHECK(fault(as::Size{}, text) == "-x: '" + text + "' is not a size " + units);
    }
    for (std::string const text : {"1kB", "1KB", "2MB", "2mb", "3GB", "3gb"}) {
        INFO(text);
        CHECK(fault(as::Size{}, text) == "-x: '" + text + "' is ambiguous " + units);
    }
    for (std::string const text : {"9223372036854775808", "8589934592G", "1e", "99999999999999999999k"}) {
        INFO(text);
        CHECK_FALSE(fault(as::Size{}, text).empty());
    }
    CHECK(fault(as::Size{}, "8589934592G") == "-x: '8589934592G' is too large");
    CHECK(fault(as::Size{}, "9223372036854775808") == "-x: '9223372036854775808' is too large");
}

TEST_CASE("a size is within its bounds and by default not negative", "[common][values]") {
    CHECK(fault(as::Size{}, "-4").find("out of range") != std::string::npos);
    CHECK(fault(as::Size{.low = 1}, "0").find("out of range") != std::string::npos);
    CHECK(as::Size{.low = 1, .high = 8}({"-x", "8"}) == 8);
    CHECK(fault(as::Size{.low = 1, .high = 8}, "9") == "-x: '9' is out of range (a size from 1 to 8 bytes)");
}

TEST_CASE("a size without a unit uses the unit of the option", "[common][values]") {
    as::Size const megabytes{.low = measure::mebi, .bare = measure::mebi};
    CHECK(megabytes({"-x", "3"}) == 3 * measure::mebi);
    CHECK(megabytes({"-x", "1.5"}) == 1572864);
    CHECK(megabytes({"-x", "2048k"}) == 2 * measure::mebi);
    CHECK(fault(megabytes, "0") == "-x: '0' is out of range (a size of at least 1048576 bytes)");
    CHECK(fault(megabytes, "7B") == "-x: '7B' is out of range (a size of at least 1048576 bytes)");
}

TEST_CASE("a duration accepts ns us ms s min h, and a bare number is in seconds", "[common][values]") {
    auto const duration = [](std::string const& text) { return as::Duration{}({"-d", text}).count(); };
    CHECK(duration("0") == 0);
    CHECK(duration("2") == 2);
    CHECK(duration("1.5") == 1.5);
    CHECK(duration("2s") == 2);
    CHECK(duration("10min") == 600);
    CHECK(duration("10 min") == 600);
    CHECK(duration("1.5h") == 5400);
    CHECK(duration("250ms") == 0.25);
    CHECK(duration("4us") == 4e-6);
    CHECK(duration("8NS") == 8e-9);
    for (std::string const text : {"", "s", "1h30", "1m", "abc", "1 s s", "nan", "inf", "1e400"}) {
        INFO(text);
        CHECK(fault(as::Duration{}, text).find("is not a duration (a number with ns, us, ms, s, min or h") !=
              std::string::npos);
    }
    CHECK(fault(as::Duration{}, "-1s") == "-x: '-1s' is negative");
    CHECK(fault(as::Duration{.above_zero = true}, "0") == "-x: '0' is not greater than 0");
    CHECK(as::Duration{.above_zero = true}.text(measure::seconds{0}).empty());
    CHECK(as::Duration{}.text(measure::seconds{0}) == "0 s");
    CHECK(as::Duration{.above_zero = true}.text(measure::seconds{90}) == "90 s");
    CHECK(fault(as::Duration{}, "99999999999min").find("too long") != std::string::npos);
}

TEST_CASE("an integer is decimal and whole", "[common][values]") {
    CHECK(as::Integer{}({"-n", "-4"}) == -4);
    CHECK(as::Int{.low = 1}({"-n", "7"}) == 7);
    for (std::string const text : {"", "abc", "1.5", "0x10", "1k", "+1", " 1", "1 "}) {
        INFO(text);
        CHECK(fault(as::Int{.low = 1}, text) == "-x: '" + text + "' is not an integer from 1 to 2147483647");
    }
    CHECK(fault(as::Integer{.low = 2}, "1") == "-x: '1' is out of range (an integer of at least 2)");
    CHECK(fault(as::Integer{}, "9223372036854775808") == "-x: '9223372036854775808' is out of range (an integer)");
    CHECK(fault(as::Int{.low = 0}, "2147483648").find("out of range") != std::string::npos);
}

TEST_CASE("a number is finite and within its bounds", "[common][values]") {
    CHECK(as::Number{}({"-n", "1e-3"}) == 0.001);
    CHECK(as::Number{.low = 1.1, .high = 2}({"-n", "1.1"}) == 1.1);
    for (std::string const text : {"", "abc", "nan", "inf", "0x1p3", "1,5", "1 "}) {
        INFO(text);
        CHECK(fault(as::Number{}, text) == "-x: '" + text + "' is not a number");
    }
    CHECK(fault(as::Number{.low = 0, .above_low = true}, "0") == "-x: '0' is out of range (a number greater than 0)");
    CHECK(fault(as::Number{.low = 1.1, .high = 2}, "2.1") == "-x: '2.1' is out of range (a number from 1.1 to 2)");
}

TEST_CASE("a percentage is converted to a fraction", "[common][values]") {
    CHECK(as::Percentage{}({"-e", "5"}) == 0.05);
    CHECK(as::Percentage{}({"-e", "0.5"}) == 0.005);
    CHECK(as::Percentage{}({"-e", "25%"}) == 0.25);
    CHECK(fault(as::Percentage{.above_low = true}, "0") ==
          "-x: '0' is out of range (a percentage greater than 0 and at most 100)");
    CHECK(fault(as::Percentage{.high = 49}, "50%") == "-x: '50%' is out of range (a percentage from 0 to 49)");
    CHECK(fault(as::Percentage{}, "%") == "-x: '%' is not a percentage from 0 to 100");
}

TEST_CASE("a name is case-insensitive and returned in its declared spelling", "[common][values]") {
    as::Name const name{{"sec", "usec"}};
    CHECK(name({"-w", "USEC"}) == "usec");
    CHECK(fault(name, "min") == "-x: 'min' is unknown (sec or usec)");
    as::Choice<int> const choice{{{"auto", 1}, {"always", 2}, {"never", 3}}};
    CHECK(choice({"--progress", "Always"}) == 2);
    CHECK(fault(choice, "") == "-x: '' is unknown (auto, always or never)");
}

TEST_CASE("a duration is written in the unit a user would choose", "[common][values]") {
    CHECK(program::duration_text(measure::seconds{600}) == "10 min");
    CHECK(program::duration_text(measure::seconds{60}) == "1 min");
    CHECK(program::duration_text(measure::seconds{90}) == "90 s");
    CHECK(program::duration_text(measure::seconds{1}) == "1 s");
    CHECK(program::duration_text(measure::seconds{0.25}) == "250 ms");
}

TEST_CASE("a misspelled name yields the nearest name, nonsense yields none", "[common][values]") {
    std::vector<std::string> const names{"PingPong", "PingPing", "Bcast", "Barrier"};
    CHECK(program::closest("pingpnog", names) == "PingPong");
    CHECK(program::closest("PingPin", names) == "PingPing");
    CHECK(program::closest("Bcats", names) == "Bcast");
    CHECK(program::closest("xyzzy", names).empty());
    CHECK(program::closest("", names).empty());
    CHECK(program::closest("x", std::vector<std::string>{"se"}).empty());
    // A distance of one for each of its 4 additional letters is the limit: 12 / 3 + 1 = 5 is too far.
    CHECK(program::closest("PingPongPing", names) == "PingPong");
    CHECK(program::closest("PingPongPingPong", names).empty());
    CHECK(program::closest("fetch_and_op", std::vector<std::string>{"Put", "Fetch_and_op_flush"}) ==
          "Fetch_and_op_flush");
    CHECK(program::closest("Put", std::vector<std::string>{"Put_flush_local"}).empty());
    CHECK(program::closest(std::string(3000000, 'B'), names).empty());
}

TEST_CASE("names of files in scripts must not contain control characters", "[common][values]") {
    as::ScriptName const name;
    CHECK(name(Argument{"-f", "a b/\xc3\xa4'\""}) == "a b/\xc3\xa4'\"");
    CHECK(fault(name, "a\nb") == "-x: 'a\nb' contains a control character; a script cannot use this name");
    CHECK_FALSE(fault(name, "a\x7f").empty());
    CHECK_FALSE(fault(name, "").empty());
}

TEST_CASE("parts of a value belong to the same option, and errors name that option", "[common][values]") {
    auto const parts = program::split(Argument{"-x", "8::9", 3}, ':');
    REQUIRE(parts.size() == 3);
    CHECK(parts[0].option == "-x");
    CHECK(parts[1].value.empty());
    CHECK(parts[2].value == "9");
    CHECK(parts[2].place == 3);
    CHECK(fault([](Argument const& a) { program::refuse(a, "is not MIN:MAX"); }, "8") == "-x: '8' is not MIN:MAX");
}

TEST_CASE("text is trimmed of blanks, tabs and carriage returns", "[values]") {
    CHECK(program::trimmed(" \t a b\r") == "a b");
    CHECK(program::trimmed(" \t\r").empty());
    CHECK(program::trimmed("").empty());
}
