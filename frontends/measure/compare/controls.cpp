// SPDX-License-Identifier: BSD-3-Clause
#include "compare/controls.hpp"

#include <measure/two_samples.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

namespace measure_tool {

namespace {

constexpr double wanted_p = 0.01;
constexpr double least_change = 0.03;

}  // namespace

std::vector<ControlChange> control_changes(Comparison const& comparison) {
    std::vector<double> ps;
    for (auto const& control : comparison.controls)
        ps.push_back(control.p.value_or(1));
    auto const adjusted = measure::holm(ps);
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

std::string controls_text(std::vector<ControlChange> const& changes) {
    std::vector<std::string> parts;
    for (auto const& change : changes)
        parts.push_back(fmt::format("{} {:+.1f} %{}", control_name(change.control), (change.ratio - 1) * 100,
                                    change.differs ? " CHANGED" : ""));
    return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace measure_tool
