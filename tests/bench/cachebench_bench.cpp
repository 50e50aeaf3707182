// SPDX-License-Identifier: BSD-3-Clause
/// Compares the loops of cachebench with those of cachebench_loops.cpp, in turn. The best of many short blocks counts,
/// because other programs may use the machine too. The exit code is 1 if a ratio is below 0.95.
#include "cachebench/operation.hpp"
#include "cachebench_loops.hpp"

#include <measure/timer.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

namespace {

using cachebench::LoopTable;
using measure::Bytes;

constexpr measure::seconds of_a_block{0.3e-3};
constexpr measure::seconds of_a_comparison{0.6};
constexpr int fewest_blocks = 30;
constexpr double wanted = 0.95;

double volatile sink = 0;

template <class Block>
double time_of(Block const& block) {
    measure::MonotonicRawTimer const timer;
    auto const begin = timer.now();
    block();
    return timer.between(begin, timer.now()).count();
}

/// \return whether the ratio is at least 0.95
bool compare(std::string_view name, std::string const& what, Bytes bytes, double counted, LoopTable const& table,
             loops::Loop loop) {
    cachebench::Arena const arena{{}, bytes, 2};
    cachebench::Operation operation{{&cachebench::test(name), &cachebench::type("double"), &table, bytes, 1}, arena};
    // Both use the same memory, because the location of its pages affects the times.
    cachebench::Test const& test = cachebench::test(name);
    bool const copies = cachebench::vectors(test) == 2;
    auto* const x = static_cast<double*>(arena.start(copies ? 1 : 0, bytes));
    auto* const y = copies ? static_cast<double*>(arena.start(0, bytes)) : nullptr;
    std::int64_t passes = 1;
    auto const ours = [&] { operation.run(passes); };
    auto const theirs = [&] { sink = loop(x, y, bytes / 8, passes); };
    while (time_of(ours) < of_a_block.count())
        passes *= 2;
    if (auto const defect = operation.defect()) {
        std::printf("%s: %s\n", what.c_str(), defect->c_str());
        std::exit(EXIT_FAILURE);
    }
    double our_best = std::numeric_limits<double>::infinity();
    double their_best = our_best;
    double spent = 0;
    for (int i = 0; i < fewest_blocks || spent < of_a_comparison.count(); ++i) {
        // The first loop alternates, so that the order has no effect.
        double const first = i % 2 == 0 ? time_of(ours) : time_of(theirs);
        double const second = i % 2 == 0 ? time_of(theirs) : time_of(ours);
        our_best = std::min(our_best, i % 2 == 0 ? first : second);
        their_best = std::min(their_best, i % 2 == 0 ? second : first);
        spent += first + second;
    }
    double const rate = counted * static_cast<double>(bytes) * static_cast<double>(passes) / measure::mebi;
    double const ratio = their_best / our_best;
    std::printf("%-22s %10lld bytes: cachebench %9.0f MB/s   by hand %9.0f MB/s   ratio %.3f%s\n", what.c_str(),
                static_cast<long long>(bytes), rate / our_best, rate / their_best, ratio,
                ratio < wanted ? "   too low" : "");
    std::fflush(stdout);
    return ratio >= wanted;
}

}  // namespace

int main() {
    LoopTable const& user = *cachebench::flavour("user").loops;
    int low = 0;
    std::printf("hand-unrolled loops\n");
    for (Bytes const kib : {1, 4, 16, 128}) {
        low += !compare("handread", "handread", kib * measure::kibi, 1, user, loops::tuned_read);
        low += !compare("handwrite", "handwrite", kib * measure::kibi, 1, user, loops::tuned_write);
        low += !compare("handrmw", "handrmw", kib * measure::kibi, 2, user, loops::tuned_modify);
    }
    for (auto const& isa : cachebench::usable_isas()) {
        auto const own = loops::vectors(isa.name);
        if (own.read == nullptr)
            continue;
        std::printf("explicit vectors, %s\n", std::string{isa.name}.c_str());
        // On most machines these sizes are in L1, L2, L3 and memory.
        for (Bytes const bytes : {16 * measure::kibi, 192 * measure::kibi, 4 * measure::mebi, 256 * measure::mebi}) {
            low += !compare("read", std::string{isa.name} + " read", bytes, 1, *isa.loops, own.read);
            low += !compare("write", std::string{isa.name} + " write", bytes, 1, *isa.loops, own.write);
        }
    }
    std::printf("STREAM-like loops\n");
    for (Bytes const bytes : {16 * measure::kibi, measure::mebi, 64 * measure::mebi}) {
        low += !compare("read", "read", bytes, 1, user, loops::read);
        low += !compare("memcpy", "memcpy", bytes, 2, user, loops::copy);
    }
    std::printf("%d ratios are below %.2f\n", low, wanted);
    return low == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
