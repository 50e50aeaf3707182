// SPDX-License-Identifier: BSD-3-Clause
#include "tune/phases/proof.hpp"

#include "analysis/compare/compare.hpp"
#include "launching/turns.hpp"
#include "shared/plain_text.hpp"
#include "tune/phases/canary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace measure::tool::tune {

namespace {

constexpr double proof_threshold = 0.02;
constexpr int most_proofs = 3;  // the first proof, and two more after choices were withdrawn

Segment const* segment_with(std::vector<TunedSegment> const& segments, Place const& place, measure::Bytes bytes) {
    for (auto const& one : segments)
        if (one.place == place &&
            std::find(one.segment.sizes.begin(), one.segment.sizes.end(), bytes) != one.segment.sizes.end())
            return &one.segment;
    return nullptr;
}

/// The name of a segment in the proof, or of the sizes outside of all segments.
std::string name_of(Place const& place, Segment const* segment) {
    return fmt::format("{}:{}:{}", place.collective, place.ranks, segment == nullptr ? -1 : segment->low);
}

/// A launch of the proof with each point named after its segment, so that a segment is compared as one operation.
Launch named_by_segment(Launched const& launched, std::vector<TunedSegment> const& segments) {
    Launch launch{.name = launched.record.run.started, .record = launched.record};
    for (auto& point : launch.record.points) {
        auto const place = place_of(point);
        auto const* const found = segment_with(segments, place, point.at.bytes("bytes"));
        point.benchmark = name_of(place, found);
    }
    return launch;
}

/// Whether the proof rejects a segment. The noise between launches of one side does not raise the threshold here: in
/// doubt the default is kept.
bool is_against(ComparedPoint const& proof) {
    return proof.verdict == Verdict::slower || (proof.interval && proof.interval->first > 1 + proof_threshold);
}

/// Whether a segment stays in the file: it has a value and is not slower.
bool holds(TunedSegment const& one) { return one.proof && one.proof->verdict != Verdict::slower; }

/// Withdraws all choices that are still in the file.
void return_all(Context& c, std::string const& why) {
    for (auto& one : c.out.segments)
        if (is_in_file(one))
            one.returned = why;
}

/// Notes if the launches are too few to show any difference.
void note_power(Context& c, std::size_t operations) {
    auto const needed = launches_needed(operations, c.options.alpha);
    if (needed <= static_cast<std::size_t>(c.options.proof))
        return;
    auto text = fmt::format("{} launches per side cannot show a difference among {}; use --proof {}", c.options.proof,
                            counted(operations, "segment", "segments"), needed);
    if (std::find(c.out.notes.begin(), c.out.notes.end(), text) == c.out.notes.end())
        c.out.notes.push_back(std::move(text));
}

/// Whether the ranks are known to read the file, from the canary or from a segment that is faster in the proof.
bool is_shown_to_act(Context const& c) {
    return !c.out.canary.empty() || std::any_of(c.out.segments.begin(), c.out.segments.end(), [](auto const& one) {
        return is_in_file(one) && one.proof && one.proof->verdict == Verdict::faster;
    });
}

}  // namespace

