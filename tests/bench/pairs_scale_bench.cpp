// SPDX-License-Identifier: BSD-3-Clause
/// `measure pairs` of many nodes, without its messages: what rank 0 holds and how long it judges. Nothing is asserted.
///
/// usage: pairs_scale_bench [LARGEST]: tournaments of up to LARGEST nodes are filled and judged; of more nodes a row
/// has what the program expects.
#include "pairs/report.hpp"
#include "pairs/result.hpp"
#include "pairs/suspects.hpp"

#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

namespace {

using measure_tool::pairs::index;
using measure_tool::pairs::Metric;
using measure_tool::pairs::Mode;
using measure_tool::pairs::PairClass;
using measure_tool::pairs::PairTable;
using measure_tool::pairs::PairValues;
using measure_tool::pairs::Result;
using measure_tool::pairs::Tournament;

double largest_resident() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024;
}

/// In the order of a run: each pair once, then each pair again.
void fill(Result& result, int nodes) {
    std::mt19937_64 random{1};
    std::normal_distribution<double> normal{0, 0.02};
    for (int i = 0; i < nodes; ++i) {
        auto const host = "node" + std::to_string(i);
        result.nodes.push_back({.rank = i, .place = {.host = host}, .name = host});
    }
    result.classes = PairTable<int>(nodes, static_cast<int>(PairClass::hosts));
    auto& values = result.tournaments.emplace_back(Tournament{Mode::hosts, PairTable<PairValues>(nodes)}).values;
    for (int repetition = 0; repetition < result.options.repetitions; ++repetition)
        for (int i = 0; i < nodes; ++i)
            for (int j = i + 1; j < nodes; ++j) {
                values.at(i, j).latency.push_back(1e-6 * std::exp(normal(random)));
                values.at(i, j).up.push_back(1e-10 * std::exp(normal(random)));
                values.at(i, j).down.push_back(1e-10 * std::exp(normal(random)));
            }
}

void judge_all(Result& result) {
    std::vector<measure_tool::pairs::Seen> seen;
    for (auto const quantity : {Metric::latency, Metric::bandwidth})
        result.judged.push_back(measure_tool::pairs::judge(result, quantity, {}));
    for (auto const& judged : result.judged)
        seen.push_back({&judged.logs, &result.classes, judged.fit});
    static_cast<void>(measure_tool::pairs::screen(seen, result.options.rules.threshold));
}

void row(int nodes, bool is_filled) {
    Result result;
    int const rounds = measure_tool::pairs::rounds_of(nodes);
    auto const pairs = static_cast<std::size_t>(rounds) * (index(nodes) / 2);
    auto const& rules = result.options.exchange;
    // There and back with two untimed ones, of either size; windows with their answer; the result.
    int const messages = 2 * (2 + rules.trips) + 2 * 2 + 2 * rules.windows * (rules.window + 1) + 1;
    std::printf("| %d | %d | %zu | %lld | %.3g |", nodes, rounds, pairs,
                1LL * rounds * result.options.repetitions * messages,
                measure_tool::pairs::memory_of(index(nodes), pairs, 1, result) / 1e6);
    if (is_filled) {
        fill(result, nodes);
        // Of this process alone, whoever else computes.
        auto const begin = std::clock();
        judge_all(result);
        double const taken = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        std::printf(" %.3g | %.3g |\n", largest_resident() / 1e6, taken);
    } else {
        std::printf(" | |\n");
    }
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    int const largest = argc > 1 ? std::atoi(argv[1]) : 1024;
    std::puts("| nodes | rounds | pairs | messages of a node | on rank 0, expected [MB] | whole process [MB] | judged "
              "in [s] |\n"
              "| --- | --- | --- | --- | --- | --- | --- |");
    for (int const nodes : {2, 16, 256, 1024, 1563, 4096, 65536, 100000})
        row(nodes, nodes <= largest);
}
