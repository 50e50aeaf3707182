// SPDX-License-Identifier: BSD-3-Clause
/// The fields of tuning.json.
#include "shared/documents.hpp"
#include "shared/sha256.hpp"
#include "tune/library/settings.hpp"
#include "tune/phases/screening.hpp"
#include "tune/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace measure::tool {

using tune::Outcome;
using tune::PhaseCost;
using tune::Switch;
using tune::TunedSegment;
using tune::TuneOptions;

template <>
inline constexpr auto fields<tune::Place> = std::array{field<&tune::Place::collective>("collective", "collective"),
                                                       field<&tune::Place::ranks>("ranks", "number of ranks")};

template <>
inline constexpr auto fields<TuneOptions> =
    std::array{field<&TuneOptions::gain>("gain", "minimum gain of a change", "1"),
               field<&TuneOptions::fdr>("fdr", "allowed share of false choices among all choices", "1"),
               field<&TuneOptions::alpha>("alpha", "allowed probability of a false verdict in the proof", "1"),
               field<[](TuneOptions const&) { return tune::ScreenRules{}.margin; }>(
                   "drop_margin", "the screen drops algorithms that are slower by more than this share", "1")};

/// An algorithm that the library has.
struct KnownAlgorithm {
    std::string collective{};
    tune::Algorithm algorithm{};
    std::string restrictions{};
    std::string excluded{};
};
template <>
inline constexpr auto fields<KnownAlgorithm> =
    std::array{field<&KnownAlgorithm::collective>("collective", "collective"),
               field<&KnownAlgorithm::algorithm, &tune::Algorithm::name>(
                   "name", "name of the algorithm, as used in environment variables"),
               field<&KnownAlgorithm::algorithm, &tune::Algorithm::value>("id", "number of the algorithm in MPI_T"),
               field<&KnownAlgorithm::restrictions>("restrictions", "conditions under which it can be used"),
               field<&KnownAlgorithm::excluded, or_null>("excluded", "reason why it is not used")};

template <>
inline constexpr auto fields<TunedSegment> = std::array{
    fields_of<&TunedSegment::place>(),
    field<&TunedSegment::segment, &tune::Segment::low>("low", "first size", "B"),
    field<&TunedSegment::segment, &tune::Segment::high>("high", "last size", "B"),
    field<&TunedSegment::segment, &tune::Segment::sizes>("sizes", "measured sizes", "B"),
    field<&TunedSegment::default_time>(
        "default_time", "time of the default: median over launches of the geometric mean over the sizes", "s"),
    field<[](TunedSegment const& s) { return or_null(is_in_file(s) ? s.choice.algorithm : ""); }>(
        "chosen", "algorithm in the file; null: the default"),
    field<&TunedSegment::choice, &tune::Choice::best, or_null>(
        "best", "chosen algorithm, or the one with the largest gain if the default is kept"),
    field<&TunedSegment::choice, &tune::Choice::gain>("gain", "gain of `best`: median over launches", "1"),
    field<&TunedSegment::choice, &tune::Choice::p>("p", "p of the signed rank test of the gain"),
    field<&TunedSegment::choice, &tune::Choice::q>("q", "p adjusted for all segments and algorithms"),
    field<&TunedSegment::choice, &tune::Choice::threshold>("threshold", "gain that must be exceeded", "1"),
    field<&TunedSegment::choice, &tune::Choice::noise>("noise", "difference of the default from itself", "1"),
    field<&TunedSegment::launches>("launches", "launches of the decision with values for all sizes"),
    field<[](TunedSegment const& s) { return or_null(is_in_file(s) ? "" : verdict_text(s)); }>(
        "kept_default_because", "reason for the default")};

template <>
inline constexpr auto fields<Switch> = std::array{fields_of<&Switch::place>(),
                                                  field<&Switch::at>("at", "from this size on the file uses `to`", "B"),
                                                  field<&Switch::low>("low", "largest measured size of `from`", "B"),
                                                  field<&Switch::high>("high", "smallest measured size of `to`", "B"),
                                                  field<&Switch::from>("from", "leader of the screen below this size"),
                                                  field<&Switch::to>("to", "leader of the screen from this size on")};

/// The result of the proof for some sizes.
struct Proof {
    tune::Place place{};
    ComparedPoint proof{};
    std::optional<std::pair<Bytes, Bytes>> sizes{};
};
template <>
inline constexpr auto fields<Proof> = std::array{
    fields_of<&Proof::place>(),
    field<&Proof::proof, &ComparedPoint::ratio>("ratio", "time with the file over time with the default", "1"),
    field<&Proof::proof, &ComparedPoint::interval>("interval", "interval of the ratio", "1"),
    field<&Proof::proof, &ComparedPoint::adjusted_p>("p", "adjusted p"),
    field<[](Proof const& p) { return p.proof.n_a + p.proof.n_b; }>("launches", "launches of both sides"),
    field<&Proof::proof, &ComparedPoint::verdict>("verdict", "verdict as in `measure compare`"),
    field<[](Proof const& p) { return p.sizes ? std::optional{p.sizes->first} : std::nullopt; }>(
        "low", "first size; null: sizes that keep the default", "B"),
    field<[](Proof const& p) { return p.sizes ? std::optional{p.sizes->second} : std::nullopt; }>("high", "last size",
                                                                                                  "B")};

