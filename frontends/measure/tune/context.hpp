// SPDX-License-Identifier: BSD-3-Clause
/// Context: the state that the phases of a campaign share: options, launches, and results. Local.
#pragma once

#include "launching/folder.hpp"
#include "program/runtime/session.hpp"
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

/// Blocks of a point in all phases except the screen.
inline constexpr int decision_blocks = 5;

/// An algorithm of a collective at a size.
struct Item {
    Place place{};
    measure::Bytes bytes = 0;
    std::string algorithm{};
};

/// A collective to tune, with its sizes.
struct TunedPlace {
    Place place{};
    std::vector<measure::Bytes> sizes{};  ///< ascending; empty: omitted because of the budget
};

struct Context {
    TuneOptions const& options;
    Launches& launches;
    RunFolder& folder;
    program::Session& session;
    std::string base{};  ///< text of the file to change; empty: the library's own
    std::vector<TunedPlace> places{};
    std::map<std::tuple<Place, measure::Bytes, std::string>, BlockCost> costs{};  ///< measured by the check
    double start = 0;                                                             ///< time of an empty launch, in s
    std::string step{};                                                           ///< the present step, for messages
    Outcome out{};

    /// Begins a step, and reports progress.
    void next(std::string const& what);
    /// Splits a plan that chooses algorithms into launches: one with MPI_T, otherwise one for each algorithm.
    [[nodiscard]] std::vector<WorkerPlan> launches_of(WorkerPlan plan) const;
    /// Carries out one of these launches.
    [[nodiscard]] Launched const& run(WorkerPlan const& plan);

    /// Excludes the algorithm for the reason in the record. \throws std::runtime_error for the default
    void exclude(Item const& item, measure::Record const& record);
    void exclude(Item const& item, std::string reason, bool at_this_size = false);
    /// Counts the points of a launch that have no value.
    void note_missing(Launched const& launched, Phase phase);

    /// The text of a file of choices with these rules.
    [[nodiscard]] std::string file_text(std::vector<TunedCollective> const& rules) const;
    [[nodiscard]] bool can_be_in_file(std::string const& collective, std::string const& algorithm) const;
    /// Writes a file into the folder. \return its absolute path
    [[nodiscard]] std::string write_file(std::string const& name, std::string const& text) const;
};

}  // namespace measure::tool::tune
