// SPDX-License-Identifier: BSD-3-Clause
/// Compares the GEMM of blasbench with a bare loop around the same call of the same library, in turn. Nothing is
/// asserted.
#include "blasbench/library.hpp"
#include "blasbench/method.hpp"
#include "blasbench/operation.hpp"

#include <measure/error.hpp>
#include <measure/run.hpp>
#include <measure/statistics.hpp>
#include <measure/time_iterations.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using blasbench::Blas;

constexpr int rounds = 31;
/// Work of a block in flop, which takes a few ms.
constexpr double work_of_a_block = 2e7;

/// MFLOPS of a hand-written loop.
double by_hand(measure::AnyTimer const& timer, Blas const& blas, blasbench::Arena const& arena, int n,
               std::int64_t calls, double flops) {
    auto const* const a = static_cast<double const*>(arena.operand(0));
    auto const* const b = static_cast<double const*>(arena.operand(1));
    auto* const c = static_cast<double*>(arena.operand(2));
    double const one = 1;
    auto body = measure::op([&] { blas.real64.gemm("N", "N", &n, &n, &n, &one, a, &n, b, &n, &one, c, &n, 1, 1); });
    return flops * static_cast<double>(calls) / measure::time_iterations(timer, body, calls).total.count() * 1e-6;
}

void compare(Blas const& blas, int n) {
    auto const& gemm = blasbench::routine("gemm");
    auto const work = counts(gemm, n);
    blasbench::Arena const arena{{}, blasbench::Precision::real64, elements(gemm, n)};
    measure::AnyTimer const timer = measure::MonotonicRawTimer{};
    auto const calls = static_cast<std::int64_t>(work_of_a_block / work.flops) + 1;
    auto plan = blasbench::plan({});
    plan.timer = timer;
    plan.stop = blasbench::stopping({}, calls);
    std::vector<double> ours;
    std::vector<double> theirs;
    std::vector<double> ratio;
    for (int i = 0; i < rounds; ++i) {
        auto const operation = make_operation(
            {.routine = &gemm, .precision = blasbench::Precision::real64, .blas = &blas, .dimensions = n}, arena);
        auto const m = measure::run(measure::Comm::solo(), plan, measure::op([&](measure::Iterations block) {
                                                                     operation->run(block.count);
                                                                 }).prepare([&] { operation->refill(); }));
        ours.push_back(work.flops / m.estimate->median * 1e-6);
        operation->refill();
        theirs.push_back(by_hand(timer, blas, arena, n, calls, work.flops));
        ratio.push_back(ours.back() / theirs.back());
    }
    std::printf("%-9s n=%-4d: blasbench %9.0f MFLOPS   by hand %9.0f MFLOPS   ratio %.3f   (medians of %d)\n",
                blas.name.c_str(), n, measure::median(ours), measure::median(theirs), measure::median(ratio), rounds);
}

}  // namespace

int main() {
    blasbench::set_threads(1);
    for (std::string const name : {"builtin", "ref", "openblas", "blis"})
        try {
            Blas const blas = blasbench::open(name, blasbench::standard_search());
            for (int const n : {4, 6, 32, 200})
                compare(blas, n);
        } catch (measure::UsageError const& error) {
            std::printf("%-9s skipped: %s\n", name.c_str(), error.what());
        }
}
