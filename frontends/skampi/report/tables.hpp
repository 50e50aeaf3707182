// SPDX-License-Identifier: BSD-3-Clause
/// Report tables: the numbers of the report. Pure and local.
#pragma once

#include "skampi/report/curves.hpp"
#include "skampi/report/pages.hpp"

#include <span>
#include <string>

namespace skampi::report {

/// Formats a number with five significant digits and without an exponent: "41.210", "118550".
[[nodiscard]] std::string short_number(double value);

/// All keys in the heads of the files.
[[nodiscard]] Table configuration_table(std::span<Input const> inputs);

/// Times of the empty measurements, by pattern and number of processes. Equal lines appear once, with the number of
/// measurements they belong to, or with the name of the only one.
[[nodiscard]] Table overhead_table(std::span<Input const> inputs);

/// One line for each measurement, including measurements without rows.
[[nodiscard]] Table summary_table(std::span<Input const> inputs);

/// Parameters and status of a measurement.
[[nodiscard]] Table parameter_box(Measured const& measurement);

/// The rows of a measurement.
[[nodiscard]] Table data_table(Measured const& measurement);

/// The measurements of the simple pattern, one row for each.
[[nodiscard]] Table simple_table(std::span<Measured const> measurements);

/// The curves of a plot side by side, or below each other if there are more columns than rows.
[[nodiscard]] Table curves_table(Plot const& plot);

}  // namespace skampi::report
