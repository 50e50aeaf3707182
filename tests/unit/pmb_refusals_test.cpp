// SPDX-License-Identifier: BSD-3-Clause
// Command lines of PMB that are refused.
#include "pmb/suite.hpp"
#include "support/catch.hpp"
#include "support/refused.hpp"

#include <string>

namespace {

program::Suite const& mpi1() {
    static auto const suite = pmb::suite(pmb::Part::mpi1);
    return suite;
}

}  // namespace

TEST_CASE("PMB-MPI1 names the option and the wrong value", "[pmb]") {
    accepts(mpi1(), "-npmin 1 -multi 0 PingPong");
    refuses(mpi1(), "-npmin 0", {"-npmin", "0"});
    refuses(mpi1(), "-npmin -1", {"-npmin", "-1"});
    refuses(mpi1(), "-npmin 2x", {"-npmin", "2x"});
    refuses(mpi1(), "-multi 2", {"-multi", "2"});
    refuses(mpi1(), "-multi x", {"-multi", "x"});
}

TEST_CASE("PMB-MPI1 names the option with a missing value", "[pmb]") {
    for (std::string const option : {"-npmin", "-multi", "-input", "-iter", "-msglog", "-timer"})
        refuses(mpi1(), "PingPong " + option, {option});
    refuses(mpi1(), "-npmin", {"-npmin"});
}

TEST_CASE("PMB-MPI1 refuses unknown benchmarks and options", "[pmb]") {
    refuses(mpi1(), "PingPnog", {"PingPnog", "PingPong"});
    refuses(mpi1(), "PingPong Multi-Bcast", {"Multi-Bcast"});
    refuses(mpi1(), "Window", {"Window"});
    refuses(mpi1(), "-nosuch PingPong", {"-nosuch"});
}

TEST_CASE("PMB-MPI1 refuses missing, empty or wrong input files", "[pmb]") {
    program::Supposed const files{
        .files = {{"empty", "# nothing\n\n"}, {"wrong", "PingPong\nPingPnog\n"}, {"good", "Bcast\n"}}};
    accepts(mpi1(), "-input good", files);
    refuses(mpi1(), "-input /missing/list", {"/missing/list"}, files);
    refuses(mpi1(), "-input empty", {"empty"}, files);
    refuses(mpi1(), "-input wrong", {"PingPnog"}, files);
}

TEST_CASE("PMB refuses values that make no sense", "[pmb]") {
    accepts(mpi1(), "-iter 5 -msgsize 1,8 -check on -mem 1 -format csv -mbyte 1000000 PingPong");
    for (std::string const words : {"-msglog 9:3", "-msglog 0:31", "-msglog x", "-iter 0", "-iter a", "-msgsize 1,x",
                                    "-check maybe", "-mem 0", "-format xml", "-mbyte 1", "-iter_policy sometimes",
                                    "-stderr 0", "-time -1", "-timer nosuch", "-start nosuch", "-n_barr -1"})
        refuses(mpi1(), words + " PingPong", {words.substr(0, words.find(' '))});
    refuses(mpi1(), "-msglen /missing/lengths PingPong", {"/missing/lengths"});
    refuses(pmb::suite(pmb::Part::ext), "-start slot Window", {"-start"});
    refuses(pmb::suite(pmb::Part::io), "-cpu_secs 0 Open_Close", {"-cpu_secs"});
    accepts(pmb::suite(pmb::Part::io), "-file " + std::string(900, 'x') + " Open_Close");
    refuses(pmb::suite(pmb::Part::io), "-file " + std::string(1000, 'x') + " Open_Close",
            {"-file: cannot use 'xxx", "File name too long"});
}
