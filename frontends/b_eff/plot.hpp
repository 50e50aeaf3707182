// SPDX-License-Identifier: BSD-3-Clause
/// Plot: data and script for gnuplot. Pure text.
#pragma once

#include "b_eff/report.hpp"
#include "b_eff/result.hpp"

#include <string>

namespace b_eff {

/// Ten blocks of 21 lines, separated by two blank lines: by each of the three methods and by the best one "ring &
/// random" and "additional" patterns, then methods compared, then rings and random patterns compared. MB/s per
/// process; "-" where there is none.
[[nodiscard]] std::string plot(Averages const& averages);
/// A script that draws `data` into PREFIX_01.svg to PREFIX_10.svg, 21 lengths at equal distances; no display is needed.
[[nodiscard]] std::string script(Setup const& setup, Averages const& averages, std::string const& data);

}  // namespace b_eff
