// SPDX-License-Identifier: BSD-3-Clause
#include "measure/environment.hpp"
#include "support/catch.hpp"

#include <mpi.h>

TEST_CASE("the root knows library, ranks and hosts", "[environment]") {
    measure::Comm const comm{MPI_COMM_WORLD};
    auto const e = measure::environment(comm, measure::WtimeTimer{});
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
    CHECK(e.timer.name == "mpi_wtime");
    CHECK(e.timer.resolution > measure::seconds{0});
}
