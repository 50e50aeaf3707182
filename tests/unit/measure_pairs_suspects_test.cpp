// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/fit.hpp"
#include "pairs/groups.hpp"
#include "pairs/suspects.hpp"
#include "pairs/tournament.hpp"
#include "program/runtime/files.hpp"
#include "support/catch.hpp"
#include "support/pairs_model.hpp"
#include "support/pairs_results.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

// In the namespace of pairs, because other commands use the same names and a unity build compiles the tests together.
namespace measure::tool::pairs {

using test::PairsModel;
using test::run_models;

TEST_CASE("four nodes have no suspects", "[measure_pairs]") {
    PairTable<int> const classes(4, 0);
    PairTable<double> logs(4, 0.0);
    logs.at(0, 1) = 1;
    Seen const seen{classes_in(classes), fit(logs, classes, 1)};
    CHECK(screen({&seen, 1}, 0.05).empty());
}

TEST_CASE("suspects are the effects above the threshold and the noise, the largest first", "[measure_pairs]") {
    Exact exact;
    exact.logs.at(1, 3) += 0.3;
    exact.logs.at(6, 8) += 0.4;
    exact.logs.at(0, 9) += 0.04;  // below 5 %
    Seen const seen{classes_in(exact.classes), fit(exact.logs, exact.classes, 2)};
    auto const suspects = screen({&seen, 1}, 0.05);
    REQUIRE(suspects.size() == 2);
    CHECK(suspects[0].kind == Kind::link);
    CHECK(pair_of(suspects[0].a, suspects[0].b) == Pair{6, 8});
    CHECK(pair_of(suspects[1].a, suspects[1].b) == Pair{1, 3});
    CHECK_THAT(suspects[1].effect, near_to(0.3));
}

TEST_CASE("without a second measurement, only effects beyond the scatter are suspects", "[measure_pairs][not_quick]") {
    PairsModel model{.nodes = 64, .noise = 0.06, .delays = 0, .repetitions = 1, .slow_links = {{2, 50}}, .slower = 0.5};
    int sound = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        test::ModelMachine machine{model, seed};
        auto const logs = machine.tournament();
        Seen const seen{classes_in(machine.classes()), fit(logs, machine.classes(), 2)};
        auto const suspects = screen({&seen, 1}, 0.05);
        auto const left = beyond_scatter({&seen, 1}, suspects, {});
        CHECK(suspects.size() > 5);  // the threshold of 5 % is less than a standard deviation
        sound += static_cast<int>(left.size()) - 1;
        CHECK((left.at(0).a == 2 && left.at(0).b == 50));
    }
    CHECK(sound <= 2);
}

TEST_CASE("the controls of a link are in its class and share one end with it", "[measure_pairs]") {
    Exact exact;
    exact.logs.at(1, 3) += 0.3;
    Seen const seen{classes_in(exact.classes), fit(exact.logs, exact.classes, 2)};
    auto const suspects = screen({&seen, 1}, 0.05);
    std::size_t trials = 0;
    auto const verdict = confirm({&seen, 1}, suspects, {}, [&](std::span<Trial const> asked) {
        std::vector<Outcome> outcomes;
        for (auto const& trial : asked) {
            ++trials;
            CHECK(trial.candidate == Pair{1, 3});
            REQUIRE(trial.controls.size() == 2);
            CHECK(trial.controls[0].first == 1);
            CHECK(trial.controls[1].second == 3);
            Outcome outcome{.candidate = std::log(1e-6) + 0.3};
            for (auto const& [i, j] : trial.controls) {
                CHECK(exact.classes.at(i, j) == 0);
                CHECK(pair_of(i, j) != Pair{1, 3});
                outcome.controls.push_back(std::log(1e-6));
            }
            outcomes.push_back(outcome);
        }
        return outcomes;
    });
    CHECK(trials == 9 + 24);
    REQUIRE(verdict.findings.size() == 1);
    auto const& finding = verdict.findings.front();
    CHECK(finding.confirmed);
    CHECK(finding.trials == 24);
    CHECK(finding.controls == 48);
    CHECK_THAT(finding.effect, near_to(std::expm1(0.3)));
    CHECK(finding.p == std::ldexp(1.0, -24));
}

