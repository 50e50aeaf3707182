// SPDX-License-Identifier: BSD-3-Clause
/// Outcome: what a campaign has found, and what follows from it alone. Pure, local.
#pragma once

#include "analysis/compare/compare.hpp"
#include "tune/decide.hpp"
#include "tune/estimate.hpp"
#include "tune/launches.hpp"
#include "tune/library/algorithms.hpp"
#include "tune/library/selection_tree.hpp"
#include "tune/plan.hpp"
#include "tune/segments.hpp"

#include <measure/environment_info.hpp>
#include <measure/record.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace measure::tool::tune {

/// What the library says of itself.
struct LibraryFacts {
    std::string library{};  ///< "MPICH 4.0.2"
    LibraryFamily family = LibraryFamily::mpich;
    std::string file{};  ///< that it is in; empty: not known
    std::string tree{};  ///< its own choices; empty: not found
    std::set<std::string> leaves{};
    std::vector<Collective> collectives{};
    measure::Environment run{};  ///< ranks and hosts
};

/// From the record of a launch of Phase::list. \throws std::runtime_error where it has none of it
[[nodiscard]] LibraryFacts facts_of(measure::RunRecord const& record);

/// A text for each value whose name is not known. Pure.
[[nodiscard]] std::vector<std::string> unknown_names(LibraryFacts const& facts);

/// Leaves these collectives; all for none. \throws measure::UsageError where the library has none of that name
void keep(LibraryFacts& facts, std::vector<std::string> const& chosen);

/// An algorithm that is not used, and why.
struct Excluded {
    Place place{};  ///< ranks = 0: on any number
    std::string algorithm{};
    std::string reason{};
    std::optional<measure::Bytes> bytes{};  ///< at this size alone
};

/// Whether it is about this place. Pure.
[[nodiscard]] bool is_of(Excluded const& excluded, Place const& place);

/// An algorithm at a size, as the screen saw it.
struct ScreenedTime {
    measure::Bytes bytes = 0;
    std::string algorithm{};
    double time = 0;  ///< s, median over blocks
    int blocks = 0;
    bool is_dropped = false;
};

/// A segment from its sizes to its proof.
struct TunedSegment {
    Place place{};
    Segment segment{};
    Choice choice{};
    std::optional<double> default_time{};  ///< s, geometric mean over its sizes of medians over launches
    std::size_t launches = 0;              ///< that decided
    std::optional<ComparedPoint> proof{};  ///< tuned over default; nothing: it is not in the file
    std::string returned{};                ///< why it has the default again though something was chosen
};

/// Whether the file chooses for it. Pure.
[[nodiscard]] bool is_in_file(TunedSegment const& one);

/// Whether it is about a size of this segment. Pure.
[[nodiscard]] bool is_of(Excluded const& excluded, TunedSegment const& one);

/// Values that launches of a phase could not measure, because other programs had the cores. Such a launch counts for
/// nothing where it lacks one.
struct Gaps {
    int values = 0;
    std::string example{};  ///< one of them, and why
};

/// All that came out.
struct Outcome {
    LibraryFacts facts{};
    std::vector<Excluded> excluded{};
    std::map<Place, std::vector<ScreenedTime>> screened{};  ///< by size
    std::vector<TunedSegment> segments{};
    std::vector<std::pair<Place, ComparedPoint>> outside{};  ///< of the proof, sizes that no segment of the file has
    std::string canary{};                ///< how the file was seen to be in force; empty: it was not tried
    std::string doubt{};                 ///< why the canary was not tried; a note unless the proof shows a gain
    std::vector<std::string> missing{};  ///< what was not measured, and why
    std::vector<std::string> notes{};
    std::map<Phase, PhaseCost> costs{};
    std::map<Phase, Gaps> gaps{};
    Via via = Via::mpi_t;
    Estimate expected{};        ///< of what follows the check
    std::int64_t spared = 0;    ///< blocks that the screen did not measure
    std::string file{};         ///< text of the file that holds; empty: nothing is changed
    std::string proved{};       ///< the file that was proved and nothing else done; empty: a whole campaign
    std::string proved_text{};  ///< of that file
    bool has_slower = false;    ///< the proof's last word is that a point is slower
    bool is_complete = false;   ///< all phases are over
};

/// The algorithms of a collective that may be used on so many ranks, the default first. Pure.
[[nodiscard]] std::vector<std::string> usable(Outcome const& outcome, Place const& place);

/// Of a point of the worker. Pure.
[[nodiscard]] Place place_of(measure::Record const& point);

/// Whether the worker says of an algorithm that it is not used. Pure.
[[nodiscard]] bool is_excluded(measure::Record const& record);

/// The median of a point over its blocks; nothing where it has none. Pure.
[[nodiscard]] std::optional<double> median_of(measure::Record const& record);

/// " 64 KiB", to stand behind a place; empty for none. Pure.
[[nodiscard]] std::string size_text(measure::Bytes bytes);

/// What a point of a screen says; nothing for others. Pure.
[[nodiscard]] std::optional<ScreenedTime> screened_time(measure::Record const& point);

/// The rules of a file, of segments that have chosen an algorithm and have not been returned; neighbours with one
/// algorithm are one rule. Pure.
[[nodiscard]] std::vector<TunedCollective> rules_of(std::vector<TunedSegment> const& segments);

/// Rules as one word, which tells files apart. Pure.
[[nodiscard]] std::string word_of(std::vector<TunedCollective> const& rules);

/// Where the leader of the screen changes.
struct Switch {
    Place place{};
    measure::Bytes low = 0;   ///< the largest measured size of the one before
    measure::Bytes high = 0;  ///< the smallest of the one behind
    measure::Bytes at = 0;    ///< from which on a file has the one behind
    std::string from{};
    std::string to{};
};
/// Between segments that follow each other. None of segments whose leader is not known: a proof looks for no switches.
/// Pure.
[[nodiscard]] std::vector<Switch> switches_of(std::vector<TunedSegment> const& segments);

/// Segments of one size without a choice, between neighbours that have chosen one algorithm which is left there, take
/// it too. Pure. \param segments  of a place in ascending order, one after another
void dissolve_islands(std::vector<TunedSegment>& segments);

/// Segments of the file get the default back where the proof shows no gain. Pure.
void return_unproved(std::vector<TunedSegment>& segments);

}  // namespace measure::tool::tune
