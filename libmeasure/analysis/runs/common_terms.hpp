// SPDX-License-Identifier: BSD-3-Clause
/// Common terms: what different programs measure of the same operation, in one form. Pure, local.
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

/// The name under which programs find each other's operations: "Bcast"; "PingPong" for a ping-pong with MPI_Send,
/// "Ssend PingPong" for others; "Put_flush stream" for many at once.
[[nodiscard]] std::string common_name(Semantics const& semantics);

/// The record with its operation as benchmark, `ranks` and the `bytes` of one block as its coordinates, and the time of
/// one operation as its value. A rate becomes the time of one; a round trip is halved; what the program subtracts is
/// subtracted. Nothing for a record that does not say which operation it is of (`semantics_of`), for another quantity,
/// and for derived datatypes.
[[nodiscard]] std::optional<Record> in_common_terms(Environment const& run, Record const& record);

/// All records of a run in common terms, with the record that each is made of; the repetitions of a point are one, with
/// the median of their values. Refers to the records.
struct CommonRecord {
    Record common{};
    Record const* record = nullptr;
};
[[nodiscard]] std::vector<CommonRecord> in_common_terms(Environment const& run, std::span<Record const> records);

/// "MPI_Bcast-length, root=1 (synchronised starts, slowest process)": benchmark, coordinates that common terms leave
/// out, as far as they vary in the benchmark, and method. \param points  all of the run
[[nodiscard]] std::string measured_with(Environment const& run, std::span<Record const> points, Record const& record);

/// A launch with the records that have common terms, in these. The first of several records at one point counts.
struct CommonLaunch {
    Launch launch{};
    std::vector<std::string> left_out{};                   ///< "MPI_Bcast-length-SM ranks=2 bytes=8"
    std::map<std::string, std::vector<Method>> methods{};  ///< of each operation, each method once
};
[[nodiscard]] CommonLaunch in_common_terms(Launch const& launch);

/// An operation that programs of several suites have measured: a series for each of their benchmarks, in common terms.
/// The label names file, benchmark and method.
struct CommonOperation {
    std::string name{};  ///< "Bcast"
    std::vector<Series> series{};
    std::vector<Method> methods{};  ///< of the series
};
/// In the order in which they first appear. \param series  outlives the result
[[nodiscard]] std::vector<CommonOperation> common_operations(std::span<Series const> series);

}  // namespace measure
