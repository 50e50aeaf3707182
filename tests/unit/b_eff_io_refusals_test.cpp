// SPDX-License-Identifier: BSD-3-Clause
// Command lines of b_eff_io that are refused.
#include "b_eff_io/suite.hpp"
#include "support/catch.hpp"
#include "support/refused.hpp"

#include <string>
#include <vector>

namespace {

program::Suite const& b_eff_io_suite() {
    static auto const suite = b_eff_io::suite();
    return suite;
}

std::string const with_memory = "-MB 256 -MT 512 ";

}  // namespace

TEST_CASE("b_eff_io names a missing or wrong memory size", "[b_eff_io]") {
    accepts(b_eff_io_suite(), with_memory);
    accepts(b_eff_io_suite(), "-MB auto");
    accepts(b_eff_io_suite(), "-MB 2097151 -MT 1");
    refuses(b_eff_io_suite(), "-MT 512", {"-MB is missing"});
    refuses(b_eff_io_suite(), "-MB 256", {"-MT is missing"});
    for (char const* const words : {"-MB 0 -MT 1", "-MB x -MT 1", "-MB 2097152 -MT 1"})
        refuses(b_eff_io_suite(), words, {"-MB"});
}

TEST_CASE("b_eff_io names the wrong option", "[b_eff_io]") {
    accepts(b_eff_io_suite(), with_memory + "-T 60 -e 1 -N 1,2 --types scatter,1 --termination classic");
    for (std::string const words :
         {"-T 0", "-T -1", "-T 1.5", "-T 60s", "-e 0", "-N 0", "-N 1,,2", "-N a", "-N 1,1", "--foo", "--types none",
          "--termination late", "--max-bytes 1MB", "--cache 1MB", "-T 1", "--types 3"})
        refuses(b_eff_io_suite(), with_memory + words, {words.substr(0, words.find(' '))});
    accepts(b_eff_io_suite(), with_memory + "-N 1,2 -keep -nounique --random");
    refuses(b_eff_io_suite(), with_memory + "--types 0,1 --random", {"--random", "separated"});
    refuses(b_eff_io_suite(), with_memory + "-keep -d", {"-keep"});
    refuses(b_eff_io_suite(), with_memory + "-N 1,1,1,1,1,1,1,1,1,1,1", {"-N", "at most 10"});
}

TEST_CASE("b_eff_io refuses partitions that do not fit into the world", "[b_eff_io]") {
    refuses(b_eff_io_suite(), with_memory + "-N 3", {"-N", "partition of 3 processes", "world of 2"});
    accepts(b_eff_io_suite(), with_memory + "-N 3", {.ranks = 3});
    refuses(b_eff_io_suite(), with_memory + "-N 3", {"-N", "world of 1"}, {.ranks = 1});
    refuses(b_eff_io_suite(), "--list --ranks 4 -N 5", {"-N", "world of 4"});
    accepts(b_eff_io_suite(), "--list --ranks 5 -N 5");
}

TEST_CASE("b_eff_io refuses files that are too small for all patterns", "[b_eff_io]") {
    refuses(b_eff_io_suite(), with_memory + "--max-bytes 30", {"--max-bytes: 31457280 bytes", "110531496"});
    accepts(b_eff_io_suite(), with_memory + "--max-bytes 106");
    // The minimum size depends on the memory of the machine.
    accepts(b_eff_io_suite(), "-MB auto -T 10 --max-bytes 30");
    accepts(b_eff_io_suite(), "--list --max-bytes 30");
}

TEST_CASE("b_eff_io reports where a hint is wrong", "[b_eff_io]") {
    auto const with_hints = [](std::string const& text) {
        return program::Supposed{.files = {{"hints", text + "\n"}}};
    };
    std::string const words = with_memory + "-i hints";
    accepts(b_eff_io_suite(), words, with_hints("# none\nall write all 1024 k v"));
    refuses(b_eff_io_suite(), words, {"hints:1:"}, with_hints("all erase all all k v"));
    refuses(b_eff_io_suite(), words, {"hints:2:"}, with_hints("#\nall all all 1000 k v"));
    refuses(b_eff_io_suite(), words, {"hints:1:"}, with_hints(std::string(2001, 'x')));
    refuses(b_eff_io_suite(), words, {"hints:1:"}, with_hints("all all all all k"));
    refuses(b_eff_io_suite(), words, {"'hints'"});
}
