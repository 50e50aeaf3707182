// SPDX-License-Identifier: BSD-3-Clause
/// Earlier tuning: reads the folder of an earlier campaign, to prove its file again. Local.
#pragma once

#include "tune/outcome.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::tune {

/// Results of an earlier campaign.
struct EarlierTuning {
    std::string file{};    ///< path of its file of choices
    std::string text{};    ///< content of that file
    std::string sha256{};  ///< SHA-256 that the file had when it was written; empty if unknown
    std::string library{};
    int ranks = 0;
    bool no_han = false;  ///< the file is for Open MPI without its component han
    std::vector<TunedSegment> segments{};
    std::map<Place, std::vector<ScreenedTime>> screened{};
};

/// The segments of a document `tuning.json`, each with its chosen algorithm or the reason for the default, without
/// times. Pure. \param file  name for messages  \throws measure::UsageError if the text is not such a document
[[nodiscard]] std::vector<TunedSegment> segments_in(std::string_view document, std::string const& file);

/// The results of the campaign in a folder. \throws measure::UsageError if it has written no file of choices
[[nodiscard]] EarlierTuning earlier_tuning(std::string const& folder);

}  // namespace measure::tool::tune
