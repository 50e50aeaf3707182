// SPDX-License-Identifier: BSD-3-Clause
#include "measure/environment.hpp"
#include "support/catch.hpp"

using measure::detail::group_by_host;
using measure::detail::RankPlace;
using measure::detail::short_library_name;

TEST_CASE("MPI libraries are named shortly", "[environment]") {
    CHECK(short_library_name("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr 7 2022\n") == "MPICH 4.0.2");
    CHECK(short_library_name("MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date") == "MVAPICH2 2.3.7");
    CHECK(short_library_name("Open MPI v4.1.4, package: Debian Open MPI, ident: 4.1.4") == "Open MPI 4.1.4");
    CHECK(short_library_name("Some MPI 7 for everyone\nmore") == "Some MPI 7 for everyone");
    CHECK(short_library_name("") == "");
}

TEST_CASE("a program of any name has a suite that a record may have", "[environment]") {
    CHECK(measure::suite_name("pure_c") == "pure_c");
    CHECK(measure::suite_name("PMB-MPI1") == "pmb-mpi1");
    CHECK(measure::suite_name("../bin/My Code.x") == "my_code_x");
    CHECK(measure::suite_name("7days") == "own7days");
    CHECK(measure::suite_name("caf\xc3\xa9") == "caf__");
    CHECK(measure::suite_name("bin/") == "own");
}

TEST_CASE("hosts come in the order of their first ranks, with ranges of ranks and the union of cores",
          "[environment]") {
    // Masks: a has units 0 and 1 on rank 0, 1 and 2 on rank 1, 9 on rank 4; b has unit 0 and, on rank 3, the same.
    std::vector<RankPlace> const places{{"a", "\x03", "CPU A"},
                                        {"a", "\x06", "CPU A"},
                                        {"b", "\x01", ""},
                                        {"b", "\x01", ""},
                                        {"a", std::string{"\x00\x02", 2}, "CPU A"}};
    auto const hosts = group_by_host(places);
    REQUIRE(hosts.size() == 2);
    CHECK(hosts[0].name == "a");
    CHECK(hosts[0].ranks == "0-1,4");
    CHECK(hosts[0].cores == 4);
    CHECK(hosts[0].cpu == "CPU A");
    CHECK(hosts[1].name == "b");
    CHECK(hosts[1].ranks == "2-3");
    CHECK(hosts[1].cores == 1);
    CHECK_FALSE(hosts[1].cpu);
}

TEST_CASE("a host with unknown masks has at least one core", "[environment]") {
    CHECK(group_by_host(std::vector<RankPlace>{{"a", "", ""}}).at(0).cores == 1);
    CHECK(group_by_host({}).empty());
}

TEST_CASE("hosts of one boot are containers of one machine, with the union of their cores", "[environment]") {
    using measure::detail::shared_machines;
    // Ranks 0 and 2 have units 0 and 1 together; rank 1 is elsewhere, and nobody knows where rank 3 is.
    std::vector<RankPlace> const places{{"a", "\x01", "", "one"},
                                        {"b", "\x03", "", "two"},
                                        {"c", "\x02", "", "one"},
                                        {"a", "\x01", "", "one"},
                                        {"d", "\x01", "", ""}};
    CHECK(shared_machines(places) ==
          std::vector<std::string>{"hosts a, c are containers of one machine: no wire lies between them, and their 3 "
                                   "ranks share 2 processing units"});
    CHECK(shared_machines(std::span{places}.first(2)).empty());
    CHECK(shared_machines({}).empty());
}

TEST_CASE("one rank without MPI knows its machine", "[environment]") {
    auto const e = measure::environment(measure::Comm::solo(), measure::MonotonicRawTimer{});
    CHECK_FALSE(e.mpi_library);
    CHECK(e.ranks == 1);
    REQUIRE(e.hosts.size() == 1);
    CHECK_FALSE(e.hosts[0].name.empty());
    CHECK(e.hosts[0].ranks == "0");
    CHECK(e.hosts[0].cores == measure::usable_cores());
    CHECK_FALSE(e.oversubscribed);
    CHECK(e.started.size() == 20);
    CHECK(e.started.back() == 'Z');
    CHECK_THAT(e.kernel.value(), Catch::Matchers::ContainsSubstring(" "));
    CHECK_FALSE(e.compiler.empty());
    CHECK(e.timer.name == "monotonic_raw");
    CHECK(e.timer.resolution > measure::seconds{0});
    CHECK(e.timer.overhead > measure::seconds{0});
}

TEST_CASE("the version has three parts", "[environment]") {
    CHECK_THAT(measure::version(), Catch::Matchers::Matches("[0-9]+\\.[0-9]+\\.[0-9]+.*"));
}
