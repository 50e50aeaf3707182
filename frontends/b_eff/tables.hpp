// SPDX-License-Identifier: BSD-3-Clause
/// Tables: the sections of the analysis. Pure text; MB/s per process unless a table states otherwise.
#pragma once

#include "b_eff/report.hpp"
#include "b_eff/result.hpp"

#include <string>

namespace b_eff {

/// Compares the elapsed time with the sum of the single measurements, and warns if they differ by more than 5 %.
[[nodiscard]] std::string elapsed(Results const& results, RunFacts const& facts);
[[nodiscard]] std::string patterns(Averages const& averages);
[[nodiscard]] std::string by_methods(Averages const& averages);
[[nodiscard]] std::string by_repetitions(Averages const& averages);
[[nodiscard]] std::string by_methods_and_lengths(Averages const& averages);
[[nodiscard]] std::string by_lengths(Averages const& averages);
/// The computation of b_eff.
[[nodiscard]] std::string by_patterns_and_lengths(Averages const& averages, Figures const& figures);

}  // namespace b_eff
