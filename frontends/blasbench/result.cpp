// SPDX-License-Identifier: BSD-3-Clause
#include "result.hpp"

#include <measure/statistics.hpp>

namespace blasbench {

Figures figures(Counts const& counts, Precision precision, std::span<double const> blocks, std::int64_t iterations,
                std::optional<double> peak) {
    double const time = measure::mean(blocks) / static_cast<double>(iterations);
    auto const bytes = counts.references * static_cast<double>(width(precision));
    Figures f{.mflops = counts.flops / time * 1e-6,
              .megabytes = bytes / static_cast<double>(measure::mebi) / time,
              .nanoseconds = time * 1e9 / counts.references,
              .iterations = iterations};
    if (blocks.size() > 1)
        f.deviation = measure::standard_deviation(blocks) / measure::mean(blocks);
    if (peak)
        f.efficiency = f.mflops / *peak;
    return f;
}

}  // namespace blasbench
