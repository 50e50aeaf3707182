// SPDX-License-Identifier: BSD-3-Clause
/// The page of a run on the site: what its record says, and the record itself beside it. Pure.
#pragma once

#include "archive/html.hpp"
#include "archive/site.hpp"

#include <measure/record.hpp>

#include <optional>
#include <string>
#include <vector>

namespace measure::tool::archive {

[[nodiscard]] std::string run_page_text(SiteRun const& run, std::string const& site);

/// Value, interval, verdict and flags of a point in the unit that fits its value.
[[nodiscard]] std::vector<SiteCell> value_cells(measure::Record const& point,
                                                std::optional<measure::Interval> const& interval);

}  // namespace measure::tool::archive
