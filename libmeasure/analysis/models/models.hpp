// SPDX-License-Identifier: BSD-3-Clause
/// Models: costs derived from the points of runs. A piecewise linear model for each benchmark and number of ranks, and
/// a closed form over the numbers of ranks if there are three. Pure and local.
#pragma once

#include "analysis/runs/series.hpp"

#include <measure/cost_model.hpp>
#include <measure/cost_over_ranks.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

/// Cost of a benchmark at one number of ranks.
struct RanksCost {
    int ranks = 1;
    std::vector<CostPoint> points{};  ///< measured points, ascending
    CostModel model{};
    std::vector<SwitchFault> faults{};
};

/// Cost of a benchmark of one series, at all numbers of ranks.
struct BenchmarkCost {
    std::string identifier{};  ///< unique name of letters, digits and _: "Bcast", "Bcast_double"
    std::string benchmark{};
    std::string label{};    ///< series and coordinates, to distinguish equal benchmarks; may be empty
    std::string source{};   ///< origin of the data: program, MPI library, host, launches, states, time, label
    bool has_sizes = true;  ///< false: measured without a size, such as a barrier
    bool message = false;   ///< between two processes: breaks are explained by protocols, otherwise by algorithms
    std::string
        quantity{};  ///< how the time was computed if it was not measured directly: "bytes / bandwidth"; may be empty
    std::vector<RanksCost> by_ranks{};  ///< ascending; at least three sizes, or a single one without has_sizes
    std::optional<RanksModel> over_ranks{};
    std::vector<std::string> notes{};  ///< what could not be modelled, and why
};

/// Fits models to the points of the series: times, and rates of single operations converted to times. Rates of memory
/// or arithmetic and averages over several operations are left out. \param series  copied; it need not outlive the
/// result
[[nodiscard]] std::vector<BenchmarkCost> model_costs(std::span<Series const> series, CostRule const& rule = {});

/// Time of one operation with its error; empty if the record measures another quantity.
[[nodiscard]] std::optional<CostPoint> cost_point(Record const& record, std::string_view suite);

/// Whether a model describes its points: its relative error is at most 50 %, and all of its lines are above zero.
[[nodiscard]] bool is_of_use(CostModel const& model);

/// Whether the time per byte changes significantly at a break where the time itself does not jump.
[[nodiscard]] bool is_bend(CostModel const& model, std::size_t number);

/// Probable reason of a break: "probably from the eager to the rendezvous protocol".
[[nodiscard]] std::string reason_of(BenchmarkCost const& cost, RanksCost const& ranks, std::size_t number);

/// Describes a switch point that seems badly placed, as a sentence.
[[nodiscard]] std::string describe(RanksCost const& ranks, SwitchFault const& fault);

/// Text of a size: "1000 B", or "64 KiB" for multiples of 1024 and from 10000 B on.
[[nodiscard]] std::string size_text(double bytes);

}  // namespace measure
