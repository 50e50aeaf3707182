// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/controls.hpp"

#include <measure/two_samples.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace measure {

namespace {

constexpr double wanted_p = 0.01;
constexpr double least_change = 0.03;
/// An operation reacts at most as strongly to the machine as the control that changed most, with this margin. If
/// the time of a cache line transfer grows by a factor of 4, the times of operations grow by factors of 1.1 to 4.4.
constexpr double most_sensitive = 1.5;

}  // namespace

std::vector<ControlChange> control_changes(Comparison const& comparison) {
    std::vector<double> ps;
    for (auto const& control : comparison.controls)
        ps.push_back(control.p.value_or(1));
    auto const adjusted = holm(ps);
    auto const& telling = comparison.states.found.controls;
    std::vector<ControlChange> changes;
    for (std::size_t i = 0; i < ps.size(); ++i) {
        auto const& control = comparison.controls[i];
        auto const& name = control.point.benchmark;
        bool const shows_states = std::find(telling.begin(), telling.end(), name) != telling.end();
        changes.push_back({.control = name,
                           .ratio = control.ratio,
                           .differs = control.verdict == Verdict::machine
                                          ? shows_states
                                          : factor(control) > 1 + least_change && adjusted[i] < wanted_p});
    }
    return changes;
}

double largest_change(std::span<ControlChange const> changes, bool differs) {
    double largest = 0;
    for (auto const& change : changes)
        if (change.differs == differs)
            largest = std::max(largest, std::abs(std::log(change.ratio)));
    return largest;
}

void judge_by_controls(Comparison& comparison, std::span<ControlChange const> changes, double apart) {
    double const change = largest_change(changes, true);
    double const explained = change > 0 ? most_sensitive * change + std::log1p(apart) : 0;
    for (auto& operation : comparison.operations) {
        if (!is_difference(operation.verdict) || std::abs(std::log(operation.ratio)) > explained)
            continue;
        operation.leave_undecided(Verdict::machine, "explained by the change of a control");
        for (auto& point : comparison.points)
            if (is_difference(point.verdict) &&
                point_key(operation_name(point.point), 0) == point_key(operation_name(operation.point), 0))
                point.leave_undecided(Verdict::machine, "explained by the change of a control");
    }
}

std::string controls_text(std::vector<ControlChange> const& changes) {
    std::vector<std::string> parts;
    for (auto const& change : changes)
        parts.push_back(fmt::format("{} {:+.1f} %{}", control_name(change.control), (change.ratio - 1) * 100,
                                    change.differs ? " CHANGED" : ""));
    return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace measure
