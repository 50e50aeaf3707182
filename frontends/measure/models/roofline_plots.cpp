// SPDX-License-Identifier: BSD-3-Clause
#include "models/roofline_plots.hpp"

#include "analysis/models/models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace measure::tool {

namespace {

page::Curve roof_line(Peak const& peak, BandwidthPoint const& memory, double low, double high) {
    double const ridge = peak.rate / memory.bandwidth;
    page::Curve line{.label = fmt::format("{} precision, bandwidth at {}", peak.precision == 'd' ? "double" : "single",
                                          size_text(memory.bytes)),
                     .shape = page::Shape::line};
    line.points.push_back({low, std::min(peak.rate, memory.bandwidth * low)});
    if (ridge > low && ridge < high)
        line.points.push_back({ridge, peak.rate});
    line.points.push_back({high, std::min(peak.rate, memory.bandwidth * high)});
    return line;
}

}  // namespace

page::Plot roofline_plot(Roofline const& roof) {
    page::Plot plot{.stem = "roofline",
                    .title = "BLAS rates under the roofs of memory and processor",
                    .x = {.label = "arithmetic intensity [flop/byte]", .log = true},
                    .y = {.label = "rate", .log = true, .unit = page::Unit::flops}};
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    for (auto const& curve : roof.curves)
        for (auto const& point : curve.points) {
            low = std::min(low, point.intensity);
            high = std::max(high, point.intensity);
        }
    for (auto const& curve : roof.curves) {
        plot.curves.push_back({.label = curve.label, .shape = page::Shape::points});
        for (auto const& point : curve.points)
            plot.curves.back().points.push_back({point.intensity, point.rate});
    }
    if (!roof.memory.empty()) {
        auto const best = *std::max_element(roof.memory.begin(), roof.memory.end(),
                                            [](auto const& a, auto const& b) { return a.bandwidth < b.bandwidth; });
        for (auto const& peak : roof.peaks)
            for (auto const& memory : {best, roof.memory.back()})
                if (peak.threads == 1)
                    plot.curves.push_back(roof_line(peak, memory, low / 2, high * 2));
    }
    return plot;
}

page::Plot bandwidth_plot(Roofline const& roof) {
    page::Plot plot{.stem = "blas-bandwidth",
                    .title = "Operand bandwidth of BLAS routines, and memory bandwidth",
                    .x = {.label = "problem size", .log = true, .unit = page::Unit::bytes},
                    .y = {.label = "bandwidth", .log = true, .unit = page::Unit::bytes_per_second}};
    if (!roof.memory.empty()) {
        plot.curves.push_back({.label = "memory (cachebench, best test)"});
        for (auto const& point : roof.memory)
            plot.curves.back().points.push_back({point.bytes, point.bandwidth});
    }
    for (auto const& curve : roof.curves) {
        plot.curves.push_back({.label = curve.label});
        for (auto const& point : curve.points)
            plot.curves.back().points.push_back({point.bytes, point.counted});
    }
    return plot;
}

}  // namespace measure::tool