TEST_CASE("a slow direction and a node that sends slowly are distinguished", "[measure_pairs]") {
    PairTable<int> const classes(10, 0);
    PairTable<double> ratios(10, 0.0);
    ratios.at(3, 1) = -0.3;  // from 3 to 1
    for (int j = 0; j < 10; ++j)
        if (j != 7)
            ratios.at(7, j) = j < 7 ? -0.2 : 0.2;  // from 7
    Seen const seen{classes_in(classes), fit(ratios, classes, 1, Form::directed)};
    CHECK_THAT(seen.fit.effects[7], near_to(0.2));
    CHECK_THAT(seen.fit.residuals.at(3, 1), near_to(0.3));
    auto const suspects = screen({&seen, 1}, 0.05);
    REQUIRE(suspects.size() == 2);
    CHECK((suspects[0].kind == Kind::node && suspects[0].a == 7 && !suspects[0].receives));
    CHECK((suspects[1].kind == Kind::link && suspects[1].a == 3 && suspects[1].b == 1));
    auto const verdict =
        confirm({&seen, 1}, suspects, {}, test::carried_out_by([&](int i, int j) { return directed(ratios, i, j); }));
    REQUIRE(verdict.findings.size() == 2);
    CHECK((verdict.findings[0].confirmed && verdict.findings[1].confirmed));
    CHECK_THAT(verdict.findings[0].effect, near_to(std::expm1(0.3)));
    CHECK_THAT(verdict.findings[1].effect, near_to(std::expm1(0.2)));
    for (int j = 0; j < 10; ++j)
        if (j != 7)
            ratios.at(7, j) *= -1;
    Seen const other{classes_in(classes), fit(ratios, classes, 1, Form::directed)};
    CHECK(screen({&other, 1}, 0.05)[0].receives);
}

TEST_CASE("directions cause few false alarms, and a direction that is 20 % slower is found",
          "[measure_pairs][not_quick]") {
    PairTable<int> const classes(16, 0);
    double slower = 0;
    int alarms = 0;
    int found = 0;
    auto const run = [&](std::uint64_t seed) {
        std::mt19937_64 random{seed};
        std::normal_distribution<double> normal;
        test::Scatter one_way{0.05, 0.02};
        std::vector<double> effects;
        for (int i = 0; i < 16; ++i)
            effects.push_back(0.01 * normal(random));
        auto const look = [&](int i, int j) {
            double const fault = (i == 9 && j == 2 ? 1 : i == 2 && j == 9 ? -1 : 0) * std::log1p(slower);
            return effects[index(i)] - effects[index(j)] + fault + one_way(random) - one_way(random);
        };
        PairTable<double> ratios(16);
        for (int i = 0; i < 16; ++i)
            for (int j = i + 1; j < 16; ++j) {
                std::vector<double> repetitions(7);
                std::generate(repetitions.begin(), repetitions.end(), [&] { return look(i, j); });
                ratios.at(i, j) = measure::median(repetitions);
            }
        Seen const seen{classes_in(classes), fit(ratios, classes, 1, Form::directed)};
        auto const verdict = confirm({&seen, 1}, screen({&seen, 1}, 0.05), {}, test::carried_out_by(look));
        bool is_found = false;
        bool is_alarm = false;
        for (auto const& finding : verdict.findings) {
            bool const is_fault =
                slower > 0 && finding.suspect.kind == Kind::link && finding.suspect.a == 9 && finding.suspect.b == 2;
            is_found = is_found || (finding.confirmed && is_fault);
            is_alarm = is_alarm || (finding.confirmed && !is_fault);
        }
        found += is_found ? 1 : 0;
        alarms += is_alarm ? 1 : 0;
    };
    for (std::uint64_t seed = 1; seed <= 100; ++seed)
        run(seed);
    CHECK(alarms <= 5);
    alarms = 0;
    slower = 0.2;
    for (std::uint64_t seed = 1; seed <= 100; ++seed)
        run(seed);
    CHECK(found >= 95);
    CHECK(alarms <= 5);
}

