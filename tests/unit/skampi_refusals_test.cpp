// SPDX-License-Identifier: BSD-3-Clause
// Command lines and parameter files of skampi that are refused.
#include "program/cli/values.hpp"
#include "skampi/suite.hpp"
#include "support/catch.hpp"
#include "support/refused.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace {

program::Suite const& skampi_suite() {
    static auto const suite = skampi::suite();
    return suite;
}

std::string const identification = "@NODE a node\n@NETWORK shared memory\n@USER a tester\n";

std::string config_of(std::vector<std::string> const& blocks) {
    std::string config = identification + "@MEASUREMENTS\n";
    for (auto const& block : blocks)
        config += block + '\n';
    return config;
}

program::Supposed with_config(std::string const& config, int ranks = 2) {
    return {.ranks = ranks, .files = {{".skampi", config}}};
}

/// A range of columns in a line, counted from 1.
struct MarkedPlace {
    int line = 1;
    int first = 1;
    int last = 1;
};

/// Removes the marks around <faults>. \return the places of the faults
std::vector<MarkedPlace> take_marks(std::string& config) {
    std::vector<MarkedPlace> places;
    std::string plain;
    int line = 1;
    int column = 1;
    for (char const c : config) {
        if (c == '<') {
            places.push_back({line, column});
        } else if (c == '>') {
            places.back().last = column - 1;
        } else {
            plain += c;
            line += c == '\n' ? 1 : 0;
            column = c == '\n' ? 1 : column + 1;
        }
    }
    config = plain;
    return places;
}

/// Requires one error line for each of the file's <faults>, at its place. \return their texts
std::vector<std::string> refuses_config(std::string config, std::initializer_list<std::string_view> says = {},
                                        int ranks = 2) {
    auto const places = take_marks(config);
    auto const [code, text] = program::checked(skampi_suite(), {}, with_config(config, ranks));
    CAPTURE(config, text);
    CHECK(code == 2);
    auto lines = program::split(text, '\n');
    lines.pop_back();
    std::vector<std::tuple<int, int, std::string>> faults;
    for (auto const& line : lines) {
        auto const parts = program::split(line, ':');
        REQUIRE(parts.size() > 5);
        CHECK((parts[0] == "skampi" && parts[1] == " .skampi" && parts[4] == " error"));
        faults.emplace_back(std::stoi(parts[2]), std::stoi(parts[3]), line.substr(line.find(" error: ")));
    }
    std::sort(faults.begin(), faults.end());
    REQUIRE(faults.size() == places.size());
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < faults.size(); ++i) {
        auto const& [line, column, fault] = faults[i];
        CHECK(line == places[i].line);
        CHECK((places[i].first <= column && column <= places[i].last));
        texts.push_back(fault);
    }
    for (auto const part : says)
        CHECK_THAT(text, Catch::Matchers::ContainsSubstring(std::string{part}));
    return texts;
}

}  // namespace

TEST_CASE("skampi refuses a file that does not identify the configuration", "[skampi]") {
    accepts(skampi_suite(), "", with_config(identification));
    for (std::string const key : {"NODE", "NETWORK", "USER"}) {
        auto const begin = identification.find("@" + key);
        auto const end = identification.find('\n', begin) + 1;
        for (auto const& line : {std::string{}, "@" + key + "\n", "@" + key + " FILL_IN\n"}) {
            auto config = identification;
            config.replace(begin, end - begin, line);
            refuses(skampi_suite(), "", {".skampi:", key}, with_config(config));
        }
    }
}

TEST_CASE("skampi names the option that creates a parameter file", "[skampi]") {
    refuses(skampi_suite(), "", {"'.skampi'", "--write-default-config"});
    refuses(skampi_suite(), "-f mine", {"'mine'", "--write-default-config"}, with_config(identification));
    accepts(skampi_suite(), "-f mine", {.files = {{"mine", identification}}});
    accepts(skampi_suite(), "--list");
    accepts(skampi_suite(), "--write-default-config mine");
}

TEST_CASE("skampi reports syntax errors with their place", "[skampi]") {
    std::string const head = config_of({"MPI_Wtime { }"});
    accepts(skampi_suite(), "", with_config(head));
    refuses_config(identification + "<@NOED> x\n", {"@NODE"});
    refuses_config(identification + "@MEMORY 65536\n<@MEMORY> 65536\n", {"MEMORY"});
    refuses_config(head + "A { Type = <MPI_Bcats>; }\n", {"MPI_Bcast"});
    refuses_config(head + "<Nonsense> { }\n", {"Nonsense"});
    refuses_config(head + "<MPI_Wtime> { }\n", {"MPI_Wtime"});
    refuses_config(head + "MPI_Bcast-length { Max_Steps = 4; <max_steps> = 5; }\n");
    refuses_config(head + "MPI_Bcast-length { <Scale = Fixed_log Max_Steps> = 5; }\n", {";"});
    refuses_config(identification + "<MPI_Wtime> { }\n", {"@MEASUREMENTS"});
    refuses_config(head + "A { Type = <17>; }\n", {"MPI_"});
    refuses(skampi_suite(), "", {".skampi:", "}"}, with_config(config_of({"MPI_Wtime { Variation = None;"})));
}

