// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/catalogue/parts.hpp"
#include "mpiperf/operations/communicators.hpp"
#include "mpiperf/operations/operations.hpp"

#include <measure/benchmark.hpp>
#include <measure/comm.hpp>

#include <cstdint>

namespace mpiperf {

namespace {

/// A step of a halo exchange, on communicators that have a grid.
void build_halo_step(Test const&, Setting const& setting, measure::Benchmark& row) {
    row.make = maker(setting, [&setting](measure::Comm const& team, measure::Point const& at) {
        auto const count = at.integer("count");
        return HaloStep{team, count, place(setting, team, at, {.send = count, .receive = count})};
    });
}

/// How long the communicators of C take to be made.
template <class C>
void build_creation(Test const&, Setting const& setting, measure::Benchmark& row) {
    row.make = maker(setting, [&setting](measure::Comm const& team, measure::Point const&) {
        return Creation<C>{creation_arguments(team, setting.reorder)};
    });
}

template <class C>
constexpr Test creation() {
    return {.name = C::name, .text = C::text, .build = build_creation<C>};
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
    creation<CartCreate>(),
    creation<CommDup>(),
    creation<CommSplit>(),
};

}  // namespace

std::span<Test const> topology_tests() noexcept { return topology_table; }

}  // namespace mpiperf
