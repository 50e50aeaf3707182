// SPDX-License-Identifier: BSD-3-Clause
// The semantics table for old records agrees with the routines of skampi.
#include "analysis/runs/meaning.hpp"
#include "skampi/routines/catalogue.hpp"
#include "support/catch.hpp"

#include <string>

TEST_CASE("the semantics of routines match those assumed for records of the same name", "[skampi][catalogue]") {
    int compared = 0;
    for (auto const& routine : skampi::routines()) {
        CAPTURE(routine.id);
        auto const known = measure::semantics_of("skampi", {.benchmark = std::string{routine.id}});
        if (!known)
            continue;
        CHECK(routine.semantics() == known);
        ++compared;
    }
    CHECK(compared == 25);
}

TEST_CASE("routines without an equivalent in other programs have no semantics", "[skampi][catalogue]") {
    for (auto const* const id : {"MPI_Wtime", "MPI_Sendrecv", "MPI_Send-MPI_Irecv", "MPI_Send", "MPI_Comm_dup",
                                 "MPI_Put-fence", "Halo_2D", "Transpose"}) {
        CAPTURE(id);
        CHECK_FALSE(skampi::find_routine(id)->semantics());
    }
}
