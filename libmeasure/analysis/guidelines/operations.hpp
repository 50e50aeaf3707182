// SPDX-License-Identifier: BSD-3-Clause
/// Operation points: times of MPI operations collected from launches of any suite. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"
#include "analysis/runs/meaning.hpp"
#include "analysis/runs/points.hpp"

#include <measure/units.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace measure {

/// An operation at one size and number of processes.
struct OperationPoint {
    Bytes bytes = 0;                         ///< size as the suite counts it
    Bytes block = 0;                         ///< size of one block, as `block_size` computes it
    LaunchValues times{};                    ///< time of each launch, in seconds, > 0
    std::optional<double> relative_error{};  ///< relative standard error of a single launch
    double degrees = 1;                      ///< degrees of freedom of that error
};

/// Points of one operation by `whole_size`.
using OperationCurve = std::map<Bytes, OperationPoint>;

/// Comparable points: from one program, with one set of MPI settings, on one machine. They differ only in operation,
/// size and number of processes.
struct OperationSet {
    std::string suite{};
    std::string program{};
    std::string label{};       ///< distinguishes the set from the other sets: "mpiperf, MPICH 4.0.2, mode=aggregate"
    std::string start{};       ///< how the suite started its samples; empty if not recorded
    std::size_t launches = 0;  ///< largest number of launches of a point
    std::map<std::int64_t, std::map<std::string, OperationCurve>> curves{};  ///< curves by processes and operation
    std::map<std::string, KnownBenchmark> benchmarks{};                      ///< measured benchmarks, by operation

    /// The suite's benchmark of that operation, whether measured or only known.
    [[nodiscard]] std::optional<KnownBenchmark> benchmark(std::string const& operation) const {
        auto const found = benchmarks.find(operation);
        return found != benchmarks.end() ? std::optional{found->second} : benchmark_of(suite, operation);
    }
};

/// All points, grouped into comparable sets.
struct OperationPoints {
    std::vector<OperationSet> sets{};  ///< in order of first appearance
    std::size_t unknown = 0;           ///< number of points whose benchmark is not a known operation
    std::size_t without_value = 0;     ///< number of points without a time above zero
};

/// Collects the points of all launches. Several values of a launch for one point are replaced by their median.
[[nodiscard]] OperationPoints operation_points(std::span<Launch const> launches);

}  // namespace measure
