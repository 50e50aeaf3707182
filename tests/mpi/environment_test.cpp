// SPDX-License-Identifier: BSD-3-Clause
#include "measure/environment.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

TEST_CASE("the root describes library, ranks and hosts, and all ranks know the timer", "[environment]") {
    measure::Comm const comm{MPI_COMM_WORLD};
    auto const e = measure::environment(comm, measure::WtimeTimer{});
    auto overhead = e.timer.overhead.count();
    comm.broadcast(overhead);
    CHECK(e.timer.overhead.count() == overhead);
    if (!comm.is_root()) {
        CHECK(e.hosts.empty());
        return;
    }
    CHECK(e.ranks == comm.size());
    CHECK_THAT(e.mpi_library.value(), Catch::Matchers::Matches("[A-Za-z ]+ [0-9]+\\.[0-9]+.*"));
    CHECK_THAT(e.mpi_standard, Catch::Matchers::Matches("[34]\\.[0-9]"));
    REQUIRE(e.hosts.size() == 1);
    CHECK(e.hosts[0].ranks == (comm.size() == 1 ? "0" : "0-" + std::to_string(comm.size() - 1)));
    CHECK(e.hosts[0].cores >= measure::usable_cores());
    CHECK(e.oversubscribed == (comm.size() > e.hosts[0].cores));
    REQUIRE(e.mpi_settings);
    auto const setting = [&](char const* name) {
        auto const& all = *e.mpi_settings;
        return std::find_if(all.begin(), all.end(), [&](auto const& s) { return s.name == name; });
    };
    REQUIRE(setting("binding") != e.mpi_settings->end());
    CHECK_THAT(setting("binding")->value, Catch::Matchers::Matches("[0-9,|-]+"));
    REQUIRE(setting("library_file") != e.mpi_settings->end());
    CHECK_THAT(setting("library_file")->value, Catch::Matchers::Matches("lib.* [0-9a-f]{16}"));
    for (char const* const of_launcher : {"MPICH_INTERFACE_HOSTNAME", "MPIR_CVAR_CH3_INTERFACE_HOSTNAME"})
        CHECK(setting(of_launcher) == e.mpi_settings->end());
    CHECK(e.timer.name == "mpi_wtime");
    CHECK(e.timer.resolution > measure::seconds{0});
}

TEST_CASE("the root reports settings in files, and re-reads them after a change", "[environment]") {
    measure::Comm const comm{MPI_COMM_WORLD};
    test::Folder const folder;
    char const* const home = std::getenv("HOME");
    std::string const old_home = home != nullptr ? home : "";
    auto const rules = folder.file("rules.conf");
    std::filesystem::create_directories(folder.file(".openmpi"));
    setenv("OMPI_MCA_libmeasure_rules", rules.c_str(), 1);
    setenv("HOME", folder.path().c_str(), 1);
    auto const settings_with = [&](std::string const& text) {
        std::ofstream{rules} << text;
        std::ofstream{folder.file(".openmpi/mca-params.conf")} << "libmeasure = " << text << "\n";
        return measure::environment(comm, measure::WtimeTimer{});
    };
    auto const before = settings_with("1");
    auto const after = settings_with("2");
    unsetenv("OMPI_MCA_libmeasure_rules");
    if (home != nullptr)
        setenv("HOME", old_home.c_str(), 1);
    else
        unsetenv("HOME");
    if (!comm.is_root())
        return;
    auto const value = [](measure::Environment const& e, std::string const& name) -> std::string {
        for (auto const& setting : e.mpi_settings.value())
            if (setting.name == name)
                return setting.value;
        return "unset";
    };
    std::string const content = "OMPI_MCA_libmeasure_rules (content)";
    CHECK(value(before, content) != "unset");
    CHECK(value(before, content) != value(after, content));
    bool const is_open_mpi = before.mpi_library.value().starts_with("Open MPI");
    CHECK(value(before, "mca-params.conf: libmeasure") == (is_open_mpi ? "1" : "unset"));
    CHECK(value(after, "mca-params.conf: libmeasure") == (is_open_mpi ? "2" : "unset"));
}
