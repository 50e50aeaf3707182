// SPDX-License-Identifier: BSD-3-Clause
#include "page/html.hpp"
#include "pairs/binding.hpp"
#include "pairs/fit.hpp"
#include "pairs/groups.hpp"
#include "pairs/matrix.hpp"
#include "pairs/page.hpp"
#include "pairs/place.hpp"
#include "pairs/reference.hpp"
#include "pairs/report.hpp"
#include "pairs/result.hpp"
#include "pairs/suspects.hpp"
#include "pairs/tournament.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/pairs_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// Their names are those of other commands too, and tests are compiled together.
namespace measure_tool::pairs {

using test::PairsModel;
using test::run_models;

namespace {

auto near_to(double x) { return Catch::Matchers::WithinAbs(x, 1e-3); }

/// Two classes of ten nodes, without noise: the first five among themselves, and all others.
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

}  // namespace

TEST_CASE("a table has one place for a pair, whoever is named first", "[measure_pairs]") {
    PairTable<int> table(4, -1);
    table.at(2, 0) = 7;
    CHECK(table.at(0, 2) == 7);
    CHECK(table.values().size() == 6);
    int sum = 0;
    table.for_each([&](int i, int j, int value) {
        CHECK(i < j);
        sum += value;
    });
    CHECK(sum == 7 - 5);
    CHECK(PairTable<int>(1).values().empty());
    CHECK(PairTable<int>(0).values().empty());
}

TEST_CASE("in a tournament everybody meets everybody once, and nobody twice in a round", "[measure_pairs]") {
    for (int n = 2; n <= 101; n += n < 65 ? 1 : 36) {
        std::set<Pair> met;
        for (int round = 0; round < rounds_of(n); ++round) {
            std::set<int> busy;
            for (auto const& pair : meetings(n, round)) {
                CHECK(met.insert(pair).second);
                CHECK(busy.insert(pair.first).second);
                CHECK(busy.insert(pair.second).second);
                CHECK(partner(n, round, pair.second) == pair.first);
            }
            CHECK(busy.size() == static_cast<std::size_t>(n - n % 2));
        }
        CHECK(met.size() == static_cast<std::size_t>(n * (n - 1) / 2));
        CHECK(rounds_of(n) == (n % 2 == 0 ? n - 1 : n));
    }
}

TEST_CASE("the rounds of four, by hand", "[measure_pairs]") {
    // N - 1 = 3: i + j = k mod 3; 2 i = k mod 3 meets seat 3.
    CHECK(meetings(4, 0) == std::vector<Pair>{{0, 3}, {1, 2}});
    CHECK(meetings(4, 1) == std::vector<Pair>{{0, 1}, {2, 3}});
    CHECK(meetings(4, 2) == std::vector<Pair>{{0, 2}, {1, 3}});
    CHECK_FALSE(partner(3, 0, 0));  // of three, seat 3 is empty
}

TEST_CASE("pairs that share no host go together", "[measure_pairs]") {
    std::vector<Pair> const pairs{{0, 3}, {1, 2}, {4, 5}};
    CHECK(apart(pairs, std::vector{0, 1, 2, 3, 4, 5}).size() == 1);
    // Two ranks a host: (0, 3) takes hosts 0 and 1, (1, 2) too, (4, 5) only host 2.
    auto const batches = apart(pairs, std::vector{0, 0, 1, 1, 2, 2});
    REQUIRE(batches.size() == 2);
    CHECK(batches[0] == std::vector<Pair>{{0, 3}, {4, 5}});
    CHECK(batches[1] == std::vector<Pair>{{1, 2}});
    // One host: one after the other.
    CHECK(apart(pairs, std::vector{0, 0, 0, 0, 0, 0}).size() == 3);
}

TEST_CASE("levels without noise are those of the classes", "[measure_pairs]") {
    Exact const exact;
    auto const found = fit(exact.logs, exact.classes, 3);
    CHECK_THAT(std::exp(found.levels[0]) * 1e6, near_to(1));
    CHECK_THAT(std::exp(found.levels[1]) * 1e6, near_to(5));
    CHECK(std::isnan(found.levels[2]));
    for (double const effect : found.effects)
        CHECK_THAT(effect, near_to(0));
    CHECK(found.effect_scale == 0.002);
}

TEST_CASE("a slow node is in its effect, a slow link in its residual", "[measure_pairs]") {
    Exact exact;
    for (int j = 0; j < 10; ++j)
        if (j != 7)
            exact.logs.at(7, j) += 0.2;
    exact.logs.at(1, 3) += 0.3;
    auto const found = fit(exact.logs, exact.classes, 2);
    CHECK_THAT(found.effects[7], near_to(0.2));
    CHECK_THAT(found.residuals.at(1, 3), near_to(0.3));
    CHECK_THAT(found.residuals.at(7, 3), near_to(0));
    CHECK_THAT(found.effects[1], near_to(0));
    CHECK_THAT(found.predicted(7, 3, 1), near_to(std::log(5e-6) + 0.2));
}

TEST_CASE("pairs that were not measured are left out", "[measure_pairs]") {
    Exact exact;
    for (int j = 0; j < 10; ++j)
        if (j != 2)
            exact.logs.at(2, j) = not_measured;
    exact.logs.at(0, 9) = not_measured;
    auto const found = fit(exact.logs, exact.classes, 2);
    CHECK(found.effects[2] == 0);
    CHECK(std::isnan(found.residuals.at(0, 9)));
    CHECK_THAT(found.residuals.at(0, 8), near_to(0));
}

TEST_CASE("a node's effect is known the better the more partners it was measured with", "[measure_pairs]") {
    Exact exact;
    CHECK(fit(exact.logs, exact.classes, 2).partners == 9);
    for (int j = 0; j < 10; ++j)
        if (j != 2)
            exact.logs.at(2, j) = not_measured;
    CHECK_THAT(fit(exact.logs, exact.classes, 2).partners, near_to(7.2));  // 36 pairs of 10
    // So many trials that only the screen limits what is found.
    Rules const rules{.sieve = 100000, .confirm = 100000};
    auto const smallest = [&](double partners) {
        return detectable(Fit{.effect_scale = 0.002, .partners = partners}, 0.05, 1, 1, rules).node;
    };
    CHECK(smallest(4) > 1.2 * smallest(15));
}

TEST_CASE("four nodes have no suspects", "[measure_pairs]") {
    PairTable<int> const classes(4, 0);
    PairTable<double> logs(4, 0.0);
    logs.at(0, 1) = 1;
    Seen const seen{&logs, &classes, fit(logs, classes, 1)};
    CHECK(screen({&seen, 1}, 0.05).empty());
}

TEST_CASE("suspects are those above threshold and noise, the largest first", "[measure_pairs]") {
    Exact exact;
    exact.logs.at(1, 3) += 0.3;
    exact.logs.at(6, 8) += 0.4;
    exact.logs.at(0, 9) += 0.04;  // below 5 %
    Seen const seen{&exact.logs, &exact.classes, fit(exact.logs, exact.classes, 2)};
    auto const suspects = screen({&seen, 1}, 0.05);
    REQUIRE(suspects.size() == 2);
    CHECK(suspects[0].kind == Kind::link);
    CHECK(pair_of(suspects[0].a, suspects[0].b) == Pair{6, 8});
    CHECK(pair_of(suspects[1].a, suspects[1].b) == Pair{1, 3});
    CHECK_THAT(suspects[1].effect, near_to(0.3));
}

TEST_CASE("what nobody measures again is suspected where scatter does not account for it", "[measure_pairs]") {
    PairsModel model{.nodes = 64, .noise = 0.06, .delays = 0, .repetitions = 1, .slow_links = {{2, 50}}, .slower = 0.5};
    int sound = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        test::ModelMachine machine{model, seed};
        auto const logs = machine.tournament();
        Seen const seen{&logs, &machine.classes(), fit(logs, machine.classes(), 2)};
        auto const suspects = screen({&seen, 1}, 0.05);
        auto const left = beyond_scatter({&seen, 1}, suspects, {});
        CHECK(suspects.size() > 5);  // 5 % is less than a standard deviation
        sound += static_cast<int>(left.size()) - 1;
        CHECK((left.at(0).a == 2 && left.at(0).b == 50));
    }
    CHECK(sound <= 2);
}