bool prove_once(Context& c, std::vector<TunedCollective> const& rules, std::string const& path) {
    WorkerPlan plan{.phase = Phase::prove, .blocks = decision_blocks};
    for (auto const& one : c.out.segments)
        if (std::any_of(rules.begin(), rules.end(), [&](auto const& r) { return r.place == one.place; }))
            for (auto const bytes : one.segment.sizes)
                plan.points.push_back({one.place, bytes, {std::string{default_name}}});
    std::vector<TunedSegment> in_file;
    for (auto const& one : c.out.segments)
        if (is_in_file(one))
            in_file.push_back(one);
    std::vector<Launch> plain;
    std::vector<Launch> tuned;
    auto const word = word_of(rules);
    for (int launch = 1; launch <= c.options.proof; ++launch)
        for (std::size_t const side : sides_of_round({.first = First::drawn}, launch - 1)) {
            bool const has_file = side == 1;
            c.next(fmt::format("prove {}/{}", launch, c.options.proof));
            plan.seed = static_cast<std::uint64_t>(launch);
            // Launches of an earlier proof are not reused, because the machine may have changed since.
            plan.side = (has_file ? "tuned:" : "default:") + word;
            auto const& launched = c.launches.run(plan, has_file ? of_file(c.out.facts.family, path) : Settings{});
            if (!launched.failure.empty())
                throw std::runtime_error(fmt::format("a launch {} in the proof", launched.failure));
            c.note_missing(launched, Phase::prove);
            (has_file ? tuned : plain).push_back(named_by_segment(launched, in_file));
        }
    auto const comparison =
        compare_sides(plain, tuned, {.alpha = c.options.alpha, .threshold = proof_threshold, .own_noise = true});
    note_power(c, comparison.operations.size());
    c.out.outside.clear();
    for (auto& one : c.out.segments)
        if (is_in_file(one))
            one.proof.reset();  // remove the proof of an earlier file
    bool is_slower = false;
    for (auto const& operation : comparison.operations) {
        auto const& name = operation.point.benchmark;
        auto const found = std::find_if(c.out.segments.begin(), c.out.segments.end(), [&](auto const& one) {
            return is_in_file(one) && name == name_of(one.place, &one.segment);
        });
        if (found == c.out.segments.end()) {
            auto const one = std::find_if(c.out.segments.begin(), c.out.segments.end(),
                                          [&](auto const& segment) { return name == name_of(segment.place, nullptr); });
            c.out.outside.push_back({one->place, operation});
            is_slower = is_slower || operation.verdict == Verdict::slower;
        } else {
            found->proof = operation;
            if (is_against(operation))
                found->proof->verdict = Verdict::slower;
        }
    }
    // A single slower size makes its segment slower.
    for (auto const& point : comparison.points)
        for (auto& one : c.out.segments)
            if (one.proof && is_in_file(one) && is_against(point) &&
                point.point.benchmark == name_of(one.place, &one.segment))
                one.proof->verdict = Verdict::slower;
    // If a size has a value only without the file, the file may be the cause, and the other sizes prove nothing.
    for (auto const& missing : comparison.missing)
        for (auto& one : c.out.segments)
            if (missing.in_a && is_in_file(one) && missing.point.benchmark == name_of(one.place, &one.segment))
                one.proof.reset();
    std::erase(c.out.notes, c.out.doubt);
    if (!c.out.doubt.empty() && !is_shown_to_act(c))
        c.out.notes.push_back(c.out.doubt);
    for (auto const& one : c.out.segments)
        is_slower = is_slower || (is_in_file(one) && !holds(one));
    return !is_slower;
}

void prove_all(Context& c) {
    auto rules = rules_of(c.out.segments);
    if (rules.empty())
        return;
    look_for_effect(c, c.out.screened);
    for (int proof = 1; proof <= most_proofs; ++proof) {
        auto const text = c.file_text(rules);
        auto const path = c.write_file("unproved-" + std::string{file_name(c.out.facts.family)}, text);
        bool const is_good = prove_once(c, rules, path);
        std::filesystem::remove(path);
        if (is_good) {
            return_unproved(c.out.segments);
            rules = rules_of(c.out.segments);
            c.out.file = rules.empty() ? std::string{} : c.file_text(rules);
            return;
        }
        c.out.has_slower = true;
        bool is_changed = false;
        for (auto& one : c.out.segments)
            if (is_in_file(one) && !holds(one)) {
                one.returned = one.proof ? "slower in the proof" : "no value in the proof";
                is_changed = true;
            }
        // Slower sizes outside of all segments cannot be repaired by withdrawing a choice.
        if (!is_changed)
            break;
        rules = rules_of(c.out.segments);
        if (rules.empty()) {
            c.out.has_slower = false;
            return;
        }
        c.out.has_slower = proof == most_proofs;
    }
    return_all(c, "the proof rejects the file");
}

}  // namespace measure::tool::tune
