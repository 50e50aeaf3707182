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

TEST_CASE("the settings of MPI and its transports are told, what launchers set is not", "[environment]") {
    std::vector<std::string> const variables{"HOME=/root",
                                             "UCX_TLS=self,sm",
                                             "MPIR_CVAR_DEVICE_COLLECTIVES=none",
                                             "MPIR_CVAR_CH3_INTERFACE_HOSTNAME=node1",
                                             "MPICH_INTERFACE_HOSTNAME=node1",
                                             "PMI_RANK=0",
                                             "PMIX_RANK=0",
                                             "PMIX_SERVER_URI2=prte.1;tcp4://10.0.0.1:40001",
                                             "OMPI_COMM_WORLD_RANK=0",
                                             "OMPI_MCA_ess_base_vpid=0",
                                             "OMPI_MCA_orte_hnp_uri=1234.0;tcp://10.0.0.1:5",
                                             "OMPI_MCA_btl=tcp,self",
                                             "FI_PROVIDER=tcp=x",
                                             "no equals sign"};
    CHECK(measure::settings_among(variables) == std::vector<measure::Setting>{{"FI_PROVIDER", "tcp=x"},
                                                                              {"MPIR_CVAR_DEVICE_COLLECTIVES", "none"},
                                                                              {"OMPI_MCA_btl", "tcp,self"},
                                                                              {"UCX_TLS", "self,sm"}});
}

TEST_CASE("where ranks may run is told host by host, what is alike once", "[environment]") {
    using measure::detail::binding_of;
    CHECK(binding_of(std::vector<RankPlace>{{"a", "\x01", ""}, {"a", "\x02", ""}}) == "0|1");
    CHECK(binding_of(std::vector<RankPlace>{{"a", "\x03", ""}, {"a", "\x03", ""}}) == "0-1");
    CHECK(binding_of(std::vector<RankPlace>{
              {"a", "\x01", ""}, {"b", "\x01", ""}, {"a", "\x06", ""}, {"b", "\x06", ""}, {"c", "\x0f", ""}}) ==
          "0|1-2; 0-3");
    CHECK(binding_of(std::vector<RankPlace>{{"a", "\x01", ""}, {"a", "", ""}}).empty());
    std::vector<RankPlace> many;
    for (int i = 0; i < 400; ++i)
        many.push_back({"a", std::string(1, static_cast<char>(1 << i % 7)), ""});
    auto const text = binding_of(many);
    CHECK(text.size() < 200);
    many.back().mask = "\x7f";
    CHECK(binding_of(many) != text);
}

TEST_CASE("a campaign is its ID and the number of the launch", "[environment]") {
    using measure::detail::campaign_from;
    CHECK(campaign_from("20250131T100000-1a2b:7") == measure::Campaign{"20250131T100000-1a2b", 7});
    CHECK(campaign_from("a:b:2") == measure::Campaign{"a:b", 2});
    for (char const* const wrong : {"", "a", ":1", "a:", "a:0", "a:-1", "a:1x", "a:99999999999"})
        CHECK_FALSE(campaign_from(wrong));
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
