// SPDX-License-Identifier: BSD-3-Clause
/// Tune report: the outcome of a campaign as text, page, JSON document and file for the MPI library.
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

/// The table of --list: algorithms of each collective with number, restriction and name in files. Pure.
[[nodiscard]] std::string listing(LibraryFacts const& facts);

/// Paths of the files in the folder, except the records.
struct TuneFiles {
    std::string tuned{};                     ///< file of choices; empty: none is written
    std::vector<std::string> environment{};  ///< variables that make the library use it, each as NAME=VALUE
    std::string page{};
    std::string document{};
};

/// Writes the file of choices with tuned.env and tuned.about, the document and the page. Removes the files of choices
/// of an earlier command if the campaign is complete and has no file.
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
/// One sentence for each phase that has points without a value.
[[nodiscard]] std::vector<std::string> gap_texts(Outcome const& outcome);
/// \}

}  // namespace measure::tool::tune
