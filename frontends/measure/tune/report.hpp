// SPDX-License-Identifier: BSD-3-Clause
/// Tune report: what a campaign has found, for people, for programs and for the MPI library.
#pragma once

#include "page/document.hpp"
#include "program/runtime/session.hpp"
#include "tune/options.hpp"
#include "tune/outcome.hpp"

#include <measure/record.hpp>

#include <map>
#include <string>
#include <vector>

namespace measure::tool::tune {

/// Collectives, variables, and names with numbers and restrictions. Pure.
[[nodiscard]] std::string listing(LibraryFacts const& facts);

/// What stands in the folder in the end, beside the records.
struct TuneFiles {
    std::string tuned{};                     ///< of the library's choices; empty: none is written
    std::vector<std::string> environment{};  ///< variables by which it is in force, each as NAME=VALUE
    std::string page{};
    std::string document{};
};

/// Writes the file and what belongs to it, the document and the page. An older tuned file is removed where a campaign
/// is over and has found that none holds.
[[nodiscard]] TuneFiles write_files(Outcome const& outcome, TuneOptions const& options, RunFolder const& folder,
                                    program::Session& session);

/// Pure. \{
[[nodiscard]] std::string screen_text(Outcome const& outcome, TuneFiles const& files);
[[nodiscard]] page::Document page_of(Outcome const& outcome);
[[nodiscard]] measure::Value document_of(Outcome const& outcome, TuneOptions const& options);
/// The verdict of the proof, or why a segment keeps the default.
[[nodiscard]] std::string verdict_text(TunedSegment const& one);
/// The cost of all phases.
[[nodiscard]] PhaseCost total(std::map<Phase, PhaseCost> const& costs);
/// A sentence for each phase with points without a value.
[[nodiscard]] std::vector<std::string> gap_texts(Outcome const& outcome);
/// \}

}  // namespace measure::tool::tune
