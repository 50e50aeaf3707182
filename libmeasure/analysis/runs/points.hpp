// SPDX-License-Identifier: BSD-3-Clause
/// Observations: what the launches of one side say of each point. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"

#include <measure/compare.hpp>
#include <measure/record.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace measure {

/// Coordinates that do not tell operations apart: the size, and what follows from it.
inline constexpr std::array<std::string_view, 3> size_coordinates{"bytes", "count", "repetition"};

/// A value of each launch, > 0, in the unit of a quantity.
using LaunchValues = std::map<LaunchNumber, double>;

[[nodiscard]] std::vector<double> numbers(LaunchValues const& values);

/// What one side has of a point.
struct Observed {
    PointName point{};
    std::size_t occurrence = 0;     ///< of equal points of a launch: 0, 1, ..
    LaunchValues launches{};        ///< of the launches that have a value
    std::size_t without_value = 0;  ///< launches that have the point, but no value
    /// Error that the clock's step leaves in a difference of such values (`step_in_difference`), relative to the
    /// value: the middle one of the launches. 0: not known.
    double clock_error = 0;
    Record const* single = nullptr;  ///< the record with a value where there is no other; of the input
    std::string reason{};            ///< why a launch has no value
    bool is_control = false;         ///< no MPI library can change it
    bool in_slots = false;           ///< a launch has it with the start that was asked for
    bool after_barriers = false;     ///< a launch has it after slots had lost every sample (`start_fell_back`)
};

/// What tells points apart: two sides may have their coordinates in different orders.
using PointKey =
    std::tuple<std::string, std::string, Quantity, std::vector<std::pair<std::string, Point::Coordinate>>, std::size_t>;
[[nodiscard]] PointKey point_key(PointName const& point, std::size_t occurrence);

/// The point without what says its size only: what all points of an operation have in common.
[[nodiscard]] PointName operation_name(PointName point);

/// The points of the launches in the order in which they first appear; in that of their coordinates where the launches
/// were shuffled. A benchmark that has no size (Barrier) is one point, with the geometric mean of all that a launch has
/// of it. Refers to the launches.
[[nodiscard]] std::vector<Observed> observed(std::span<Launch const> launches, std::string const& by);

/// What each launch of a record says of its point, in the record's unit: the median that belongs to the value
/// (`estimate_of_value`), or the value where there is no estimate. One entry, but of a merged record one for
/// each of its launches. Where the machine was in several states, launches in others than that of the value have none.
[[nodiscard]] std::vector<std::optional<double>> launch_values(Record const& record);
/// The same, with the values of launches in all states.
[[nodiscard]] std::vector<std::optional<double>> launch_values_in_all_states(Record const& record);

/// The valid samples of a record in the order taken and in its direction: times, less what the program subtracts for
/// its value; of a rate what is proportional to it. They are not scaled as the value is: only ratios mean anything.
[[nodiscard]] std::vector<double> samples_of(Record const& record);

}  // namespace measure
