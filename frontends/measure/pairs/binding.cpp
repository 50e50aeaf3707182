// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/binding.hpp"

#include "pairs/together.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

namespace measure::tool::pairs {

namespace {

constexpr std::size_t fewest_pairs = 5;

/// Pairs of `node` that would have another class if it were next to `other`.
std::vector<Moved> moved_beside(Result const& result, int node, int other) {
    auto place = result.nodes[index(other)].place;
    place.core.reset();
    std::vector<Moved> moved;
    for (int j = 0; j < static_cast<int>(result.nodes.size()); ++j) {
        if (j == node || result.nodes[index(j)].place.host != place.host)
            continue;
        int const there = static_cast<int>(class_of(place, result.nodes[index(j)].place));
        if (there != result.pair_class(node, j))
            moved.push_back({j, there});
    }
    return moved;
}

/// How much better the times of a node fit these classes, as a sum of logarithms. Empty unless most of at least five
/// pairs fit better. \param moved  reduced to the pairs whose two classes differ measurably
std::optional<double> gain(Result const& result, Judged const& judged, int node, std::vector<Moved>& moved) {
    std::size_t nearer = 0;
    double sum = 0;
    std::erase_if(moved, [&](Moved const& pair) {
        double const y = judged.logs.at(node, pair.node) - judged.fit.effects[index(pair.node)];
        double const here = judged.fit.levels[index(result.pair_class(node, pair.node))];
        double const there = judged.fit.levels[index(pair.of_class)];
        // NaN: not measured, or a class without other pairs.
        if (std::isnan(y) || !(std::abs(here - there) > std::log1p(result.options.rules.threshold)))
            return true;
        double const better = std::abs(y - here) - std::abs(y - there);
        nearer += better > 0 ? 1U : 0U;
        sum += better;
        return false;
    });
    return moved.size() >= fewest_pairs && 2 * nearer > moved.size() ? std::optional{sum} : std::nullopt;
}

/// A pair of a suspect, in the form in which it is sent.
struct MovedPair {
    int node = 0;
    int beside = 0;
    Moved pair{};
};

std::vector<MovedPair> flat(std::vector<Suspect> const& suspects) {
    std::vector<MovedPair> pairs;
    for (auto const& suspect : suspects)
        for (auto const& pair : suspect.moved)
            pairs.push_back({suspect.a, suspect.b, pair});
    return pairs;
}

}  // namespace

std::vector<Suspect> displaced(measure::Comm const& comm, Result const& result, std::size_t quantity) {
    auto const& judged = result.judged[quantity];
    int const n = static_cast<int>(result.nodes.size());
    std::vector<Suspect> mine;
    for (int i = 0; i < n; ++i) {
        if (!judged.logs.share().has(i))
            continue;
        double best = 0;
        Suspect suspect{.kind = Kind::binding, .quantity = quantity, .a = i};
        for (int k = 0; k < n; ++k) {
            if (k == i || result.nodes[index(k)].place.host != result.nodes[index(i)].place.host)
                continue;
            auto moved = moved_beside(result, i, k);
            if (auto const better = gain(result, judged, i, moved); better && *better > best) {
                best = *better;
                suspect.b = k;
                suspect.moved = std::move(moved);
            }
        }
        if (!suspect.moved.empty())
            mine.push_back(std::move(suspect));
    }
    std::vector<Suspect> suspects;
    for (auto const& [node, beside, pair] : collect(comm, flat(mine))) {
        if (suspects.empty() || suspects.back().a != node)
            suspects.push_back({.kind = Kind::binding, .quantity = quantity, .a = node, .b = beside});
        suspects.back().moved.push_back(pair);
    }
    return suspects;
}

void move_pairs(measure::Comm const& comm, std::vector<Suspect> const& suspects, Result& result) {
    auto pairs = flat(suspects);
    comm.broadcast(pairs);
    for (auto const& [node, beside, pair] : pairs)
        result.moved[pair_of(node, pair.node)] = pair.of_class;
}

std::vector<std::string> binding_notes(Result const& result) {
    std::vector<std::string> notes;
    int const n = static_cast<int>(result.nodes.size());
    std::size_t unbound = 0;
    std::size_t moved = 0;
    bool shares_host = false;
    for (int i = 0; i < n; ++i) {
        auto const& node = result.nodes[index(i)];
        unbound += node.place.core ? 0U : 1U;
        moved += node.migrated ? 1U : 0U;
        for (int j = i + 1; j < n; ++j) {
            auto const& place = result.nodes[index(j)].place;
            shares_host = shares_host || node.place.host == place.host;
            if (class_of(node.place, place) == PairClass::core)
                notes.push_back(
                    fmt::format("{} and {} are bound to the same core", result.name_of(i), result.name_of(j)));
        }
    }
    if (unbound > 0 && shares_host)
        notes.push_back(
            fmt::format("{} of {} ranks are not bound to a core, {} moved during the measurement", unbound, n, moved));
    return notes;
}

}  // namespace measure::tool::pairs
