// SPDX-License-Identifier: BSD-3-Clause
/// Hpcc: what b_eff measures under the names of the latency and bandwidth test of the HPC Challenge. Pure.
///
/// That test has messages of 8 and of 2000000 bytes in one ring of all processes, in the order of their ranks and in
/// random orders, and in ping-pongs of many pairs.
#pragma once

#include "b_eff/result.hpp"

#include <measure/record.hpp>
#include <measure/units.hpp>

#include <string>
#include <utility>
#include <vector>

namespace b_eff {

/// Values by their names, in the units that the names say.
struct Hpcc {
    std::vector<std::pair<std::string, double>> values{};
    measure::Bytes bandwidth_length = 0;  ///< of the messages behind bandwidths, at most 5 % off; 0: there is none
    std::vector<std::string> left_out{};  ///< what is missing, and why
};

inline constexpr measure::Bytes hpcc_latency_length = 8;

/// By the methods sendrecv and nonblocking, which HPCC has: the best repetition of the better one.
[[nodiscard]] Hpcc hpcc(Results const& results);

/// A line with the lengths and what is left out, then one line "NAME=VALUE" for each, as HPCC prints them.
[[nodiscard]] std::string text(Hpcc const& hpcc);
[[nodiscard]] measure::Summary summary(Hpcc const& hpcc);

}  // namespace b_eff
