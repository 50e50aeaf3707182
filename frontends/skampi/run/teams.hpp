// SPDX-License-Identifier: BSD-3-Clause
/// Teams: a communicator for the processes that take part in a point.
#pragma once

#include "skampi/run/partner.hpp"
#include "skampi/run/point_runner.hpp"
#include "skampi/run/setting.hpp"

#include <measure/comm.hpp>

#include <optional>
#include <utility>

namespace skampi {

/// Keeps the last team, because neighbouring points often use the same one.
class Teams {
public:
    Teams(measure::Comm const& world, Partners const& partners) : world_{world}, partners_{partners} {}

    /// Returns the team of the first processes of the world, or of rank 0 and its partner; nullptr on other processes.
    /// Collective over the world.
    [[nodiscard]] Team* team_for(Setting const& setting);

private:
    /// Number of processes, and the partner of a pair.
    using Key = std::pair<int, int>;

    measure::Comm const& world_;
    Partners const& partners_;
    Key key_{0, 0};
    std::optional<Team> team_{};
};

}  // namespace skampi
