// SPDX-License-Identifier: BSD-3-Clause
/// Outcome: the results of a campaign, and functions of them. Pure, local.
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

/// Facts about the MPI library, from a launch of Phase::list.
struct LibraryFacts {
    std::string library{};  ///< "MPICH 4.0.2"
    LibraryFamily family = LibraryFamily::mpich;
    std::string file{};              ///< path of the library; empty if unknown
    std::string tree{};              ///< MPICH: its own selection tree; empty if not found
    std::set<std::string> leaves{};  ///< MPICH: names of algorithms in files
    std::vector<Collective> collectives{};
    measure::Environment run{};  ///< ranks and hosts
};

/// Reads the facts from the record of a launch of Phase::list. \throws std::runtime_error if it has none
[[nodiscard]] LibraryFacts facts_of(measure::RunRecord const& record);

/// A warning for each value with an unknown name. Pure.
[[nodiscard]] std::vector<std::string> unknown_names(LibraryFacts const& facts);

/// Keeps only the chosen collectives; all if `chosen` is empty. \throws measure::UsageError if the library lacks one
void keep(LibraryFacts& facts, std::vector<std::string> const& chosen);

/// An algorithm that is not used, and why.
struct Excluded {
    Place place{};  ///< ranks = 0: on any number of ranks
    std::string algorithm{};
    std::string reason{};
    std::optional<measure::Bytes> bytes{};  ///< only at this size; empty: at all sizes
};

/// Whether the exclusion applies to this place. Pure.
[[nodiscard]] bool is_of(Excluded const& excluded, Place const& place);

/// The result of the screen for an algorithm at a size.
struct ScreenedTime {
    measure::Bytes bytes = 0;
    std::string algorithm{};
    double time = 0;  ///< median over blocks, in s
    int blocks = 0;
    bool is_dropped = false;
};

/// A segment with its sizes, choice and proof.
struct TunedSegment {
    Place place{};
    Segment segment{};
    Choice choice{};
    std::optional<double> default_time{};  ///< median over launches of the geometric mean over its sizes, in s
    std::size_t launches = 0;              ///< launches of the decision that have values for all its sizes
    std::optional<ComparedPoint> proof{};  ///< tuned over default; empty if it is not in the file or lacks a value
    std::string returned{};                ///< why the choice was withdrawn; empty if it was not
};

/// Whether the file contains a choice for the segment. Pure.
[[nodiscard]] bool is_in_file(TunedSegment const& one);

/// Whether the exclusion applies to a size of this segment. Pure.
[[nodiscard]] bool is_of(Excluded const& excluded, TunedSegment const& one);

/// Points without a value in the launches of a phase, because other programs used the cores. A launch does not count
/// for a segment in which it lacks a value.
struct Gaps {
    int values = 0;         ///< number of points without a value
    std::string example{};  ///< one of these points, with the reason
};

/// All results of a campaign.
struct Outcome {
    LibraryFacts facts{};
    std::vector<Excluded> excluded{};
    std::map<Place, std::vector<ScreenedTime>> screened{};  ///< results of the screen
    std::vector<TunedSegment> segments{};
    std::vector<std::pair<Place, ComparedPoint>> outside{};  ///< proof of sizes outside of all segments of the file
    std::string canary{};                ///< how the canary showed that the file is used; empty: not shown
    std::string doubt{};                 ///< why there was no canary; a note unless the proof shows a gain
    std::vector<std::string> missing{};  ///< missing measurements, with reasons
    std::vector<std::string> notes{};
    std::map<Phase, PhaseCost> costs{};
    std::map<Phase, Gaps> gaps{};
    Via via = Via::mpi_t;
    Estimate expected{};        ///< expected cost of the phases after the check
    std::int64_t spared = 0;    ///< number of blocks that the screen saved
    std::string file{};         ///< text of the proved file; empty: the default is kept everywhere
    std::string proved{};       ///< path of the file given by --prove; empty in a whole campaign
    std::string proved_text{};  ///< content of that file
    bool has_slower = false;    ///< the last proof found a segment or other sizes slower
    bool is_complete = false;   ///< all phases are complete
};

/// The algorithms that may be used at a place, the default first. Pure.
[[nodiscard]] std::vector<std::string> usable(Outcome const& outcome, Place const& place);

/// The place of a point of the worker. Pure.
[[nodiscard]] Place place_of(measure::Record const& point);

/// Whether the worker has excluded the algorithm of this point. Pure.
[[nodiscard]] bool is_excluded(measure::Record const& record);

/// The median of a point over its blocks, in s; empty without a value. Pure.
[[nodiscard]] std::optional<double> median_of(measure::Record const& record);

/// A size with a leading blank, such as " 64 KiB", to append to a place; empty for 0. Pure.
[[nodiscard]] std::string size_text(measure::Bytes bytes);

/// The result in a point of the screen; empty for other points. Pure.
[[nodiscard]] std::optional<ScreenedTime> screened_time(measure::Record const& point);

/// The rules of a file, from the segments whose choice was not withdrawn. Neighbours with the same algorithm become one
/// rule. Pure.
[[nodiscard]] std::vector<TunedCollective> rules_of(std::vector<TunedSegment> const& segments);

/// Rules as one word that identifies a file. Pure.
[[nodiscard]] std::string word_of(std::vector<TunedCollective> const& rules);

/// A size at which the leader of the screen changes.
struct Switch {
    Place place{};
    measure::Bytes low = 0;   ///< largest measured size of `from`
    measure::Bytes high = 0;  ///< smallest measured size of `to`
    measure::Bytes at = 0;    ///< smallest size for which a file uses `to`
    std::string from{};
    std::string to{};
};
/// The switches between consecutive segments. --prove knows no leaders, so it has no switches. Pure.
[[nodiscard]] std::vector<Switch> switches_of(std::vector<TunedSegment> const& segments);

/// Removes islands: a segment of one size without a choice takes the algorithm that both neighbours have chosen, if it
/// is left at that size. Pure. \param segments  the segments of each place in ascending order, one place after another
void dissolve_islands(std::vector<TunedSegment>& segments);

/// Withdraws the choice of each segment for which the proof shows no gain. Pure.
void return_unproved(std::vector<TunedSegment>& segments);

}  // namespace measure::tool::tune
