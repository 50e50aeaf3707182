// SPDX-License-Identifier: BSD-3-Clause
#include "measure/error.hpp"
#include "measure/timer.hpp"
#include "support/catch.hpp"
#include "support/gather_check.hpp"

#include <string>
#include <vector>

using measure::Comm;
using measure::SyntheticTimer;
using measure::TscTimer;
using measure::UsageError;

namespace {

std::string error_of(std::string_view name, Comm const& comm) {
    try {
        static_cast<void>(measure::timer_from(name, comm));
    } catch (UsageError const& e) {
        return e.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("the ranks of one host use the same counter frequency", "[timer]") {
    Comm const comm{MPI_COMM_WORLD};
    if (test::gather_all(static_cast<int>(TscTimer::available())) != std::vector<int>(std::size_t(comm.size()), 1)) {
        CHECK(test::same_on_all_ranks(error_of("tsc", comm)));
        return;
    }
    TscTimer const timer{comm};
    auto const node = comm.node();
    auto const frequencies = test::gather_all(timer.frequency(), node.native());
    CHECK(frequencies == std::vector<double>(std::size_t(node.size()), frequencies.front()));
    CHECK(test::gather_all(std::string{timer.frequency_source()}, node.native()).back() == timer.frequency_source());
    CHECK(frequencies.front() > 1e6);
}

TEST_CASE("MPI_Wtime is found by name and runs forward", "[timer]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const timer = measure::timer_from("MPI_Wtime", comm);
    auto const info = measure::calibrate(timer);
    CHECK(timer.name() == "mpi_wtime");
    CHECK(info.nominal.count() == MPI_Wtick());
    CHECK(info.resolution.count() > 0);
    CHECK(info.backward == 0);
}

TEST_CASE("a synthetic clock based on MPI_Wtime reads it in nanoseconds", "[timer]") {
    Comm const comm{MPI_COMM_WORLD};
    SyntheticTimer const timer{"mpi_wtime", {.skew_ns = 1'000'000'000}, comm};
    auto const before = MPI_Wtime();
    auto const reading = static_cast<double>(timer.now()) * 1e-9 - 1;
    auto const after = MPI_Wtime();
    CHECK(reading >= before - 1e-6);
    CHECK(reading <= after + 1e-6);
}

TEST_CASE("a fault per rank grows with the rank, and a random one differs between ranks", "[timer]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const regular = SyntheticTimer::parse("synthetic:monotonic,skew=rank*7s,ppm=rank*-50", comm).distortion();
    auto const random = SyntheticTimer::parse("synthetic:monotonic,skew=random*1s", comm).distortion();
    CHECK(regular.skew_ns == 7'000'000'000 * comm.rank());
    CHECK(regular.ppm == -50.0 * comm.rank());
    CHECK(test::same_on_all_ranks(random.skew_ns) == (comm.size() == 1));
}

TEST_CASE("a wrong timer is the same usage error on all ranks", "[timer]") {
    Comm const comm{MPI_COMM_WORLD};
    // The limit of 1e9 s is exceeded on the last of three ranks only, and not with one or two ranks.
    auto const far = error_of("synthetic:monotonic,skew=rank*6e8s", comm);
    auto const unknown = error_of("nosuch", comm);
    auto const same = test::same_on_all_ranks(far) && test::same_on_all_ranks(unknown);
    CHECK(same);
    CHECK((far == "no error") == (comm.size() <= 2));
    CHECK(unknown != "no error");
}
