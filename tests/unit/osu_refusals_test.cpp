// SPDX-License-Identifier: BSD-3-Clause
// Command lines of measure-osu that are refused, and the help of its programs.
#include "bodies/grid.hpp"
#include "osu/catalogue.hpp"
#include "osu/suite.hpp"
#include "support/catch.hpp"
#include "support/refused.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace {

program::Suite osu_program(std::string const& name) {
    auto const* const found = osu::find("osu_" + name);
    REQUIRE(found != nullptr);
    return osu::suite(*found);
}

std::size_t times_in(std::string_view text, std::string_view part) {
    std::size_t times = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
        ++times;
    return times;
}

}  // namespace

TEST_CASE("measure-osu refuses unknown program names", "[osu]") {
    auto const all = osu::all_programs("measure-osu");
    accepts(all, "--list");
    refuses(all, "nonsense", {"'nonsense' is not a program"});
    refuses(all, "osu_latenc", {"'osu_latenc' is not a program; did you mean 'osu_latency'?"});
    refuses(all, "", {"the name of a program is missing"});
    // The name of the executable takes precedence.
    refuses(osu::all_programs("/some/osu_latenc"), "nonsense", {"'osu_latenc' is not a program; did you mean"});
}

TEST_CASE("measure-osu refuses numbers of processes that a program cannot use", "[osu]") {
    accepts(osu_program("latency"), "");
    accepts(osu_program("allreduce"), "", {.ranks = 3});
    accepts(osu_program("hello"), "", {.ranks = 1});
    refuses(osu_program("latency"), "", {"exactly 2 processes are needed, but there is 1"}, {.ranks = 1});
    refuses(osu_program("latency"), "", {"exactly 2 processes are needed, but there are 3"}, {.ranks = 3});
    refuses(osu_program("allreduce"), "", {"at least 2 processes are needed, but there is 1"}, {.ranks = 1});
    // --ranks replaces the number of processes for --list.
    accepts(osu_program("latency"), "--list --ranks 2", {.ranks = 1});
    refuses(osu_program("latency"), "--list --ranks 3", {"exactly 2 processes are needed, but there are 3"});
    refuses(osu_program("gather"), "-k fixed:7", {"-k: rank 7 does not exist among 2 ranks"});
    accepts(osu_program("gather"), "-k fixed:7", {.ranks = 8});
}

TEST_CASE("measure-osu refuses grids that are too small for their radius", "[osu]") {
    CHECK_NOTHROW(bodies::check_grid(std::array{3}, 1));
    CHECK_THROWS_WITH(bodies::check_grid(std::array{2}, 1),
                      "2 processes make a grid with a side of 2, and neighbours within 1 need 3");
    CHECK_THROWS_WITH(bodies::check_grid(std::array{2, 1}, 9),
                      "2 processes make a grid with a side of 2, and neighbours within 9 need 19");
}

TEST_CASE("measure-osu refuses sizes that MPI cannot take", "[osu]") {
    accepts(osu_program("latency"), "-m 1G:1G");
    refuses(osu_program("latency"), "-m 1G:2G", {"elements of a message: 2147483648"});
    refuses(osu_program("latency"), "-m 1:9223372036854775807", {"elements of a message"});
    accepts(osu_program("bcast"), "-m 1G:1G -M 4G");
    refuses(osu_program("bcast"), "-m 2G:2G -M 4G", {"bcast: count: 2147483648"});
}

TEST_CASE("measure-osu refuses options that cannot be combined", "[osu]") {
    accepts(osu_program("put_bibw"), "-s fence");
    accepts(osu_program("bcast"), "--method sync");
    refuses(osu_program("latency"), "-q", {"unknown option '-q'"});
    refuses(osu_program("latency"), "-m 8:4", {"-m: '8:4' has a minimum above its maximum"});
    refuses(osu_program("put_bibw"), "-s lock", {"-s: for both directions use pscw or fence, not lock"});
    refuses(osu_program("latency"), "-d cuda", {"-d: only host buffers are supported"});
    refuses(osu_program("latency"), "stray", {"unexpected argument 'stray'"});
    refuses(osu_program("latency"), "--method sync", {"--method sync"});
}

TEST_CASE("measure-osu refuses missing or wrong files of types and neighbours", "[osu]") {
    program::Supposed const files{.ranks = 2,
                                  .files = {{"runs", "0,1\n5,3\n"}, {"bad", "0,1\n0,7\n"}, {"good", "0,1\n1,0\n"}}};
    accepts(osu_program("latency"), "-D indx:runs", files);
    refuses(osu_program("latency"), "-D indx:/missing", {"'/missing'"}, files);
    refuses(osu_program("latency"), "-D indx:runs -m 1:3 -T mpi_int", {"-m: no size is left"}, files);
    accepts(osu_program("neighbor_alltoallv"), "-N graph:good", files);
    refuses(osu_program("neighbor_alltoallv"), "-N graph:bad", {"bad:2:1: error: FROM,TO: '7'"}, files);
    refuses(osu_program("neighbor_alltoallv"), "-N graph:/missing", {"'/missing'"}, files);
}

TEST_CASE("measure-osu has a help for each program with the options of that program", "[osu]") {
    for (auto const& row : osu::catalogue()) {
        CAPTURE(row.name);
        auto const [code, text] = program::checked(osu::suite(row), {"--help"});
        CHECK(code == 0);
        CHECK(times_in(text, "Usage:") == 1);
        CHECK((times_in(text, "--full") > 0) == (row.folder == "collective"));
        auto const kind = row.name.substr(0, row.name.find('_'));
        CHECK((times_in(text, "--sync-option") > 0) ==
              (kind == "put" || kind == "get" || kind == "acc" || kind == "fop" || kind == "cas"));
    }
}
