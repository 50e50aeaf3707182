// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/rma.hpp"
#include "bodies/stream.hpp"
#include "bodies/threads.hpp"
#include "mpiperf/catalogue/catalogue.hpp"
#include "support/catch.hpp"

#include <array>
#include <atomic>
#include <string>

TEST_CASE("each RMA operation is a test with each synchronisation", "[mpiperf]") {
    for (auto const& operation : bodies::rma_operations)
        for (auto const& way : bodies::rma_synchronisations) {
            auto const name = std::string{operation.name} + "_" + std::string{way.name};
            CAPTURE(name);
            auto const& test = mpiperf::find_test(name);
            CHECK(test.element == operation.element);
            CHECK(test.kind == mpiperf::Kind::message);
            CHECK(test.checks_data);
        }
}

TEST_CASE("a target is passive if it exposes nothing", "[bodies]") {
    for (auto const& way : bodies::rma_synchronisations) {
        CAPTURE(way.name);
        bool const passive = way.name != "fence" && way.name != "pscw";
        CHECK((way.expose == nullptr) == passive);
        CHECK(way.end != nullptr);
        CHECK((way.expose_in_turn == nullptr) == passive);
        CHECK((way.begin_mutual == nullptr) == passive);
        CHECK((way.end_mutual == nullptr) == passive);
        CHECK((way.open == nullptr) == (way.close == nullptr));
    }
}

TEST_CASE("RMA buffers hold the count of elements, a swap holds two numbers", "[bodies]") {
    using bodies::RemoteAccess;
    using bodies::rma_operations;
    CHECK(RemoteAccess::bytes(rma_operations[0], 100) == 100);  // Put
    CHECK(RemoteAccess::bytes(rma_operations[2], 100) == 800);  // Accumulate
    CHECK(RemoteAccess::bytes(rma_operations[4], 1) == 8);      // Fetch_and_op
    CHECK(RemoteAccess::bytes(rma_operations[5], 1) == 16);     // Compare_and_swap: the stored and the expected number
    bodies::RmaShape const of_int{.type = MPI_INT, .number = bodies::NumberKind::int32};
    CHECK(RemoteAccess::bytes(rma_operations[2], 100, of_int) == 400);
    CHECK(RemoteAccess::bytes(rma_operations[5], 1, of_int) == 8);
}

TEST_CASE("numbers keep their type and their lowest bits", "[bodies]") {
    using bodies::NumberKind;
    auto const written = []<class T>(NumberKind kind, double value, T) {
        T number{};
        REQUIRE(bodies::number_size(kind) == sizeof number);
        bodies::write_number(reinterpret_cast<std::byte*>(&number), kind, value);
        return number;
    };
    CHECK(written(NumberKind::real64, 1030, double{}) == 1030);
    CHECK(written(NumberKind::real32, 1030, float{}) == 1030);
    CHECK(written(NumberKind::int64, 1030, std::int64_t{}) == 1030);
    CHECK(written(NumberKind::int32, 1030, std::int32_t{}) == 1030);
    CHECK(written(NumberKind::int8, 1030, std::int8_t{}) == 6);  // 1030 - 4 * 256
}

TEST_CASE("the first half of the processes sends to the second half", "[bodies]") {
    auto const role = bodies::stream_role(1, 6, false);
    CHECK(role.sends);
    CHECK_FALSE(role.receives);
    CHECK(role.peer == 4);
    auto const other = bodies::stream_role(4, 6, false);
    CHECK_FALSE(other.sends);
    CHECK(other.receives);
    CHECK(other.peer == 1);
    auto const both = bodies::stream_role(3, 6, true);
    CHECK((both.sends && both.receives));
    CHECK(both.peer == 0);
}

TEST_CASE("each thread of a team runs each round once", "[bodies]") {
    bodies::ThreadTeam team{3};
    CHECK(team.size() == 3);
    std::array<std::atomic<int>, 3> calls{};
    for (int round = 1; round <= 100; ++round) {
        team.run([&](int thread) { ++calls[static_cast<std::size_t>(thread)]; });
        for (auto const& each : calls)
            REQUIRE(each.load() == round);
    }
    bodies::ThreadTeam alone{1};
    int own = 0;
    alone.run([&](int) { ++own; });
    CHECK(own == 1);
}
