// SPDX-License-Identifier: BSD-3-Clause
#include "run/switches.hpp"

#include "analysis/models/models.hpp"
#include "run/sweep.hpp"

#include <fmt/format.h>

#include <array>

namespace measure::tool::runs {

namespace {

/// The change at a break; empty if the change may be due to chance.
std::string change_at(measure::CostModel const& model, std::size_t number) {
    auto const& found = model.breaks[number];
    if (found.jump)
        return fmt::format("x{:.2g}", found.ratio);
    if (!is_bend(model, number))
        return {};
    return model.pieces[number + 1].line.beta > model.pieces[number].line.beta ? "steeper" : "flatter";
}

}  // namespace

std::vector<SwitchPoint> switch_points(Answer const& answer) {
    Series series{.launches = {&answer.used.front()}, .points = answer.merged};
    std::erase_if(series.points, [](measure::Record const& point) { return is_control(point.benchmark); });
    std::vector<SwitchPoint> points;
    for (auto const& cost : model_costs(std::array{series}))
        for (auto const& ranks : cost.by_ranks)
            for (std::size_t i = 0; i < ranks.model.breaks.size(); ++i)
                if (auto const change = change_at(ranks.model, i); !change.empty())
                    points.push_back(
                        {fmt::format("{} {} {}", cost.benchmark, size_text(ranks.model.breaks[i].at), change),
                         reason_of(cost, ranks, i)});
    return points;
}

}  // namespace measure::tool::runs