TEST_CASE("a slow group is found even if most pairs between groups are slow", "[measure_pairs]") {
    // Three groups of six. Pairs between the first group and another take 1.5 times as long: 72 of 108.
    PairTable<int> classes(18);
    PairTable<double> logs(18);
    std::vector<int> group;
    for (int i = 0; i < 18; ++i)
        group.push_back(i / 6);
    for (int i = 0; i < 18; ++i)
        for (int j = i + 1; j < 18; ++j) {
            classes.at(i, j) = i / 6 == j / 6 ? 0 : 1;
            logs.at(i, j) = i / 6 == j / 6 ? 0 : 1 + (i < 6 ? std::log(1.5) : 0);
        }
    auto const start = group_effects(logs, group, 3);
    CHECK_THAT(start[0], near_to(std::log(1.5)));
    CHECK_THAT(start[17], near_to(0));
    auto const found = fit(logs, classes, 2, Form::both_ways, start);
    CHECK_THAT(found.effects[5], near_to(std::log(1.5)));
    CHECK_THAT(found.levels[1], near_to(1));
    auto const findings = slow_groups(found, 0, group, 3, {});
    REQUIRE(findings.size() == 1);
    CHECK((findings[0].suspect.kind == Kind::group && findings[0].suspect.a == 0));
    CHECK_THAT(findings[0].effect, near_to(0.5));
    CHECK(findings[0].p == std::ldexp(1.0, -6));
    CHECK_THAT(findings[0].adjusted_p, near_to(3.0 / 64));
    // A group with one member that is not slow is not slow.
    auto odd = found;
    odd.effects[2] = 0;
    CHECK(slow_groups(odd, 0, group, 3, {}).empty());
    CHECK(slow_groups(found, 0, group, 3, {.alpha = 0.04}).empty());
    // Two quantities share alpha. A group then needs seven members.
    std::vector<Seen> const two(2, Seen{classes_in(classes), found});
    CHECK(slow_groups(std::span{two}.first(1), group, 3, {}).size() == 1);
    CHECK(slow_groups(two, group, 3, {}).empty());
    auto const both = slow_groups(two, group, 3, {.alpha = 0.1});
    REQUIRE(both.size() == 2);
    CHECK(both[1].suspect.quantity == 1);
    CHECK_THAT(both[1].adjusted_p, near_to(6.0 / 64));
    CHECK(fewest_members(3, 0.05) == 6);
    CHECK(fewest_members(3, 0.04) == 7);
    CHECK(group_effects(logs, group, 2).empty());
}

TEST_CASE("groups cause few false alarms, and a slow group of 20 % is found without its nodes",
          "[measure_pairs][not_quick]") {
    // Three groups of eight nodes; each group is a class.
    PairsModel model{.nodes = 24, .group = 8};
    std::vector<int> group;
    for (int i = 0; i < 24; ++i)
        group.push_back(i / 8);
    int alarms = 0;
    int found = 0;
    for (double const slower : {0.0, 0.2})
        for (std::uint64_t seed = 1; seed <= 100; ++seed) {
            test::ModelMachine machine{model, seed};
            auto const slowed = [&](int i, int j) { return (i < 8) != (j < 8) ? std::log1p(slower) : 0; };
            auto logs = machine.tournament();
            for (int i = 0; i < 24; ++i)
                for (int j = i + 1; j < 24; ++j)
                    logs.at(i, j) += slowed(i, j);
            Seen const seen{classes_in(machine.classes()),
                            fit(logs, machine.classes(), 2, Form::both_ways, group_effects(logs, group, 3))};
            auto const groups = slow_groups(seen.fit, 0, group, 3, {});
            for (auto const& finding : groups)
                (slower > 0 && finding.suspect.a == 0 ? found : alarms) += 1;
            auto suspects = screen({&seen, 1}, 0.05);
            std::erase_if(suspects, [&](Suspect const& suspect) {
                return !groups.empty() && suspect.kind == Kind::node && suspect.a < 8;
            });
            auto const verdict =
                confirm({&seen, 1}, suspects, {},
                        test::carried_out_by([&](int i, int j) { return machine.look(i, j) + slowed(i, j); }));
            for (auto const& finding : verdict.findings)
                alarms += finding.confirmed ? 1 : 0;
        }
    CHECK(alarms <= 10);
    CHECK(found >= 95);
}

