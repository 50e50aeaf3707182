// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/bodies.hpp"

#include <measure/main.hpp>

#include <vector>

namespace {

using measure::Benchmark;
using measure::Semantics;

/// \tparam more  further arguments of the pattern's constructor
template <class Pattern, int... more>
auto make(measure::Comm const& team, measure::Point const& at) {
    return measure::op(Pattern{team, at, more...}).check([](Pattern& pattern) {
        pattern.spoil();
        static_cast<void>(pattern());
        return pattern.fault();
    });
}

/// A sweep lasts from the first rank's start until the last rank ends, which no single rank sees.
void count_all_ranks(measure::Point const&, measure::Plan& plan) { plan.combine = measure::Combine::span; }

/// Two patterns have semantics, because other suites have these operations too.
std::vector<Benchmark> benchmarks() {
    return {{.name = "halo_2d", .make = make<patterns::Halo, 2>, .summary = "four edges on a periodic grid"},
            {.name = "halo_3d", .make = make<patterns::Halo, 3>, .summary = "six faces on a periodic grid"},
            {.name = "sweep",
             .make = make<patterns::Sweep>,
             .summary = "a wavefront over a grid, from corner to corner",
             .adjust = count_all_ranks},
            {.name = "transpose",
             .make = make<patterns::Transpose>,
             .summary = "a block for each pair of ranks",
             .semantics = Semantics{.operation = "Alltoall", .size = measure::SizeOf::block}},
            {.name = "dot",
             .make = make<patterns::Dot>,
             .summary = "two sums over all ranks, always 16 bytes",
             .axes = {measure::values("bytes", {sizeof(patterns::Dot::Numbers)})},
             .semantics = Semantics{.operation = "Allreduce"}}};
}

}  // namespace

int main(int argc, char** argv) {
    measure::Program program{.name = "measure-patterns",
                             .summary = "Times the communication of applications: halos, sweeps, transposes, sums."};
    program.axes = {measure::values("bytes", {64, 4096, 262144})};
    program.benchmarks = benchmarks();
    return measure::run_main(argc, argv, program);
}
