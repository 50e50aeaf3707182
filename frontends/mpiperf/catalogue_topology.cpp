// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue_parts.hpp"
#include "nonblocking.hpp"
#include "topology_tests.hpp"

namespace mpiperf {

namespace {

template <class C>
constexpr Test neighbourhood() {
    return {.name = C::name,
            .text = C::text,
            .element = 1,
            .check = [](std::int64_t count, int) { bodies::check_counts(C::shape, C::name, count, 1); },
            .measure = measure_neighbourhood<C>,
            .shape = &C::shape,
            .needs = Needs::neighbours,
            .int_counts = true};
}

template <class C>
constexpr Test nonblocking_neighbourhood() {
    Test test = neighbourhood<typename C::Blocking>();
    test.name = C::name;
    test.check = [](std::int64_t count, int) { bodies::check_counts(C::Blocking::shape, C::name, count, 1); };
    test.measure = [](Job const& job) {
        return measure_nonblocking(job, {C::Blocking::shape, bodies::Content::neighbours, C::name}, C::call);
    };
    test.kind = Kind::nonblocking;
    return test;
}

template <class C>
constexpr Test creation() {
    return {.name = C::name, .text = C::text, .measure = measure_creation<C>};
}

constexpr Test halo_step() {
    return {.name = HaloStep::name,
            .text = HaloStep::text,
            .element = 1,
            .check = [](std::int64_t count, int) { bodies::check_counts({}, HaloStep::name, count, 1); },
            .measure = measure_halo_step,
            .needs = Needs::grid};
}

constexpr Test topology_table[] = {
    neighbourhood<bodies::NeighborAllgather>(),
    neighbourhood<bodies::NeighborAllgatherv>(),
    neighbourhood<bodies::NeighborAlltoall>(),
    neighbourhood<bodies::NeighborAlltoallv>(),
    neighbourhood<bodies::NeighborAlltoallw>(),
    nonblocking_neighbourhood<bodies::IneighborAllgather>(),
    nonblocking_neighbourhood<bodies::IneighborAllgatherv>(),
    nonblocking_neighbourhood<bodies::IneighborAlltoall>(),
    nonblocking_neighbourhood<bodies::IneighborAlltoallv>(),
    nonblocking_neighbourhood<bodies::IneighborAlltoallw>(),
    halo_step(),
    creation<CartCreate>(),
    creation<CommDup>(),
    creation<CommSplit>(),
};

}  // namespace

std::span<Test const> topology_tests() noexcept { return topology_table; }

}  // namespace mpiperf
