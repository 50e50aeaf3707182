// SPDX-License-Identifier: BSD-3-Clause
/// Result: what counts as work, and the records that are made of the times. Pure.
#pragma once

#include "cachebench/catalogue.hpp"
#include "llcbench/statistic.hpp"

#include <measure/record.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace cachebench {

/// Bytes of a node of the latency test: a cache line.
inline constexpr measure::Bytes node = 64;

/// The work of one pass over a vector of a given size.
struct Counts {
    std::int64_t n = 0;          ///< what the kernel gets: elements, bytes of libc's calls, nodes
    measure::Bytes touched = 0;  ///< smaller than the vector where the tuned loops leave out a remainder
    std::int64_t references = 0;
    measure::Bytes counted = 0;  ///< for the rate: each direction, as of rmw and memcpy; 0 for latency
};
[[nodiscard]] Counts counts(Test const& test, measure::Bytes width, measure::Bytes bytes);

/// Smallest vector that the test can run on.
[[nodiscard]] measure::Bytes smallest(Test const& test, measure::Bytes width);

/// The record of a test's measurement: bandwidth of what a pass counts, or the time of one load of latency, led by the
/// statistic, with `time_per_access`, `best_bandwidth`, `bytes_per_cycle`, `passes` and `bytes_touched` in `derived`.
/// \param frequency  cycles of the core per second; nothing: not known
[[nodiscard]] measure::Record result(measure::Record times, Counts const& counts, llcbench::Statistic statistic,
                                     std::optional<double> frequency);

/// Nanoseconds of an access. \param record  as `result` makes it
[[nodiscard]] std::optional<double> nanoseconds(measure::Record const& record, Counts const& counts);

/// Bytes counted in a cycle of the core, with the statistic that leads; nothing where the frequency is not known.
[[nodiscard]] std::optional<double> bytes_per_cycle(measure::Record const& record);

/// Passes in all blocks.
[[nodiscard]] std::int64_t passes(measure::Record const& record);

/// The copies' records added up: what the machine delivers in all. Nothing unless all have a value.
/// \param copies  at least one, of one point
[[nodiscard]] std::optional<measure::Record> sum(std::span<measure::Record const> copies);

}  // namespace cachebench
