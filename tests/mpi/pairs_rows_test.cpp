// SPDX-License-Identifier: BSD-3-Clause
/// Results of `measure pairs` whose rows are distributed over ranks.
#include "pairs/binding.hpp"
#include "pairs/groups.hpp"
#include "pairs/report.hpp"
#include "pairs/result.hpp"
#include "pairs/shown.hpp"
#include "pairs/suspects.hpp"
#include "pairs/together.hpp"
#include "support/catch.hpp"

#include <measure/comm.hpp>
#include <measure/statistics.hpp>

#include <mpi.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace measure::tool::pairs {

namespace {

constexpr int nodes = 23;

/// The rows of a rank; with more than two ranks the last one has none.
Share share_of(int rank, int ranks) {
    int const owners = ranks > 2 ? ranks - 1 : ranks;
    int const first = std::min(rank, owners) * nodes / owners;
    return {nodes, first, std::min(rank + 1, owners) * nodes / owners - first};
}

/// A measured result, as far as a process has it: three groups of hosts, two sockets on the first host, a slow link, a
/// slow node, a rank on another socket, and pairs that were not measured. \param owners  [node] its rank
Result run(Share const& share, std::vector<int> const& owners) {
    Result result;
    result.options.repetitions = 5;
    result.options.all = true;
    result.groups = {"g0", "g1", "g2"};
    for (int i = 0; i < nodes; ++i) {
        bool const is_first = i < 12;
        auto const host = is_first ? std::string{"h"} : "h" + std::to_string(i);
        result.group.push_back(is_first ? 0 : 1 + i % 2);
        result.nodes.push_back({.rank = owners[index(i)],
                                .place = {.host = host, .group = result.groups[index(result.group.back())]},
                                .name = "n" + std::to_string(i)});
        if (is_first)
            result.nodes.back().place.socket = i / 6;
    }
    std::mt19937_64 random{1};
    std::normal_distribution<double> normal{0, 0.03};
    for (auto const mode : {Mode::hosts, Mode::loaded}) {
        auto& rows = result.tournaments.emplace_back(Tournament{mode, Rows<PairValues>{share}}).values;
        for (int i = 0; i < nodes; ++i)
            for (int j = i + 1; j < nodes; ++j) {
                double const far = j >= 12 ? 5 : (i / 6 == j / 6) != (i == 2 || j == 2) ? 1 : 2;
                double const slow = far * (i == 7 || j == 7 ? 1.3 : 1) * (i == 3 && j == 20 ? 1.5 : 1);
                PairValues values;
                for (int repetition = 0; repetition < 5; ++repetition) {
                    values.latency.push_back(1e-6 * slow * std::exp(normal(random)));
                    values.up.push_back(1e-9 * slow * std::exp(normal(random)));
                    values.down.push_back(1e-9 * slow * std::exp(normal(random)));
                }
                if ((i + j) % 11 == 0)
                    values = {};
                if (share.has(i))
                    rows.at(i, j) = values;
                if (share.has(j))
                    rows.at(j, i) = values;
            }
    }
    return result;
}

struct Said {
    std::vector<Suspect> bindings{};
    std::vector<Suspect> suspects{};
    std::string csv{};
};

/// Runs all collective steps. \param reference  reference values of the latency
Said judged(measure::Comm const& comm, Result& result) {
    Said said;
    for (auto const quantity : result.wanted()) {
        // The reference is not the same for all pairs.
        Rows<double> reference{result.tournaments.front().values.share(), 0.0};
        reference.for_each_way([&](int i, int j, double) {
            auto const pair = pair_of(i, j);
            double const y = 0.001 * pair.first - 0.002 * pair.second;
            reference.at(i, j) = quantity == Metric::direction && j < i ? -y : y;
        });
        result.judged.push_back(judge(comm, result, quantity, reference));
        if (quantity != Metric::direction)
            result.judged.back().loaded = loaded_ratios(comm, result, quantity);
    }
    said.bindings = displaced(comm, result, 0);
    move_pairs(comm, said.bindings, result);
    said.suspects = screen(comm, seen_of(result), 0.05);
    count_measured(comm, result);
    show_rows(comm, result, [&](RowOf const& rows) {
        std::ostringstream csv;
        write_csv(csv, result, rows);
        said.csv = csv.str() + text_of(result, rows);
    });
    return said;
}

void append(std::vector<double>& all, std::vector<double> const& more) {
    all.insert(all.end(), more.begin(), more.end());
}

/// The bits of everything that all processes know.
std::vector<std::uint64_t> bits(Judged const& judged) {
    auto const& fit = judged.fit;
    std::vector<double> all{fit.effect_scale, fit.partners, judged.noise};
    append(all, fit.levels);
    append(all, fit.effects);
    append(all, fit.scales);
    append(all, {judged.loaded.begin(), judged.loaded.end()});
    for (auto const& times : judged.times)
        append(all, {static_cast<double>(times.pairs), times.median, times.quickest, times.slowest});
    std::vector<std::uint64_t> found;
    for (double const x : all)
        found.push_back(std::isnan(x) ? 0 : std::bit_cast<std::uint64_t>(x));
    return found;
}

std::vector<std::vector<double>> plain(std::vector<Suspect> const& suspects) {
    std::vector<std::vector<double>> all;
    for (auto const& suspect : suspects) {
        auto& one = all.emplace_back();
        append(one, {static_cast<double>(suspect.kind), static_cast<double>(suspect.quantity),
                     static_cast<double>(suspect.a), static_cast<double>(suspect.b), suspect.effect});
        for (auto const& pair : suspect.moved)
            append(one, {static_cast<double>(pair.node), static_cast<double>(pair.of_class)});
    }
    return all;
}

}  // namespace

