// SPDX-License-Identifier: BSD-3-Clause
/// Result: what counts as work, and the figures that are made of the times. Pure.
#pragma once

#include "catalogue.hpp"

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
    measure::Bytes counted = 0;  ///< for the rate: both directions of rmw and memcpy; 0 for latency
};
[[nodiscard]] Counts counts(Test const& test, measure::Bytes width, measure::Bytes bytes);

/// Smallest vector that the test can run on.
[[nodiscard]] measure::Bytes smallest(Test const& test, measure::Bytes width);

/// What is printed of a point. Rates in MB/s of 2^20 bytes. Of latency, which has no rate, `best` and `deviation` are
/// ns.
struct Figures {
    double nanoseconds = 0;             ///< per reference
    std::optional<double> rate{};       ///< of all blocks together
    double best = 0;                    ///< of a block
    std::optional<double> deviation{};  ///< of the blocks; nothing of a single one
    std::int64_t passes = 0;            ///< in all blocks
};

/// \param blocks  times of blocks of the same number of passes, s, at least one
[[nodiscard]] Figures figures(Counts const& counts, std::span<double const> blocks, std::int64_t passes);

/// The copies' figures added up: what the machine delivers in all. \param copies  with rates, at least one
[[nodiscard]] Figures sum(std::span<Figures const> copies);

}  // namespace cachebench
