// SPDX-License-Identifier: BSD-3-Clause
// Tests the launcher and the main of these tests.
#include "support/gather_check.hpp"

#include <mpi.h>

#include <numeric>
#include <vector>

TEST_CASE("the started processes form one world", "[world]") {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    auto const ranks = test::gather_all(rank);

    std::vector<int> expected(ranks.size());
    std::iota(expected.begin(), expected.end(), 0);
    CHECK(ranks == expected);
}

TEST_CASE("data of different lengths are gathered on every rank", "[world]") {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    auto const triangle = test::gather_all(std::vector<int>(static_cast<std::size_t>(rank), rank));
    auto const last = triangle.size() - 1;
    bool const ranks_are_same = test::same_on_all_ranks(rank);
    bool const sizes_are_same = test::same_on_all_ranks(triangle.size());

    CHECK(triangle[last] == std::vector<int>(last, static_cast<int>(last)));
    CHECK(ranks_are_same == (triangle.size() == 1));
    CHECK(sizes_are_same);
}

// Hidden, and expected to fail: rank 0 waits in a barrier for a rank that never arrives.
TEST_CASE("a failure on one rank ends the whole run", "[.one_rank_fails]") {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    REQUIRE(rank != 1);
    MPI_Barrier(MPI_COMM_WORLD);
}
