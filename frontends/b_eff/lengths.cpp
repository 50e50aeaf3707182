// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/lengths.hpp"

#include <algorithm>
#include <cmath>

namespace b_eff {

using measure::Bytes;

Bytes largest_length(Bytes memory) noexcept { return std::min(memory / 128, 128 * measure::mebi); }

Lengths lengths(Bytes largest) {
    Lengths all{};
    for (std::size_t i = 0; i < fixed_count; ++i)
        all[i] = Bytes{1} << i;
    double length = static_cast<double>(all[fixed_count - 1]);
    double const factor = std::pow(static_cast<double>(largest) / length, 1.0 / 8);
    for (std::size_t i = fixed_count; i < length_count; ++i) {
        length *= factor;
        all[i] = static_cast<Bytes>(std::floor(length + 0.5));
    }
    return all;
}

}  // namespace b_eff
