// SPDX-License-Identifier: BSD-3-Clause
/// Models: what the points of runs say about costs: a piecewise line for each benchmark and number of ranks, a closed
/// form over the numbers of ranks where there are three. Pure and local.
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

/// A benchmark with one number of ranks.
struct RanksCost {
    int ranks = 1;
    std::vector<CostPoint> points{};  ///< as measured, ascending
    CostModel model{};
    std::vector<SwitchFault> faults{};
};

/// A benchmark of one series, with all numbers of ranks.
struct BenchmarkCost {
    std::string identifier{};  ///< letters, digits and _: "Bcast", "Bcast_double"; no two have the same
    std::string benchmark{};
    std::string label{};    ///< what tells it from others of the same benchmark: series and coordinates; may be empty
    std::string source{};   ///< where it comes from: suite, MPI library, host, start, file
    bool has_sizes = true;  ///< false: measured without a size, as a barrier is
    bool message = false;   ///< between two processes, so that protocols explain breaks; otherwise algorithms do
    std::string
        quantity{};  ///< what the time is, where it was not measured as a time: "bytes / bandwidth"; may be empty
    std::vector<RanksCost> by_ranks{};  ///< ascending; sizes, at least three, or a single one without has_sizes
    std::optional<RanksModel> over_ranks{};
    std::vector<std::string> notes{};  ///< what could not be modelled, and why
};

/// The models of what the series hold: times, and rates of single operations turned into times. What is a rate of
/// memory or arithmetic, or an average of several operations, is left out.
/// \param series  is copied; it need not outlive the result
[[nodiscard]] std::vector<BenchmarkCost> model_costs(std::span<Series const> series, CostRule const& rule = {});

/// A benchmark's time of one operation with its error; nothing where a record is of something else.
[[nodiscard]] std::optional<CostPoint> cost_point(Record const& record, std::string_view suite);

/// Whether a model describes what it was made of: its relative error is 50 % at most, and no line of it says that
/// something takes no time.
[[nodiscard]] bool is_of_use(CostModel const& model);

/// Whether the time per byte changes at a break, and the time itself does not jump, by more than chance.
[[nodiscard]] bool is_bend(CostModel const& model, std::size_t number);

/// What probably changes at a break: "eager to rendezvous protocol, probably".
[[nodiscard]] std::string reason_of(BenchmarkCost const& cost, RanksCost const& ranks, std::size_t number);

/// A switch point that looks badly placed, as a sentence.
[[nodiscard]] std::string describe(RanksCost const& ranks, SwitchFault const& fault);

/// "64 KiB" for whole binary sizes, "1000 B" otherwise.
[[nodiscard]] std::string size_text(double bytes);

}  // namespace measure
