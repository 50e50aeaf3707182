// SPDX-License-Identifier: BSD-3-Clause
/// Place: where a rank may run, and what two ranks share there.
#pragma once

#include "machine/tree.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::pairs {

/// The parts of a host are numbers that differ where the parts do; nothing where a rank may run on several, or where it
/// cannot be read.
struct Place {
    std::string host{};
    std::optional<int> core{};
    std::optional<int> cache{};  ///< the last level that several cores share
    std::optional<int> node{};   ///< of memory (NUMA)
    std::optional<int> socket{};
    std::string group{};  ///< of hosts, as the user names it; empty: none

    friend bool operator==(Place const&, Place const&) = default;
};

/// Of a process that may run on these processing units, from /sys. Local. \param units  may be empty: not known
[[nodiscard]] Place place_on(machine::Tree const& tree, std::string host, std::span<int const> units);

/// As one text, to be sent; without its group.
[[nodiscard]] std::string packed(Place const& place);
/// Of several, each packed and followed by a line end.
[[nodiscard]] std::vector<Place> all_unpacked(std::string_view text);

/// The closest part that two ranks share for certain. Pairs are compared with pairs of their class alone.
/// Hosts are not told apart where they have no groups.
enum class PairClass { core, cache, node, socket, host, hosts, group, groups };
inline constexpr int pair_classes = 8;
[[nodiscard]] std::string_view name(PairClass of) noexcept;  ///< "same cache", "between hosts"
[[nodiscard]] PairClass class_of(Place const& a, Place const& b);

}  // namespace measure::tool::pairs
