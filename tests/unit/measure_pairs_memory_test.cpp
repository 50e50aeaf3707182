// SPDX-License-Identifier: BSD-3-Clause
#include "page/html.hpp"
#include "pairs/page.hpp"
#include "pairs/report.hpp"
#include "pairs/result.hpp"
#include "pairs/shown.hpp"
#include "pairs/suspects.hpp"
#include "support/catch.hpp"
#include "support/pairs_tables.hpp"

#include <measure/comm.hpp>

#include <sys/resource.h>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <vector>

// In the namespace of pairs, because other commands use the same names and a unity build compiles the tests together.
namespace measure::tool::pairs {

namespace {

/// The peak resident memory of this process, in bytes.
double largest_resident() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024;
}

}  // namespace

// Must run in its own process, because the peak memory is that of the whole process.
TEST_CASE("the root of 4096 nodes needs less than 100 MB", "[.pairs_memory]") {
    constexpr int nodes = 4096;
    constexpr double time = 2e-6;
    std::mt19937_64 random{1};
    std::normal_distribution<double> normal{0, 0.02};
    auto const repetitions = [&] {
        std::vector<double> values;
        for (int k = 0; k < 7; ++k)
            values.push_back(time * std::exp(normal(random)));
        return values;
    };
    Result result;
    result.options.what = What::latency;
    result.options.all = true;
    for (int i = 0; i < nodes; ++i)
        result.nodes.push_back({.rank = i, .place = {.host = "node" + std::to_string(i)}});
    name_nodes(result.nodes);
    result.tournaments.push_back({Mode::hosts, Rows<PairValues>{Share::one(nodes, 0)}});
    for (int j = 1; j < nodes; ++j)
        result.tournaments.front().values.at(0, j).latency = repetitions();
    result.judged.push_back(judge(result, Metric::latency, {}));
    CHECK(screen(seen_of(result), 0.05).size() <= 2 * index(nodes));

    // The screen keeps at most one link per node. One suspect in 64 is really slower, by 20 %.
    std::vector<Suspect> suspects;
    for (int i = 0; i < nodes; ++i)
        suspects.push_back({.a = i, .b = (i + 1) % nodes, .effect = 0.2});
    auto const carry_out = [&](std::span<Trial const> trials) {
        std::vector<Outcome> outcomes;
        for (auto const& trial : trials)
            outcomes.push_back({std::log(time) + (trial.candidate.first % 64 == 0 ? 0.2 : 0.0),
                                std::vector(trial.controls.size(), std::log(time))});
        return outcomes;
    };
    std::vector<int> all(index(nodes));
    std::iota(all.begin(), all.end(), 0);
    auto const partners = [&](std::size_t, int node) {
        auto others = all;
        others.erase(others.begin() + node);
        return others;
    };
    result.verdict = confirm(seen_of(result), suspects, {.sieve = 1, .confirm = 2}, carry_out, partners);
    CHECK(result.verdict.sieved == index(nodes / 64));
    result.verdict.findings.resize(3);

    // The rows of the other nodes follow one after another. One row in 128 is a copy of the own row, the others were
    // not measured.
    auto unmeasured = result;
    unmeasured.tournaments.front().values = Rows<PairValues>{Share::one(nodes, 0)};
    unmeasured.judged = {judge(unmeasured, Metric::latency, {})};
    auto const own = own_rows(result);
    auto const none = own_rows(unmeasured);
    auto const rows = [&](Part const& part, int node) { return node % 128 == 0 ? own(part, 0) : none(part, 0); };
    CHECK(text_of(result, rows).find("74 x 74") != std::string::npos);
    CHECK(page::html_text(page_of(result, rows)).size() < 5000000);
    std::ostream nowhere{nullptr};
    write_csv(nowhere, result, rows);
    std::size_t points = 0;
    each_record(result, rows, [&](measure::Record const&) { ++points; });
    CHECK(points > index(nodes / 128) * index(nodes / 3));
    CHECK(largest_resident() < 100e6);
}

}  // namespace measure::tool::pairs
