// SPDX-License-Identifier: BSD-3-Clause
/// Teams: the communicators of the patterns, and the clocks that slots need.
#pragma once

#include "b_eff/catalogue.hpp"

#include <measure/clock_sync.hpp>
#include <measure/comm.hpp>
#include <measure/timer.hpp>

#include <array>
#include <optional>
#include <span>

namespace b_eff {

class Teams {
public:
    /// Collective over the world. Communicators for these patterns.
    Teams(measure::Comm const& world, std::span<Pattern const> patterns);

    /// Nothing on a process outside, and where no pattern needs the team.
    [[nodiscard]] measure::Comm const* operator[](Team team) const noexcept {
        auto const& comm = comms_[static_cast<std::size_t>(team)];
        return comm ? &*comm : nullptr;
    }

    /// Synchronises the clocks of each team anew. Collective over the world.
    void synchronise(measure::AnyTimer const& timer);
    [[nodiscard]] std::optional<measure::GlobalClock> const& clock(Team team) const noexcept {
        return clocks_[static_cast<std::size_t>(team)];
    }

private:
    std::array<std::optional<measure::Comm>, team_count> comms_{};
    std::array<std::optional<measure::GlobalClock>, team_count> clocks_{};
};

}  // namespace b_eff
