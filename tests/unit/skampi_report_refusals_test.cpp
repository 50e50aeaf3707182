// SPDX-License-Identifier: BSD-3-Clause
// Command lines and files of skampi-post and skampi-report that are refused.
#include "program/cli/values.hpp"
#include "skampi/suite.hpp"
#include "support/catch.hpp"
#include "support/refused.hpp"

#include <map>
#include <string>
#include <vector>

namespace {

program::Suite const& skampi_post() {
    static auto const suite = skampi::post_suite();
    return suite;
}

program::Suite const& skampi_report() {
    static auto const suite = skampi::report::report_suite();
    return suite;
}

/// An output file with one measurement.
struct RefusedOutput {
    std::string network = "net";
    std::string nodes = "2";
    std::string rows = "length= 4 4 10.04 0.502 8\nlength= 64 64 10.64 0.532 8\n";
    std::string run{};  ///< empty: the file does not identify its run
};

std::string output_file(RefusedOutput const& output) {
    return "# SKaMPI output format 1\n#@MACHINE M_1\n#@NODE n & <m>\n#@NETWORK " + output.network +
           "\n#@USER u%#$\n#@PROCS 4\n#@TIMER mpi_wtime\n" +
           (output.run.empty() ? "" : "#@RUN_ID " + output.run + '\n') +
           "#@END_HEADER\n# begin result \"MPI_Send-MPI_Recv\"\n#: pattern = point-to-point\n"
           "#: type = MPI_Send-MPI_Recv\n#: nodes = " +
           output.nodes + "\n#: overhead = 2 0.0451 0.0003\n#: status = ok\n" + output.rows +
           "#. stop = accuracy\n# end result \"MPI_Send-MPI_Recv\"\n# duration = 1.50 sec\n\n"
           "# Finished at 2025-01-31T10:09:12Z\n# Total runtime 552 seconds\n";
}

program::Supposed with_outputs(std::map<std::string, std::string> files) {
    files.try_emplace("one", output_file({}));
    return {.ranks = 1, .files = std::move(files)};
}

}  // namespace

TEST_CASE("skampi-post needs input files and a name for its output", "[skampi]") {
    accepts(skampi_post(), "-o merged --common one", with_outputs({}));
    refuses(skampi_post(), "-o merged", {"no input"}, with_outputs({}));
    refuses(skampi_post(), "one", {"-o"}, with_outputs({}));
    refuses(skampi_post(), "-o merged one missing", {"'missing'"}, with_outputs({}));
}

TEST_CASE("skampi-post refuses files that do not match each other", "[skampi]") {
    accepts(skampi_post(), "-o merged one other", with_outputs({{"other", output_file({})}}));
    refuses(skampi_post(), "-o merged one other", {"NETWORK is 'net' in", "'slow' in"},
            with_outputs({{"other", output_file({.network = "slow"})}}));
    refuses(skampi_post(), "-o merged one other", {"nodes of MPI_Send-MPI_Recv is '2'", "'3'"},
            with_outputs({{"other", output_file({.nodes = "3"})}}));
    refuses(skampi_post(), "-o merged other", {"nodes: 'many' is not an integer"},
            with_outputs({{"other", output_file({.nodes = "many"})}}));
}

TEST_CASE("skampi-post reports each malformed line of each file", "[skampi]") {
    auto const supposed =
        with_outputs({{"bad", output_file({.rows = "length= 4 4 1\nlength= x 4 1 1 8\n"})}, {"empty", ""}});
    auto const [code, text] = program::checked(skampi_post(), words_of("-o merged bad empty"), supposed);
    CHECK(code == 2);
    std::vector<std::string> places;
    for (auto const& line : program::split(text, '\n'))
        places.push_back(line.substr(0, line.find(": error: ")));
    CHECK(places ==
          std::vector<std::string>{"skampi-post: bad:15:1", "skampi-post: bad:16:1", "skampi-post: empty:1:1", ""});
}

TEST_CASE("skampi-report needs readable files", "[skampi]") {
    accepts(skampi_report(), "--no-run one", with_outputs({}));
    refuses(skampi_report(), "", {"no input"}, with_outputs({}));
    refuses(skampi_report(), "missing", {"'missing'"}, with_outputs({}));
    refuses(skampi_report(), "bad", {"bad:1:1: error: "}, with_outputs({{"bad", "x\n"}}));
}

TEST_CASE("skampi-report refuses wrong parameters, also in the default file", "[skampi]") {
    std::string const wrong = "@OPTIONS\nminimum_data = 4\nbarchart = Yes;\n";
    std::string const good = "@OPTIONS\nminimum_data = 4;\nbarchart = Yes;\n";
    accepts(skampi_report(), "-c p one", with_outputs({{"p", good}, {".skampi-report", wrong}}));
    accepts(skampi_report(), "one", with_outputs({{".skampi-report", good}}));
    refuses(skampi_report(), "-c p one", {"p:3:1: error: "}, with_outputs({{"p", wrong}}));
    refuses(skampi_report(), "one", {".skampi-report:3:1: error: "}, with_outputs({{".skampi-report", wrong}}));
    refuses(skampi_report(), "-c missing one", {"'missing'"}, with_outputs({}));
}

TEST_CASE("skampi-report --against needs files of different runs", "[skampi]") {
    auto const supposed = with_outputs({{"old", output_file({.run = "r1"})},
                                        {"copy", output_file({.run = "r1"})},
                                        {"new", output_file({.run = "r2"})}});
    accepts(skampi_report(), "--against old new", supposed);
    refuses(skampi_report(), "--against old", {"--against: nothing to compare with", "'old'"}, supposed);
    refuses(skampi_report(), "--against old old", {"is given twice"}, supposed);
    refuses(skampi_report(), "--against old copy", {"contain the same run: r1"}, supposed);
}
