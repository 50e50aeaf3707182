// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/place.hpp"

#include "program/cli/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace measure::tool::pairs {

namespace {

/// The first number in a list of processing units.
std::optional<int> first_of(std::optional<std::string> const& list) {
    if (!list)
        return std::nullopt;
    auto const units = machine::numbers_in(*list);
    return units.empty() ? std::nullopt : std::optional{units.front()};
}

std::optional<int> core_of(machine::Tree const& tree, int unit) {
    return first_of(tree.line(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", unit)));
}

/// The cache of the highest level. Level 1 is ignored, because a single core owns it.
std::optional<int> cache_of(machine::Tree const& tree, int unit) {
    std::optional<int> found;
    int highest = 1;
    auto const folder = fmt::format("/sys/devices/system/cpu/cpu{}/cache", unit);
    for (auto const& entry : tree.entries(folder)) {
        auto const level = first_of(tree.line(fmt::format("{}/{}/level", folder, entry)));
        if (level && *level > highest) {
            highest = *level;
            found = first_of(tree.line(fmt::format("{}/{}/shared_cpu_list", folder, entry)));
        }
    }
    return found;
}

std::optional<int> socket_of(machine::Tree const& tree, int unit) {
    return first_of(tree.line(fmt::format("/sys/devices/system/cpu/cpu{}/topology/physical_package_id", unit)));
}

std::optional<int> node_of(machine::Tree const& tree, int unit) {
    for (auto const& entry : tree.entries("/sys/devices/system/node")) {
        if (!entry.starts_with("node"))
            continue;
        auto const list = tree.line(fmt::format("/sys/devices/system/node/{}/cpulist", entry));
        auto const units = list ? machine::numbers_in(*list) : std::vector<int>{};
        if (std::binary_search(units.begin(), units.end(), unit))
            return first_of(entry.substr(4));
    }
    return std::nullopt;
}

/// The part that all units share; empty if they differ or it is unknown.
template <class PartOf>
std::optional<int> common(std::span<int const> units, PartOf part_of) {
    std::optional<int> part;
    for (int const unit : units) {
        auto const of_unit = part_of(unit);
        if (!of_unit || (part && *part != *of_unit))
            return std::nullopt;
        part = of_unit;
    }
    return part;
}

constexpr std::array<std::string_view, pair_classes> names{"same core",   "same cache",    "same memory node",
                                                           "same socket", "same host",     "between hosts",
                                                           "same group",  "between groups"};

bool same(std::optional<int> a, std::optional<int> b) { return a && b && *a == *b; }

std::string text(std::optional<int> part) { return part ? std::to_string(*part) : ""; }

}  // namespace

Place place_on(machine::Tree const& tree, std::string host, std::span<int const> units) {
    return {.host = std::move(host),
            .core = common(units, [&](int unit) { return core_of(tree, unit); }),
            .cache = common(units, [&](int unit) { return cache_of(tree, unit); }),
            .node = common(units, [&](int unit) { return node_of(tree, unit); }),
            .socket = common(units, [&](int unit) { return socket_of(tree, unit); })};
}

std::string packed(Place const& place) {
    return fmt::format("{}\n{}\n{}\n{}\n{}", place.host, text(place.core), text(place.cache), text(place.node),
                       text(place.socket));
}

std::vector<Place> all_unpacked(std::string_view text) {
    constexpr std::size_t lines = 5;
    auto const parts = program::split(text, '\n');
    std::vector<Place> all;
    for (std::size_t i = 0; i + lines <= parts.size(); i += lines)
        all.push_back({.host = parts[i],
                       .core = program::number_from<int>(parts[i + 1]),
                       .cache = program::number_from<int>(parts[i + 2]),
                       .node = program::number_from<int>(parts[i + 3]),
                       .socket = program::number_from<int>(parts[i + 4])});
    return all;
}

std::string_view name(PairClass of) noexcept { return names[static_cast<std::size_t>(of)]; }

PairClass class_of(Place const& a, Place const& b) {
    if (a.host != b.host)
        return a.group.empty() || b.group.empty() ? PairClass::hosts
               : a.group == b.group               ? PairClass::group
                                                  : PairClass::groups;
    if (same(a.core, b.core))
        return PairClass::core;
    if (same(a.cache, b.cache))
        return PairClass::cache;
    if (same(a.node, b.node))
        return PairClass::node;
    return same(a.socket, b.socket) ? PairClass::socket : PairClass::host;
}

}  // namespace measure::tool::pairs
