// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/collectives.hpp"
#include "bodies/neighbours.hpp"
#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/operations/topology.hpp"
#include "program/runtime/files.hpp"
#include "support/catch.hpp"

#include <measure/error.hpp>

#include <string>
#include <variant>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using mpiperf::Graph;
using mpiperf::Grid;
using mpiperf::Offsets;
using Ints = std::vector<int>;
using Lists = std::vector<std::vector<int>>;

namespace {

mpiperf::Topology topology(std::string const& text) { return mpiperf::topology_from({"--topology", text}); }

template <class Form>
Form form(std::string const& text) {
    return std::get<Form>(topology(text).form);
}

Lists graph(std::string_view text, bool directed = false) { return mpiperf::parse_graph(text, "g.txt", directed); }

/// The first error as "LINE:COLUMN TEXT".
std::string fault(std::string_view text, bool directed = false) {
    try {
        (void)graph(text, directed);
    } catch (program::ParseErrors const& faults) {
        auto const& f = faults.faults().front();
        return std::to_string(f.line) + ":" + std::to_string(f.column) + " " + f.text;
    }
    return "none";
}

}  // namespace

TEST_CASE("a grid has a size per dimension, chosen by MPI if zero, and may be periodic", "[mpiperf]") {
    CHECK(form<Grid>("cart:2x3").sizes == Ints{2, 3});
    CHECK(form<Grid>("CART:2x3x4").sizes == Ints{2, 3, 4});
    CHECK_FALSE(form<Grid>("cart:2x3").periodic);
    CHECK(form<Grid>("cart:0x0:periodic").sizes == Ints{0, 0});
    CHECK(form<Grid>("cart:0x0:Periodic").periodic);
    CHECK(form<Grid>("cart").sizes.empty());
    CHECK(form<Grid>("cart:periodic").sizes.empty());
    CHECK(form<Grid>("cart:periodic").periodic);
}

TEST_CASE("a graph comes from a file or from offsets", "[mpiperf]") {
    CHECK(form<Graph>("graph:a:b.txt").file == "a:b.txt");
    CHECK_FALSE(form<Graph>("graph:a.txt").directed);
    CHECK(form<Graph>("dist_graph:a.txt").directed);
    CHECK(form<Offsets>("dist_graph").list == Ints{1, -1});
    CHECK(form<Offsets>("dist_graph:+1,-1,4").list == Ints{1, -1, 4});
}

TEST_CASE("an unknown topology is reported with the list of known ones", "[mpiperf]") {
    for (auto const* const text : {"torus", "cart:", "cart:2y2", "cart:2x", "cart:2x-2", "cart:2x2:open", "graph",
                                   "graph:", "dist_graph:", "cart:99999999999"})
        CHECK_THROWS_WITH(topology(text), ContainsSubstring(text) && ContainsSubstring("graph:FILE"));
}

TEST_CASE("the size of a grid must match the number of processes", "[mpiperf]") {
    auto const fits = [](std::string const& text, int processes) {
        try {
            mpiperf::check_places(topology(text), processes);
            return true;
        } catch (measure::UsageError const&) {
            return false;
        }
    };
    CHECK(fits("cart:2x3", 6));
    CHECK_FALSE(fits("cart:2x3", 4));
    CHECK_FALSE(fits("cart:2x3", 12));
    CHECK_FALSE(fits("cart:65536x65536x65536x65536", 4));
    CHECK(fits("cart:0x3", 6));
    CHECK_FALSE(fits("cart:0x3", 4));
    CHECK(fits("cart:0x0", 7));
    CHECK(fits("cart:periodic", 1));
    CHECK(fits("dist_graph", 1));
    CHECK_THROWS_WITH(mpiperf::check_places(topology("cart:2x3"), 4),
                      ContainsSubstring("cart:2x3") && ContainsSubstring("6") && ContainsSubstring("4"));
}

TEST_CASE("offsets wrap around for targets and sources", "[mpiperf]") {
    auto const n = mpiperf::neighbours(Offsets{{1, -1, 2}}, 0, 5);
    CHECK(n.targets == Ints{1, 4, 2});
    CHECK(n.sources == Ints{4, 1, 3});
    // With two processes both neighbours are the other one; with one process all are itself.
    CHECK(mpiperf::neighbours(Offsets{{1, -1}}, 1, 2).targets == Ints{0, 0});
    CHECK(mpiperf::neighbours(Offsets{{7, -7}}, 0, 1).sources == Ints{0, 0});
}

