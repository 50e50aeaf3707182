// SPDX-License-Identifier: BSD-3-Clause
/// Batch: how many iterations of the body lie between two clock reads.
#pragma once

#include "measure/units.hpp"

#include <cstdint>
#include <limits>
#include <variant>

#pragma GCC visibility push(default)
namespace measure {

/// A fixed number, >= 1.
struct Fixed {
    std::int64_t iterations = 1;
};

/// A constant volume of data: volume / per_iteration, within [at_least, at_most].
struct ByVolume {
    Bytes per_iteration = 1;
    Bytes volume = 1;
    std::int64_t at_least = 1;
    std::int64_t at_most = std::numeric_limits<std::int64_t>::max();
};

/// As many as bring the duration of a sample into [low, high]: steered after each stage by the longest rank.
struct InWindow {
    seconds low{2.5e-3};
    seconds high{5e-3};
    std::int64_t first = 1;  ///< iterations of the first sample
    std::int64_t at_most = std::numeric_limits<std::int64_t>::max();
};

/// Iterations until `budget` has passed by the root's timer. All ranks agree: the root looks after 1, 2, 4, ..
/// iterations and tells the others (a broadcast inside the timed region; none on a single rank).
struct Until {
    seconds budget{1};
};

using Batch = std::variant<Fixed, ByVolume, InWindow, Until>;

/// Iterations of the first sample. \throws UsageError for values out of range
[[nodiscard]] std::int64_t first_iterations(Batch const& batch);

/// Iterations of the next samples after samples of `iterations` took `longest` each: InWindow scales to the middle of
/// its window, by at most 16 at once; all others stay.
[[nodiscard]] std::int64_t next_iterations(Batch const& batch, std::int64_t iterations, seconds longest);

}  // namespace measure
#pragma GCC visibility pop
