// SPDX-License-Identifier: BSD-3-Clause
#include "measure/environment.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

using measure::detail::group_by_host;
using measure::detail::RankPlace;
using measure::detail::short_library_name;

TEST_CASE("MPI libraries have short names", "[environment]") {
    CHECK(short_library_name("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr 7 2022\n") == "MPICH 4.0.2");
    CHECK(short_library_name("MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date") == "MVAPICH2 2.3.7");
    CHECK(short_library_name("Open MPI v4.1.4, package: Debian Open MPI, ident: 4.1.4") == "Open MPI 4.1.4");
    CHECK(short_library_name("Some MPI 7 for everyone\nmore") == "Some MPI 7 for everyone");
    CHECK(short_library_name("") == "");
}

TEST_CASE("any program name yields a valid suite name for records", "[environment]") {
    CHECK(measure::suite_name("pure_c") == "pure_c");
    CHECK(measure::suite_name("PMB-MPI1") == "pmb-mpi1");
    CHECK(measure::suite_name("../bin/My Code.x") == "my_code_x");
    CHECK(measure::suite_name("7days") == "own7days");
    CHECK(measure::suite_name("caf\xc3\xa9") == "caf__");
    CHECK(measure::suite_name("bin/") == "own");
}

TEST_CASE("settings of MPI and its transports are recorded, variables of launchers are not", "[environment]") {
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

TEST_CASE("a setting that names a file is followed by a hash of the file content", "[environment]") {
    using measure::detail::with_contents;
    test::Folder const folder;
    auto const rules = folder.file("rules");
    auto const hash_of = [&](std::string const& text) {
        std::ofstream{rules} << text;
        auto const settings = with_contents({{"OMPI_MCA_rules", rules}, {"UCX_TLS", "tcp"}});
        REQUIRE(settings.size() == 3);
        CHECK(settings[0] == measure::Setting{"OMPI_MCA_rules", rules});
        CHECK(settings[1].name == "OMPI_MCA_rules (content)");
        CHECK(settings[2] == measure::Setting{"UCX_TLS", "tcp"});
        return settings[1].value;
    };
    auto const first = hash_of("1");
    CHECK_THAT(first, Catch::Matchers::Matches("[0-9a-f]{16}"));
    CHECK(hash_of("2") != first);
    CHECK(hash_of("1") == first);
    CHECK(hash_of("") != first);
}

TEST_CASE("only short regular files that are not written to have a hash", "[environment]") {
    test::Folder const folder;
    std::ofstream{folder.file("log")} << "some lines";
    std::ofstream{folder.file("long")} << std::string((std::size_t{1} << 20U) + 1, 'x');
    auto const pipe = folder.file("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::vector<measure::Setting> const settings{{"A", folder.path().string()},
                                                 {"B", folder.file("long")},
                                                 {"C", folder.file("nothing")},
                                                 {"D", pipe},
                                                 {"E", "/dev/zero"},
                                                 {"F", ""},
                                                 {"I_MPI_STATS_FILE", folder.file("log")},
                                                 {"OMPI_MCA_pml_monitoring_filename", folder.file("log")},
                                                 {"OMPI_MCA_mpi_show_mca_params_file", folder.file("log")},
                                                 {"MPICH_DBG_FILENAME", folder.file("log")},
                                                 {"UCX_LOG_FILE", folder.file("log")}};
    CHECK(measure::detail::with_contents(settings) == settings);
    std::filesystem::resize_file(folder.file("long"), std::uintmax_t{1} << 20U);
    CHECK(measure::detail::with_contents(settings).size() == settings.size() + 1);
}

TEST_CASE("lines of parameter files are settings", "[environment]") {
    using measure::detail::parameters_in;
    test::Folder const folder;
    std::filesystem::create_directories(folder.file("system"));
    std::filesystem::create_directories(folder.file("user"));
    auto const of_user = folder.file("user/mca-params.conf");
    auto const of_system = folder.file("system/openmpi-mca-params.conf");
    auto const of_same_name = folder.file("system/mca-params.conf");
    std::ofstream{of_user} << "# btl = none\n\n  btl = tcp , self \r\npml=ob1\npml=cm\n -x = a=b\nalone";
    std::ofstream{of_system} << "btl = ^uct\n";
    std::ofstream{of_same_name} << "btl = late\nosc = rdma\n";
    std::vector<measure::Setting> const user{{"mca-params.conf: -x", "a=b"},
                                             {"mca-params.conf: alone", ""},
                                             {"mca-params.conf: btl", "tcp , self"},
                                             {"mca-params.conf: pml", "cm"}};
    CHECK(parameters_in(of_user) == user);
    auto all = user;
    all.insert(all.begin() + 3, measure::Setting{"mca-params.conf: osc", "rdma"});
    all.push_back({"openmpi-mca-params.conf: btl", "^uct"});
    CHECK(parameters_in(folder.file("nothing") + "," + of_user + "," + of_system + ":" + of_same_name) == all);
    CHECK(parameters_in("none").empty());
    CHECK(parameters_in("").empty());
    CHECK(parameters_in("/dev/zero,,/").empty());
}

TEST_CASE("the binding of ranks is listed per host, and equal bindings once", "[environment]") {
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

TEST_CASE("a campaign consists of its ID and the number of the launch", "[environment]") {
    using measure::detail::campaign_from;
    CHECK(campaign_from("20250131T100000-1a2b:7") == measure::Campaign{"20250131T100000-1a2b", 7});
    CHECK(campaign_from("a:b:2") == measure::Campaign{"a:b", 2});
    for (char const* const wrong : {"", "a", ":1", "a:", "a:0", "a:-1", "a:1x", "a:99999999999"})
        CHECK_FALSE(campaign_from(wrong));
}

TEST_CASE("hosts are ordered by their first ranks and have ranges of ranks and the union of cores", "[environment]") {
    // Masks: a has units 0 and 1 on rank 0, 1 and 2 on rank 1, 9 on rank 4; b has unit 0, also on rank 3.
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

TEST_CASE("hosts with the same boot ID are containers on one machine and have the union of their cores",
          "[environment]") {
    using measure::detail::shared_machines;
    // Ranks 0 and 2 have units 0 and 1 together. Rank 1 is elsewhere, and the place of rank 3 is unknown.
    std::vector<RankPlace> const places{{"a", "\x01", "", "one"},
                                        {"b", "\x03", "", "two"},
                                        {"c", "\x02", "", "one"},
                                        {"a", "\x01", "", "one"},
                                        {"d", "\x01", "", ""}};
    CHECK(shared_machines(places) ==
          std::vector<std::string>{"hosts a, c are containers on one machine: no network connects them, and their 3 "
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
