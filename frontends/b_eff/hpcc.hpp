// SPDX-License-Identifier: BSD-3-Clause
/// Hpcc: reports results of b_eff under the names of the latency and bandwidth test of the HPC Challenge. Pure.
///
/// That test uses messages of 8 and 2000000 bytes in one ring of all processes, in rank order and in random orders, and
/// in ping-pongs of many pairs.
#pragma once

#include "b_eff/result.hpp"

#include <measure/record.hpp>
#include <measure/units.hpp>

#include <string>
#include <utility>
#include <vector>

namespace b_eff {

/// Values by name. The names give the units.
struct Hpcc {
    std::vector<std::pair<std::string, double>> values{};
    measure::Bytes bandwidth_length = 0;  ///< length for bandwidths, within 5 % of 2000000 bytes; 0: no such length
    std::vector<std::string> left_out{};  ///< missing values with the reason
};

inline constexpr measure::Bytes hpcc_latency_length = 8;

/// Uses the methods sendrecv and nonblocking, as HPCC does: the best repetition of the better method.
[[nodiscard]] Hpcc hpcc(Results const& results);

/// Returns a line with the lengths and the missing values, then one line "NAME=VALUE" for each value, as HPCC prints
/// them.
[[nodiscard]] std::string text(Hpcc const& hpcc);
[[nodiscard]] measure::Summary summary(Hpcc const& hpcc);

}  // namespace b_eff
