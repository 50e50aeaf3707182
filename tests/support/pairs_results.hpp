// SPDX-License-Identifier: BSD-3-Clause
/// Pairs results: hand-made results of `measure pairs`.
#pragma once

#include "pairs/page.hpp"
#include "pairs/reference.hpp"
#include "pairs/report.hpp"
#include "pairs/result.hpp"
#include "support/catch.hpp"
#include "support/pairs_tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// The namespace of the code under test: other commands use the same names, and tests are compiled together.
namespace measure::tool::pairs {

inline auto near_to(double x) { return Catch::Matchers::WithinAbs(x, 1e-3); }

/// Ten nodes without noise, with two classes of pairs: pairs among the first five nodes, and all others.
struct Exact {
    PairTable<int> classes{10, 1};
    PairTable<double> logs{10};

    Exact() {
        for (int i = 0; i < 10; ++i)
            for (int j = i + 1; j < 10; ++j) {
                classes.at(i, j) = j < 5 ? 0 : 1;
                logs.at(i, j) = j < 5 ? std::log(1e-6) : std::log(5e-6);
            }
    }
};

/// Three nodes, two repetitions: latencies of 1, 2 and 3 us, doubled in the second repetition.
inline Result small_result() {
    Result result;
    result.options.repetitions = 2;
    for (int i = 0; i < 3; ++i)
        result.nodes.push_back(
            {.rank = 2 * i, .place = {.host = "h" + std::to_string(i)}, .name = "h" + std::to_string(i)});
    result.planned = 3;
    result.rounds = 3;
    result.untested = "fewer than 5 nodes";
    add_tournament(result);
    double latency = 0;
    for (auto const& [i, j] : std::vector<Pair>{{0, 1}, {0, 2}, {1, 2}}) {
        latency += 1e-6;
        set_values(result, i, j, {{latency, 2 * latency}, {1e-9, 1e-9}, {3e-9, 3e-9}});
    }
    count_measured(measure::Comm::solo(), result);
    for (auto const quantity : {Metric::latency, Metric::bandwidth})
        result.judged.push_back(judge(result, quantity, {}));
    return result;
}

inline std::vector<measure::Record> records_of(Result const& result) {
    std::vector<measure::Record> points;
    each_record(result, [&](measure::Record const& record) { points.push_back(record); });
    return points;
}

inline std::string csv_of(Result const& result) {
    std::ostringstream out;
    write_csv(out, result);
    return out.str();
}

inline std::string record_text(std::vector<measure::Record> const& points) {
    std::string all = R"({"record":"run","schema":2,"suite":"measure","program":"measure pairs"})"
                      "\n";
    for (auto const& point : points)
        all += measure::json_line(point) + "\n";
    return all;
}

inline std::vector<KnownPair> known(Result const& result) {
    return known_pairs(record_text(records_of(result)), "pairs.jsonl");
}

/// Latencies of six hosts, all of them 2 us, measured three times.
inline Result even_result() {
    Result result;
    result.options.what = What::latency;
    result.options.repetitions = 3;
    for (int i = 0; i < 6; ++i)
        result.nodes.push_back({.rank = i, .place = {.host = "h" + std::to_string(i)}});
    name_nodes(result.nodes);
    add_tournament(result, {.latency = {2e-6, 2e-6, 2e-6}});
    return result;
}

/// Latencies of hosts with a noise of 5 % per measurement.
inline Result noisy_result(std::size_t repetitions, int nodes = 16, unsigned seed = 1) {
    std::mt19937_64 random{seed};
    std::normal_distribution<double> normal{std::log(2e-6), 0.05};
    Result result;
    result.options.what = What::latency;
    result.options.repetitions = static_cast<int>(repetitions);
    for (int i = 0; i < nodes; ++i)
        result.nodes.push_back({.rank = i, .place = {.host = "node" + std::to_string(i)}});
    name_nodes(result.nodes);
    add_tournament(result);
    for (int i = 0; i < nodes; ++i)
        for (int j = i + 1; j < nodes; ++j) {
            std::vector<double> latency(repetitions);
            std::generate(latency.begin(), latency.end(), [&] { return std::exp(normal(random)); });
            set_values(result, i, j, {.latency = latency});
        }
    return result;
}

}  // namespace measure::tool::pairs
