// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: from what a library offers to files that are proved: check, screen, switch points, decision, canary,
/// proof. Local.
#pragma once

#include "compare/compare.hpp"
#include "tune/algorithms.hpp"
#include "tune/decide.hpp"
#include "tune/estimate.hpp"
#include "tune/launches.hpp"
#include "tune/options.hpp"
#include "tune/segments.hpp"
#include "tune/selection_tree.hpp"

#include <measure/environment_info.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace measure_tool::tune {

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
    std::vector<std::string> missing{};  ///< what was not measured, and why
    std::vector<std::string> notes{};
    std::map<Phase, PhaseCost> costs{};
    std::map<Phase, Gaps> gaps{};
    Via via = Via::mpi_t;
    Estimate expected{};       ///< of what follows the check
    std::int64_t spared = 0;   ///< blocks that the screen did not measure
    std::string file{};        ///< text of the file that holds; empty: nothing is changed
    std::string proved{};      ///< the file that was proved and nothing else done; empty: a whole campaign
    bool has_slower = false;   ///< the proof's last word is that a point is slower
    bool is_complete = false;  ///< all phases are over
};

/// What an earlier campaign has left.
struct EarlierTuning {
    std::string file{};  ///< that chooses
    std::string text{};  ///< of it
    std::string library{};
    int ranks = 0;
    std::vector<TunedSegment> segments{};
    std::map<Place, std::vector<ScreenedTime>> screened{};
};

/// Of a point of the worker. Pure.
[[nodiscard]] Place place_of(measure::Record const& point);

/// What a point of a screen says; nothing for others. Pure.
[[nodiscard]] std::optional<ScreenedTime> screened_time(measure::Record const& point);

/// The rules of a file, of segments that have chosen an algorithm and have not been returned; neighbours with one
/// algorithm are one rule. Pure.
[[nodiscard]] std::vector<TunedCollective> rules_of(std::vector<TunedSegment> const& segments);

/// Segments of one size without a choice, between neighbours that have chosen one algorithm which is left there, take
/// it too. Pure. \param segments  of a place in ascending order, one after another
void dissolve_islands(std::vector<TunedSegment>& segments);

class Campaign {
public:
    /// \param base  text of the file to build on; empty: the library's own
    Campaign(TuneOptions const& options, Launches& launches, runs::RunFolder& folder, std::string base,
             program::Session& session);

    /// Works through all phases. What is known when the budget is spent is in the outcome.
    /// \throws std::runtime_error where the default itself fails, and where the file has no effect
    [[nodiscard]] Outcome run();

    /// Only the proof of an earlier campaign's file, which stays what it is.
    /// \throws measure::UsageError where it is for more ranks; std::runtime_error where it has no effect
    [[nodiscard]] Outcome prove(EarlierTuning const& earlier);

private:
    /// The launches of a plan that chooses algorithms: one, or one for each algorithm.
    [[nodiscard]] std::vector<WorkerPlan> launches_of(WorkerPlan plan) const;
    [[nodiscard]] Launched const& run(WorkerPlan const& plan);
    /// An algorithm of a collective at a size, which is to be checked.
    struct Item {
        Place place;
        measure::Bytes bytes;
        std::string algorithm;
    };
    void list();
    void check();
    void check(std::vector<Item> pending);
    void say_what_is_expected();
    void screen();
    void decide_all();
    void prove_all();
    template <class Phases>
    [[nodiscard]] Outcome outcome_of(Phases phases);
    void exclude(Item const& item, measure::Record const& record);
    void exclude(Item const& item, std::string reason, bool at_this_size = false);
    [[nodiscard]] std::vector<std::string> usable(Place const& place) const;
    void screen_sizes(std::map<Place, std::vector<measure::Bytes>> const& sizes);
    void note_screened(measure::RunRecord const& record, WorkerPlan const& plan);
    [[nodiscard]] std::map<Place, std::vector<ScreenedSize>> screened_sizes() const;
    [[nodiscard]] WorkerPlan decision_plan(int launch) const;
    void look_for_effect(std::map<Place, std::vector<ScreenedTime>> const& screened);
    /// Whether anything shows that ranks read the file: the canary, or a segment that the proof finds faster.
    [[nodiscard]] bool is_shown_to_act() const;
    [[nodiscard]] bool prove_once(std::vector<TunedCollective> const& rules, std::string const& path);
    /// Of the library's choices.
    [[nodiscard]] std::string file_text(std::vector<TunedCollective> const& rules) const;
    [[nodiscard]] bool can_be_in_file(std::string const& collective, std::string const& algorithm) const;
    [[nodiscard]] std::string write_file(std::string const& name, std::string const& text) const;
    void next(std::string const& what);
    void note_missing(Launched const& launched, Phase phase);
    void note_power(std::vector<SegmentLaunches> const& all);

    TuneOptions const& o_;
    Launches& launches_;
    runs::RunFolder& folder_;
    std::string base_;
    program::Session& session_;
    std::vector<Place> places_{};  ///< all that is tuned
    std::map<std::tuple<Place, measure::Bytes, std::string>, BlockCost> costs_{};
    double start_ = 0;    ///< s, of a launch that does nothing
    std::string step_{};  ///< what is done now, in words
    Outcome out_{};
};

}  // namespace measure_tool::tune
