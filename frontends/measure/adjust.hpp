// SPDX-License-Identifier: BSD-3-Clause
/// Adjustment: the p-values of many tests made into ones that hold for all together. Pure.
#pragma once

#include <measure/two_samples.hpp>

#include <cstddef>
#include <vector>

namespace measure_tool {

/// Sets `adjusted_p` by Holm's method where there is a `p`.
template <class Tested>
void adjust(std::vector<Tested>& all) {
    std::vector<double> ps;
    for (auto const& one : all)
        if (one.p)
            ps.push_back(*one.p);
    auto const adjusted = measure::holm(ps);
    std::size_t next = 0;
    for (auto& one : all)
        if (one.p)
            one.adjusted_p = adjusted[next++];
}

}  // namespace measure_tool
