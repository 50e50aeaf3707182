// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/run/teams.hpp"

namespace skampi {

Team* Teams::team_for(Setting const& setting) {
    Task const& task = *setting.task;
    bool const pair = is_pair(*task.routine);
    Partner const& partner = task.partner == PartnerChoice::max ? partners_.farthest : partners_.nearest;
    Key const key{setting.nodes, pair ? partner.rank : 0};
    if (key != key_) {
        constexpr int outside = -1;
        bool const inside = world_.rank() == 0 || world_.rank() == partner.rank;
        team_.reset();
        auto comm = pair ? world_.split(inside ? 0 : outside) : world_.first_ranks(setting.nodes);
        if (comm)
            team_.emplace(Team{std::move(*comm), std::nullopt});
        key_ = key;
    }
    return team_ ? &*team_ : nullptr;
}

}  // namespace skampi
