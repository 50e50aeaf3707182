// SPDX-License-Identifier: BSD-3-Clause
/// LogGP: latency L, overhead o, gap g and gap per byte G of a message, as far as the points of a run say them. Pure.
#pragma once

#include "analysis/runs/series.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace measure {

/// One parameter.
struct LogGpValue {
    std::optional<double> value{};  ///< seconds; of G seconds per byte
    double error = 0;               ///< standard error
    std::string from{};             ///< what it was made of, or what is missing
};

/// Short messages travel in L + 2 o, long ones in L + 2 o + (m - 1) G, and g lies at least between two of a stream.
struct LogGp {
    std::string label{};  ///< of the series
    LogGpValue latency{};
    LogGpValue overhead{};
    LogGpValue gap{};
    LogGpValue gap_per_byte{};
};

/// The parameters for each label of the series that has messages between two processes; series of one label are looked
/// at together. The time of the smallest message is that of the line through it and its neighbours. What each is made
/// of:
///   A   half a round trip of the smallest message: Pingpong (mpiperf), PingPong (PMB), roundtrip (mpbench)
///   o   time of the smallest message's Send on its own process (mpiperf Send, or mpbench latency)
///   L   A - 2 o: the receiver is taken to spend as much as the sender, which no program measures by itself
///   g   time per smallest message in a stream: bandwidth (mpbench); the larger of g and o, in truth
///   G   beta of the largest sizes of that stream, or else of half a round trip
[[nodiscard]] std::vector<LogGp> loggp(std::span<Series const> series);

}  // namespace measure
