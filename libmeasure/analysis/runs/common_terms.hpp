// SPDX-License-Identifier: BSD-3-Clause
/// Common terms: results of different programs for the same operation, converted to one form. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"
#include "analysis/runs/meaning.hpp"
#include "analysis/runs/method.hpp"
#include "analysis/runs/series.hpp"

#include <measure/environment_info.hpp>
#include <measure/record.hpp>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace measure {

/// The name of an operation in all programs: "Bcast"; "PingPong" for a ping-pong with MPI_Send, "Ssend PingPong" for
/// others; "Put_flush stream" for many operations in flight.
[[nodiscard]] std::string common_name(Semantics const& semantics);

/// Converts a record: the benchmark becomes its operation, the coordinates become `ranks` and the `bytes` of one block,
/// and the value becomes the time of one operation. Rates are inverted and round trips halved. A value that the program
/// subtracts stays subtracted. Empty for records without a known operation (`semantics_of`), other quantities and
/// derived datatypes.
[[nodiscard]] std::optional<Record> in_common_terms(Environment const& run, Record const& record);

/// A record in common terms, with the record it was made from. The repetitions of a point are combined into one record
/// with the median of their values. Refers to the original records.
struct CommonRecord {
    Record common{};
    Record const* record = nullptr;
};
[[nodiscard]] std::vector<CommonRecord> in_common_terms(Environment const& run, std::span<Record const> records);

/// Text such as "MPI_Bcast-length, root=1 (synchronised starts, slowest process)": benchmark, method, and coordinates
/// that common terms omit and that vary in the benchmark. \param points  all points of the run
[[nodiscard]] std::string measured_with(Environment const& run, std::span<Record const> points, Record const& record);

/// A launch in common terms. If several records are at one point, the first is used.
struct CommonLaunch {
    Launch launch{};
    std::vector<std::string> left_out{};                   ///< unused records: "MPI_Bcast-length-SM ranks=2 bytes=8"
    std::map<std::string, std::vector<Method>> methods{};  ///< by operation, each method once
};
[[nodiscard]] CommonLaunch in_common_terms(Launch const& launch);

/// An operation measured by programs of several suites: one series per benchmark, in common terms. The label of a
/// series names file, benchmark and method.
struct CommonOperation {
    std::string name{};  ///< "Bcast"
    std::vector<Series> series{};
    std::vector<Method> methods{};  ///< method of each series
};
/// Operations in order of first appearance. \param series  must outlive the result
[[nodiscard]] std::vector<CommonOperation> common_operations(std::span<Series const> series);

}  // namespace measure
