// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/binding.hpp"
#include "pairs/place.hpp"
#include "pairs/result.hpp"
#include "pairs/suspects.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/pairs_model.hpp"
#include "support/pairs_results.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <vector>

// In the namespace of pairs, because other commands use the same names and a unity build compiles the tests together.
namespace measure::tool::pairs {

TEST_CASE("the class of a pair is the closest part of the machine that both certainly share", "[measure_pairs]") {
    Place const a{.host = "n1", .core = 0, .cache = 0, .node = 0, .socket = 0};
    Place b = a;
    CHECK(class_of(a, b) == PairClass::core);
    b.core = 1;
    CHECK(class_of(a, b) == PairClass::cache);
    b.cache = 8;
    CHECK(class_of(a, b) == PairClass::node);
    b.node = 1;
    CHECK(class_of(a, b) == PairClass::socket);
    b.socket = 1;
    CHECK(class_of(a, b) == PairClass::host);
    b.host = "n2";
    CHECK(class_of(a, b) == PairClass::hosts);
    CHECK(class_of({.host = "n1", .group = "r1"}, {.host = "n2", .group = "r1"}) == PairClass::group);
    CHECK(class_of({.host = "n1", .group = "r1"}, {.host = "n2", .group = "r2"}) == PairClass::groups);
    // If a rank may run anywhere, only its host is known.
    CHECK(class_of({.host = "n1"}, {.host = "n1"}) == PairClass::host);
    Place const alone{.host = "n1"};
    CHECK(all_unpacked(packed(a) + '\n' + packed(alone) + '\n') == std::vector{a, alone});
}

TEST_CASE("a place consists of the parts that all processing units of a rank share", "[measure_pairs]") {
    test::Folder const folder;
    auto const write = [&](std::string const& file, std::string const& text) {
        std::filesystem::path const path = folder.file(file);
        std::filesystem::create_directories(path.parent_path());
        std::ofstream{path} << text;
    };
    auto const cpu = [&](int unit, std::string const& file, std::string const& text) {
        write("sys/devices/system/cpu/cpu" + std::to_string(unit) + "/" + file, text + "\n");
    };
    for (int unit = 0; unit < 4; ++unit) {
        cpu(unit, "topology/thread_siblings_list", unit < 2 ? "0-1" : std::to_string(unit));
        cpu(unit, "topology/physical_package_id", unit < 2 ? "0" : "1");
        cpu(unit, "cache/index0/level", "1");
        cpu(unit, "cache/index0/shared_cpu_list", std::to_string(unit));
        cpu(unit, "cache/index3/level", "3");
        cpu(unit, "cache/index3/shared_cpu_list", unit < 2 ? "0-1" : "2-3");
    }
    write("sys/devices/system/node/node0/cpulist", "0-3\n");
    measure::tool::machine::Tree const tree{folder.path().string()};
    CHECK(place_on(tree, "n", std::vector{0, 1}) == Place{"n", 0, 0, 0, 0});
    CHECK(place_on(tree, "n", std::vector{2, 3}) == Place{"n", std::nullopt, 2, 0, 1});
    CHECK(place_on(tree, "n", std::vector{1, 2}) == Place{"n", std::nullopt, std::nullopt, 0, std::nullopt});
    CHECK(place_on(tree, "n", std::vector<int>{}) == Place{"n", {}, {}, {}, {}});
    CHECK(place_on(tree, "n", std::vector{9}) == Place{"n", {}, {}, {}, {}});
}

namespace {

/// Eight ranks that are bound to two sockets of four cores. \param time  gives the time of a pair for each repetition
template <class Time>
Result two_sockets(std::size_t repetitions, Time time) {
    Result result;
    result.options.what = What::latency;
    for (int i = 0; i < 8; ++i)
        result.nodes.push_back({.rank = i, .place = {.host = "h", .core = i, .node = i / 4, .socket = i / 4}});
    name_nodes(result.nodes);
    add_tournament(result);
    for (int i = 0; i < 8; ++i)
        for (int j = i + 1; j < 8; ++j) {
            std::vector<double> latency(repetitions);
            std::generate(latency.begin(), latency.end(), [&] { return time(i, j); });
            set_values(result, i, j, {.latency = latency});
        }
    result.judged.push_back(judge(result, Metric::latency, {}));
    return result;
}

/// Time of a pair on two sockets. \param elsewhere  rank that runs on the socket it is not bound to; -1: none
double two_sockets_time(int i, int j, int elsewhere) {
    auto const socket = [&](int node) { return (node / 4 + (node == elsewhere ? 1 : 0)) % 2; };
    return socket(i) == socket(j) ? 1e-6 : 2e-6;
}

}  // namespace

TEST_CASE("a rank that runs on a socket it is not bound to is reported", "[measure_pairs]") {
    auto const time = [](int i, int j) { return two_sockets_time(i, j, 2); };
    auto result = two_sockets(3, time);
    auto const suspects = displaced(result, 0);
    REQUIRE(suspects.size() == 1);
    CHECK(suspects[0].a == 2);
    CHECK(result.nodes[index(suspects[0].b)].place.socket == 1);
    auto const verdict = confirm(seen_of(result), suspects, {},
                                 test::carried_out_by([&](int i, int j) { return std::log(time(i, j)); }));
    REQUIRE(verdict.findings.size() == 1);
    REQUIRE(verdict.findings[0].confirmed);
    result.bindings = verdict.findings;
    CHECK(notes_of(result)[0].starts_with(
        "rank 2: behaves like a neighbour of rank 4 on socket 1, but is bound to socket 0, p "));
    CHECK_FALSE(result.has_finding());
    // In their actual classes, the pairs of the rank are not slow.
    move_pairs(measure::Comm::solo(), suspects, result);
    result.judged[0] = judge(result, Metric::latency, {});
    CHECK(screen(seen_of(result), 0.05).empty());
    CHECK(displaced(result, 0).empty());
}

TEST_CASE("wrong bindings are found with few false alarms at a noise of 5 %", "[measure_pairs]") {
    int alarms = 0;
    int found = 0;
    for (int const elsewhere : {-1, 2})
        for (std::uint64_t seed = 1; seed <= 100; ++seed) {
            std::mt19937_64 random{seed};
            test::Scatter scatter{0.05, 0.02};
            auto const time = [&](int i, int j) {
                return two_sockets_time(i, j, elsewhere) * std::exp(scatter(random));
            };
            auto const result = two_sockets(7, time);
            auto const verdict = confirm(seen_of(result), displaced(result, 0), {},
                                         test::carried_out_by([&](int i, int j) { return std::log(time(i, j)); }));
            for (auto const& finding : verdict.findings)
                if (finding.confirmed)
                    (finding.suspect.a == elsewhere ? found : alarms) += 1;
        }
    CHECK(alarms <= 10);
    CHECK(found >= 95);
}

TEST_CASE("two ranks on one core and ranks that are not bound are noted", "[measure_pairs]") {
    auto result = even_result();
    CHECK(binding_notes(result).empty());  // each rank has its own host
    result.nodes[1].place = {.host = "h0", .core = 3};
    result.nodes[0].place.core = 3;
    result.nodes[4].migrated = true;
    CHECK(binding_notes(result) ==
          std::vector<std::string>{"h0 and h1 are bound to the same core",
                                   "4 of 6 ranks are not bound to a core, 1 moved during the measurement"});
    CHECK(csv_of(result).find(",migrated,") != std::string::npos);
    CHECK_FALSE(records_of(result)[0].has_flag("migrated"));
}

}  // namespace measure::tool::pairs