TEST_CASE("skampi shows all errors of a file for any number of processes", "[skampi]") {
    for (int const ranks : {1, 2, 3, 4})
        refuses_config(config_of({"MPI_Wtime { <Scael> = Fixed_log; }", "A { Type = <MPI_Bcats>; }",
                                  "MPI_Bcast-length { Scale = <Blah>; Standard_Error = <0>; }", "MPI_Comm_rank { }"}),
                       {"Blah"}, ranks);
}

TEST_CASE("skampi reports each value out of range", "[skampi]") {
    std::vector<std::string> const wrong{"A { Type = MPI_Bcast; Standard_Error = <0>; }",
                                         "B { Type = MPI_Bcast; Standard_Error = <-1>; }",
                                         "C { Type = MPI_Bcast; Standard_Error = <1.5>; }",
                                         "D { Type = MPI_Bcast; Standard_Error = <abc>; }",
                                         "E { Type = MPI_Bcast; <Min_Repetition = 40; Max_Repetition = 20>; }",
                                         "F { Type = MPI_Bcast; Scale = Fixed_log; Stepwidth = <1>; }",
                                         "G { Type = MPI_Bcast; <Start_Argument = 64; End_Argument = 32>; }",
                                         "H { Type = MPI_Bcast; Cut_Quantile = <0.5>; }",
                                         "I { Type = MPI_Reduce; Variation = Nodes; Default_Message_Length = <255>; }",
                                         "J { Type = MPI_Reduce; <Datatype = MPI_DOUBLE; Multiple_of = 4>; }",
                                         "K { Type = MPI_Bcast; End_Argument = <8MiB>; }",
                                         "L { Type = MPI_Bcast; Max_Steps = <1>; }",
                                         "M { Type = MPI_Barrier; Variation = <Length>; }",
                                         "N { Type = MPI_Bcast; Variation = <Chunks>; }",
                                         "O { Type = MPI_Wtime; Variation = <Nodes>; }",
                                         "P { Type = MPI_Bcast; Root = <2>; }",
                                         "Q { Type = MPI_Bcast; Min_Distance = <0>; }",
                                         "R { Type = MPI_Bcast; Min_Repetition = <1>; }"};
    auto const together = refuses_config(config_of(wrong), {"8388608"});
    REQUIRE(together.size() == wrong.size());
    CHECK(std::set(together.begin(), together.end()).size() == wrong.size());
    for (std::size_t i = 0; i < wrong.size(); ++i)
        CHECK(refuses_config(config_of({wrong[i]})) == std::vector{together[i]});
}

TEST_CASE("skampi reports each global value out of range", "[skampi]") {
    std::string config = identification;
    for (std::string const wrong :
         {"MEMORY 512", "STANDARDERRORDEFAULT 2", "CUTQUANTILEDEFAULT 0.5", "MINREPDEFAULT 1", "STEPWIDTHDEFAULT 1",
          "SYNC Maybe", "TIMER nosuch", "PARTNER 3", "MULTIPLEOFDEFAULT 0"})
        config += "<@" + wrong + ">\n";
    auto const texts = refuses_config(config);
    CHECK(std::set(texts.begin(), texts.end()).size() == 9);
}

TEST_CASE("skampi answers a file that is not a parameter file with error lines only", "[skampi]") {
    std::string garbage;
    for (int i = 0; i < 64 * 256; ++i)
        garbage += static_cast<char>(i % 256);
    for (auto const& config :
         {std::string{}, garbage, std::string(100, '\0'), identification + std::string(1 << 20, 'x'),
          std::string(5000, '{'), std::string{"@MEASUREMENTS\n}}}}"}, config_of({"A { Type = \"MPI_Wtime; }"})}) {
        CAPTURE(config.substr(0, 20));
        auto const [code, text] = program::checked(skampi_suite(), {}, with_config(config));
        CHECK(code == 2);
        auto lines = program::split(text, '\n');
        CHECK(lines.back().empty());
        lines.pop_back();
        CHECK(!lines.empty());
        for (auto const& line : lines)
            CHECK_THAT(line,
                       Catch::Matchers::StartsWith("skampi: ") && Catch::Matchers::ContainsSubstring(": error: "));
    }
}

TEST_CASE("skampi names unknown options and wrong values", "[skampi]") {
    auto const config = with_config(config_of({"MPI_Wtime { }"}));
    accepts(skampi_suite(), "--cost-model jump:5,0.001 --time-budget 2s --timer mpi_wtime --only MPI_W*", config);
    refuses(skampi_suite(), "--cost-model flat", {"flat"}, config);
    refuses(skampi_suite(), "--cost-model jump:1", {"jump:1"}, config);
    refuses(skampi_suite(), "--time-budget soon", {"soon"}, config);
    refuses(skampi_suite(), "--nosuch", {"--nosuch"}, config);
    refuses(skampi_suite(), "--timer nosuch", {"nosuch"}, config);
    refuses(skampi_suite(), "word", {"word"}, config);
    refuses(skampi_suite(), "--write-default-config one two", {"two"}, config);
    refuses(skampi_suite(), "--only nothing", {"--only"}, config);
}
