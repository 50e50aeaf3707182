// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/binding.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace measure_tool::pairs {

namespace {

constexpr std::size_t fewest_pairs = 5;

/// [node] the class of its pair with `node` if that were beside `other`, where that is another one; -1.
std::vector<int> classes_beside(Result const& result, int node, int other) {
    auto place = result.nodes[index(other)].place;
    place.core.reset();
    std::vector<int> classes(result.nodes.size(), -1);
    for (int j = 0; j < static_cast<int>(classes.size()); ++j) {
        if (j == node || result.nodes[index(j)].place.host != place.host)
            continue;
        int const moved = static_cast<int>(class_of(place, result.nodes[index(j)].place));
        if (moved != result.classes.at(node, j))
            classes[index(j)] = moved;
    }
    return classes;
}

/// How much better the times of a node fit these classes, a sum of logarithms; nothing where most do not.
std::optional<double> gain(Result const& result, Judged const& judged, int node, std::vector<int>& classes) {
    std::size_t pairs = 0;
    std::size_t nearer = 0;
    double sum = 0;
    for (int j = 0; j < static_cast<int>(classes.size()); ++j) {
        int& moved = classes[index(j)];
        if (moved < 0)
            continue;
        double const y = judged.logs.at(node, j) - judged.fit.effects[index(j)];
        double const here = judged.fit.levels[index(result.classes.at(node, j))];
        double const there = judged.fit.levels[index(moved)];
        // NaN: not measured, or a class that nobody else is in.
        if (std::isnan(y) || !(std::abs(here - there) > std::log1p(result.options.rules.threshold))) {
            moved = -1;
            continue;
        }
        double const better = std::abs(y - here) - std::abs(y - there);
        ++pairs;
        nearer += better > 0 ? 1U : 0U;
        sum += better;
    }
    return pairs >= fewest_pairs && 2 * nearer > pairs ? std::optional{sum} : std::nullopt;
}

}  // namespace

std::vector<Suspect> displaced(Result const& result, std::size_t quantity) {
    auto const& judged = result.judged[quantity];
    int const n = static_cast<int>(result.nodes.size());
    std::vector<Suspect> suspects;
    for (int i = 0; i < n; ++i) {
        double best = 0;
        Suspect suspect{.kind = Kind::binding, .quantity = quantity, .a = i};
        for (int k = 0; k < n; ++k) {
            if (k == i || result.nodes[index(k)].place.host != result.nodes[index(i)].place.host)
                continue;
            auto classes = classes_beside(result, i, k);
            if (auto const better = gain(result, judged, i, classes); better && *better > best) {
                best = *better;
                suspect.b = k;
                suspect.moved = std::move(classes);
            }
        }
        if (!suspect.moved.empty())
            suspects.push_back(std::move(suspect));
    }
    return suspects;
}

void move(Suspect const& suspect, PairTable<int>& classes) {
    for (int j = 0; j < static_cast<int>(suspect.moved.size()); ++j)
        if (suspect.moved[index(j)] >= 0)
            classes.at(suspect.a, j) = suspect.moved[index(j)];
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
                notes.push_back(fmt::format("{} and {} are bound to one core", result.name_of(i), result.name_of(j)));
        }
    }
    if (unbound > 0 && shares_host)
        notes.push_back(
            fmt::format("{} of {} ranks are not bound to a core, {} moved while measuring", unbound, n, moved));
    return notes;
}

}  // namespace measure_tool::pairs
