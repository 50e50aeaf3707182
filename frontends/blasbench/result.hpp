// SPDX-License-Identifier: BSD-3-Clause
/// Result: the figures that are made of times and counts. Pure.
#pragma once

#include "catalogue.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace blasbench {

/// What is printed of a point.
struct Figures {
    double mflops = 0;
    double megabytes = 0;    ///< per second, of 2^20 bytes: all references, however many of them reach the memory
    double nanoseconds = 0;  ///< per reference
    std::optional<double> deviation{};  ///< of the blocks' rates, relative: that of their times; none of a single one
    std::int64_t iterations = 0;
    std::optional<double> efficiency{};  ///< share of the peak
};

/// \param blocks  times of blocks of so many calls, s; their mean is above zero
/// \param peak    of the machine, MFLOPS
[[nodiscard]] Figures figures(Counts const& counts, Precision precision, std::span<double const> blocks,
                              std::int64_t iterations, std::optional<double> peak = {});

}  // namespace blasbench
