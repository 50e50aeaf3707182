// SPDX-License-Identifier: BSD-3-Clause
// All ranks throw what one rank throws. Run with 1, 2, 3 and 4 processes.
#include "measure/agree.hpp"
#include "measure/error.hpp"
#include "support/catch.hpp"

#include <new>
#include <stdexcept>
#include <string>

using measure::agree_on_failure;
using measure::Comm;
using measure::on_root;

TEST_CASE("a call that succeeds on all ranks returns each rank's own result", "[agree]") {
    Comm const comm{MPI_COMM_WORLD};
    CHECK(agree_on_failure(comm, [&] { return comm.rank() + 10; }) == comm.rank() + 10);
    int calls = 0;
    agree_on_failure(comm, [&] { ++calls; });
    CHECK(calls == 1);
}

TEST_CASE("the lowest rank that fails determines the text, and is named unless it is the root", "[agree]") {
    Comm const comm{MPI_COMM_WORLD};
    int const last = comm.size() - 1;
    auto const text = last == 0 ? std::string{"bad"} : "rank " + std::to_string(last) + ": bad";
    CHECK_THROWS_MATCHES(agree_on_failure(comm,
                                          [&] {
                                              if (comm.rank() == last)
                                                  throw measure::UsageError("bad");
                                          }),
                         measure::UsageError, Catch::Matchers::Message(text));
    CHECK_THROWS_MATCHES(agree_on_failure(comm, [&] { throw std::runtime_error("all of us"); }), std::runtime_error,
                         Catch::Matchers::Message("all of us"));
}

TEST_CASE("the kind of a failure is preserved", "[agree]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const last = [&](auto const& error) {
        return [&comm, error] {
            if (comm.rank() == comm.size() - 1)
                throw error;
        };
    };
    CHECK_THROWS_AS(agree_on_failure(comm, last(std::bad_alloc{})), std::bad_alloc);
    CHECK_THROWS_MATCHES(agree_on_failure(comm, last(measure::SkipPoint{"no pair"})), measure::SkipPoint,
                         Catch::Matchers::Message("no pair"));
    try {
        agree_on_failure(comm, last(measure::Interrupted{15}));
        FAIL("nothing was thrown");
    } catch (measure::Interrupted const& interrupted) {
        CHECK(interrupted.value() == 15);
    }
    CHECK_THROWS_AS(agree_on_failure(comm, last(1)), std::runtime_error);
}

TEST_CASE("all ranks throw what the root throws", "[agree]") {
    Comm const comm{MPI_COMM_WORLD};
    int calls = 0;
    on_root(comm, [&] { ++calls; });
    CHECK(calls == (comm.is_root() ? 1 : 0));
    CHECK_THROWS_MATCHES(on_root(comm, [] { throw measure::UsageError("no"); }), measure::UsageError,
                         Catch::Matchers::Message("no"));
}
