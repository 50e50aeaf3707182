// SPDX-License-Identifier: BSD-3-Clause
/// Context: what the phases of a campaign share: what is asked for, launches, and what has come out so far. Local.
#pragma once

#include "program/runtime/session.hpp"
#include "starts/folder.hpp"
#include "tune/estimate.hpp"
#include "tune/launches.hpp"
#include "tune/library/settings.hpp"
#include "tune/options.hpp"
#include "tune/outcome.hpp"

#include <measure/units.hpp>

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace measure::tool::tune {

/// Blocks of a point everywhere but in the screen.
inline constexpr int decision_blocks = 5;

/// An algorithm of a collective at a size.
struct Item {
    Place place{};
    measure::Bytes bytes = 0;
    std::string algorithm{};
};

/// What is tuned.
struct TunedPlace {
    Place place{};
    std::vector<measure::Bytes> sizes{};  ///< ascending; none: it is left out
};

struct Context {
    TuneOptions const& options;
    Launches& launches;
    RunFolder& folder;
    program::Session& session;
    std::string base{};  ///< text of the file to build on; empty: the library's own
    std::vector<TunedPlace> places{};
    std::map<std::tuple<Place, measure::Bytes, std::string>, BlockCost> costs{};  ///< as the check saw them
    double start = 0;                                                             ///< s, of a launch that does nothing
    std::string step{};                                                           ///< what is done now, in words
    Outcome out{};

    void next(std::string const& what);
    /// The launches of a plan that chooses algorithms: one, or one for each algorithm.
    [[nodiscard]] std::vector<WorkerPlan> launches_of(WorkerPlan plan) const;
    /// One of them.
    [[nodiscard]] Launched const& run(WorkerPlan const& plan);

    /// Leaves out what the record says. \throws std::runtime_error for the default
    void exclude(Item const& item, measure::Record const& record);
    void exclude(Item const& item, std::string reason, bool at_this_size = false);
    /// Values that the ranks could not measure, of a launch that is over.
    void note_missing(Launched const& launched, Phase phase);

    /// Of the library's choices.
    [[nodiscard]] std::string file_text(std::vector<TunedCollective> const& rules) const;
    [[nodiscard]] bool can_be_in_file(std::string const& collective, std::string const& algorithm) const;
    /// \return its path
    [[nodiscard]] std::string write_file(std::string const& name, std::string const& text) const;
};

}  // namespace measure::tool::tune