TEST_CASE("a line of a groups file has a host and its group", "[measure_pairs]") {
    auto const groups = groups_in("# racks\nh1 r1\n\nh2\tr2 # moved\n", "racks");
    CHECK(groups == std::map<std::string, std::string>{{"h1", "r1"}, {"h2", "r2"}});
    for (char const* const text : {"h1\n", "h1 r1 r2\n", "h1 r1\nh1 r2\n"})
        CHECK_THROWS_AS(groups_in(text, "racks"), program::ParseErrors);
}

TEST_CASE("the sieve removes suspects that were slow only because of a delay", "[measure_pairs]") {
    Exact exact;
    exact.logs.at(1, 3) += 0.3;
    Seen const seen{classes_in(exact.classes), fit(exact.logs, exact.classes, 2)};
    auto const suspects = screen({&seen, 1}, 0.05);
    auto const verdict = confirm({&seen, 1}, suspects, {}, [&](std::span<Trial const> asked) {
        return std::vector<Outcome>(asked.size(), Outcome{std::log(1e-6), {std::log(1e-6), std::log(1e-6)}});
    });
    CHECK(verdict.screened == 1);
    CHECK(verdict.sieved == 0);
    CHECK(verdict.findings.empty());
}

TEST_CASE("failed trials are not evidence", "[measure_pairs]") {
    Exact exact;
    exact.logs.at(1, 3) += 0.3;
    Seen const seen{classes_in(exact.classes), fit(exact.logs, exact.classes, 2)};
    auto const suspects = screen({&seen, 1}, 0.05);
    auto const verdict = confirm({&seen, 1}, suspects, {}, [&](std::span<Trial const> asked) {
        return std::vector<Outcome>(asked.size(), Outcome{not_measured, {0, 0}});
    });
    REQUIRE(verdict.findings.size() == 1);
    CHECK_FALSE(verdict.findings.front().confirmed);
    CHECK(verdict.findings.front().p == 1);
    CHECK(verdict.findings.front().trials == 0);
}

TEST_CASE("many suspects get more trials", "[measure_pairs]") {
    PairsModel model{.nodes = 64, .noise = 0.001, .delays = 0, .node_spread = 0, .slower = 1};
    for (int i = 0; i + 1 < 64; i += 2)
        model.slow_links.emplace_back(i, i + 1);
    auto const result = test::run_model(model, 1, {.alpha = 1e-6});
    // 32 suspects remain: 32 / 1e-6 = 2^24.93, which gives 25 + 4 trials.
    CHECK(result.verdict.sieved == 32);
    CHECK(result.verdict.confirm == 29);
}

TEST_CASE("without a fault there are very few alarms", "[measure_pairs][not_quick]") {
    CHECK(run_models({}, 100).alarms <= 5);
    CHECK(run_models({.nodes = 64}, 20).alarms <= 1);
    CHECK(run_models({.nodes = 16, .missing = 0.3}, 50).alarms <= 2);
    CHECK(run_models({.nodes = 12, .noise = 0, .delays = 0, .node_spread = 0}, 5).alarms == 0);
}

// These tests run by their tags, with the slow tests. 100 runs of 256 nodes take minutes. None of them had an alarm,
// and 97 found the link.
TEST_CASE("256 nodes with heavy delays give few alarms, and a link that is 20 % slower is found", "[.pairs_large]") {
    PairsModel model{.nodes = 256, .delays = 0.05};
    CHECK(run_models(model, 100).alarms <= 5);
    model.slow_links = {{2, 99}};
    model.slower = 0.2;
    CHECK(run_models(model, 100).found >= 88);
}

TEST_CASE("with 64 nodes and 5 % noise, only the link or node that is 20 % slower is found", "[.pairs_slow]") {
    PairsModel model{.nodes = 64, .slower = 0.2};
    SECTION("a link") { model.slow_links = {{2, 40}}; }
    SECTION("a node") { model.slow_nodes = {5}; }
    auto const counts = run_models(model, 100);
    CHECK(counts.found >= 99);
    CHECK(counts.alarms <= 2);
}

