// SPDX-License-Identifier: BSD-3-Clause
/// Result: the work of a pass, and the records computed from the times. Pure.
#pragma once

#include "cachebench/catalogue.hpp"
#include "llcbench/statistic.hpp"

#include <measure/record.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace cachebench {

/// Size of a node of the latency test, in bytes: a cache line.
inline constexpr measure::Bytes node = 64;

/// The work of one pass over vectors of a given size.
struct Counts {
    std::int64_t n = 0;          ///< number of elements, of bytes (calls of libc) or of nodes (latency)
    measure::Bytes touched = 0;  ///< smaller than the vector if a tuned loop skips a remainder
    std::int64_t references = 0;
    measure::Bytes counted = 0;  ///< bytes of the rate: both directions of rmw and memcpy count; 0 for latency
};
[[nodiscard]] Counts counts(Test const& test, measure::Bytes width, measure::Bytes bytes);

/// Smallest vector that the test can run on, in bytes.
[[nodiscard]] measure::Bytes smallest(Test const& test, measure::Bytes width);

/// Converts the times of a measurement to a record: the bandwidth of a pass, or the time of one load for latency. Its
/// value is the selected statistic. `derived` holds `time_per_access`, `best_bandwidth`, `bytes_per_cycle`, `passes`,
/// `bytes_touched` and `deviation`. \param frequency  cycles per second of the core, if known
[[nodiscard]] measure::Record result(measure::Record times, Counts const& counts, llcbench::Statistic statistic,
                                     std::optional<double> frequency);

/// Time of one access, in nanoseconds. \param record  made by `result`
[[nodiscard]] std::optional<double> nanoseconds(measure::Record const& record, Counts const& counts);

/// Bytes per cycle of the core, for the selected statistic; nullopt if the frequency is not known.
[[nodiscard]] std::optional<double> bytes_per_cycle(measure::Record const& record);

/// Total number of passes in the valid blocks.
[[nodiscard]] std::int64_t passes(measure::Record const& record);

/// Adds up the records of all copies: the total rate of the machine. nullopt unless every copy has a value.
/// \param copies  all copies of one point, at least one
[[nodiscard]] std::optional<measure::Record> sum(std::span<measure::Record const> copies);

}  // namespace cachebench
