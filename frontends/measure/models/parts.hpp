// SPDX-License-Identifier: BSD-3-Clause
/// Parts of models as words and tables: what text and report have in common. Pure and local.
#pragma once

#include "models/document.hpp"
#include "page/document.hpp"

#include <string>
#include <vector>

namespace measure::tool {

/// "Bcast, double", "Barrier".
[[nodiscard]] std::string title_of(BenchmarkCost const& cost);
/// "2 ranks: 23 sizes from 1 B to 4 MiB, 3 pieces, error 1.2 % (largest 4.1 %)"
[[nodiscard]] std::string headline_of(BenchmarkCost const& cost, RanksCost const& ranks);
/// A row for each piece: sizes, alpha, beta, 1 / beta, error.
[[nodiscard]] page::Table pieces_table(RanksCost const& ranks);
/// Each break, and whether it looks badly placed.
[[nodiscard]] std::vector<std::string> breaks_of(BenchmarkCost const& cost, RanksCost const& ranks);
/// "alpha(p) = 1.2 us + 0.4 us log2(p), beta(p) = 80 ps/B", for each piece.
[[nodiscard]] std::vector<std::string> over_ranks_lines(BenchmarkCost const& cost);
/// Parameter, value, error, what it is made of.
[[nodiscard]] page::Table loggp_table(LogGp const& parameters);
/// A row for each routine and some of its sizes. \param most  rows of a routine
[[nodiscard]] page::Table roofline_table(Roofline const& roof, std::size_t most);
/// Measured points with the model's lines.
[[nodiscard]] page::Plot cost_plot(BenchmarkCost const& cost, std::size_t most_curves);

}  // namespace measure::tool