TEST_CASE("seven rounds of 64 nodes find a node that is 20 % slower", "[.pairs_slow]") {
    auto const counts = run_models({.nodes = 64, .rounds = 7, .slow_nodes = {5}, .slower = 0.2}, 100);
    CHECK(counts.found >= 95);
    CHECK(counts.alarms <= 2);
}

TEST_CASE("a tournament of n rounds gives each node n partners", "[measure_pairs]") {
    PairsModel const model{.nodes = 16, .rounds = 3};
    CHECK(test::run_model(model, 1).fit.partners == 3);
}

TEST_CASE("without a fault at most 5 % of 500 runs have alarms", "[.pairs_slow]") {
    CHECK(run_models({}, 500).alarms <= 25);
    CHECK(run_models({.nodes = 64}, 500).alarms <= 25);
}

TEST_CASE("with 5 % noise, only the links and nodes that are 20 % slower are found", "[measure_pairs][not_quick]") {
    PairsModel model{.slower = 0.2};
    SECTION("a link") { model.slow_links = {{2, 9}}; }
    SECTION("a node") { model.slow_nodes = {5}; }
    SECTION("two nodes") { model.slow_nodes = {5, 11}; }
    auto counts = run_models(model, 100);
    CHECK(counts.found >= 99 * counts.faults / 100);
    CHECK(counts.alarms <= 2);
    CHECK(counts.held >= 90 * counts.faults / 100);
    CHECK(std::abs(measure::median(counts.errors)) <= 0.02);
}

TEST_CASE("a link that is 10 % slower is found at a noise of 2 %", "[measure_pairs]") {
    CHECK(run_models({.noise = 0.02, .slow_links = {{2, 9}}, .slower = 0.1}, 100).found >= 98);
}

TEST_CASE("a slowdown below the threshold is not found", "[measure_pairs]") {
    CHECK(run_models({.noise = 0.02, .slow_links = {{2, 9}}, .slower = 0.04}, 100).found <= 5);
    CHECK(run_models({.noise = 0.02, .slow_nodes = {5}, .slower = 0.04}, 100).found <= 5);
}

TEST_CASE("a slowdown of the detectable size is found", "[measure_pairs][not_quick]") {
    PairsModel model;
    auto const clean = test::run_model(model, 1);
    auto const smallest = detectable(clean.fit, model.noise, 7, 1, {});
    CHECK(smallest.link > 0.1);
    CHECK(smallest.link < 0.16);
    model.slower = smallest.link;
    model.slow_links = {{2, 9}};
    CHECK(run_models(model, 100).found >= 95);
    model.slow_links.clear();
    model.slow_nodes = {5};
    model.slower = smallest.node;
    CHECK(run_models(model, 100).found >= 95);
}

TEST_CASE("repetitions and trials follow from the noise of the first repetition", "[measure_pairs][not_quick]") {
    PairsModel model{.noise = 0.02, .repetitions = 1};
    auto const effort = [&](double effect, int most) {
        return effort_for(test::run_model(model, 1).fit, effect, most, {});
    };
    auto const easy = effort(0.2, 100);
    CHECK(easy.repetitions == 3);
    CHECK(easy.confirm == 24);
    CHECK(std::max(easy.reach.link, easy.reach.node) <= 0.2);
    model.noise = 0.1;
    auto const hard = effort(0.2, 100);
    CHECK(hard.repetitions > 7);
    CHECK(hard.confirm >= 24);
    // The sieve always has nine trials, so more repetitions do not improve it.
    CHECK(hard.reach.node > 0.15);
    auto const hopeless = effort(0.06, 5);
    CHECK(hopeless.repetitions == 5);
    CHECK(hopeless.reach.link > 0.06);
    // A slowdown of the promised size is found.
    model.noise = 0.05;
    auto const chosen = effort(0.15, 100);
    REQUIRE(chosen.reach.link <= 0.15);
    model.repetitions = static_cast<std::size_t>(chosen.repetitions);
    model.slow_links = {{2, 9}};
    model.slower = 0.15;
    CHECK(run_models(model, 100, {.confirm = chosen.confirm}).found >= 95);
}

}  // namespace measure::tool::pairs
