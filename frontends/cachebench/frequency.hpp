// SPDX-License-Identifier: BSD-3-Clause
/// Frequency: measures the current frequency of the core. Local.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace cachebench {

/// Cycles per second of this core. Times a chain of dependent additions, which take one cycle each, because the actual
/// frequency differs from the nominal one and from that of the time stamp counter. Takes a few milliseconds.
/// \return nullopt if the architecture is not supported or the frequency is not stable
[[nodiscard]] std::optional<double> core_frequency();

/// Computes the frequency from the durations of bursts. Uses the fastest burst, because disturbances only make bursts
/// longer.
/// \param times  duration of each burst, in seconds  \param cycles  cycles of one burst
/// \return nullopt unless a tenth of the bursts is within 2 % of the fastest
[[nodiscard]] std::optional<double> frequency_of(std::span<double const> times, std::int64_t cycles);

}  // namespace cachebench
