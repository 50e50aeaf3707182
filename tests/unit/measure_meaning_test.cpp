// SPDX-License-Identifier: BSD-3-Clause
// The table for records without semantics must agree with the table of collectives and with the records of mpiperf.
#include "analysis/runs/meaning.hpp"
#include "bodies/collectives.hpp"
#include "bodies/semantics.hpp"
#include "support/catch.hpp"

#include <string>

using measure::semantics_of;

TEST_CASE("records of collectives have the meaning given in the table of collectives", "[measure]") {
    int compared = 0;
    for (auto const& of : bodies::collectives) {
        CAPTURE(of.name);
        auto const found = semantics_of("mpiperf", {.benchmark = std::string{of.name}});
        if (!found)
            continue;
        auto const s = bodies::semantics(of);
        CHECK(*found == measure::Semantics{std::string{s.operation}, s.kind, s.size});
        ++compared;
    }
    CHECK(compared == 17);
}

TEST_CASE("the semantics in a record take precedence over the table of its suite", "[measure]") {
    measure::Record record{.benchmark = "Bcast"};
    CHECK(semantics_of("mpiperf", record)->operation == "Bcast");
    CHECK_FALSE(semantics_of("elsewhere", record));
    for (auto const* const control : {"Memcpy", "Cacheline", "Fixed_work"})
        CHECK_FALSE(semantics_of("mpiperf", {.benchmark = control}));
    record.semantics = measure::Semantics{
        .operation = "Alltoall", .kind = measure::OperationKind::by_hand, .size = measure::SizeOf::block};
    CHECK(semantics_of("mpiperf", record) == record.semantics);
    CHECK(semantics_of("elsewhere", record) == record.semantics);
}

TEST_CASE("the benchmark of a suite is found by its operation", "[measure]") {
    auto const found = measure::benchmark_of("mpbench", "Bcast");
    REQUIRE(found);
    CHECK(found->name == "broadcast");
    CHECK_FALSE(measure::benchmark_of("mpbench", "Scan"));
}