TEST_CASE("rows distributed over ranks give bit for bit the result of one process that has all rows", "[pairs_rows]") {
    measure::Comm const world{MPI_COMM_WORLD};
    std::vector<int> owners(nodes);
    for (int rank = 0; rank < world.size(); ++rank)
        for (int i = 0; i < nodes; ++i)
            if (share_of(rank, world.size()).has(i))
                owners[index(i)] = rank;
    auto spread = run(share_of(world.rank(), world.size()), owners);
    auto const said = judged(world, spread);
    auto whole = run(Share::all(nodes), owners);
    for (auto& node : whole.nodes)
        node.rank = 0;
    auto expected = judged(measure::Comm::solo(), whole);
    REQUIRE(spread.judged.size() == 3);
    for (std::size_t quantity = 0; quantity < 3; ++quantity) {
        CHECK(bits(spread.judged[quantity]) == bits(whole.judged[quantity]));
        auto const& all = whole.judged[quantity].fit.residuals;
        bool are_alike = true;
        spread.judged[quantity].fit.residuals.for_each_way([&](int i, int j, double residual) {
            are_alike = are_alike && (residual == all.at(i, j) || (std::isnan(residual) && std::isnan(all.at(i, j))));
        });
        CHECK(are_alike);
    }
    CHECK(spread.measured == whole.measured);
    CHECK(spread.moved == whole.moved);
    if (!world.is_root())
        return;
    REQUIRE(expected.bindings.size() == 1);
    CHECK(plain(said.bindings) == plain(expected.bindings));
    CHECK(expected.suspects.size() >= 2);
    CHECK(plain(said.suspects) == plain(expected.suspects));
    // Except the ranks, which differ.
    for (auto& node : whole.nodes)
        node.rank = owners[index(static_cast<int>(&node - whole.nodes.data()))];
    std::ostringstream csv;
    write_csv(csv, whole, own_rows(whole));
    CHECK(said.csv == csv.str() + text_of(whole, own_rows(whole)));
}

TEST_CASE("the root gets the largest slow links up to its limit, and the first of equal ones", "[pairs_rows]") {
    measure::Comm const world{MPI_COMM_WORLD};
    auto const effect = [](int i, int j) { return 0.1 * ((7 * i + 5 * j) % 4); };
    Seen seen{[](int, int) { return 0; },
              {.levels = {0},
               .effects = std::vector<double>(nodes),
               .scales = {0.01},
               .effect_scale = 0.01,
               .residuals = Rows<double>{share_of(world.rank(), world.size())}}};
    auto& residuals = seen.fit.residuals;
    std::vector<Suspect> all;
    for (int i = 0; i < nodes; ++i)
        for (int j = i + 1; j < nodes; ++j) {
            if (residuals.share().has(i))
                residuals.at(i, j) = effect(i, j);
            if (effect(i, j) > 0.05)
                all.push_back({.a = i, .b = j, .effect = effect(i, j)});
        }
    auto const found = screen(world, {&seen, 1}, 0.05);
    std::stable_sort(all.begin(), all.end(), [](auto const& x, auto const& y) { return x.effect > y.effect; });
    REQUIRE(all.size() > index(nodes));
    all.resize(index(nodes));
    CHECK((!world.is_root() || plain(found) == plain(all)));
}

TEST_CASE("quantiles and sums over ranks", "[pairs_rows]") {
    measure::Comm const world{MPI_COMM_WORLD};
    std::mt19937_64 random{7};
    std::normal_distribution<double> normal;
    std::vector<std::vector<double>> all(3);
    std::vector<std::vector<double>> mine(3);
    for (std::size_t k = 0; k < 500; ++k)
        for (std::size_t set = 0; set < 2; ++set) {
            // The second set has many equal values.
            double const x = set == 0 ? normal(random) : std::round(normal(random));
            all[set].push_back(x);
            if (k % static_cast<std::size_t>(world.size()) == static_cast<std::size_t>(world.rank()))
                mine[set].push_back(x);
        }
    std::vector<double> const ps{0, 0.05, 0.5, 0.95, 1};
    auto const found = quantiles(world, mine, ps);
    std::vector<double> ranks(static_cast<std::size_t>(world.size()));
    ranks[static_cast<std::size_t>(world.rank())] = world.rank() + 1;
    sum(world, ranks);
    auto const collected = collect(world, std::vector<int>(static_cast<std::size_t>(world.rank()), world.rank()));
    for (std::size_t set = 0; set < 2; ++set)
        for (std::size_t p = 0; p < ps.size(); ++p)
            CHECK(found[set][p] == measure::quantile(all[set], ps[p]));
    CHECK(std::isnan(found[2][0]));
    std::vector<int> expected;
    for (int rank = 0; rank < world.size(); ++rank) {
        CHECK(ranks[static_cast<std::size_t>(rank)] == rank + 1);
        expected.insert(expected.end(), static_cast<std::size_t>(rank), rank);
    }
    CHECK(collected == (world.is_root() ? expected : std::vector<int>{}));
}

}  // namespace measure::tool::pairs
