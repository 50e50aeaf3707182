// SPDX-License-Identifier: BSD-3-Clause
// The table for records without semantics agrees with skampi's routines.
#include "analysis/runs/meaning.hpp"
#include "skampi/routines/catalogue.hpp"
#include "support/catch.hpp"

#include <string>

TEST_CASE("routines mean what records of their names are taken for", "[skampi][catalogue]") {
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

TEST_CASE("routines that others have no like of have no semantics", "[skampi][catalogue]") {
    for (auto const* const id : {"MPI_Wtime", "MPI_Sendrecv", "MPI_Send-MPI_Irecv", "MPI_Send", "MPI_Comm_dup",
                                 "MPI_Put-fence", "Halo_2D", "Transpose"}) {
        CAPTURE(id);
        CHECK_FALSE(skampi::find_routine(id)->semantics());
    }
}
