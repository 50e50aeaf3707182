// SPDX-License-Identifier: BSD-3-Clause
// Command lines of mpiperf that are refused.
#include "bodies/collectives.hpp"
#include "mpiperf/suite.hpp"
#include "support/catch.hpp"
#include "support/refused.hpp"

#include <cstddef>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

program::Suite const& mpiperf_suite() {
    static auto const suite = mpiperf::suite();
    return suite;
}

using Parts = std::initializer_list<std::string_view>;

void mpiperf_accepts(std::string_view line, program::Supposed const& supposed = {}) {
    accepts(mpiperf_suite(), line, supposed);
}

void mpiperf_refuses(std::string_view line, Parts says, program::Supposed const& supposed = {}) {
    refuses(mpiperf_suite(), line, says, supposed);
}

program::Supposed const one_process{.ranks = 1};
program::Supposed const four_processes{.ranks = 4};

}  // namespace

TEST_CASE("mpiperf prints help and version once", "[mpiperf]") {
    for (std::string const option : {"-h", "--help"}) {
        auto const [code, text] = program::checked(mpiperf_suite(), {option});
        CHECK(code == 0);
        std::string_view const usage = "Usage: mpiperf";
        auto const first = text.find(usage);
        CHECK(first != std::string::npos);
        CHECK(text.find(usage, first + 1) == std::string::npos);
    }
    for (std::string const option : {"-v", "--version"}) {
        auto const [code, text] = program::checked(mpiperf_suite(), {option});
        CHECK(code == 0);
        CHECK_THAT(text, Catch::Matchers::Matches(R"(mpiperf \d+\.\d+\.\d+\n)"));
    }
}

TEST_CASE("mpiperf refuses unknown tests", "[mpiperf]") {
    mpiperf_accepts("BCAST Memory");
    mpiperf_accepts("--plugin own.so Own");  // known once the plugin is loaded
    mpiperf_refuses("", {"usage: mpiperf"});
    mpiperf_refuses("--list", {"no test is named"});
    mpiperf_refuses("Bcats", {"Bcats"});
    mpiperf_refuses("BinomialBcast", {"BinomialBcast"});
    if (!bodies::have_persistent)
        mpiperf_refuses("Bcast_init", {"Bcast_init", "persistent"});
}

TEST_CASE("mpiperf refuses wrong lists of counts", "[mpiperf]") {
    mpiperf_accepts("Bcast:8,4K Gather");
    for (std::string const test :
         {"Bcast:", "Bcast:8,,9", "Bcast:abc", "Bcast:-4", "Bcast:1:2", "Bcast:99999999999999999999"})
        mpiperf_refuses(test, {test});
    mpiperf_refuses("Bcats:8", {"'Bcats'"});
    mpiperf_refuses("Bcast:8 bcast", {"twice"});
}

TEST_CASE("mpiperf refuses numbers of processes and a root outside of the world", "[mpiperf]") {
    mpiperf_accepts("-p 1 -P 2 --root 0 Bcast");
    mpiperf_accepts("--list --ranks 8 -P 3 Bcast");
    mpiperf_accepts("--root 2 Alltoall");
    mpiperf_accepts("--check -P 2");
    mpiperf_refuses("-p 3 Bcast", {"-p", "3"});
    mpiperf_refuses("-P 3 Bcast", {"-P", "3"});
    mpiperf_refuses("-p 2 -P 1 Bcast", {"-p"});
    mpiperf_refuses("--check -P 3", {"-P", "3"});
    mpiperf_refuses("--list --ranks 8 -P 9 Bcast", {"-P", "9"});
    mpiperf_refuses("--root 2 Gather", {"--root"});
}

TEST_CASE("mpiperf refuses wrong counts and unknown timers", "[mpiperf]") {
    mpiperf_accepts("-x 0 -X 5 -t monotonic Bcast");
    mpiperf_refuses("-x 10 -X 5 Bcast", {"-x", "10"});
    mpiperf_refuses("-x 99999999999999999999 Bcast", {"-x", "99999999999999999999"});
    mpiperf_refuses("-x 9000000000000000000 -X 9000000000000000000 Allgather", {"Allgather", "9000000000000000000"});
    mpiperf_refuses("-t nosuch Bcast", {"nosuch", "tsc"});
    mpiperf_refuses("--timer nosuch Bcast", {"nosuch", "tsc"});
}

TEST_CASE("mpiperf names the option with a wrong number of messages", "[mpiperf]") {
    mpiperf_accepts("--window-size 1 --threads 1 --partitions 1 Stream");
    for (std::string const option : {"--window-size", "--threads", "--partitions"})
        mpiperf_refuses(option + " 0 Stream", {option, "0"});
}

