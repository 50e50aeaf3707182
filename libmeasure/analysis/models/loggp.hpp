// SPDX-License-Identifier: BSD-3-Clause
/// LogGP: latency L, overhead o, gap g and gap per byte G of a message, as far as the points of a run determine them.
/// Pure.
#pragma once

#include "analysis/runs/series.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace measure {

/// One parameter.
struct LogGpValue {
    std::optional<double> value{};  ///< in seconds; G in seconds per byte
    double error = 0;               ///< standard error
    std::string from{};             ///< the measurements used, or what is missing
};

/// Short messages take L + 2 o, messages of m bytes L + 2 o + (m - 1) G. Messages of a stream are at least g apart.
struct LogGp {
    std::string label{};  ///< label of the series
    LogGpValue latency{};
    LogGpValue overhead{};
    LogGpValue gap{};
    LogGpValue gap_per_byte{};
};

/// Parameters for each label whose series contain messages between two processes. Series with the same label are
/// combined. The time of the smallest message comes from the line through it and its neighbours. Sources of the
/// parameters:
///   A   half a round trip of the smallest message: Pingpong (mpiperf), PingPong (PMB), roundtrip (mpbench)
///   o   time of the smallest message's Send on its own process (mpiperf Send, or mpbench latency)
///   L   A - 2 o: assumes that receiver and sender spend the same time; no program measures the receiver separately
///   g   time per smallest message in a stream: bandwidth (mpbench); this is actually the larger of g and o
///   G   beta of the largest sizes of that stream, otherwise of half a round trip
[[nodiscard]] std::vector<LogGp> loggp(std::span<Series const> series);

}  // namespace measure
