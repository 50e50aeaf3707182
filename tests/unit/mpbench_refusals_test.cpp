// SPDX-License-Identifier: BSD-3-Clause
// Command lines of mpbench and mpbench-pvm that are refused, and their help.
#include "mpbench/suite.hpp"
#include "support/catch.hpp"
#include "support/refused.hpp"

#include <string>

namespace {

program::Suite const& over_mpi() {
    static auto const suite = mpbench::suite();
    return suite;
}

program::Suite const& over_pvm() {
    static auto const suite = mpbench::pvm_suite([](mpbench::Options const&, program::Session&) {});
    return suite;
}

}  // namespace

TEST_CASE("mpbench needs two tasks for every test", "[mpbench]") {
    for (std::string const words : {"-b", "-B", "-y", "--test all"}) {
        accepts(over_mpi(), words);
        refuses(over_mpi(), words, {"every test needs at least 2 tasks, but there is only 1"}, {.ranks = 1});
    }
    accepts(over_mpi(), "-b --list --ranks 2", {.ranks = 1});
    refuses(over_mpi(), "-b --list --ranks 1", {"at least 2 tasks"});
}

TEST_CASE("mpbench names the wrong option", "[mpbench]") {
    accepts(over_mpi(), "-b -i 1 -m 2 -e 1 -x 0 --timer monotonic");
    accepts(over_mpi(), "-b -M 4k,6");
    accepts(over_mpi(), "-y -M 8");
    refuses(over_mpi(), "", {"no test is selected"});
    refuses(over_mpi(), "-b -i 0", {"-i: '0'"});
    refuses(over_mpi(), "-b -i -5", {"-i: '-5'"});
    refuses(over_mpi(), "-b -i abc", {"-i: 'abc'"});
    refuses(over_mpi(), "-b -m 1", {"-m: '1'"});
    refuses(over_mpi(), "-b -m 40", {"-m: '40'"});
    refuses(over_mpi(), "-b -e 0", {"-e: '0'"});
    refuses(over_mpi(), "-b -x -1", {"-x: '-1'"});
    refuses(over_mpi(), "-b -M 4k:8k", {"-M: '4k:8k'"});
    refuses(over_mpi(), "-b -M 0", {"-M: '0'"});
    refuses(over_mpi(), "-b --foo", {"--foo"});
    refuses(over_mpi(), "-b -N", {"-N"});
    refuses(over_mpi(), "-b extra", {"extra"});
    refuses(over_mpi(), "-y -M 6", {"-M: 6 bytes"});
    refuses(over_mpi(), "-b --timer foo", {"--timer"});
}

TEST_CASE("mpbench-pvm names the wrong option", "[mpbench]") {
    accepts(over_pvm(), "-b --tasks 2");
    accepts(over_pvm(), "--test barrier", {.ranks = 1});
    refuses(over_pvm(), "-b --tasks 1", {"--tasks: '1'", " from 2 "});
    refuses(over_pvm(), "--test isend", {"--test: 'isend'"});
    refuses(over_pvm(), "", {"no test is selected"});
    refuses(over_pvm(), "-y -M 6", {"-M: 6 bytes"});
}

TEST_CASE("mpbench and mpbench-pvm have separate help texts", "[mpbench]") {
    auto const text = [](program::Suite const& suite, std::string const& question) {
        auto const [code, answer] = program::checked(suite, {question});
        CHECK(code == 0);
        return answer;
    };
    CHECK_THAT(text(over_mpi(), "--help"), Catch::Matchers::ContainsSubstring("--max-volume"));
    CHECK_THAT(text(over_mpi(), "--help"), !Catch::Matchers::ContainsSubstring("--tasks"));
    CHECK_THAT(text(over_pvm(), "--help"), Catch::Matchers::ContainsSubstring("--tasks"));
    CHECK_THAT(text(over_pvm(), "--help"), !Catch::Matchers::ContainsSubstring("isend"));
    CHECK_THAT(text(over_mpi(), "--version"), Catch::Matchers::StartsWith("mpbench "));
}
