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

/// Numbers identify the parts of a host. A number is empty if the rank may run on several such parts, or if it cannot
/// be read.
struct Place {
    std::string host{};
    std::optional<int> core{};
    std::optional<int> cache{};  ///< last-level cache that several cores share
    std::optional<int> node{};   ///< NUMA node
    std::optional<int> socket{};
    std::string group{};  ///< name of the user's group of hosts; empty without groups

    friend bool operator==(Place const&, Place const&) = default;
};

/// The place of a process that may run on these processing units, from /sys. Local. \param units  empty if unknown
[[nodiscard]] Place place_on(machine::Tree const& tree, std::string host, std::span<int const> units);

/// The place as one text to send, without its group.
[[nodiscard]] std::string packed(Place const& place);
/// The places in a text where each is packed and followed by a line end.
[[nodiscard]] std::vector<Place> all_unpacked(std::string_view text);

/// The smallest part that two ranks share for certain. Pairs are only compared with pairs of their class.
/// `group` and `groups` replace `hosts` if hosts have groups.
enum class PairClass { core, cache, node, socket, host, hosts, group, groups };
inline constexpr int pair_classes = 8;
[[nodiscard]] std::string_view name(PairClass of) noexcept;  ///< "same cache", "between hosts"
[[nodiscard]] PairClass class_of(Place const& a, Place const& b);

}  // namespace measure::tool::pairs
