// SPDX-License-Identifier: BSD-3-Clause
/// Models as a JSON document. Pure, local.
#pragma once

#include "analysis/models/loggp.hpp"
#include "analysis/models/models.hpp"
#include "analysis/models/roofline.hpp"

#include <measure/record.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace measure::tool {

/// All models of some series.
struct Models {
    std::vector<BenchmarkCost> costs{};
    std::vector<LogGp> loggp{};
    std::optional<Roofline> roofline{};
};
[[nodiscard]] Models make_models(std::span<Series const> series, measure::CostRule const& rule = {});

/// The JSON document: {"document": "measure model", "schema": 1, ...}. Times are in seconds, sizes in bytes.
[[nodiscard]] measure::Value model_document(Models const& models);

}  // namespace measure::tool
