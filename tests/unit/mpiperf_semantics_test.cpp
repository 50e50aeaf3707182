// SPDX-License-Identifier: BSD-3-Clause
// The semantics of each collective, compared with a table written by hand.
#include "bodies/collectives.hpp"
#include "bodies/semantics.hpp"
#include "mpiperf/catalogue/catalogue.hpp"
#include "support/catch.hpp"

#include <array>
#include <string_view>

using measure::OperationKind;
using measure::SizeOf;

namespace {

struct Known {
    std::string_view name;
    SizeOf size;
};

constexpr std::array known{
    Known{"Allgather", SizeOf::block},
    Known{"Allgatherv", SizeOf::block},
    Known{"Allreduce", SizeOf::whole},
    Known{"Alltoall", SizeOf::block},
    Known{"Alltoallv", SizeOf::block},
    Known{"Alltoallw", SizeOf::block},
    Known{"Barrier", SizeOf::whole},
    Known{"Bcast", SizeOf::whole},
    Known{"Exscan", SizeOf::whole},
    Known{"Gather", SizeOf::block},
    Known{"Gatherv", SizeOf::block},
    Known{"Reduce", SizeOf::whole},
    Known{"Reduce_local", SizeOf::whole},
    Known{"Reduce_scatter", SizeOf::whole},
    Known{"Reduce_scatter_block", SizeOf::block},
    Known{"Scan", SizeOf::whole},
    Known{"Scatter", SizeOf::block},
    Known{"Scatterv", SizeOf::block},
};

}  // namespace

TEST_CASE("every collective has a known kind and meaning of its size", "[bodies]") {
    REQUIRE(bodies::collectives.size() == known.size());
    for (auto const& k : known) {
        CAPTURE(k.name);
        auto const& of = *mpiperf::find_test(k.name).collective;
        auto const s = bodies::semantics(of);
        CHECK(s.operation == k.name);
        CHECK(s.kind == (k.name == "Barrier"        ? OperationKind::barrier
                         : k.name == "Reduce_local" ? OperationKind::local
                                                    : OperationKind::collective));
        CHECK(s.size == k.size);
    }
}

TEST_CASE("variants of a collective are named by the rule of MPI", "[bodies]") {
    using bodies::Relative;
    CHECK(bodies::relative_name("Alltoallw", Relative::blocking) == "Alltoallw");
    CHECK(bodies::relative_name("Alltoallw", Relative::nonblocking) == "Ialltoallw");
    CHECK(bodies::relative_name("Alltoallw", Relative::persistent) == "Alltoallw_init");
    CHECK(bodies::relative_name("Alltoallw", Relative::neighbours) == "Neighbor_alltoallw");
    CHECK(bodies::relative_name("Alltoallw", Relative::nonblocking_neighbours) == "Ineighbor_alltoallw");
}
