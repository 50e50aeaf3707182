// SPDX-License-Identifier: BSD-3-Clause
#include "tune/outcome.hpp"

#include "shared/plain_text.hpp"
#include "tune/plan.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

namespace measure::tool::tune {

namespace {

measure::Value::Array array_in(measure::Value const& value, std::string_view key) {
    auto const* const array = value.get<measure::Value::Array>(key);
    return array == nullptr ? measure::Value::Array{} : *array;
}

std::vector<std::string> texts_in_array(measure::Value const& value, std::string_view key) {
    std::vector<std::string> texts;
    for (auto const& each : array_in(value, key))
        if (auto const* const text = std::get_if<std::string>(&each.data()))
            texts.push_back(*text);
    return texts;
}

bool is_true(measure::Value const& value, std::string_view key) {
    auto const* const flag = value.get<bool>(key);
    return flag != nullptr && *flag;
}

}  // namespace

bool is_of(Excluded const& excluded, Place const& place) {
    return excluded.place == place || (excluded.place.ranks == 0 && excluded.place.collective == place.collective);
}

bool is_of(Excluded const& excluded, TunedSegment const& one) {
    auto const& sizes = one.segment.sizes;
    return is_of(excluded, one.place) &&
           (!excluded.bytes || std::find(sizes.begin(), sizes.end(), *excluded.bytes) != sizes.end());
}

bool is_in_file(TunedSegment const& one) { return !one.choice.algorithm.empty() && one.returned.empty(); }

bool is_excluded(measure::Record const& record) { return record.has_flag("excluded"); }

std::optional<double> median_of(measure::Record const& record) {
    if (!record.estimate || !(record.estimate->median > 0))
        return std::nullopt;
    return record.estimate->median;
}

std::string size_text(measure::Bytes bytes) { return bytes == 0 ? "" : " " + measure::text_bytes(bytes); }

LibraryFacts facts_of(measure::RunRecord const& record) {
    LibraryFacts facts{.run = record.run};
    for (auto const& summary : record.summaries) {
        if (summary.name != "algorithms")
            continue;
        auto const& derived = summary.derived;
        facts.library = derived.text("library");
        facts.family = family_of(facts.library).value_or(LibraryFamily::mpich);
        facts.file = derived.text("file");
        facts.tree = derived.text("tree");
        auto const leaves = texts_in_array(derived, "leaves");
        facts.leaves = {leaves.begin(), leaves.end()};
        for (auto const& row : array_in(derived, "collectives")) {
            Collective one{.name = row.text("collective"),
                           .variable = row.text("variable"),
                           .unknown = texts_in_array(row, "unknown")};
            for (auto const& algorithm : array_in(row, "algorithms"))
                one.algorithms.push_back({algorithm.text("name"),
                                          static_cast<int>(algorithm.number({"id"}).value_or(0)),
                                          is_true(algorithm, "writable")});
            facts.collectives.push_back(std::move(one));
        }
    }
    if (facts.collectives.empty())
        throw std::runtime_error("the ranks did not report the library's algorithms");
    return facts;
}

std::vector<std::string> unknown_names(LibraryFacts const& facts) {
    std::vector<std::string> result;
    for (auto const& one : facts.collectives)
        for (auto const& word : one.unknown)
            result.push_back(
                fmt::format("{}: ignoring a value with the unknown name '{}'", one.variable, printable(word)));
    return result;
}

std::optional<ScreenedTime> screened_time(measure::Record const& point) {
    auto const time = median_of(point);
    if (!time || point.at.text("phase") != name(Phase::screen))
        return std::nullopt;
    return ScreenedTime{.bytes = point.at.bytes("bytes"),
                        .algorithm = point.at.text("algorithm"),
                        .time = *time,
                        .blocks = static_cast<int>(point.kept),
                        .is_dropped = point.has_flag("dropped")};
}

void keep(LibraryFacts& facts, std::vector<std::string> const& chosen) {
    std::erase_if(facts.collectives, [&](Collective const& one) {
        return !chosen.empty() && std::find(chosen.begin(), chosen.end(), one.name) == chosen.end();
    });
    for (auto const& name : chosen)
        if (std::none_of(facts.collectives.begin(), facts.collectives.end(),
                         [&](auto const& one) { return one.name == name; }))
            throw measure::UsageError(fmt::format("{} has no control variable for {}", facts.library, name));
}

Place place_of(measure::Record const& point) { return {point.benchmark, point.at.ranks()}; }

std::vector<std::string> usable(Outcome const& outcome, Place const& place) {
    std::vector<std::string> names;
    for (auto const& one : outcome.facts.collectives)
        if (one.name == place.collective)
            for (auto const& algorithm : one.algorithms)
                if (std::none_of(outcome.excluded.begin(), outcome.excluded.end(), [&](auto const& e) {
                        return !e.bytes && is_of(e, place) && e.algorithm == algorithm.name;
                    }))
                    names.push_back(algorithm.name);
    return names;
}

std::vector<TunedCollective> rules_of(std::vector<TunedSegment> const& segments) {
    std::vector<TunedCollective> result;
    TunedSegment const* before = nullptr;
    for (auto const& one : segments) {
        if (is_in_file(one)) {
            bool const is_same = !result.empty() && result.back().place == one.place;
            if (!is_same)
                result.push_back({.place = one.place});
            auto& rules = result.back().rules;
            bool const goes_on =
                is_same && before != nullptr && is_in_file(*before) && rules.back().algorithm == one.choice.algorithm;
            if (goes_on)
                rules.back().high = one.segment.high;
            else
                rules.push_back({one.segment.low, one.segment.high, one.choice.algorithm});
        }
        before = &one;
    }
    return result;
}

std::string word_of(std::vector<TunedCollective> const& rules) {
    std::string word;
    for (auto const& one : rules)
        for (auto const& rule : one.rules)
            word += fmt::format("{}{}:{}:{}-{}={}", word.empty() ? "" : ";", one.place.collective, one.place.ranks,
                                rule.low, rule.high, rule.algorithm);
    return word;
}

std::vector<Switch> switches_of(std::vector<TunedSegment> const& segments) {
    std::vector<Switch> result;
    for (std::size_t i = 1; i < segments.size(); ++i) {
        auto const& before = segments[i - 1];
        auto const& behind = segments[i];
        if (before.place == behind.place && before.segment.leader != behind.segment.leader)
            result.push_back({.place = behind.place,
                              .low = before.segment.sizes.back(),
                              .high = behind.segment.sizes.front(),
                              .at = behind.segment.low,
                              .from = before.segment.leader,
                              .to = behind.segment.leader});
    }
    return result;
}

void dissolve_islands(std::vector<TunedSegment>& segments) {
    for (std::size_t i = 1; i + 1 < segments.size(); ++i) {
        auto const& before = segments[i - 1];
        auto const& after = segments[i + 1];
        auto& island = segments[i];
        auto const& name = before.choice.algorithm;
        auto const& left = island.segment.algorithms;
        if (island.choice.algorithm.empty() && island.segment.sizes.size() == 1 && !name.empty() &&
            name == after.choice.algorithm && before.place == island.place && after.place == island.place &&
            std::find(left.begin(), left.end(), name) != left.end()) {
            island.choice.algorithm = name;
            island.choice.reason.clear();
        }
    }
}

void return_unproved(std::vector<TunedSegment>& segments) {
    for (auto& one : segments)
        if (is_in_file(one) && one.proof && one.proof->verdict != Verdict::faster)
            one.returned = fmt::format("not proven ({})", name(one.proof->verdict));
}

}  // namespace measure::tool::tune
