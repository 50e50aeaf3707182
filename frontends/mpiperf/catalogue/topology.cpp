// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/catalogue/parts.hpp"
#include "mpiperf/operations/communicators.hpp"
#include "mpiperf/operations/operations.hpp"

#include <measure/benchmark.hpp>
#include <measure/comm.hpp>

#include <mpi.h>

#include <cstdint>
#include <string_view>

namespace mpiperf {

namespace {

/// Sets up a step of a halo exchange, on communicators with a grid.
void build_halo_step(Test const&, Setting const& setting, measure::Benchmark& row) {
    row.make = maker(setting, [&setting](measure::Comm const& team, measure::Point const& at) {
        auto const count = at.integer("count");
        return HaloStep{team, count, place(setting, team, at, {.send = count, .receive = count})};
    });
}

/// Sets up a test that times the creation of a communicator.
template <auto make>
void build_creation(Test const&, Setting const& setting, measure::Benchmark& row) {
    row.make = maker(setting, [&setting](measure::Comm const& team, measure::Point const&) {
        return Creation<make>{creation_arguments(team, setting.reorder)};
    });
}

template <auto make>
constexpr Test creation(std::string_view name, std::string_view text) {
    return {.name = name, .text = text, .build = build_creation<make>};
}

constexpr Test halo_step() {
    return {.name = HaloStep::name,
            .text = HaloStep::text,
            .element = 1,
            .refuse = [](Test const& test, std::int64_t count, int) { bodies::check_counts({}, test.name, count, 1); },
            .build = build_halo_step,
            .needs = Needs::grid};
}

constexpr Test topology_table[] = {
    halo_step(),
    creation<[](CreationArguments const& a, MPI_Comm* made) {
        return MPI_Cart_create(a.comm, static_cast<int>(a.sizes.size()), a.sizes.data(), a.periods.data(), a.reorder,
                               made);
    }>("Cart_create", "the grid of --topology; the count is ignored"),
    creation<[](CreationArguments const& a, MPI_Comm* made) { return MPI_Comm_dup(a.comm, made); }>(
        "Comm_dup", "the count is ignored"),
    creation<[](CreationArguments const& a, MPI_Comm* made) {
        return MPI_Comm_split(a.comm, a.rank % 2, a.rank, made);
    }>("Comm_split", "into even and odd ranks; the count is ignored"),
    creation<[](CreationArguments const& a, MPI_Comm* made) {
        return MPI_Comm_split_type(a.comm, MPI_COMM_TYPE_SHARED, a.rank, MPI_INFO_NULL, made);
    }>("Comm_split_type", "into the ranks that share memory; the count is ignored"),
};

}  // namespace

std::span<Test const> topology_tests() noexcept { return topology_table; }

}  // namespace mpiperf
