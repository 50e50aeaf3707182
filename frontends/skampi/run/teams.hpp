// SPDX-License-Identifier: BSD-3-Clause
/// Teams: the processes that take part in a point as a communicator of their own.
#pragma once

#include "skampi/run/partner.hpp"
#include "skampi/run/point_runner.hpp"
#include "skampi/run/setting.hpp"

#include <measure/comm.hpp>

#include <optional>
#include <utility>

namespace skampi {

/// Keeps the last team, because neighbouring points have the same one.
class Teams {
public:
    Teams(measure::Comm const& world, Partners const& partners) : world_{world}, partners_{partners} {}

    /// The first processes of the world, or rank 0 and its partner; nullptr on processes that take no part. Collective
    /// over the world.
    [[nodiscard]] Team* team_for(Setting const& setting);

private:
    /// How many, and with whom where they are a pair.
    using Key = std::pair<int, int>;

    measure::Comm const& world_;
    Partners const& partners_;
    Key key_{0, 0};
    std::optional<Team> team_{};
};

}  // namespace skampi
