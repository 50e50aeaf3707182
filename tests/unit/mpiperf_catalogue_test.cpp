// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/buffers.hpp"
#include "bodies/collectives.hpp"
#include "bodies/controls.hpp"
#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/operations/wait.hpp"
#include "mpiperf/rules.hpp"
#include "support/catch.hpp"

#include <measure/error.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

using bodies::collective;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("the catalogue has all collectives of MPI 2.2 and the wait patterns in order, each test once", "[mpiperf]") {
    std::vector<std::string> names;
    for (auto const& test : mpiperf::tests())
        names.emplace_back(test.name);
    std::vector<std::string> const wanted{"Allgather",
                                          "Allgatherv",
                                          "Allreduce",
                                          "Alltoall",
                                          "Alltoallv",
                                          "Alltoallw",
                                          "Barrier",
                                          "Bcast",
                                          "Exscan",
                                          "Gather",
                                          "Gatherv",
                                          "Reduce",
                                          "Reduce_scatter",
                                          "Reduce_scatter_block",
                                          "Scan",
                                          "Scatter",
                                          "Scatterv",
                                          "Iallgather",
                                          "Iallgatherv",
                                          "Iallreduce",
                                          "Ialltoall",
                                          "Ialltoallv",
                                          "Ialltoallw",
                                          "Ibarrier",
                                          "Ibcast",
                                          "Iexscan",
                                          "Igather",
                                          "Igatherv",
                                          "Ireduce",
                                          "Ireduce_scatter",
                                          "Ireduce_scatter_block",
                                          "Iscan",
                                          "Iscatter",
                                          "Iscatterv",
                                          "Send",
                                          "Sendrecv",
                                          "Pingpong",
                                          "Isend",
                                          "Ssend",
                                          "Rsend",
                                          "Bsend",
                                          "Send_init",
                                          "WaitPatternUp",
                                          "WaitPatternDown",
                                          "WaitPatternNull"};
    std::vector<std::string> found;
    std::copy_if(names.begin(), names.end(), std::back_inserter(found), [&](std::string const& name) {
        return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    });
    CHECK(found == wanted);
    std::sort(names.begin(), names.end());
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

TEST_CASE("test names are case-insensitive, and an error quotes an unknown name", "[mpiperf]") {
    CHECK(mpiperf::find_test("BCAST").name == "Bcast");
    CHECK(mpiperf::find_test("reduce_Scatter").name == "Reduce_scatter");
    CHECK_THROWS_WITH(mpiperf::find_test("Bcats"), ContainsSubstring("Bcats"));
}

TEST_CASE("wait patterns have a known time: the slowest rank waits n microseconds", "[mpiperf]") {
    CHECK(mpiperf::find_test("WaitPatternNull").expected(4) == measure::seconds{0});
    CHECK(measure::microseconds(mpiperf::find_test("WaitPatternUp").expected(4)) == Catch::Approx(4));
    CHECK(measure::microseconds(mpiperf::find_test("WaitPatternDown").expected(4)) == Catch::Approx(4));
    CHECK(mpiperf::WaitUp::steps(0, 4) == 1);
    CHECK(mpiperf::WaitUp::steps(3, 4) == 4);
    CHECK(mpiperf::WaitDown::steps(0, 4) == 4);
    CHECK(mpiperf::WaitDown::steps(3, 4) == 1);
    CHECK(mpiperf::find_test("Bcast").expected == nullptr);
}

TEST_CASE("controls have no MPI semantics, and only copies have a size", "[mpiperf]") {
    std::vector<measure::Bytes> elements;
    for (auto const* const name : {"Memcpy", "Cacheline", "Fixed_work"}) {
        auto const& test = mpiperf::find_test(name);
        elements.push_back(test.element);
        CHECK_FALSE(mpiperf::benchmark_of(test, {}).semantics);
    }
    CHECK(elements == std::vector<measure::Bytes>{1, 0, 0});
    CHECK_THROWS_WITH(mpiperf::find_test("Memcpy").check(std::int64_t{1} << 57, 2),
                      ContainsSubstring("count 144115188075855872 is larger than any memory"));
}

TEST_CASE("fixed work is always the same work", "[bodies]") {
    CHECK(bodies::worked(1, 0) == 1);
    // The shift does not change 1; 1000003 >> 7 = 7812, 1000003 ^ 7812 = 1006791, times 1000003.
    CHECK(bodies::worked(1, 1) == 1'000'003);
    CHECK(bodies::worked(1, 2) == 1'006'794'020'373);
}

TEST_CASE("a copy delivers the data that were sent", "[bodies]") {
    bodies::Copy const copy{5, bodies::Buffers{{}, {5, 6}}};
    auto* const from = static_cast<char*>(copy.memory().send({}));
    auto* const to = static_cast<char*>(copy.memory().receive({}));
    std::strcpy(from, "abcd");
    to[5] = '!';
    CHECK(copy({}));
    CHECK(std::string{to, 6} == std::string{"abcd\0!", 6});
}

TEST_CASE("the remainder of Reduce_scatter is spread evenly", "[bodies]") {
    // 10 over 4: 2 each, remainder 2 at floor(0 4/2) = 0 and floor(1 4/2) = 2.
    CHECK(bodies::spread(10, 4) == std::vector<std::int64_t>{3, 2, 3, 2});
    // 7 over 5: 1 each, remainder 2 at 0 and floor(5/2) = 2.
    CHECK(bodies::spread(7, 5) == std::vector<std::int64_t>{2, 1, 2, 1, 1});
    CHECK(bodies::spread(3, 4) == std::vector<std::int64_t>{1, 1, 1, 0});
    CHECK(bodies::spread(0, 3) == std::vector<std::int64_t>{0, 0, 0});
    CHECK(bodies::spread(8, 4) == std::vector<std::int64_t>{2, 2, 2, 2});
}

TEST_CASE("the blocks of Reduce_scatter add up and differ by at most one", "[bodies]") {
    int const n = GENERATE(1, 2, 3, 7, 16);
    int const c = GENERATE(0, 1, 5, 13, 127);
    auto const shares = bodies::spread(c, n);
    CHECK(std::accumulate(shares.begin(), shares.end(), 0) == c);
    auto const [low, high] = std::minmax_element(shares.begin(), shares.end());
    CHECK(*high - *low <= 1);
}

TEST_CASE("buffers have the size that the operation needs on each rank", "[bodies]") {
    auto const sizes = [](bodies::Shape const& shape, int rank, bodies::Root root = {}) {
        auto const s = bodies::sizes(shape, 10, rank, 4, root);
        return std::vector<measure::Bytes>{s.send, s.receive};
    };
    using Two = std::vector<measure::Bytes>;
    CHECK(sizes(collective("Allgather").shape, 1) == Two{10, 40});
    CHECK(sizes(collective("Alltoallv").shape, 1) == Two{40, 40});
    CHECK(sizes(collective("Bcast").shape, 1) == Two{10, 0});
    CHECK(sizes(collective("Gather").shape, 0) == Two{10, 40});
    CHECK(sizes(collective("Gather").shape, 1) == Two{10, 0});
    CHECK(sizes(collective("Gather").shape, 1, {.rank = 1}) == Two{10, 40});
    CHECK(sizes(collective("Gather").shape, 1, {.rotates = true}) == Two{10, 40});
    CHECK(sizes(collective("Scatterv").shape, 0) == Two{40, 10});
    CHECK(sizes(collective("Scatterv").shape, 3) == Two{0, 10});
    CHECK(sizes(collective("Reduce").shape, 0) == Two{80, 80});
    CHECK(sizes(collective("Reduce").shape, 2) == Two{80, 0});
    CHECK(sizes(collective("Reduce_scatter").shape, 0) == Two{80, 24});
    CHECK(sizes(collective("Reduce_scatter").shape, 1) == Two{80, 16});
    CHECK(sizes(collective("Reduce_scatter_block").shape, 1) == Two{320, 80});
    CHECK(sizes(collective("Barrier").shape, 0) == Two{0, 0});
}

TEST_CASE("sizes have 64 bits", "[bodies]") {
    auto const s = bodies::sizes(collective("Reduce_scatter_block").shape, 2'000'000'000, 0, 1000, {});
    CHECK(s.send == 16'000'000'000'000);
}

TEST_CASE("the root rotates with the index if requested", "[bodies]") {
    CHECK(bodies::Root{.rank = 1}.at({.index = 7}, 4) == 1);
    CHECK(bodies::Root{.rotates = true}.at({.index = 7}, 4) == 3);
    CHECK(bodies::Root{.rotates = true}.at({.index = 8}, 4) == 0);
}

TEST_CASE("warm buffers are one aligned block that every iteration uses", "[bodies]") {
    bodies::Buffers const buffers{{.alignment = 4096}, {100, 5000}};
    CHECK(reinterpret_cast<std::uintptr_t>(buffers.send({})) % 4096 == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(buffers.receive({})) % 4096 == 0);
    CHECK(buffers.send({.index = 0}) == buffers.send({.index = 5}));
    CHECK(buffers.send({}) != buffers.receive({}));
}

TEST_CASE("cold buffers cycle through all blocks with a gap between them", "[bodies]") {
    auto const shape = bodies::layout({.alignment = 64, .blocks = 8}, {100, 1});
    CHECK(shape.send_stride == 192);  // 100 + 64, rounded up to the next 64
    CHECK(shape.receive_stride == 128);
    CHECK(shape.blocks == 8);
    CHECK(shape.bytes() == 8 * 320);

    bodies::Buffers const buffers{{.alignment = 64, .blocks = 8}, {100, 1}};
    auto const at = [&](std::int64_t index) { return static_cast<std::byte*>(buffers.send({.index = index})); };
    CHECK(at(1) - at(0) == 192);
    CHECK(at(7) - at(0) == 7 * 192);
    CHECK(at(8) == at(0));
}

TEST_CASE("buffers have the number of blocks that the policy requires, or do not fit", "[bodies]") {
    CHECK(bodies::layout({.blocks = 8}, {0, 0}).blocks == 8);
    CHECK(bodies::layout({.blocks = 3, .limit = 960}, {100, 1}).blocks == 3);
    CHECK(bodies::layout({.blocks = 3, .limit = 959}, {100, 1}).blocks == 0);
    CHECK_THROWS_AS((bodies::Buffers{{.limit = 100}, {100, 1}}), std::bad_alloc);
    CHECK_THROWS_AS((bodies::Buffers{{.blocks = 0}, {100, 1}}), std::bad_alloc);
}

TEST_CASE("every byte of the buffers is initialised, with normal numbers", "[bodies]") {
    bodies::Buffers const buffers{{.blocks = 4}, {8, 8}};
    for (std::int64_t i = 0; i < 4; ++i) {
        CHECK(*static_cast<double*>(buffers.send({.index = i})) == Catch::Approx(4.76792e-4).epsilon(1e-4));
        CHECK(*static_cast<double*>(buffers.receive({.index = i})) > 0);
    }
}
