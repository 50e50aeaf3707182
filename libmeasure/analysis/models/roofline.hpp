// SPDX-License-Identifier: BSD-3-Clause
/// Roofline: rates of BLAS routines compared with the limits of memory and arithmetic. Pure and local.
///
/// A routine with f flops on b bytes of operands has the intensity f / b; each operand counts once for each read and
/// write that the operation requires. Memory of bandwidth B limits the rate to B f / b, the processor to its peak. The
/// lower limit decides whether a routine is bound by memory or by the processor.
#pragma once

#include "analysis/runs/series.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

/// Operation counts of one call of a BLAS routine.
struct Work {
    double flops = 0;
    double bytes = 0;       ///< memory traffic if each operand moves only once per required direction
    double references = 0;  ///< bytes of the operands of all multiply-adds, which BLASBench's bandwidth counts
    [[nodiscard]] double intensity() const noexcept { return flops / bytes; }
};
/// \param routine  name with precision, "daxpy"  \param n  dimension, >= 1
/// \return empty for an unknown routine
[[nodiscard]] std::optional<Work> work_of(std::string_view routine, double n);

/// A measured rate and its roof.
struct RoofPoint {
    double bytes = 0;  ///< problem size
    double n = 0;
    double rate = 0;            ///< flop/s
    double intensity = 0;       ///< flop per byte
    double counted = 0;         ///< bytes per second by the count of references
    double bandwidth = 0;       ///< bandwidth of memory or cache at this size, in B/s; 0: unknown
    bool beyond = false;        ///< the size is outside the measured range; the bandwidth is that of the nearest size
    bool below_memory = false;  ///< the memory roof is the lower one
    double share = 0;           ///< rate / lower roof
};
/// "memory" or "processor"; "neither" below half of the lower roof; "above the roof", so that the roof is wrong, for a
/// share above 1.1; empty if the bandwidth is unknown.
[[nodiscard]] std::string_view bound_of(RoofPoint const& point) noexcept;

/// Highest rate that a processor achieved.
struct Peak {
    char precision = 'd';
    double threads = 1;
    double rate = 0;   ///< flop/s, the highest of all routines
    std::string of{};  ///< "dgemm openblas, n = 300"
};
struct RoofCurve {
    std::string routine{};
    std::string library{};
    double threads = 1;
    std::string label{};              ///< "dgemm openblas", with threads and series if there are several
    std::vector<RoofPoint> points{};  ///< ascending by size
};
struct BandwidthPoint {
    double bytes = 0;
    double bandwidth = 0;  ///< highest of all tests at this size
    std::string test{};
};
struct Roofline {
    std::vector<BandwidthPoint> memory{};  ///< ascending by size
    std::vector<RoofCurve> curves{};
    std::vector<Peak> peaks{};  ///< one for each precision and number of threads
    std::vector<std::string> notes{};
};

/// Combines all blasbench and cachebench series. Empty without points of blasbench. Without cachebench there are no
/// `memory` and no bounds. Curves of several threads have no bounds either, because cachebench measures the bandwidth
/// of one core.
[[nodiscard]] std::optional<Roofline> roofline(std::span<Series const> series);

/// Bandwidth at a size: logarithmic interpolation between measured sizes. \return also whether the size was outside
/// their range
[[nodiscard]] std::pair<double, bool> bandwidth_at(std::span<BandwidthPoint const> memory, double bytes);

}  // namespace measure
