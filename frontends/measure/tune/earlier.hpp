// SPDX-License-Identifier: BSD-3-Clause
/// Earlier tuning: what a campaign has left in its folder, for a proof of its file alone. Local.
#pragma once

#include "tune/campaign.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace measure_tool::tune {

/// The segments of a document `tuning.json`, each with what was chosen, or why nothing was; without times. Pure.
/// \param file  for messages  \throws measure::UsageError for a text that is no such document
[[nodiscard]] std::vector<TunedSegment> segments_in(std::string_view document, std::string const& file);

/// What the campaign in a folder has written. \throws measure::UsageError where it has written no file
[[nodiscard]] EarlierTuning earlier_tuning(std::string const& folder);

}  // namespace measure_tool::tune
