// SPDX-License-Identifier: BSD-3-Clause
/// Operation points: what launches say of operations of MPI, whatever suite has measured them. Pure, local.
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

/// An operation at one size on so many processes.
struct OperationPoint {
    Bytes bytes = 0;                         ///< as the suite counts them
    Bytes block = 0;                         ///< as `block_size`
    LaunchValues times{};                    ///< of each launch: seconds, > 0
    std::optional<double> relative_error{};  ///< standard error over value, of a single launch
    double degrees = 1;                      ///< of freedom of that error
};

/// Points of one operation by `whole_size`.
using OperationCurve = std::map<Bytes, OperationPoint>;

/// Points that may be compared: of one program with one set of MPI settings on one machine, alike in all but operation,
/// size and processes.
struct OperationSet {
    std::string suite{};
    std::string program{};
    std::string label{};       ///< what tells it from the other sets: "mpiperf, MPICH 4.0.2, mode=aggregate"
    std::string start{};       ///< how the suite has started its operations; empty where it does not say
    std::size_t launches = 0;  ///< the most that one of its points has
    std::map<std::int64_t, std::map<std::string, OperationCurve>> curves{};  ///< by processes and operation
    std::map<std::string, KnownBenchmark> benchmarks{};                      ///< that were measured, by operation

    /// The suite's benchmark of that operation, measured or known.
    [[nodiscard]] std::optional<KnownBenchmark> benchmark(std::string const& operation) const {
        auto const found = benchmarks.find(operation);
        return found != benchmarks.end() ? std::optional{found->second} : benchmark_of(suite, operation);
    }
};

/// Points by what they can be compared with.
struct OperationPoints {
    std::vector<OperationSet> sets{};  ///< in the order in which they first appear
    std::size_t unknown = 0;           ///< points whose benchmark is no operation that is known
    std::size_t without_value = 0;     ///< points that have no time above zero
};

/// What the launches have measured. Several values of a launch for one point count with their median.
[[nodiscard]] OperationPoints operation_points(std::span<Launch const> launches);

}  // namespace measure