TEST_CASE("controls of a link are of its class and share one end each", "[measure_pairs]") {
    Exact exact;
    exact.logs.at(1, 3) += 0.3;
    Seen const seen{&exact.logs, &exact.classes, fit(exact.logs, exact.classes, 2)};
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

TEST_CASE("a slow direction is told from the other one, and a node that sends slowly from its links",
          "[measure_pairs]") {
    PairTable<int> const classes(10, 0);
    PairTable<double> ratios(10, 0.0);
    ratios.at(3, 1) = -0.3;  // from 3 to 1
    for (int j = 0; j < 10; ++j)
        if (j != 7)
            ratios.at(7, j) = j < 7 ? -0.2 : 0.2;  // from 7
    Seen const seen{&ratios, &classes, fit(ratios, classes, 1, Form::directed)};
    CHECK_THAT(seen.fit.effects[7], near_to(0.2));
    CHECK_THAT(directed(seen.fit.residuals, 3, 1), near_to(0.3));
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
    Seen const other{&ratios, &classes, fit(ratios, classes, 1, Form::directed)};
    CHECK(screen({&other, 1}, 0.05)[0].receives);
}

TEST_CASE("of directions there are hardly any false alarms, and one of 20 % is found", "[measure_pairs]") {
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
        Seen const seen{&ratios, &classes, fit(ratios, classes, 1, Form::directed)};
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

TEST_CASE("a slow group is told from the level of all pairs, whatever their share", "[measure_pairs]") {
    // Three groups of six; what leaves the first takes 1.5 times as long: 72 of 108 pairs between groups.
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
    // One member that is not slow is enough.
    auto odd = found;
    odd.effects[2] = 0;
    CHECK(slow_groups(odd, 0, group, 3, {}).empty());
    CHECK(slow_groups(found, 0, group, 3, {.alpha = 0.04}).empty());
    // Two quantities share alpha, for which six members are one too few.
    std::vector<Seen> const two(2, Seen{&logs, &classes, found});
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

TEST_CASE("of groups there are hardly any false alarms, and one of 20 % is found alone", "[measure_pairs]") {
    // Three groups of eight, each a class of its own.
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
            Seen const seen{&logs, &machine.classes(),
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

TEST_CASE("groups are lines of a host and its group", "[measure_pairs]") {
    auto const groups = groups_in("# racks\nh1 r1\n\nh2\tr2 # moved\n", "racks");
    CHECK(groups == std::map<std::string, std::string>{{"h1", "r1"}, {"h2", "r2"}});
    for (char const* const text : {"h1\n", "h1 r1 r2\n", "h1 r1\nh1 r2\n"})
        CHECK_THROWS_AS(groups_in(text, "racks"), program::ParseErrors);
}

TEST_CASE("what a delay made look slow falls to the sieve", "[measure_pairs]") {
    Exact exact;
    exact.logs.at(1, 3) += 0.3;
    Seen const seen{&exact.logs, &exact.classes, fit(exact.logs, exact.classes, 2)};
    auto const suspects = screen({&seen, 1}, 0.05);
    auto const verdict = confirm({&seen, 1}, suspects, {}, [&](std::span<Trial const> asked) {
        return std::vector<Outcome>(asked.size(), Outcome{std::log(1e-6), {std::log(1e-6), std::log(1e-6)}});
    });
    CHECK(verdict.screened == 1);
    CHECK(verdict.sieved == 0);
    CHECK(verdict.findings.empty());
}

TEST_CASE("trials that failed are no evidence", "[measure_pairs]") {
    Exact exact;
    exact.logs.at(1, 3) += 0.3;
    Seen const seen{&exact.logs, &exact.classes, fit(exact.logs, exact.classes, 2)};
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
    // 32 remain: 32 / 1e-6 is 2^24.93, so 25 + 4.
    CHECK(result.verdict.sieved == 32);
    CHECK(result.verdict.confirm == 29);
}

TEST_CASE("without a fault there are hardly any alarms", "[measure_pairs]") {
    CHECK(run_models({}, 100).alarms <= 5);
    CHECK(run_models({.nodes = 64}, 20).alarms <= 1);
    CHECK(run_models({.nodes = 16, .missing = 0.3}, 50).alarms <= 2);
    CHECK(run_models({.nodes = 12, .noise = 0, .delays = 0, .node_spread = 0}, 5).alarms == 0);
}

// Run by their tags, with the slow tests. Of 100 runs of 256 nodes, which take minutes, none had an alarm, and 97 found
// the link.
TEST_CASE("with heavy delays of 256 nodes there are hardly any alarms, and a link of 20 % is found", "[.pairs_large]") {
    PairsModel model{.nodes = 256, .delays = 0.05};
    CHECK(run_models(model, 100).alarms <= 5);
    model.slow_links = {{2, 99}};
    model.slower = 0.2;
    CHECK(run_models(model, 100).found >= 88);
}

TEST_CASE("of 64 nodes a link or a node of 20 % is found at a noise of 5 %, and nothing beside it", "[.pairs_slow]") {
    PairsModel model{.nodes = 64, .slower = 0.2};
    SECTION("a link") { model.slow_links = {{2, 40}}; }
    SECTION("a node") { model.slow_nodes = {5}; }
    auto const counts = run_models(model, 100);
    CHECK(counts.found >= 99);
    CHECK(counts.alarms <= 2);
}

TEST_CASE("seven rounds of 64 nodes find a node of 20 %", "[.pairs_slow]") {
    auto const counts = run_models({.nodes = 64, .rounds = 7, .slow_nodes = {5}, .slower = 0.2}, 100);
    CHECK(counts.found >= 95);
    CHECK(counts.alarms <= 2);
}

TEST_CASE("in some rounds of a tournament each node has as many partners", "[measure_pairs]") {
    PairsModel const model{.nodes = 16, .rounds = 3};
    CHECK(test::run_model(model, 1).fit.partners == 3);
}

TEST_CASE("without a fault 500 runs have alarms in 5 % at most", "[.pairs_slow]") {
    CHECK(run_models({}, 500).alarms <= 25);
    CHECK(run_models({.nodes = 64}, 500).alarms <= 25);
}

TEST_CASE("a link or a node of 20 % is found at a noise of 5 %, and nothing beside it", "[measure_pairs]") {
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

TEST_CASE("a link of 10 % is found at a noise of 2 %", "[measure_pairs]") {
    CHECK(run_models({.noise = 0.02, .slow_links = {{2, 9}}, .slower = 0.1}, 100).found >= 98);
}

TEST_CASE("what is below the threshold is not found", "[measure_pairs]") {
    CHECK(run_models({.noise = 0.02, .slow_links = {{2, 9}}, .slower = 0.04}, 100).found <= 5);
    CHECK(run_models({.noise = 0.02, .slow_nodes = {5}, .slower = 0.04}, 100).found <= 5);
}

TEST_CASE("what would have been found is found", "[measure_pairs]") {
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

TEST_CASE("repetitions and trials follow from the noise of the first repetition", "[measure_pairs]") {
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
    // The sieve has nine trials, whatever the repetitions.
    CHECK(hard.reach.node > 0.15);
    auto const hopeless = effort(0.06, 5);
    CHECK(hopeless.repetitions == 5);
    CHECK(hopeless.reach.link > 0.06);
    // What it promises holds.
    model.noise = 0.05;
    auto const chosen = effort(0.15, 100);
    REQUIRE(chosen.reach.link <= 0.15);
    model.repetitions = static_cast<std::size_t>(chosen.repetitions);
    model.slow_links = {{2, 9}};
    model.slower = 0.15;
    CHECK(run_models(model, 100, {.confirm = chosen.confirm}).found >= 95);
}

TEST_CASE("the class of a pair is the closest part that both have for certain", "[measure_pairs]") {
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
    // Where a rank may run anywhere, only the host is known.
    CHECK(class_of({.host = "n1"}, {.host = "n1"}) == PairClass::host);
    Place const alone{.host = "n1"};
    CHECK(all_unpacked(packed(a) + '\n' + packed(alone) + '\n') == std::vector{a, alone});
}

TEST_CASE("a place is what all processing units of a rank have in common", "[measure_pairs]") {
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
    measure_tool::doctor::Tree const tree{folder.path().string()};
    CHECK(place_on(tree, "n", std::vector{0, 1}) == Place{"n", 0, 0, 0, 0});
    CHECK(place_on(tree, "n", std::vector{2, 3}) == Place{"n", std::nullopt, 2, 0, 1});
    CHECK(place_on(tree, "n", std::vector{1, 2}) == Place{"n", std::nullopt, std::nullopt, 0, std::nullopt});
    CHECK(place_on(tree, "n", std::vector<int>{}) == Place{"n", {}, {}, {}, {}});
    CHECK(place_on(tree, "n", std::vector{9}) == Place{"n", {}, {}, {}, {}});
}

namespace {

/// Three nodes, two repetitions: latencies 1, 2, 3 us, and twice as long in the second repetition.
Result small_result() {
    Result result;
    result.options.repetitions = 2;
    for (int i = 0; i < 3; ++i)
        result.nodes.push_back(
            {.rank = 2 * i, .place = {.host = "h" + std::to_string(i)}, .name = "h" + std::to_string(i)});
    result.classes = PairTable<int>(3, static_cast<int>(PairClass::hosts));
    result.planned = 3;
    result.rounds = 3;
    result.untested = "fewer than 5 nodes";
    auto& tournament = result.tournaments.emplace_back(Tournament{Mode::hosts, PairTable<PairValues>(3)});
    double latency = 0;
    for (auto const& [i, j] : std::vector<Pair>{{0, 1}, {0, 2}, {1, 2}}) {
        latency += 1e-6;
        tournament.values.at(i, j) = {{latency, 2 * latency}, {1e-9, 1e-9}, {3e-9, 3e-9}};
    }
    for (auto const quantity : {Metric::latency, Metric::bandwidth})
        result.judged.push_back(judge(result, quantity, {}));
    return result;
}

std::vector<measure::Record> records_of(Result const& result) {
    std::vector<measure::Record> points;
    each_record(result, [&](measure::Record const& record) { points.push_back(record); });
    return points;
}

std::string csv_of(Result const& result) {
    std::ostringstream out;
    write_csv(out, result);
    return out.str();
}

std::vector<KnownPair> known(Result const& result) { return known_pairs(csv_of(result), "pairs.csv"); }

}  // namespace

TEST_CASE("values of a pair, by hand", "[measure_pairs]") {
    auto const result = small_result();
    auto const& tournament = result.tournaments.front();
    CHECK_THAT(tournament.time(Metric::latency, 0, 2) * 1e6, near_to(3));  // median of 2 and 4
    CHECK_THAT(tournament.one_way(Metric::bandwidth, 0, 1) * 1e9, near_to(1));
    CHECK_THAT(tournament.one_way(Metric::bandwidth, 1, 0) * 1e9, near_to(3));
    CHECK_THAT(tournament.time(Metric::bandwidth, 1, 0) * 1e9, near_to(2));
    CHECK(result.measured() == 3);
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

TEST_CASE("of many nodes the record has a point for each pair where it is asked for", "[measure_pairs]") {
    Result result;
    result.options.what = What::latency;
    result.options.repetitions = 1;
    for (std::size_t const nodes : {most_nodes_of_points, most_nodes_of_points + 1}) {
        int const n = static_cast<int>(nodes);
        result.nodes.assign(nodes, Node{.place = {.host = "h"}, .name = "h"});
        result.classes = PairTable<int>(n, static_cast<int>(PairClass::host));
        result.tournaments.clear();
        result.tournaments.push_back({Mode::hosts, PairTable<PairValues>(n)});
        result.tournaments.front().values.at(0, 1).latency = {1e-6};
        bool const is_small = nodes == most_nodes_of_points;
        result.options.all = false;
        CHECK(records_of(result).size() == (is_small ? 1U : 0U));
        CHECK((measure::json_line(summary_of(result)).find("left out: more than 128") == std::string::npos) ==
              is_small);
        result.options.all = true;
        CHECK(records_of(result).size() == 1);
        CHECK(measure::json_line(summary_of(result)).find("left out") == std::string::npos);
    }
}

TEST_CASE("a pair with fewer repetitions than asked for says what stopped it", "[measure_pairs]") {
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

TEST_CASE("what rank 0 holds grows with the square of the nodes, and with what is measured of their pairs",
          "[measure_pairs]") {
    auto const result = small_result();
    auto const needs = [&](std::size_t nodes, std::size_t rounds, std::size_t tournaments = 1) {
        return memory_of(nodes, rounds * (nodes / 2), tournaments, result);
    };
    CHECK(needs(2000, 1999) / needs(1000, 999) > 3.9);
    CHECK(needs(2000, 1999, 2) > 1.5 * needs(2000, 1999));
    // Values of a pair that nobody measures take no memory, but their places do.
    CHECK(needs(2000, 10) < 0.7 * needs(2000, 1999));
    CHECK(needs(100000, 10) > 5e9 * sizeof(PairValues));
}

TEST_CASE("a reference has the times of its run, whatever the ranks are now", "[measure_pairs]") {
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

TEST_CASE("a reference that does not fit is refused", "[measure_pairs]") {
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

TEST_CASE("what has become slower since the reference is compared with itself", "[measure_pairs]") {
    auto result = small_result();
    auto const before = reference_logs(known(result), Metric::latency, Mode::hosts, result.nodes, {});
    result.tournaments.front().values.at(0, 1).latency = {2e-6, 4e-6};
    auto const judged = judge(result, Metric::latency, before);
    CHECK_THAT(judged.logs.at(0, 1), near_to(std::log(2)));
    CHECK_THAT(judged.logs.at(0, 2), near_to(0));
}

namespace {

/// Latencies of six hosts, all of them 2 us, measured three times.
Result even_result() {
    Result result;
    result.options.what = What::latency;
    result.options.repetitions = 3;
    for (int i = 0; i < 6; ++i)
        result.nodes.push_back({.rank = i, .place = {.host = "h" + std::to_string(i)}});
    name_nodes(result.nodes);
    result.classes = PairTable<int>(6, static_cast<int>(PairClass::hosts));
    result.tournaments.push_back({Mode::hosts, PairTable<PairValues>(6, {.latency = {2e-6, 2e-6, 2e-6}})});
    return result;
}

/// Latencies of hosts, of which one measurement has a noise of 5 %.
Result noisy_result(std::size_t repetitions, int nodes = 16, unsigned seed = 1) {
    std::mt19937_64 random{seed};
    std::normal_distribution<double> normal{std::log(2e-6), 0.05};
    Result result;
    result.options.what = What::latency;
    result.options.repetitions = static_cast<int>(repetitions);
    for (int i = 0; i < nodes; ++i)
        result.nodes.push_back({.rank = i, .place = {.host = "node" + std::to_string(i)}});
    name_nodes(result.nodes);
    result.classes = PairTable<int>(nodes, static_cast<int>(PairClass::hosts));
    result.tournaments.push_back({Mode::hosts, PairTable<PairValues>(nodes)});
    for (int i = 0; i < nodes; ++i)
        for (int j = i + 1; j < nodes; ++j) {
            auto& latency = result.tournaments.front().values.at(i, j).latency;
            latency.resize(repetitions);
            std::generate(latency.begin(), latency.end(), [&] { return std::exp(normal(random)); });
        }
    return result;
}

/// Eight ranks bound to two sockets of four cores. \param time  of a pair, once for each repetition
template <class Time>
Result two_sockets(std::size_t repetitions, Time time) {
    Result result;
    result.options.what = What::latency;
    for (int i = 0; i < 8; ++i)
        result.nodes.push_back({.rank = i, .place = {.host = "h", .core = i, .node = i / 4, .socket = i / 4}});
    name_nodes(result.nodes);
    result.classes = PairTable<int>(8);
    result.tournaments.push_back({Mode::hosts, PairTable<PairValues>(8)});
    for (int i = 0; i < 8; ++i)
        for (int j = i + 1; j < 8; ++j) {
            auto& latency = result.tournaments.front().values.at(i, j).latency;
            latency.resize(repetitions);
            std::generate(latency.begin(), latency.end(), [&] { return time(i, j); });
            result.classes.at(i, j) =
                static_cast<int>(class_of(result.nodes[index(i)].place, result.nodes[index(j)].place));
        }
    result.judged.push_back(judge(result, Metric::latency, {}));
    return result;
}

/// Of two sockets, `elsewhere` on the other one than it is bound to; -1 for nobody.
double two_sockets_time(int i, int j, int elsewhere) {
    auto const socket = [&](int node) { return (node / 4 + (node == elsewhere ? 1 : 0)) % 2; };
    return socket(i) == socket(j) ? 1e-6 : 2e-6;
}

}  // namespace

TEST_CASE("of one or two repetitions what scatters between pairs is the noise", "[measure_pairs]") {
    for (std::size_t const repetitions : {std::size_t{1}, std::size_t{2}, std::size_t{7}}) {
        auto const judged = judge(noisy_result(repetitions), Metric::latency, {});
        CHECK(judged.noise > 0.03);
        CHECK(judged.noise < 0.08);
        auto const smallest = detectable(judged.fit, judged.noise, static_cast<int>(repetitions), 1, {});
        CHECK(smallest.node > 0.1);
        CHECK((repetitions > 2 || smallest.link > 0.13));
    }
    // Of few nodes a polish takes much of it.
    for (int const nodes : {6, 9, 24}) {
        std::vector<double> noises;
        for (unsigned seed = 1; seed <= 41; ++seed)
            noises.push_back(judge(noisy_result(1, nodes, seed), Metric::latency, {}).noise);
        CHECK(measure::median(noises) > 0.04);
        CHECK(measure::median(noises) < 0.06);
    }
    // Of three nodes neither tells anything.
    auto few = even_result();
    few.nodes.resize(3);
    few.classes = PairTable<int>(3, static_cast<int>(PairClass::hosts));
    few.tournaments.front().values = PairTable<PairValues>(3, {.latency = {2e-6, 2e-6}});
    CHECK(std::isnan(judge(few, Metric::latency, {}).noise));
}

TEST_CASE("a rank that runs on another socket than it is bound to is told", "[measure_pairs]") {
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
    CHECK(
        notes_of(result)[0].starts_with("rank 2: behaves as beside rank 4 on socket 1, its binding says socket 0, p "));
    CHECK_FALSE(result.has_finding());
    // As what they are, its pairs are like the others.
    move(suspects[0], result.classes);
    result.judged[0] = judge(result, Metric::latency, {});
    CHECK(screen(seen_of(result), 0.05).empty());
    CHECK(displaced(result, 0).empty());
}

TEST_CASE("of bindings there are hardly any false alarms at a noise of 5 %", "[measure_pairs]") {
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
    CHECK(binding_notes(result).empty());  // a host each
    result.nodes[1].place = {.host = "h0", .core = 3};
    result.nodes[0].place.core = 3;
    result.nodes[4].migrated = true;
    CHECK(binding_notes(result) ==
          std::vector<std::string>{"h0 and h1 are bound to one core",
                                   "4 of 6 ranks are not bound to a core, 1 moved while measuring"});
    CHECK(csv_of(result).find(",migrated,") != std::string::npos);
    CHECK_FALSE(records_of(result)[0].has_flag("migrated"));
}

TEST_CASE("what a slow direction explains of its link is no finding beside it", "[measure_pairs]") {
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
    // Slower both ways as well.
    findings = {finding(Kind::node, 0, 4, 4, 0.25), finding(Kind::node, 1, 4, 4, 0.3)};
    leave_to_directions(result, findings);
    CHECK(findings.size() == 2);
    // Nothing is taken away for what was not confirmed.
    findings = {finding(Kind::node, 0, 4, 4, 0.15), finding(Kind::node, 1, 4, 4, 0.3)};
    findings[1].confirmed = false;
    leave_to_directions(result, findings);
    CHECK(findings.size() == 2);
}

TEST_CASE("two runs are compared without a new one, and nothing is confirmed", "[measure_pairs]") {
    auto const before = known(even_result());
    auto later = even_result();
    later.tournaments.front().values.at(1, 4).latency = {3e-6, 3e-6, 3e-6};
    auto const result = compared(before, known(later), {.what = What::latency});
    REQUIRE(result.verdict.findings.size() == 1);
    CHECK(pair_of(result.verdict.findings[0].suspect.a, result.verdict.findings[0].suspect.b) == Pair{1, 4});
    CHECK_THAT(result.verdict.findings[0].effect, near_to(0.5));
    CHECK_FALSE(result.has_finding());
    auto const text = text_of(result);
    CHECK(text.starts_with("suspect  link h1 - h4: latency 50 % slower than in the reference\npairs    Two runs"));
    CHECK(outcome_text(result).find("15 pairs of 6 nodes. 1 suspected, none") != std::string::npos);
    CHECK(records_of(result).empty());
    // The page has the suspect too, and its map the changes.
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
    CHECK(compared(before, known(later), {.what = What::latency}).untested.starts_with("more ranks than cores"));
}

TEST_CASE("a run that was cut between the directions of a pair is compared without them", "[measure_pairs]") {
    auto const before = known(small_result());
    auto cut = before;
    cut.pop_back();  // from the last node to the one before
    auto const result = compared(before, cut, {});
    REQUIRE(result.judged.size() == 3);
    CHECK_THAT(result.judged[2].logs.at(0, 1), near_to(0));
    CHECK(std::isnan(result.judged[2].logs.at(1, 2)));
    CHECK(text_of(result).find("Two runs are compared") != std::string::npos);
}

TEST_CASE("a row of a matrix has the medians of its node's pairs, as float32", "[measure_pairs]") {
    auto const result = small_result();
    Row row{Mode::hosts, std::vector<PairValues>(3)};
    row.values[0] = result.tournaments.front().values.at(0, 1);
    CHECK(matrix_head(result, {&row, 1}) ==
          "{\"format\":\"measure pairs matrix\",\"version\":1,\"type\":\"float32\",\"order\":\"little-endian\","
          "\"nodes\":3,\"names\":[\"h0\",\"h1\",\"h2\"],\"matrices\":[{\"mode\":\"hosts\",\"quantity\":\"latency\","
          "\"unit\":\"s\"},{\"mode\":\"hosts\",\"quantity\":\"bandwidth\",\"unit\":\"B/s\"}]}\n");
    auto const bytes = row_bytes(result, 1, {&row, 1});
    REQUIRE(bytes.size() == 2);
    auto const value = [&](std::size_t matrix, std::size_t column) {
        std::uint32_t bits = 0;
        for (std::size_t k = 4; k-- > 0;)
            bits = bits << 8U | static_cast<unsigned char>(bytes[matrix].at(4 * column + k));
        return static_cast<double>(std::bit_cast<float>(bits));
    };
    CHECK(bytes[0].size() == 12);
    CHECK_THAT(value(0, 0) * 1e6, near_to(1.5));
    CHECK_THAT(value(1, 0) / 1e9, near_to(1 / 3.0));  // from 1 to 0
    CHECK(std::isnan(value(0, 1)));
}

TEST_CASE("a table that is none is refused with its line", "[measure_pairs]") {
    auto const table = csv_of(small_result());
    CHECK(known_pairs(table, "f").size() == 9);
    for (auto const& [from, to] : std::vector<std::pair<std::string, std::string>>{{",latency,", ",speed,"},
                                                                                   {",hosts,", ",both,"},
                                                                                   {",1.5e-06,", ",-1,"},
                                                                                   {",s,", ",s,s,"},
                                                                                   {",s,2,", ",s,1001,"},
                                                                                   {",quantity,", ",what,"},
                                                                                   {",n,", ",times,"},
                                                                                   {"\n0,2,h0,h1,", "\n2,2,h1,h1,"}}) {
        auto odd = table;
        odd.replace(odd.find(from), from.size(), to);
        CHECK_THROWS_AS(known_pairs(odd, "f"), program::ParseErrors);
    }
    CHECK_THROWS_AS(known_pairs(table.substr(0, table.find('\n') + 1), "f"), measure::UsageError);
}

TEST_CASE("a record of a rank with itself is refused", "[measure_pairs]") {
    auto points = records_of(small_result());
    auto const text = [&] {
        std::string all = R"({"record":"run","schema":2,"suite":"measure","program":"measure pairs"})"
                          "\n";
        for (auto const& point : points)
            all += measure::json_line(point) + "\n";
        return all;
    };
    CHECK(known_pairs(text(), "f").size() == 9);
    points[0].at.set("to", std::int64_t{0}).set("host_to", std::string{"h0"});
    CHECK_THROWS_AS(known_pairs(text(), "f"), measure::UsageError);
}

namespace {

/// The page of so many nodes, with latencies, bandwidths and a slow link.
std::string page_of_nodes(int nodes) {
    auto result = noisy_result(1, nodes);
    result.options.what = What::both;
    auto& values = result.tournaments.front().values;
    for (int i = 0; i < nodes; ++i)
        for (int j = i + 1; j < nodes; ++j)
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

TEST_CASE("a page of many nodes is small and has findings before its maps", "[measure_pairs]") {
    for (int const nodes : {64, 128, 160})
        check_page(nodes);
}

TEST_CASE("a page of a thousand nodes is small and has findings before its maps", "[.pairs_slow]") { check_page(1024); }

TEST_CASE("the map of many nodes fits 80 columns, and a cell is the worst of its pairs", "[measure_pairs]") {
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
        CHECK(std::count(text.begin(), text.end(), '!') == 3);  // what it means, and either way
        CHECK((text.find("cell is up to") != std::string::npos) == (together > 1));
        auto const map = text.substr(text.find("? not measured\n"));
        CHECK(std::count(map.begin(), map.end(), '\n') == 1 + (nodes + together - 1) / together);
    }
}

TEST_CASE("a text of findings begins with them and fits 80 columns", "[measure_pairs]") {
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
        text.starts_with("warning  no answer: h0 - h1, twice within 10 s; the pair rested from then on\n"
                         "warning  data from h0 to h2 arrive changed: byte 17 was the first, in 3\n         exchanges\n"
                         "warning  link h1 - h2: latency 23 % slower than its like (17 .. 29), p 0.0004\n"));
    std::size_t widest = 0;
    for (auto const& line : program::split(text, '\n'))
        widest = std::max(widest, line.size());
    CHECK(widest <= 80);
    CHECK(page::html_text(page_of(result)).find("<svg class=\"heat\"") != std::string::npos);
}

}  // namespace measure_tool::pairs
