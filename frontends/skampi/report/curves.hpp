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

/// What is drawn over the argument.
enum class Quantity { time, bandwidth, time_per_chunk };

/// "time [µs]", "bandwidth [MB/s]" (10^6 bytes in a second), "time per chunk [µs]"
[[nodiscard]] std::string_view label(Quantity quantity) noexcept;
/// "message length [bytes]", "number of processes", "number of chunks"
[[nodiscard]] std::string_view argument_label(Block const& block) noexcept;

/// Beginning of the names of a measurement's plots: "p2p".
[[nodiscard]] std::string prefix(Block const& block);

/// What each file is called: its machine, or its name where machines are the same, without the folders that all
/// are in.
[[nodiscard]] std::vector<std::string> labels(std::span<Input const> inputs);

/// A row's value of that quantity and its standard error, as microseconds or MB/s.
[[nodiscard]] PlotPoint point(Block const& block, Row const& row, Quantity quantity);
/// The rows of a measurement: one curve, and one more for those that were measured with barriers because no window was
/// kept. Values of different methods are not joined by a line.
[[nodiscard]] std::vector<Curve> curves(Block const& block, Quantity quantity, std::string const& label);

/// Axes for the argument of a measurement: logarithmic for lengths, linear otherwise. No curves.
[[nodiscard]] Plot axes(Block const& block, Quantity quantity);

/// One measurement in the files that have rows of it: one curve for each.
struct Measured {
    std::string name{};
    struct Part {
        Block const* block;
        std::string label;  ///< of the file
    };
    std::vector<Part> parts{};  ///< at least one
    [[nodiscard]] Block const& first() const noexcept { return *parts.front().block; }
};

/// The measurements with rows, in the order in which they first appear.
/// \throws measure::UsageError where a measurement has another argument in another file
[[nodiscard]] std::vector<Measured> measured(std::span<Input const> inputs);

/// The quantities of a measurement's plots: time, and what its pattern has besides.
[[nodiscard]] std::vector<Quantity> quantities(Block const& block);

/// The measurement's plot of that quantity.
[[nodiscard]] Plot plot_of(Measured const& measurement, Quantity quantity);

/// Times of the processes as bars, at the smallest and at the largest argument for which there are any.
[[nodiscard]] std::vector<Plot> bar_charts(Measured const& measurement);

}  // namespace skampi::report
