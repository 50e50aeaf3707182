// SPDX-License-Identifier: BSD-3-Clause
/// Scaling of `measure pairs` to many nodes, without its messages: the memory of rank 0, and the times for judging its
/// row and for showing all rows. Nothing is asserted.
///
/// usage: pairs_scale_bench [LARGEST]: rows are shown for up to LARGEST nodes; they are generated one after another.
#include "page/html.hpp"
#include "pairs/page.hpp"
#include "pairs/report.hpp"
#include "pairs/result.hpp"
#include "pairs/shown.hpp"
#include "pairs/suspects.hpp"

#include <measure/comm.hpp>

#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>

namespace {

using measure::tool::pairs::index;
using measure::tool::pairs::Metric;
using measure::tool::pairs::Mode;
using measure::tool::pairs::PairValues;
using measure::tool::pairs::Part;
using measure::tool::pairs::Result;
using measure::tool::pairs::Rows;
using measure::tool::pairs::Share;
using measure::tool::pairs::ShownRow;

double largest_resident() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024;
}

/// Processor time of this process in seconds, which does not depend on other processes.
double computed() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// A result with the row of rank 0. Its values are added in the order of a run: each pair once, then each pair again.
Result result_of(int nodes) {
    Result result;
    for (int i = 0; i < nodes; ++i) {
        auto const host = "node" + std::to_string(i);
        result.nodes.push_back({.rank = i, .place = {.host = host}, .name = host});
    }
    std::mt19937_64 random{1};
    std::normal_distribution<double> normal{0, 0.02};
    auto& values =
        result.tournaments
            .emplace_back(measure::tool::pairs::Tournament{Mode::hosts, Rows<PairValues>{Share::one(nodes, 0)}})
            .values;
    for (int repetition = 0; repetition < result.options.repetitions; ++repetition)
        for (int j = 1; j < nodes; ++j) {
            values.at(0, j).latency.push_back(1e-6 * std::exp(normal(random)));
            values.at(0, j).up.push_back(1e-10 * std::exp(normal(random)));
            values.at(0, j).down.push_back(1e-10 * std::exp(normal(random)));
        }
    return result;
}

void judge_all(Result& result) {
    for (auto const quantity : result.wanted())
        result.judged.push_back(measure::tool::pairs::judge(measure::Comm::solo(), result, quantity, {}));
    static_cast<void>(measure::tool::pairs::screen(measure::Comm::solo(), measure::tool::pairs::seen_of(result),
                                                   result.options.rules.threshold));
}

/// Shows all rows. Each node has the row of rank 0.
void show_all(Result const& result) {
    auto const own = measure::tool::pairs::own_rows(result);
    auto const rows = [&](Part const& part, int node) {
        auto row = own(part, 0);
        row.values[0] = row.values[1];
        row.logs[0] = row.logs[1];
        row.residuals[0] = row.residuals[1];
        static_cast<void>(node);
        return row;
    };
    static_cast<void>(measure::tool::pairs::text_of(result, rows));
    static_cast<void>(page::html_text(measure::tool::pairs::page_of(result, rows)));
}

void row(int nodes, bool is_shown) {
    auto result = result_of(nodes);
    int const rounds = measure::tool::pairs::rounds_of(nodes);
    auto const pairs = static_cast<std::size_t>(rounds) * (index(nodes) / 2);
    auto const& rules = result.options.exchange;
    // Round trips with two untimed ones, for both sizes; windows with their answer, in both directions; the result.
    int const messages = 2 * (2 + rules.trips) + 2 * 2 + 2 * rules.windows * (rules.window + 1) + 1;
    std::printf("| %d | %d | %zu | %lld | %.3g |", nodes, rounds, pairs,
                1LL * rounds * result.options.repetitions * messages,
                measure::tool::pairs::memory_of(index(nodes), index(nodes) - 1, 1, result) / 1e6);
    double const begin = computed();
    judge_all(result);
    double const judged = computed();
    if (is_shown)
        show_all(result);
    double const shown = computed();
    std::printf(" %.3g | %.3g |", largest_resident() / 1e6, judged - begin);
    is_shown ? std::printf(" %.3g |\n", shown - judged) : std::printf(" |\n");
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    int const largest = argc > 1 ? std::atoi(argv[1]) : 4096;
    std::puts("| nodes | rounds | pairs | messages of a node | its rows, expected [MB] | rank 0, whole process [MB] | "
              "time to judge a row [s] | time for text and page [s] |\n"
              "| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (int const nodes : {2, 16, 256, 1024, 1563, 4096, 65536, 100000})
        row(nodes, nodes <= largest);
}
