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
    /// Makes the communicators for these patterns. Collective over the world.
    Teams(measure::Comm const& world, std::span<Pattern const> patterns);

    /// Returns a team's communicator, or nullptr on processes outside of it and if no pattern needs it.
    [[nodiscard]] measure::Comm const* operator[](Team team) const noexcept {
        auto const& comm = comms_[static_cast<std::size_t>(team)];
        return comm ? &*comm : nullptr;
    }

    /// Synchronises the clocks of each team again. Collective over the world.
    void synchronise(measure::AnyTimer const& timer);
    [[nodiscard]] std::optional<measure::GlobalClock> const& clock(Team team) const noexcept {
        return clocks_[static_cast<std::size_t>(team)];
    }

private:
    std::array<std::optional<measure::Comm>, team_count> comms_{};
    std::array<std::optional<measure::GlobalClock>, team_count> clocks_{};
};

}  // namespace b_eff
