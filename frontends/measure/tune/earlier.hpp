// SPDX-License-Identifier: BSD-3-Clause
/// Earlier tuning: what a campaign has left in its folder, for a proof of its file alone. Local.
#pragma once

#include "tune/outcome.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::tune {

/// What an earlier campaign has left.
struct EarlierTuning {
    std::string file{};    ///< that chooses
    std::string text{};    ///< of it
    std::string sha256{};  ///< that it had; empty: not known
    std::string library{};
    int ranks = 0;
    bool no_han = false;  ///< it holds where Open MPI's component han is off
    std::vector<TunedSegment> segments{};
    std::map<Place, std::vector<ScreenedTime>> screened{};
};

/// The segments of a document `tuning.json`, each with what was chosen, or why nothing was; without times. Pure.
/// \param file  for messages  \throws measure::UsageError for a text that is no such document
[[nodiscard]] std::vector<TunedSegment> segments_in(std::string_view document, std::string const& file);

/// What the campaign in a folder has written. \throws measure::UsageError where it has written no file
[[nodiscard]] EarlierTuning earlier_tuning(std::string const& folder);

}  // namespace measure::tool::tune
