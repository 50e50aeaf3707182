// SPDX-License-Identifier: BSD-3-Clause
#include "measure/comm.hpp"
#include "measure/error.hpp"
#include "measure/mpi_error.hpp"
#include "support/catch.hpp"
#include "support/gather_check.hpp"

#include <type_traits>

using measure::Comm;

static_assert(!std::is_copy_constructible_v<Comm>);
static_assert(std::is_nothrow_move_constructible_v<Comm>);

TEST_CASE("a Comm is a duplicate that does not change the caller's communicator or its error handler", "[comm]") {
    MPI_Errhandler before;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
    Comm const comm{MPI_COMM_WORLD};
    int relation = 0;
    MPI_Comm_compare(comm.native(), MPI_COMM_WORLD, &relation);
    int own = 0;
    MPI_Comm_compare(comm.internal(), MPI_COMM_WORLD, &own);
    MPI_Errhandler after;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &after);
    static_cast<void>(measure::detail::noted_error());
    int const code = MPI_Send(nullptr, 0, MPI_BYTE, comm.size(), 0, comm.native());

    CHECK(relation == MPI_CONGRUENT);
    CHECK(own == MPI_CONGRUENT);
    CHECK(comm.internal() != comm.native());
    CHECK(before == after);
    CHECK(code != MPI_SUCCESS);
    CHECK(measure::detail::noted_error() == code);
    CHECK(measure::detail::noted_error() == MPI_SUCCESS);
}

TEST_CASE("a failed call on the duplicate becomes an MpiError with the name of the call", "[comm]") {
    Comm const comm{MPI_COMM_WORLD};
    char byte = 0;
    try {
        comm.send(&byte, 1, comm.size() + 7, 0);
        FAIL("the send to a rank that does not exist succeeded");
    } catch (measure::MpiError const& e) {
        CHECK(e.code() != MPI_SUCCESS);
        CHECK(std::string(e.what()).rfind("MPI_Send: ", 0) == 0);
    }
}

TEST_CASE("MPI_COMM_NULL is refused", "[comm]") { CHECK_THROWS_AS(Comm{MPI_COMM_NULL}, measure::UsageError); }

TEST_CASE("the root's value reaches every rank", "[comm]") {
    Comm const comm{MPI_COMM_WORLD};
    int number = comm.is_root() ? 42 : 0;
    std::vector<double> list(comm.is_root() ? 3 : 9, comm.is_root() ? 2.5 : 0.0);
    std::string text = comm.is_root() ? "measured honestly" : "";
    comm.broadcast(number);
    comm.broadcast(list);
    comm.broadcast(text);

    CHECK(number == 42);
    CHECK(list == std::vector<double>{2.5, 2.5, 2.5});
    CHECK(text == "measured honestly");
}

TEST_CASE("maximum and sum are available on the root, or on all ranks", "[comm]") {
    Comm const comm{MPI_COMM_WORLD};
    double const n = comm.size();
    double const r = comm.rank();
    double largest[] = {r, -r};
    double sum[] = {r, 1};
    comm.reduce_max(largest);
    comm.sum_to_root(sum);
    double const max = comm.max(r);
    double const total = comm.sum(r);

    if (comm.is_root()) {
        CHECK(largest[0] == n - 1);
        CHECK(largest[1] == 0);
        CHECK(sum[0] == n * (n - 1) / 2);
        CHECK(sum[1] == n);
    }
    CHECK(max == n - 1);
    CHECK(total == n * (n - 1) / 2);
}

TEST_CASE("gather collects values and texts in rank order on the root only, and scatter returns them", "[comm]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const ranks = comm.gather(comm.rank());
    std::vector<double> const pair{comm.rank() + 0.5, -1.0};
    auto const pairs = comm.gather(pair);
    auto const texts = comm.gather(std::string(static_cast<std::size_t>(comm.rank()), 'x'));
    std::vector<double> doubled;
    for (int const r : ranks)
        doubled.push_back(2.0 * r);
    double const mine = comm.scatter(doubled);

    CHECK(mine == 2.0 * comm.rank());
    auto const expected = comm.is_root() ? static_cast<std::size_t>(comm.size()) : 0;
    REQUIRE(ranks.size() == expected);
    REQUIRE(pairs.size() == 2 * expected);
    REQUIRE(texts.size() == expected);
    for (std::size_t i = 0; i < expected; ++i) {
        CHECK(ranks[i] == static_cast<int>(i));
        CHECK(pairs[2 * i] == static_cast<double>(i) + 0.5);
        CHECK(texts[i] == std::string(i, 'x'));
    }
}

TEST_CASE("the first n ranks become a communicator, and the others get none", "[comm]") {
    Comm const comm{MPI_COMM_WORLD};
    int const n = (comm.size() + 1) / 2;
    auto const part = comm.first_ranks(n);
    bool threw = false;
    try {
        (void)comm.first_ranks(comm.size() + 1);
    } catch (measure::UsageError const&) {
        threw = true;
    }

    CHECK(part.has_value() == (comm.rank() < n));
    if (part) {
        CHECK(part->size() == n);
        CHECK(part->rank() == comm.rank());
    }
    CHECK(threw);
}

TEST_CASE("more ranks than cores are recognised, with the same result on all ranks", "[comm]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const cores = test::gather_all(measure::usable_cores());
    auto const found = test::gather_all(static_cast<int>(comm.oversubscribed()));
    int const most = *std::max_element(cores.begin(), cores.end());

    CHECK(cores.front() >= 1);
    for (int const f : found)
        CHECK(f == found.front());
    // The launcher of the tests does not bind ranks: each rank may use all cores of this host.
    if (std::all_of(cores.begin(), cores.end(), [&](int c) { return c == most; }))
        CHECK((found.front() != 0) == (comm.size() > most));
}

TEST_CASE("a sleeping barrier releases all ranks", "[comm]") {
    Comm const comm{MPI_COMM_WORLD};
    comm.idle_barrier();
    comm.barrier();
    CHECK(comm.node().size() >= 1);
}

TEST_CASE("one rank without MPI can use a communicator", "[comm]") {
    Comm const solo = Comm::solo();
    int value = 3;
    solo.broadcast(value);
    solo.barrier();
    solo.idle_barrier();

    CHECK(solo.is_solo());
    CHECK(solo.size() == 1);
    CHECK(solo.is_root());
    CHECK(value == 3);
    CHECK(solo.max(2.5) == 2.5);
    CHECK(solo.gather(7) == std::vector<int>{7});
    CHECK(solo.gather(std::string("a")) == std::vector<std::string>{"a"});
    CHECK(solo.first_ranks(1).has_value());
    CHECK_FALSE(solo.oversubscribed());
}