/// A file of choices.
struct ChoicesFile {
    std::string name{};
    std::string text{};
};
template <>
inline constexpr auto fields<ChoicesFile> =
    std::array{field<&ChoicesFile::name>("name", "name of the file"),
               field<&ChoicesFile::text, sha256_if_built>("sha256", "SHA-256 of the file")};

template <>
inline constexpr auto fields<PhaseCost> = std::array{field<&PhaseCost::launches>("launches", "number of launches"),
                                                     field<&PhaseCost::seconds>("seconds", "time", "s")};

/// The document.
struct Tuning {
    Outcome const* outcome = nullptr;
    TuneOptions const* options = nullptr;

    [[nodiscard]] std::vector<KnownAlgorithm> algorithms() const {
        std::vector<KnownAlgorithm> all;
        for (auto const& one : outcome->facts.collectives)
            for (auto const& algorithm : one.algorithms)
                all.push_back({one.name, algorithm,
                               std::string{tune::restriction(outcome->facts.family, one.name, algorithm.name)},
                               why_excluded(one.name, algorithm.name)});
        return all;
    }

    [[nodiscard]] std::string why_excluded(std::string const& collective, std::string const& algorithm) const {
        std::vector<std::string> reasons;
        for (auto const& e : outcome->excluded)
            if (!e.bytes && e.place.collective == collective && e.algorithm == algorithm)
                reasons.push_back(options->ranks.empty() || e.place.ranks == 0
                                      ? e.reason
                                      : fmt::format("{} ranks: {}", e.place.ranks, e.reason));
        return fmt::format("{}", fmt::join(reasons, "; "));
    }

    [[nodiscard]] std::vector<Proof> proof() const {
        std::vector<Proof> all;
        for (auto const& one : outcome->segments)
            if (one.proof)
                all.push_back({one.place, *one.proof, std::pair{one.segment.low, one.segment.high}});
        for (auto const& [place, one] : outcome->outside)
            all.push_back({place, one});
        return all;
    }

    /// The file that the campaign has written, or that --prove has proved.
    [[nodiscard]] std::vector<ChoicesFile> files() const {
        auto const& text = outcome->proved.empty() ? outcome->file : outcome->proved_text;
        return text.empty() ? std::vector<ChoicesFile>{}
                            : std::vector{ChoicesFile{std::string{tune::file_name(outcome->facts.family)}, text}};
    }
};

/// The cost of the campaign.
struct Cost {
    Outcome const* outcome = nullptr;

    [[nodiscard]] std::optional<double> expected() const {
        auto const& estimate = outcome->expected;
        return estimate.launches > 0 ? std::optional{estimate.seconds} : std::nullopt;
    }
};
template <>
inline constexpr auto fields<Cost> = std::array{
    field<[](Cost const& c) { return total(c.outcome->costs).launches; }>("launches", "number of launches"),
    field<[](Cost const& c) { return total(c.outcome->costs).seconds; }>("seconds", "time", "s"),
    field<&Cost::outcome, &Outcome::spared>("spared_blocks", "blocks that the screen saved by dropping algorithms"),
    field<&Cost::expected>("expected_seconds", "expected time after the check", "s"),
    field<&Cost::outcome, &Outcome::costs>("by_phase", "cost by phase")};

template <>
inline constexpr auto fields<Tuning> = std::array{
    field<&Tuning::outcome, &Outcome::facts, &tune::LibraryFacts::library>("library", "MPI library"),
    field<&Tuning::outcome, &Outcome::via>("via", "how algorithms were selected: mpi_t or environment"),
    field<&Tuning::options, &TuneOptions::no_han>("no_han", "Open MPI's component han was switched off"),
    field<&Tuning::outcome, &Outcome::facts, &tune::LibraryFacts::run, &Environment::ranks>("ranks", "number of ranks"),
    field<&Tuning::outcome, &Outcome::is_complete>("complete", "true if all phases are complete"),
    field<&Tuning::options>("rules", "rules of the decision"),
    field<&Tuning::algorithms>("algorithms", "algorithms that the library has"),
    field<&Tuning::outcome, &Outcome::segments>("segments", "decisions by size"),
    field<&Tuning::outcome, &Outcome::segments, tune::switches_of>("switches", "sizes at which the leader changes"),
    field<&Tuning::proof>("proof", "verdicts of the proof"),
    field<&Tuning::files>("files", "file of choices that was written or proved"),
    field<&Tuning::outcome, &Outcome::canary, or_null>("canary", "how the canary showed that the file is used"),
    field<&Tuning::outcome, &Outcome::missing>("missing", "missing measurements, with reasons"),
    field<&Tuning::outcome, &Outcome::notes>("notes", "notes"),
    field<&Tuning::outcome, tune::gap_texts>("gaps", "phases with points without a value"),
    field<[](Tuning const& t) { return Cost{t.outcome}; }>("cost", "cost of the campaign")};

Value tune::document_of(Outcome const& outcome, TuneOptions const& options) {
    return document(tuning_kind().name, Tuning{&outcome, &options});
}

DocumentKind tuning_kind() { return {"tuning", "measure tune --json FILE", object_schema<Tuning>}; }

}  // namespace measure::tool
