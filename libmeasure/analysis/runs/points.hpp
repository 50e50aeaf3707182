// SPDX-License-Identifier: BSD-3-Clause
/// Observations: the values of each point in the launches of one side. Pure, local.
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

/// Coordinates that do not distinguish operations: the size, and others that follow from it.
inline constexpr std::array<std::string_view, 3> size_coordinates{"bytes", "count", "repetition"};

/// One value per launch, > 0, in the unit of the quantity.
using LaunchValues = std::map<LaunchNumber, double>;

[[nodiscard]] std::vector<double> numbers(LaunchValues const& values);

/// The values of a point on one side.
struct Observed {
    PointName point{};
    std::size_t occurrence = 0;     ///< index among equal points of a launch: 0, 1, ..
    LaunchValues launches{};        ///< only launches with a value
    std::size_t without_value = 0;  ///< number of launches that have the point, but no value
    /// Error that the resolution of the clock leaves in a difference of such values (`step_in_difference`), relative to
    /// the value; median over launches. 0: unknown.
    double clock_error = 0;
    Record const* single = nullptr;  ///< the input record with a value if there is only one, otherwise nullptr
    std::string reason{};            ///< why a launch has no value
    bool is_control = false;         ///< independent of the MPI library
    bool in_slots = false;           ///< a launch measured it with the requested start
    bool after_barriers = false;  ///< a launch measured it after all samples in slots were invalid (`start_fell_back`)
};

/// Identifies a point; independent of the order of its coordinates.
using PointKey =
    std::tuple<std::string, std::string, Quantity, std::vector<std::pair<std::string, Point::Coordinate>>, std::size_t>;
[[nodiscard]] PointKey point_key(PointName const& point, std::size_t occurrence);

/// The point without its size coordinates: identical for all points of an operation.
[[nodiscard]] PointName operation_name(PointName point);

/// The points of the launches in order of first appearance, or sorted by coordinates if the launches were shuffled. A
/// benchmark without a size (Barrier) is one point; the value of a launch is the geometric mean of all its values.
/// Refers to the launches.
[[nodiscard]] std::vector<Observed> observed(std::span<Launch const> launches, std::string const& by);

/// Values of a record's point, one per launch, in the record's unit: the median that belongs to the value
/// (`estimate_of_value`), or the value if there is no estimate. Only merged records have more than one entry. If the
/// machine had several states, launches outside the state of the value have none.
[[nodiscard]] std::vector<std::optional<double>> launch_values(Record const& record);
/// As `launch_values`, with the values of launches in all states.
[[nodiscard]] std::vector<std::optional<double>> launch_values_in_all_states(Record const& record);

/// Valid samples of a record, in the order taken. For times, the time that the program subtracts is subtracted. For
/// rates, the samples are inverted. They are not scaled like the value, so only their ratios are meaningful.
[[nodiscard]] std::vector<double> samples_of(Record const& record);

}  // namespace measure
