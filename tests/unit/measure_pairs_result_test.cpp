// SPDX-License-Identifier: BSD-3-Clause
#include "page/html.hpp"
#include "pairs/page.hpp"
#include "pairs/reference.hpp"
#include "pairs/report.hpp"
#include "pairs/result.hpp"
#include "pairs/suspects.hpp"
#include "program/runtime/files.hpp"
#include "support/catch.hpp"
#include "support/pairs_results.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// In the namespace of pairs, because other commands use the same names and a unity build compiles the tests together.
namespace measure::tool::pairs {

TEST_CASE("the values of a pair agree with those computed by hand", "[measure_pairs]") {
    auto const result = small_result();
    auto const& values = result.tournaments.front().values;
    CHECK_THAT(time_of(values.at(0, 2), Metric::latency) * 1e6, near_to(3));  // median of 2 and 4
    CHECK_THAT(one_way(values.at(0, 1), Metric::bandwidth, 0, 1) * 1e9, near_to(1));
    CHECK_THAT(one_way(values.at(1, 0), Metric::bandwidth, 1, 0) * 1e9, near_to(3));
    CHECK_THAT(time_of(values.at(1, 0), Metric::bandwidth) * 1e9, near_to(2));
    CHECK(result.measured == 3);
    auto const records = records_of(result);
    REQUIRE(records.size() == 3 + 2 * 3);
    CHECK(records[0].benchmark == "Pair_latency");
    CHECK(records[0].at.integer("from") == 0);
    CHECK(records[0].at.integer("to") == 2);
    CHECK(records[3].quantity == measure::Quantity::bandwidth);
    CHECK_THAT(*records[3].value / 1e9, near_to(1));
    CHECK_THAT(*records[4].value / 1e9, near_to(1 / 3.0));
    CHECK(csv_of(result).find("\n0,2,h0,h1,between hosts,hosts,latency,1.5e-06,s,2,5e-07,") != std::string::npos);
}

TEST_CASE("with more than 128 nodes, the record has a point for each pair only on request", "[measure_pairs]") {
    Result result;
    result.options.what = What::latency;
    result.options.repetitions = 1;
    for (std::size_t const nodes : {most_nodes_of_points, most_nodes_of_points + 1}) {
        result.nodes.assign(nodes, Node{.place = {.host = "h"}, .name = "h"});
        result.tournaments.clear();
        add_tournament(result);
        set_values(result, 0, 1, {.latency = {1e-6}});
        bool const is_small = nodes == most_nodes_of_points;
        result.options.all = false;
        CHECK(records_of(result).size() == (is_small ? 1U : 0U));
        CHECK((measure::json_line(summary_of(result)).find("omitted: more than 128") == std::string::npos) == is_small);
        result.options.all = true;
        CHECK(records_of(result).size() == 1);
        CHECK(measure::json_line(summary_of(result)).find("omitted: ") == std::string::npos);
    }
}

TEST_CASE("a pair with fewer repetitions than requested has the stop reason", "[measure_pairs]") {
    auto result = small_result();
    result.options.repetitions = 3;
    CHECK(records_of(result)[0].stop_reason == "budget");
    result.is_interrupted = true;
    CHECK(records_of(result)[0].stop_reason == "interrupted");
    CHECK(records_of(result)[0].status == measure::PointStatus::exhausted);
    result.unanswered.emplace(0, 1);
    CHECK(records_of(result)[0].stop_reason == "no_answer");
    CHECK(records_of(result)[1].stop_reason == "interrupted");
}

TEST_CASE("the memory of a rank grows linearly with the nodes and the measured pairs", "[measure_pairs]") {
    auto const result = small_result();
    CHECK(memory_of(2000, 1999, 1, result) < 2.1 * memory_of(1000, 999, 1, result));
    CHECK(memory_of(2000, 1999, 2, result) > 1.5 * memory_of(2000, 1999, 1, result));
    // A pair that is not measured has no values, but its place in the table takes memory.
    CHECK(memory_of(2000, 10, 1, result) < 0.7 * memory_of(2000, 1999, 1, result));
    CHECK(memory_of(100000, 10, 1, result) > 1e5 * sizeof(PairValues));
}

TEST_CASE("the times of a reference are found by host, whatever the ranks are now", "[measure_pairs]") {
    auto const result = small_result();
    auto nodes = result.nodes;
    std::swap(nodes[0].place.host, nodes[2].place.host);  // h2, h1, h0
    auto const logs = reference_logs(known(result), Metric::latency, Mode::hosts, nodes, {});
    CHECK_THAT(std::exp(logs.at(0, 1)) * 1e6, near_to(4.5));  // h2 - h1: 3 and 6
    CHECK_THAT(std::exp(logs.at(1, 2)) * 1e6, near_to(1.5));  // h1 - h0
    auto const rates = reference_logs(known(result), Metric::bandwidth, Mode::hosts, nodes, {});
    CHECK_THAT(std::exp(rates.at(0, 1)) * 1e9, near_to(2));
    auto const ratios = reference_logs(known(result), Metric::direction, Mode::hosts, nodes, {});
    CHECK_THAT(std::exp(ratios.at(0, 1)), near_to(3));  // h2 to h1 over h1 to h2
    nodes[1].place.host = "new";
    CHECK(std::isnan(reference_logs(known(result), Metric::latency, Mode::hosts, nodes, {}).at(0, 1)));
}

TEST_CASE("a reference that does not fit is rejected", "[measure_pairs]") {
    auto const result = small_result();
    auto const run = known(result);
    CHECK_THROWS_AS(reference_logs(run, Metric::latency, Mode::loaded, result.nodes, {}), measure::UsageError);
    CHECK_THROWS_AS(reference_logs(run, Metric::latency, Mode::hosts, result.nodes, {.latency_size = 64}),
                    measure::UsageError);
    CHECK_THROWS_AS(reference_logs({}, Metric::latency, Mode::hosts, result.nodes, {}), measure::UsageError);
    auto nodes = result.nodes;
    for (auto& node : nodes)
        node.place.host += "x";
    CHECK_THROWS_AS(reference_logs(run, Metric::latency, Mode::hosts, nodes, {}), measure::UsageError);
}

TEST_CASE("with a reference, a pair is compared with its own earlier time", "[measure_pairs]") {
    auto result = small_result();
    auto const before = reference_logs(known(result), Metric::latency, Mode::hosts, result.nodes, {});
    set_values(result, 0, 1, {.latency = {2e-6, 4e-6}});
    auto const judged = judge(result, Metric::latency, before);
    CHECK_THAT(judged.logs.at(0, 1), near_to(std::log(2)));
    CHECK_THAT(judged.logs.at(0, 2), near_to(0));
}

TEST_CASE("with one or two repetitions, the noise is the scatter between pairs", "[measure_pairs]") {
    for (std::size_t const repetitions : {std::size_t{1}, std::size_t{2}, std::size_t{7}}) {
        auto const judged = judge(noisy_result(repetitions), Metric::latency, {});
        CHECK(judged.noise > 0.03);
        CHECK(judged.noise < 0.08);
        auto const smallest = detectable(judged.fit, judged.noise, static_cast<int>(repetitions), 1, {});
        CHECK(smallest.node > 0.1);
        CHECK((repetitions > 2 || smallest.link > 0.13));
    }
    // With few nodes, the fit absorbs much of the scatter.
    for (int const nodes : {6, 9, 24}) {
        std::vector<double> noises;
        for (unsigned seed = 1; seed <= 41; ++seed)
            noises.push_back(judge(noisy_result(1, nodes, seed), Metric::latency, {}).noise);
        CHECK(measure::median(noises) > 0.04);
        CHECK(measure::median(noises) < 0.06);
    }
    // Three nodes are too few for an estimate of the noise.
    auto few = even_result();
    few.nodes.resize(3);
    few.tournaments.clear();
    add_tournament(few, {.latency = {2e-6, 2e-6}});
    CHECK(std::isnan(judge(few, Metric::latency, {}).noise));
}

TEST_CASE("a slow link is not a finding if a slow direction explains it", "[measure_pairs]") {
    Result result;
    result.judged = {{.quantity = Metric::bandwidth}, {.quantity = Metric::direction}};
    auto const finding = [](Kind kind, std::size_t quantity, int a, int b, double effect) {
        return Finding{.suspect = {.kind = kind, .quantity = quantity, .a = a, .b = b},
                       .effect = effect,
                       .interval = measure::Interval{effect - 0.02, effect + 0.02},
                       .confirmed = true};
    };
    std::vector<Finding> findings{finding(Kind::link, 0, 1, 3, 0.15), finding(Kind::link, 1, 3, 1, 0.3),
                                  finding(Kind::link, 0, 2, 3, 0.15)};
    leave_to_directions(result, findings);
    REQUIRE(findings.size() == 2);
    CHECK(is_directed(result, findings[0]));
    CHECK(findings[1].suspect.a == 2);  // another link
    // A node that is slower than its direction explains stays a finding.
    findings = {finding(Kind::node, 0, 4, 4, 0.25), finding(Kind::node, 1, 4, 4, 0.3)};
    leave_to_directions(result, findings);
    CHECK(findings.size() == 2);
    // A direction that was not confirmed does not remove a finding.
    findings = {finding(Kind::node, 0, 4, 4, 0.15), finding(Kind::node, 1, 4, 4, 0.3)};
    findings[1].confirmed = false;
    leave_to_directions(result, findings);
    CHECK(findings.size() == 2);
}

TEST_CASE("two runs are compared without new measurements, so suspects are not confirmed", "[measure_pairs]") {
    auto const before = known(even_result());
    auto later = even_result();
    set_values(later, 1, 4, {.latency = {3e-6, 3e-6, 3e-6}});
    auto const result = compared(before, known(later), {.what = What::latency});
    REQUIRE(result.verdict.findings.size() == 1);
    CHECK(pair_of(result.verdict.findings[0].suspect.a, result.verdict.findings[0].suspect.b) == Pair{1, 4});
    CHECK_THAT(result.verdict.findings[0].effect, near_to(0.5));
    CHECK_FALSE(result.has_finding());
    CHECK(result.measured == 15);
    auto const text = text_of(result);
    CHECK(text.starts_with("suspect  link h1 - h4: latency 50 % slower than in the reference\npairs    Two runs"));
    CHECK(outcome_text(result).find("15 pairs of 6 nodes. 1 suspected, none") != std::string::npos);
    CHECK(records_of(result).empty());
    // The page shows the suspect too, and its map shows the changes.
    auto const document = page_of(result);
    CHECK(page::html_text(document).find("suspect: link h1 - h4") != std::string::npos);
    auto const map = std::find_if(document.elements.begin(), document.elements.end(), [](page::Element const& element) {
        return std::holds_alternative<page::HeatMap>(element);
    });
    REQUIRE(map != document.elements.end());
    auto const& cells = std::get<page::HeatMap>(*map).cells;
    CHECK_THAT(cells[0][1].value.value(), near_to(0));
    CHECK_THAT(cells[1][4].value.value(), near_to(1));  // 50 % slower
    CHECK(text_of(compared(known(later), before, {.what = What::latency})).find("suspect ") == std::string::npos);
    CHECK_THROWS_AS(compared(before, known(later), {.what = What::bandwidth}), measure::UsageError);
    later.is_oversubscribed = true;
    CHECK(compared(before, known(later), {.what = What::latency}).untested.starts_with("with more ranks than cores"));
}

TEST_CASE("a run that ended between the two directions of a pair is compared without this pair's direction",
          "[measure_pairs]") {
    auto const before = known(small_result());
    auto cut = before;
    cut.pop_back();  // from the last node to the one before
    auto const result = compared(before, cut, {});
    REQUIRE(result.judged.size() == 3);
    CHECK_THAT(result.judged[2].logs.at(0, 1), near_to(0));
    CHECK(std::isnan(result.judged[2].logs.at(1, 2)));
    CHECK(text_of(result).find("Two runs are compared") != std::string::npos);
}

TEST_CASE("a record of a rank with itself or of an unknown mode is rejected", "[measure_pairs]") {
    auto points = records_of(small_result());
    CHECK(known_pairs(record_text(points), "f").size() == 9);
    auto odd = points;
    odd[0].at.set("mode", std::string{"both"});
    CHECK_THROWS_AS(known_pairs(record_text(odd), "f"), measure::UsageError);
    points[0].at.set("to", std::int64_t{0}).set("host_to", std::string{"h0"});
    CHECK_THROWS_AS(known_pairs(record_text(points), "f"), measure::UsageError);
}

TEST_CASE("reading a run in pieces gives the same pairs and the right line numbers in errors", "[measure_pairs]") {
    auto const in_pieces = [](std::string const& text) {
        PairReader reader{"f"};
        std::vector<KnownPair> pairs;
        for (std::size_t at = 0; at < text.size();) {
            auto const end = text.find('\n', at) + 1;
            for (auto& pair : reader.read(text.substr(at, end - at)))
                pairs.push_back(pair);
            at = end;
        }
        reader.end();
        return pairs;
    };
    auto text = "noise\n" + record_text(records_of(small_result()));
    auto const whole = known_pairs(text, "f");
    // The first piece must have the run line.
    text = text.substr(text.find('\n') + 1);
    auto const pieces = in_pieces(text);
    REQUIRE(pieces.size() == whole.size());
    for (std::size_t k = 0; k < whole.size(); ++k) {
        CHECK(pieces[k].time == whole[k].time);
        CHECK(pieces[k].from == whole[k].from);
    }
    text += "{,}\n";
    try {
        static_cast<void>(in_pieces(text));
        FAIL("no error was thrown");
    } catch (program::ParseErrors const& errors) {
        CHECK(errors.faults().front().line == std::count(text.begin(), text.end(), '\n'));
    }
}

}  // namespace measure::tool::pairs
