// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/fan.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>

namespace bodies {

std::vector<FanRole> fan_roles(std::vector<std::string> const& hosts) {
    std::map<std::string, std::vector<int>> ranks;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank)
        ranks[hosts[rank]].push_back(static_cast<int>(rank));
    auto const each = ranks.empty() ? 0 : ranks.begin()->second.size();
    if (ranks.size() < 2 ||
        std::any_of(ranks.begin(), ranks.end(), [&](auto const& host) { return host.second.size() != each; }))
        return {};
    std::vector<FanRole> roles(hosts.size());
    for (std::size_t i = 0; i < each; ++i) {
        int const hub = ranks.begin()->second[i];
        auto& own = roles[static_cast<std::size_t>(hub)];
        own.is_hub = true;
        for (auto host = std::next(ranks.begin()); host != ranks.end(); ++host) {
            own.peers.push_back(host->second[i]);
            roles[static_cast<std::size_t>(host->second[i])].peers = {hub};
        }
    }
    return roles;
}

}  // namespace bodies
