// SPDX-License-Identifier: BSD-3-Clause
#include "page/html.hpp"
#include "pairs/page.hpp"
#include "pairs/result.hpp"
#include "program/cli/values.hpp"
#include "support/catch.hpp"
#include "support/pairs_results.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

// In the namespace of pairs, because other commands use the same names and a unity build compiles the tests together.
namespace measure::tool::pairs {

namespace {

/// A page with latencies, bandwidths and a slow link. \param nodes  number of nodes
std::string page_of_nodes(int nodes) {
    auto result = noisy_result(1, nodes);
    result.options.what = What::both;
    auto& values = result.tournaments.front().values;
    for (int i = 0; i < nodes; ++i)
        for (int j = 0; j < nodes; ++j)
            if (j != i)
                values.at(i, j).up = values.at(i, j).down = {values.at(i, j).latency.front() / 1e6};
    for (auto const quantity : result.wanted())
        result.judged.push_back(judge(result, quantity, {}));
    result.verdict.findings.push_back(
        {.suspect = {.kind = Kind::link, .a = 0, .b = 1}, .interval = measure::Interval{0.1, 0.2}, .confirmed = true});
    return page::html_text(page_of(result));
}

void check_page(int nodes) {
    auto const html = page_of_nodes(nodes);
    CHECK(html.size() < 5000000);
    auto const map = html.find("<svg class=\"heat\"");
    REQUIRE(map != std::string::npos);
    CHECK(html.find("link node0 - node1") < map);
    CHECK(html.find("class=\"found\"", map) != std::string::npos);
}

}  // namespace

TEST_CASE("a page of many nodes is small and shows findings before its maps", "[measure_pairs][not_quick]") {
    for (int const nodes : {64, 128, 160})
        check_page(nodes);
}

TEST_CASE("a page of a thousand nodes is small and shows findings before its maps", "[.pairs_slow]") {
    check_page(1024);
}

TEST_CASE("the map of many nodes fits into 80 columns, and a cell shows its worst pair", "[measure_pairs]") {
    for (auto const& [nodes, together] : std::vector<std::pair<int, int>>{{56, 1}, {72, 2}, {150, 3}}) {
        auto result = noisy_result(1, nodes);
        result.nodes[0].name.clear();
        for (int k = 0; k < 60; ++k)
            result.nodes[0].name += "\u00e9";
        result.judged.push_back(judge(result, Metric::latency, {}));
        result.verdict.findings.push_back({.suspect = {.kind = Kind::link, .a = 1, .b = nodes - 1},
                                           .interval = measure::Interval{0.1, 0.2},
                                           .confirmed = true});
        auto const text = text_of(result);
        std::size_t widest = 0;
        for (auto const& line : program::split(text, '\n'))
            widest = std::max(widest, page::letters(line));
        CHECK(widest <= 80);
        CHECK(std::count(text.begin(), text.end(), '!') == 3);  // in the legend and in both directions
        CHECK((text.find("cell covers up to") != std::string::npos) == (together > 1));
        auto const map = text.substr(text.find("? not measured\n"));
        CHECK(std::count(map.begin(), map.end(), '\n') == 1 + (nodes + together - 1) / together);
    }
}

TEST_CASE("a slow bandwidth is reported as less bandwidth, with the values of the pair and its class",
          "[measure_pairs]") {
    auto result = small_result();
    auto& times = result.judged[1].times[static_cast<std::size_t>(result.pair_class(1, 2))];
    Finding const finding{
        .suspect = {.kind = Kind::link, .quantity = 1, .a = 1, .b = 2}, .effect = 1 / 0.7 - 1, .adjusted_p = 0.0004};
    times.median = 1 / 999.7e6;
    CHECK(sentence(result, finding) ==
          "link h1 - h2: 30 % less bandwidth than its class: 699.8 instead of 999.7 MB/s, p 0.0004");
    times.median = 1 / 20e9;
    CHECK_THAT(sentence(result, finding), Catch::Matchers::ContainsSubstring(": 14 instead of 20 GB/s"));
}

TEST_CASE("the text output begins with the findings and fits into 80 columns", "[measure_pairs]") {
    auto result = small_result();
    result.wrong.push_back({0, 2, 17, 3});
    result.unanswered.emplace(0, 1);
    result.verdict.findings.push_back({.suspect = {.kind = Kind::link, .quantity = 0, .a = 1, .b = 2},
                                       .effect = 0.231,
                                       .interval = measure::Interval{0.17, 0.29},
                                       .p = 0.0002,
                                       .adjusted_p = 0.0004,
                                       .trials = 24,
                                       .controls = 48,
                                       .confirmed = true});
    auto const text = text_of(result);
    CHECK(
        text.starts_with("warning  no answer: h0 - h1 timed out twice (10 s); the pair was then skipped\n"
                         "warning  data from h0 to h2 arrive corrupted: first wrong byte 17, in 3\n         exchanges\n"
                         "warning  link h1 - h2: latency 23 % slower than its class (17 .. 29), p 0.0004\n"));
    std::size_t widest = 0;
    for (auto const& line : program::split(text, '\n'))
        widest = std::max(widest, line.size());
    CHECK(widest <= 80);
    CHECK(page::html_text(page_of(result)).find("<svg class=\"heat\"") != std::string::npos);
}

}  // namespace measure::tool::pairs
