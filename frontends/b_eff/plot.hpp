// SPDX-License-Identifier: BSD-3-Clause
/// Plot: data and script for gnuplot. Pure text.
#pragma once

#include "b_eff/report.hpp"
#include "b_eff/result.hpp"

#include <string>

namespace b_eff {

/// Returns ten blocks of 21 lines, separated by two blank lines. For each of the three methods and for the best one
/// there is a block "ring & random" and a block "additional"; then follow a comparison of methods and a comparison of
/// rings and random patterns. Values are in MB/s per process; "-" marks a missing value.
[[nodiscard]] std::string plot(Averages const& averages);
/// Returns a script that draws `data` into PREFIX_01.svg to PREFIX_10.svg, with 21 lengths at equal distances. It needs
/// no display.
[[nodiscard]] std::string script(Setup const& setup, Averages const& averages, std::string const& data);

}  // namespace b_eff