TEST_CASE("a graph file has one line per process, in any order, and may have comments", "[mpiperf]") {
    CHECK(graph("# a path\n0: 1\n\n2: 1 # end\r\n1: 0 2\n") == Lists{{1}, {0, 2}, {1}});
    CHECK(graph("0: 1 1\n1: 0 0") == Lists{{1, 1}, {0, 0}});
    CHECK(graph("0:\n1: 1\n") == Lists{{}, {1}});
    CHECK(graph("0: 1\n1:\n", true) == Lists{{1}, {}});
}

TEST_CASE("an error in a graph file is reported with its position", "[mpiperf]") {
    CHECK(fault("") == "1:1 the file has no process");
    CHECK(fault("0: 0\n1 0\n") == "2:1 this is not 'PROCESS: NEIGHBOUR NEIGHBOUR ..'");
    CHECK(fault("0: 0\n1: a\n") == "2:4 'a' is not a process");
    CHECK(fault("0: -1\n") == "1:4 '-1' is not a process");
    CHECK(fault("0 1: 0\n1: 0\n") == "1:1 expected one process before the colon");
    CHECK(fault("0: 1\n0: 1\n") == "2:1 process 0 already has a line");
    CHECK(fault("0: 1\n1: 0  2\n") == "2:7 process 2 is not below 2: the file has 2 lines");
    CHECK_THAT(fault("0: 1\n1:\n"), ContainsSubstring("1:4 process 1 does not list 0 equally often"));
    CHECK(fault("0: 1\n1:\n", true) == "none");
}

TEST_CASE("in a directed graph a process receives from the processes that name it", "[mpiperf]") {
    Graph const g{.file = "g.txt", .directed = true, .neighbours = {{1, 2}, {2, 2}, {}}};
    CHECK(mpiperf::neighbours(g, 2).sources == Ints{0, 1, 1});
    CHECK(mpiperf::neighbours(g, 2).targets.empty());
    CHECK(mpiperf::neighbours(g, 0).targets == Ints{1, 2});
    Graph const both{.file = "g.txt", .neighbours = {{1}, {0}}};
    CHECK(mpiperf::neighbours(both, 0).sources == Ints{1});
}

TEST_CASE("neighbourhood buffers have one block per neighbour", "[bodies]") {
    bodies::Degrees const d{.in = 3, .out = 2};
    auto const gather = bodies::neighbour_sizes(bodies::collective("Allgather").shape, 10, d);
    CHECK(gather.send == 10);
    CHECK(gather.receive == 30);
    auto const exchange = bodies::neighbour_sizes(bodies::collective("Alltoallw").shape, 10, d);
    CHECK(exchange.send == 20);
    CHECK(exchange.receive == 30);
    CHECK(d.most() == 3);
}

TEST_CASE("tests declare whether they need a topology, a grid or a single buffer", "[mpiperf]") {
    using mpiperf::Needs;
    CHECK(mpiperf::find_test("neighbor_alltoallw").needs == Needs::neighbours);
    CHECK(mpiperf::find_test("Cart_shift+Sendrecv").needs == Needs::grid);
    CHECK(mpiperf::find_test("Comm_dup").needs == Needs::nothing);
    CHECK(mpiperf::find_test("Memory").build == nullptr);
    CHECK_THROWS_WITH(mpiperf::find_test("Neighbor_allgather").check(std::int64_t{1} << 31, 2),
                      ContainsSubstring("2147483648"));
}

TEST_CASE("persistent collectives exist if the MPI library has them, and are otherwise refused by name", "[mpiperf]") {
    if (bodies::have_persistent) {
        CHECK(mpiperf::find_test("bcast_INIT").rooted);
        CHECK(mpiperf::find_test("Allreduce_init").element == 8);
        CHECK(mpiperf::find_test("Barrier_init").needs == mpiperf::Needs::one_buffer);
    } else {
        CHECK_THROWS_WITH(mpiperf::find_test("Bcast_init"), ContainsSubstring("no persistent collectives"));
    }
}
