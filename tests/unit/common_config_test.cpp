// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/options.hpp"
#include "program/runtime/files.hpp"
#include "support/catch.hpp"

#include <string>
#include <string_view>
#include <vector>

using program::Parser;
namespace as = program::as;

namespace {

struct Settings {
    std::int64_t count = 1;
    int npmin = 2;
    bool cold = false;
    std::string file;
    std::vector<int> sizes{7};
};

Parser make_parser(Settings& s) {
    Parser parser{"prog", "Does something."};
    parser.option("-x,--min-count", "SIZE", "smallest", s.count, as::Size{});
    parser.option("-npmin", "N", "fewest ranks", s.npmin, as::Int{.low = 1});
    parser.flag("-d,--cold", "cold", s.cold);
    parser.option("-o,--output", "FILE", "a file", s.file, as::Text{});
    parser.list("--size", "N", "sizes", s.sizes, as::Int{});
    return parser;
}

/// Settings from a command line and a file.
Settings configured(std::string_view text, std::vector<std::string> const& command = {}) {
    Settings s;
    auto parser = make_parser(s);
    parser.parse(command);
    parser.configure("conf", text);
    return s;
}

/// "LINE: TEXT" for each fault.
std::vector<std::string> faults(std::string_view text) {
    std::vector<std::string> result;
    try {
        configured(text);
    } catch (program::ParseErrors const& error) {
        for (auto const& fault : error.faults()) {
            CHECK(fault.file == "conf");
            result.push_back(std::to_string(fault.line) + ": " + fault.text);
        }
    }
    return result;
}

}  // namespace

TEST_CASE("a file sets options by their long names and historical names", "[config]") {
    auto const s = configured("min-count = 4KiB\nnpmin=3\n\n  cold = true  \noutput = two words # and a comment\n");
    CHECK(s.count == 4096);
    CHECK(s.npmin == 3);
    CHECK(s.cold);
    CHECK(s.file == "two words");
}

TEST_CASE("a comment starts a line or follows a blank, so values may contain a hash", "[config]") {
    auto const s = configured("# min-count = 9\n\t# too\noutput = a#b\t# c\r\nmin-count = 2");
    CHECK(s.file == "a#b");
    CHECK(s.count == 2);
}

TEST_CASE("the command line takes precedence, also for lists and switches", "[config]") {
    auto const s =
        configured("min-count = 4\nsize = 1\nsize = 2\ncold = false\nnpmin = 5", {"-x", "8", "--size", "9", "--cold"});
    CHECK(s.count == 8);
    CHECK(s.sizes == std::vector{9});
    CHECK(s.cold);
    CHECK(s.npmin == 5);
}

TEST_CASE("a list has one line per value", "[config]") {
    CHECK(configured("size = 1\nsize = 2").sizes == std::vector{1, 2});
    CHECK(configured("").sizes == std::vector{7});
}

TEST_CASE("an option from a file counts as given", "[config]") {
    Settings s;
    auto parser = make_parser(s);
    parser.parse({});
    CHECK_FALSE(parser.given("--min-count"));
    parser.configure("conf", "min-count = 2");
    CHECK(parser.given("-x"));
    CHECK_FALSE(parser.given("--cold"));
}

TEST_CASE("every fault in a file is reported with its line, in line order", "[config]") {
    CHECK(faults("min-count = 4") == std::vector<std::string>{});
    CHECK(faults("min-count = abc\nmincount = 3\ncold\ncold = perhaps\nnpmin = 0\nhelp = true\nx = 1\n= 2") ==
          std::vector<std::string>{
              "1: min-count: 'abc' is not a size (a number with B, k, M, G, KiB, MiB or GiB)",
              "2: unknown key 'mincount' (did you mean 'min-count'?)",
              "3: 'cold' is not of the form key = value",
              "4: cold: 'perhaps' is unknown (true or false)",
              "5: npmin: '0' is out of range (an integer from 1 to 2147483647)",
              "6: unknown key 'help' (use a long option that prog --help lists)",
              "7: unknown key 'x' (use a long option that prog --help lists)",
              "8: unknown key '' (use a long option that prog --help lists)",
          });
    CHECK(faults("npmin = 1\n\nnpmin = 2") == std::vector<std::string>{"3: npmin: given more than once"});
    CHECK(faults("size = 1\nsize = two").at(0).starts_with("2: size: 'two'"));
}
