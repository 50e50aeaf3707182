// SPDX-License-Identifier: BSD-3-Clause
/// The site's page of a run: the contents of its record, with a link to the record. Pure.
#pragma once

#include "archive/html.hpp"
#include "archive/site.hpp"

#include <measure/record.hpp>

#include <optional>
#include <string>
#include <vector>

namespace measure::tool::archive {

[[nodiscard]] std::string run_page_text(SiteRun const& run, std::string const& site);

/// Value, interval, verdict and flags of a point, in the unit that suits its value.
[[nodiscard]] std::vector<SiteCell> value_cells(measure::Record const& point,
                                                std::optional<measure::Interval> const& interval);

}  // namespace measure::tool::archive
