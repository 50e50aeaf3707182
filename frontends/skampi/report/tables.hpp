// SPDX-License-Identifier: BSD-3-Clause
/// Report tables: what the report says in numbers. Pure and local.
#pragma once

#include "skampi/report/curves.hpp"
#include "skampi/report/pages.hpp"

#include <span>
#include <string>

namespace skampi::report {

/// Five significant digits, without an exponent: "41.210", "118550".
[[nodiscard]] std::string short_number(double value);

/// All keys of the heads.
[[nodiscard]] Table configuration_table(std::span<Input const> inputs);

/// What the empty measurements took, by pattern and number of processes; equal lines once, with the
/// number of measurements that they belong to, or the name of the only one.
[[nodiscard]] Table overhead_table(std::span<Input const> inputs);

/// One line for each measurement, also for those without rows.
[[nodiscard]] Table summary_table(std::span<Input const> inputs);

/// Parameters of a measurement and how it ended.
[[nodiscard]] Table parameter_box(Measured const& measurement);

/// The rows of a measurement.
[[nodiscard]] Table data_table(Measured const& measurement);

/// The measurements of the simple pattern: each is one row.
[[nodiscard]] Table simple_table(std::span<Measured const> measurements);

/// The curves of a plot side by side; where they have more columns than rows, below each other.
[[nodiscard]] Table curves_table(Plot const& plot);

}  // namespace skampi::report
