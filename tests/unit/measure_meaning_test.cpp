// SPDX-License-Identifier: BSD-3-Clause
// What records of schema 1 are taken for agrees with what the table of collectives says.
#include "bodies/collectives.hpp"
#include "bodies/semantics.hpp"
#include "meaning.hpp"
#include "support/catch.hpp"

using measure_tool::meaning_of_benchmark;

TEST_CASE("records of collectives mean what the table of collectives says", "[measure_tool]") {
    int compared = 0;
    for (auto const& of : bodies::collectives) {
        CAPTURE(of.name);
        auto const* const meaning = meaning_of_benchmark("mpiperf", of.name);
        if (meaning == nullptr)
            continue;
        auto const s = bodies::semantics(of);
        CHECK(meaning->operation == s.operation);
        CHECK((meaning->kind == measure_tool::OperationKind::barrier) == (s.kind == bodies::OperationKind::barrier));
        CHECK((meaning->kind == measure_tool::OperationKind::collective) ==
              (s.kind == bodies::OperationKind::collective));
        CHECK((meaning->size == measure_tool::SizeOf::block) == (s.size == bodies::SizeOf::block));
        CHECK((meaning->share == 1) == !s.is_round_trip);
        ++compared;
    }
    CHECK(compared == 17);
}
