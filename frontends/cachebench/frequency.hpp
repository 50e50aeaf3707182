// SPDX-License-Identifier: BSD-3-Clause
/// Frequency: how fast the core runs now. Local.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace cachebench {

/// Cycles of this core per second, by a chain of additions, of which a core does one in a cycle: neither the nominal
/// frequency nor that of the time stamp counter says how fast it runs. Takes some milliseconds.
/// \return nothing where the architecture's chain is not known, or the frequency does not hold still
[[nodiscard]] std::optional<double> core_frequency();

/// The same from the times, s, of bursts of so many cycles. What disturbs a burst makes it longer: the fastest count.
/// \return nothing unless a tenth of the bursts agree with the fastest within 2 %
[[nodiscard]] std::optional<double> frequency_of(std::span<double const> times, std::int64_t cycles);

}  // namespace cachebench