TEST_CASE("mpiperf refuses options that exclude each other", "[mpiperf]") {
    mpiperf_accepts("--trim 49 --json x -o y Bcast");
    mpiperf_accepts("-j -t tsc");
    mpiperf_accepts("--check --json x");
    mpiperf_accepts("--sync-drift on --sync-alg hier Bcast");
    mpiperf_refuses("--trim 50 Bcast", {"--trim"});
    mpiperf_refuses("--json x -o x Bcast", {"-o: 'x' is the file of --json"});
    mpiperf_refuses("--json '' Bcast", {"--json"});
    mpiperf_refuses("--ranks 3 Bcast", {"--ranks", "--list"});
    mpiperf_refuses("-t tsc --timer tsc Bcast", {"more than once"});
    mpiperf_refuses("-j Bcast", {"-j", "'Bcast'"});
    mpiperf_refuses("-j -T", {"-T and -j cannot be combined"});
    mpiperf_refuses("-j --json x", {"--json: -j measures nothing that could be recorded"});
    mpiperf_refuses("--check -o x", {"-o: --check writes no per-process report"});
    mpiperf_refuses("-z nosync -e 5 Bcast", {"-z nosync: takes no stopping rule"});
    mpiperf_refuses("--noise 1s Bcast", {"--noise"});
    mpiperf_refuses("--sync-drift on --sync-alg linear Bcast",
                    {"mpiperf: error: --sync-drift: only works with --sync-alg hier or auto\n"});
}

TEST_CASE("mpiperf refuses several executions per run if each run prepares only one", "[mpiperf]") {
    mpiperf_accepts("--batch 1 Rsend Send_init");
    mpiperf_accepts("--batch 2 Send");
    std::vector<std::pair<std::string, std::string>> cases{
        {"Rsend", "Rsend"}, {"Send bsend", "Bsend"}, {"Ibcast", "Ibcast"}, {"-d Send_init", "Send_init"}};
    if (bodies::have_persistent) {
        mpiperf_accepts("--batch 2 Bcast_init");
        cases.insert(cases.end(), {{"-d Bcast_init", "(-d)"}, {"--rotate-root Bcast_init", "(--rotate-root)"}});
    }
    for (auto const& [tests, text] : cases)
        mpiperf_refuses("--batch 2 -X 8 " + tests, {"--batch: ", text});
}

TEST_CASE("mpiperf refuses messages without a partner or without synchronised starts", "[mpiperf]") {
    for (std::string const test : {"Pingpong", "Cacheline", "Put_fence"}) {
        mpiperf_accepts(test);
        mpiperf_refuses(test, {test, "2 processes"}, one_process);
    }
    mpiperf_accepts("-z nosync Bcast");
    for (std::string const test : {"Cacheline", "Ibcast", "Send", "Get_lock"})
        mpiperf_refuses("-z nosync " + test, {"nosync", test});
    if (bodies::have_persistent) {
        mpiperf_accepts("-z nosync Bcast_init");
        mpiperf_refuses("-z nosync -d Bcast_init", {"-d", "Bcast_init"});
    }
}

TEST_CASE("mpiperf refuses unknown datatypes, and datatypes that a test does not support", "[mpiperf]") {
    mpiperf_accepts("--datatype vector:2:3 Bcast");
    mpiperf_accepts("--datatype double Scan");
    mpiperf_refuses("--datatype float Bcast", {"--datatype", "float", "subarray:AxB"});
    mpiperf_refuses("--datatype vector:3:2 Bcast", {"--datatype", "vector:3:2"});
    mpiperf_refuses("--datatype struct Bcast Scan", {"--datatype", "struct", "Scan"});
    mpiperf_refuses("--datatype double Memcpy", {"Memcpy", "can only move bytes"});
    mpiperf_refuses("--datatype double Put_lock", {"Put_lock"});
    mpiperf_refuses("--datatype double Cart_shift+Sendrecv", {"--datatype", "Cart_shift+Sendrecv"});
}

TEST_CASE("mpiperf refuses controls that are larger than any memory", "[mpiperf]") {
    mpiperf_accepts("Memcpy:0,64K File_write:8");
    mpiperf_refuses("Memcpy:8E18", {"Memcpy"});
    mpiperf_refuses("Memcpy:144115188075855872", {"Memcpy", "144115188075855872", "larger than any memory"});
    mpiperf_refuses("File_write:8E18", {"File_write"});
}

