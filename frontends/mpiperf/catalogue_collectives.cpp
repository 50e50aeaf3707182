// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue_parts.hpp"

namespace mpiperf {

namespace {

template <class C>
constexpr Test collective() {
    return {.name = C::name,
            .text = C::text,
            .element = bodies::element_size(C::shape),
            .rooted = is_rooted<C>,
            .measure = measure_collective<C>,
            .shape = &C::shape};
}

constexpr Test collective_table[] = {
    collective<bodies::Allgather>(),     collective<bodies::Allgatherv>(),
    collective<bodies::Allreduce>(),     collective<bodies::Alltoall>(),
    collective<bodies::Alltoallv>(),     collective<bodies::Alltoallw>(),
    collective<bodies::Barrier>(),       collective<bodies::Bcast>(),
    collective<bodies::Exscan>(),        collective<bodies::Gather>(),
    collective<bodies::Gatherv>(),       collective<bodies::Reduce>(),
    collective<bodies::ReduceScatter>(), collective<bodies::ReduceScatterBlock>(),
    collective<bodies::Scan>(),          collective<bodies::Scatter>(),
    collective<bodies::Scatterv>(),
};

}  // namespace

std::span<Test const> collective_tests() noexcept { return collective_table; }

}  // namespace mpiperf
