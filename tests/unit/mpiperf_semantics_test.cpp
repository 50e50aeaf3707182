// SPDX-License-Identifier: BSD-3-Clause
// Who sends how many bytes to whom in each collective: by hand, for four processes.
#include "bodies/collectives.hpp"
#include "bodies/semantics.hpp"
#include "catalogue/catalogue.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

using bodies::Traffic;
using measure::OperationKind;
using measure::SizeOf;

namespace {

constexpr int ranks = 4;

struct Known {
    std::string_view name;
    SizeOf size;
    bool is_rooted;
    bool is_reduction;
    std::array<Traffic, ranks> traffic;  ///< of each rank: sent, received; count 10, root 1
};

// 10 bytes, or 10 doubles of 8 bytes. The shares of Reduce_scatter are 3, 2, 3, 2 doubles: 24, 16, 24, 16 bytes of 80.
constexpr std::array known{
    Known{"Allgather", SizeOf::block, false, false, {{{10, 30}, {10, 30}, {10, 30}, {10, 30}}}},
    Known{"Allgatherv", SizeOf::block, false, false, {{{10, 30}, {10, 30}, {10, 30}, {10, 30}}}},
    Known{"Allreduce", SizeOf::whole, false, true, {{{80, 80}, {80, 80}, {80, 80}, {80, 80}}}},
    Known{"Alltoall", SizeOf::block, false, false, {{{30, 30}, {30, 30}, {30, 30}, {30, 30}}}},
    Known{"Alltoallv", SizeOf::block, false, false, {{{30, 30}, {30, 30}, {30, 30}, {30, 30}}}},
    Known{"Alltoallw", SizeOf::block, false, false, {{{30, 30}, {30, 30}, {30, 30}, {30, 30}}}},
    Known{"Barrier", SizeOf::whole, false, false, {{{0, 0}, {0, 0}, {0, 0}, {0, 0}}}},
    Known{"Bcast", SizeOf::whole, true, false, {{{0, 10}, {10, 0}, {0, 10}, {0, 10}}}},
    Known{"Exscan", SizeOf::whole, false, true, {{{80, 0}, {80, 80}, {80, 80}, {0, 80}}}},
    Known{"Gather", SizeOf::block, true, false, {{{10, 0}, {0, 30}, {10, 0}, {10, 0}}}},
    Known{"Gatherv", SizeOf::block, true, false, {{{10, 0}, {0, 30}, {10, 0}, {10, 0}}}},
    Known{"Reduce", SizeOf::whole, true, true, {{{80, 0}, {0, 80}, {80, 0}, {80, 0}}}},
    Known{"Reduce_local", SizeOf::whole, false, true, {{{0, 0}, {0, 0}, {0, 0}, {0, 0}}}},
    Known{"Reduce_scatter", SizeOf::whole, false, true, {{{56, 24}, {64, 16}, {56, 24}, {64, 16}}}},
    Known{"Reduce_scatter_block", SizeOf::block, false, true, {{{240, 80}, {240, 80}, {240, 80}, {240, 80}}}},
    Known{"Scan", SizeOf::whole, false, true, {{{80, 0}, {80, 80}, {80, 80}, {0, 80}}}},
    Known{"Scatter", SizeOf::block, true, false, {{{0, 10}, {30, 0}, {0, 10}, {0, 10}}}},
    Known{"Scatterv", SizeOf::block, true, false, {{{0, 10}, {30, 0}, {0, 10}, {0, 10}}}},
};

bodies::Occasion occasion(int n = ranks) { return {.count = 10, .ranks = n, .root = n > 1 ? 1 : 0}; }

}  // namespace

TEST_CASE("who sends and receives how much is known of every collective", "[bodies]") {
    REQUIRE(bodies::collectives.size() == known.size());
    for (std::size_t i = 0; i < known.size(); ++i) {
        auto const& of = bodies::collectives[i];
        CAPTURE(of.name);
        CHECK(of.name == known[i].name);
        for (int rank = 0; rank < ranks; ++rank) {
            CAPTURE(rank);
            auto const found = bodies::traffic(of, occasion(), rank);
            auto const wanted = known[i].traffic[static_cast<std::size_t>(rank)];
            CHECK(found.sent == wanted.sent);
            CHECK(found.received == wanted.received);
        }
        CHECK(bodies::traffic(of, occasion(1), 0) == Traffic{});
    }
}

TEST_CASE("of every collective it is known what it is, and what its size is the size of", "[bodies]") {
    for (auto const& k : known) {
        CAPTURE(k.name);
        auto const& of = *mpiperf::find_test(k.name).collective;
        auto const s = bodies::semantics(of);
        CHECK(s.operation == k.name);
        CHECK(s.kind == (k.name == "Barrier"        ? OperationKind::barrier
                         : k.name == "Reduce_local" ? OperationKind::local
                                                    : OperationKind::collective));
        CHECK(s.size == k.size);
        CHECK(s.is_rooted == k.is_rooted);
        CHECK(s.is_reduction == k.is_reduction);
    }
}

TEST_CASE("it is known who needs data of whom", "[bodies]") {
    auto const row_of = [](bodies::Collective const& of, int from) {
        std::vector<measure::Bytes> bytes;
        for (int to = 0; to < ranks; ++to)
            bytes.push_back(bodies::needed(of, occasion(), from, to));
        return bytes;
    };
    using Bytes = std::vector<measure::Bytes>;
    CHECK(row_of(bodies::collective("Bcast"), 1) == Bytes{10, 0, 10, 10});
    CHECK(row_of(bodies::collective("Bcast"), 0) == Bytes{0, 0, 0, 0});
    CHECK(row_of(bodies::collective("Gather"), 3) == Bytes{0, 10, 0, 0});
    CHECK(row_of(bodies::collective("Scan"), 1) == Bytes{0, 0, 80, 80});
    CHECK(row_of(bodies::collective("Reduce_scatter"), 3) == Bytes{24, 16, 24, 0});
}

TEST_CASE("bytes are those of the suite's own types and shares", "[bodies]") {
    auto at = occasion();
    at.convention = {.real_size = sizeof(float), .shares = bodies::spread_first};
    // 3, 3, 2, 2 floats: 12, 12, 8, 8 bytes of 40.
    CHECK(bodies::traffic(bodies::collective("Reduce_scatter"), at, 1) == Traffic{28, 12});
    at.convention = {.moved_extent = 16};
    CHECK(bodies::traffic(bodies::collective("Bcast"), at, 1) == Traffic{160, 0});
}

TEST_CASE("relatives are named by MPI's rule", "[bodies]") {
    using bodies::Relative;
    CHECK(bodies::relative_name("Alltoallw", Relative::blocking) == "Alltoallw");
    CHECK(bodies::relative_name("Alltoallw", Relative::nonblocking) == "Ialltoallw");
    CHECK(bodies::relative_name("Alltoallw", Relative::persistent) == "Alltoallw_init");
    CHECK(bodies::relative_name("Alltoallw", Relative::neighbours) == "Neighbor_alltoallw");
    CHECK(bodies::relative_name("Alltoallw", Relative::nonblocking_neighbours) == "Ineighbor_alltoallw");
}