TEST_CASE("mpiperf refuses topologies that do not fit", "[mpiperf]") {
    program::Supposed const files{.ranks = 1, .files = {{"star", "0: 1\n1: 0\n"}}};
    mpiperf_accepts("--topology cart:2x2 Bcast", four_processes);
    mpiperf_accepts("--topology graph:star Bcast", {.ranks = 2, .files = files.files});
    mpiperf_accepts("--topology dist_graph Bcast", one_process);
    mpiperf_refuses("--topology cart:2x3 Bcast", {"cart:2x3", "6", "2 processes"});
    mpiperf_refuses("--list --ranks 4 -p 2 --topology cart:4 Bcast", {"cart:4", "2 processes"}, one_process);
    mpiperf_refuses("--topology cart:4 Bcast Send", {"cart:4", "2 processes"}, four_processes);
    mpiperf_refuses("--topology cart:0x2 Bcast", {"cart:0x2"}, one_process);
    mpiperf_refuses("--topology graph:star Bcast", {"star", "2", "1"}, files);
    mpiperf_refuses("--topology dist_graph Cart_shift+Sendrecv", {"Cart_shift+Sendrecv", "dist_graph"}, one_process);
    mpiperf_refuses("--topology torus Bcast", {"torus", "cart", "dist_graph"}, one_process);
    mpiperf_refuses("--topology graph:/nonexistent/x Bcast", {"/nonexistent/x"}, files);
    mpiperf_refuses("--reorder maybe Bcast", {"--reorder", "maybe"}, one_process);
}

TEST_CASE("mpiperf reports the line and column of an error in a graph file", "[mpiperf]") {
    mpiperf_refuses("--topology graph:bad Bcast", {"bad:2:4: error: ", "zero"},
                    {.files = {{"bad", "0: 1\n1: zero\n"}}});
}

TEST_CASE("mpiperf refuses log files that cannot be written", "[mpiperf]") {
    mpiperf_accepts("-l x -m -o x.txt Bcast");
    mpiperf_refuses("-m Bcast", {"-m"});
    mpiperf_refuses("-l x -o ./x.1 Bcast", {"-l", "-o"});
    mpiperf_refuses("-l x -T", {"-l"});
    mpiperf_refuses("-l folder/ Bcast", {"-l", "is a directory"});
}

TEST_CASE("mpiperf reports every error in a configuration with its line", "[mpiperf]") {
    program::Supposed const files{
        .files = {{"good", "max-count = 4\n"},
                  {"bad",
                   "min-count = 4\nmax-cuont = 8\ntrim = abc\ncold = maybe\nroot\nseed = 1\nseed = 2\nhelp = true\n"
                   "x = 3\n"}}};
    mpiperf_accepts("--config good Bcast", files);
    auto const [code, text] = program::checked(mpiperf_suite(), words_of("--config bad Bcast"), files);
    CHECK(code == 2);
    std::vector<std::pair<int, std::string>> const faults{{2, "did you mean 'max-count'?"},
                                                          {3, "'abc'"},
                                                          {4, "true or false"},
                                                          {5, "key = value"},
                                                          {7, "more than once"},
                                                          {8, "'help'"},
                                                          {9, "unknown key 'x'"}};
    std::istringstream in{text};
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    REQUIRE(lines.size() == faults.size());
    for (std::size_t i = 0; i < faults.size(); ++i) {
        auto const& [number, says] = faults[i];
        CHECK_THAT(lines[i], Catch::Matchers::StartsWith("mpiperf: bad:" + std::to_string(number) + ":"));
        CHECK_THAT(lines[i], Catch::Matchers::ContainsSubstring(says));
        if (number > 7)
            CHECK_THAT(lines[i], !Catch::Matchers::ContainsSubstring("did you mean"));
    }
}

TEST_CASE("mpiperf does not overwrite its configuration", "[mpiperf]") {
    program::Supposed const files{.files = {{"conf", "max-count = 4\n"}}};
    mpiperf_accepts("--config conf -o other --json another Bcast", files);
    for (std::string const option : {"-o", "--json"})
        mpiperf_refuses("--config conf " + option + " ././conf Bcast", {option, "--config"}, files);
}

TEST_CASE("mpiperf refuses a folder that makes file names too long", "[mpiperf]") {
    mpiperf_accepts("--scratch " + std::string(900, 'x') + " File_write");
    mpiperf_refuses("--scratch " + std::string(1000, 'x') + " File_write",
                    {"--scratch: cannot use 'xxx", "File name too long"});
}
