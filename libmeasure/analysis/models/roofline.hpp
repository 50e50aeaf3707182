// SPDX-License-Identifier: BSD-3-Clause
/// Roofline: rates of BLAS routines below what memory and arithmetic allow. Pure and local.
///
/// A routine with f flops on b bytes of operands, each read and written as often as the operation says and not more,
/// has the intensity f / b. Memory of bandwidth B lets it run at B f / b; the processor at no more than its peak. A
/// routine whose first limit is the lower one is bound by memory, else by the processor.
#pragma once

#include "analysis/runs/series.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

/// Counts of one call of a BLAS routine.
struct Work {
    double flops = 0;
    double bytes = 0;       ///< traffic if every operand moves once each way that it has to
    double references = 0;  ///< bytes of all operands of all multiply-adds: what BLASBench's bandwidth counts
    [[nodiscard]] double intensity() const noexcept { return flops / bytes; }
};
/// \param routine  with its precision, "daxpy"  \param n  dimension, >= 1
/// \return nothing for a routine that is not known
[[nodiscard]] std::optional<Work> work_of(std::string_view routine, double n);

/// A measured rate under its roof.
struct RoofPoint {
    double bytes = 0;  ///< problem size
    double n = 0;
    double rate = 0;            ///< flop/s
    double intensity = 0;       ///< flop per byte
    double counted = 0;         ///< bytes per second by the count of references
    double bandwidth = 0;       ///< of memory or cache at this size, B/s; 0: not known
    bool beyond = false;        ///< no bandwidth was measured at this size: that of the nearest one
    bool below_memory = false;  ///< the lower of the two roofs is the memory's
    double share = 0;           ///< rate / the lower of the two roofs
};
/// "memory", "processor"; "neither" for less than half of the lower roof; "above the roof", where that is none, for a
/// share above 1.1; empty where no bandwidth is known.
[[nodiscard]] std::string_view bound_of(RoofPoint const& point) noexcept;

/// What a processor has shown that it can do.
struct Peak {
    char precision = 'd';
    double threads = 1;
    double rate = 0;   ///< flop/s: the highest of all routines
    std::string of{};  ///< "dgemm openblas, n = 300"
};
struct RoofCurve {
    std::string routine{};
    std::string library{};
    double threads = 1;
    std::string label{};              ///< "dgemm openblas", with threads and series where there are several
    std::vector<RoofPoint> points{};  ///< by size
};
struct BandwidthPoint {
    double bytes = 0;
    double bandwidth = 0;  ///< the largest of all tests at this size
    std::string test{};
};
struct Roofline {
    std::vector<BandwidthPoint> memory{};  ///< by size
    std::vector<RoofCurve> curves{};
    std::vector<Peak> peaks{};  ///< one for each precision and number of threads
    std::vector<std::string> notes{};
};

/// What blasbench and cachebench have measured, all series together. Nothing where there is no point of blasbench; no
/// `memory`, and no bounds, where there is none of cachebench. One core's bandwidth, which is what cachebench measures,
/// is no roof of several threads: these have no bounds either.
[[nodiscard]] std::optional<Roofline> roofline(std::span<Series const> series);

/// Bandwidth at a size, between the measured ones by interpolation of logarithms. \return whether it was beyond them
[[nodiscard]] std::pair<double, bool> bandwidth_at(std::span<BandwidthPoint const> memory, double bytes);

}  // namespace measure
