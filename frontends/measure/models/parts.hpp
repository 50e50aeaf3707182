// SPDX-License-Identifier: BSD-3-Clause
/// Parts of models as sentences and tables, shared by text and report. Pure, local.
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
/// A line for each break, and a further line if it looks badly placed; a line for each outlier.
[[nodiscard]] std::vector<std::string> breaks_of(BenchmarkCost const& cost, RanksCost const& ranks);
/// "alpha(p) = 1.2 us + 0.4 us log2(p), beta(p) = 80 ps/B", for each piece.
[[nodiscard]] std::vector<std::string> over_ranks_lines(BenchmarkCost const& cost);
/// A row for each LogGP parameter: value with error, and the measurements that it comes from.
[[nodiscard]] page::Table loggp_table(LogGp const& parameters);
/// A row for some sizes of each routine. \param most  maximum number of rows of a routine
[[nodiscard]] page::Table roofline_table(Roofline const& roof, std::size_t most);
/// Measured points with the lines of the model. \param most_curves  maximum number of curves, one for each number of
/// ranks
[[nodiscard]] page::Plot cost_plot(BenchmarkCost const& cost, std::size_t most_curves);

}  // namespace measure::tool
