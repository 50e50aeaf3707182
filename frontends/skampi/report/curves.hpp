// SPDX-License-Identifier: BSD-3-Clause
/// Report curves: measurements of output files as plots. Pure and local.
#pragma once

#include "skampi/output/inputs.hpp"
#include "skampi/report/pages.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skampi::report {

/// The quantity on the y axis.
enum class Quantity { time, bandwidth, time_per_chunk };

/// Returns "time [µs]", "bandwidth [MB/s]" (10^6 bytes per second) or "time per chunk [µs]".
[[nodiscard]] std::string_view label(Quantity quantity) noexcept;
/// Returns "message length [bytes]", "number of processes", "number of chunks" or "point".
[[nodiscard]] std::string_view argument_label(Block const& block) noexcept;

/// The prefix of the plot names of a measurement: "p2p".
[[nodiscard]] std::string prefix(Block const& block);

/// Names the files: by their machine, or by their path without the common folders if two machines are the same.
[[nodiscard]] std::vector<std::string> labels(std::span<Input const> inputs);

/// Returns a quantity of a row and its standard error, in microseconds or MB/s.
[[nodiscard]] PlotPoint point(Block const& block, Row const& row, Quantity quantity);
/// Returns one curve for the rows of a measurement, and a second one for rows that were measured with barriers because
/// no window was kept. No line connects values of different methods.
[[nodiscard]] std::vector<Curve> curves(Block const& block, Quantity quantity, std::string const& label);

/// Returns a plot without curves. Both axes are logarithmic for message lengths, otherwise linear.
[[nodiscard]] Plot axes(Block const& block, Quantity quantity);

/// One measurement in all files that have rows for it.
struct Measured {
    std::string name{};
    struct Part {
        Block const* block;
        std::string label;  ///< name of the file
    };
    std::vector<Part> parts{};  ///< at least one element
    [[nodiscard]] Block const& first() const noexcept { return *parts.front().block; }
};

/// The measurements that have rows, in the order of their first appearance.
/// \throws measure::UsageError if a measurement has different arguments in two files
[[nodiscard]] std::vector<Measured> measured(std::span<Input const> inputs);

/// The quantities that are plotted: time, and further ones depending on the pattern.
[[nodiscard]] std::vector<Quantity> quantities(Block const& block);

/// The plot of one quantity of a measurement.
[[nodiscard]] Plot plot_of(Measured const& measurement, Quantity quantity);

/// Bar charts of the times of the processes, at the smallest and the largest argument that has such times.
[[nodiscard]] std::vector<Plot> bar_charts(Measured const& measurement);

}  // namespace skampi::report
