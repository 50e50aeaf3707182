// SPDX-License-Identifier: BSD-3-Clause
#include "tune/campaign.hpp"

#include "program/runtime/output_file.hpp"
#include "shared/curves.hpp"
#include "shared/plain_text.hpp"
#include "tune/rule_file.hpp"

#include <measure/error.hpp>
#include <measure/shuffle.hpp>
#include <measure/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>
#include <stdexcept>
#include <utility>
#include <variant>

namespace measure_tool::tune {

namespace {

constexpr int decision_blocks = 5;
constexpr int canary_launches = 3;
constexpr double canary_factor = 2;  // slower than the default at least, so that nobody can miss it
constexpr double proof_threshold = 0.02;
constexpr int most_proofs = 3;  // the first one, and two after segments were returned

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

/// Whether MPI_T chooses any algorithm.
bool acts(LibraryFacts const& facts) {
    return std::any_of(facts.collectives.begin(), facts.collectives.end(), [](Collective const& one) {
        return std::any_of(one.algorithms.begin(), one.algorithms.end(),
                           [](Algorithm const& a) { return a.name != default_name && a.is_writable; });
    });
}

bool is_default(std::string_view algorithm) { return algorithm == default_name || algorithm == default_again; }

BlockCost block_cost(measure::Record const& point) {
    return {.median = point.derived.number({"block_median"}).value_or(0),
            .block = point.derived.number({"block_elapsed"}).value_or(0),
            .check = point.elapsed.count()};
}

/// What a launch has taken beside its checks.
double idle_time(Launched const& launched) {
    double time = launched.seconds;
    for (auto const& point : launched.record.points) {
        auto const cost = block_cost(point);
        time -= cost.check + 2 * cost.block;
    }
    return std::max(time, 0.0);
}

bool is_excluded(measure::Record const& record) { return record.has_flag("excluded"); }

/// The median of a point over its blocks.
std::optional<double> median_of(measure::Record const& record) {
    if (!record.estimate || !(record.estimate->median > 0))
        return std::nullopt;
    return record.estimate->median;
}

/// Rules as one word, which tells files apart.
std::string word_of(std::vector<TunedCollective> const& rules) {
    std::string word;
    for (auto const& one : rules)
        for (auto const& rule : one.rules)
            word += fmt::format("{}{}:{}:{}-{}={}", word.empty() ? "" : ";", one.place.collective, one.place.ranks,
                                rule.low, rule.high, rule.algorithm);
    return word;
}

std::string size_text(measure::Bytes bytes) { return bytes == 0 ? "" : " " + measure::text_bytes(bytes); }

Segment const* segment_with(std::vector<TunedSegment> const& segments, Place const& place, measure::Bytes bytes) {
    for (auto const& one : segments)
        if (one.place == place &&
            std::find(one.segment.sizes.begin(), one.segment.sizes.end(), bytes) != one.segment.sizes.end())
            return &one.segment;
    return nullptr;
}

bool is_of(Excluded const& excluded, Place const& place) {
    return excluded.place == place || (excluded.place.ranks == 0 && excluded.place.collective == place.collective);
}

bool is_in_file(TunedSegment const& one) { return !one.choice.algorithm.empty() && one.returned.empty(); }

}  // namespace

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
        throw std::runtime_error("the ranks did not say what the library offers");
    return facts;
}

std::vector<std::string> unknown_names(LibraryFacts const& facts) {
    std::vector<std::string> result;
    for (auto const& one : facts.collectives)
        for (auto const& word : one.unknown)
            result.push_back(
                fmt::format("{}: a value of unknown name is left out: '{}'", one.variable, printable(word)));
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
            throw measure::UsageError(fmt::format("{} has no variable for {}", facts.library, name));
}

Place place_of(measure::Record const& point) { return {point.benchmark, point.at.ranks()}; }

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

Campaign::Campaign(TuneOptions const& options, Launches& launches, runs::RunFolder& folder, std::string base,
                   program::Session& session)
    : o_{options}, launches_{launches}, folder_{folder}, base_{std::move(base)}, session_{session} {}

template <class Phases>
Outcome Campaign::outcome_of(Phases phases) {
    try {
        phases();
        out_.is_complete = true;
    } catch (BudgetSpent const&) {
        out_.missing.push_back(
            fmt::format("the budget was spent before '{}' was over, and all behind it: --resume goes on", step_));
    }
    out_.costs = launches_.costs();
    return std::move(out_);
}

Outcome Campaign::run() {
    return outcome_of([&] {
        list();
        check();
        say_what_is_expected();
        screen();
        decide_all();
        prove_all();
    });
}

Outcome Campaign::prove(EarlierTuning const& earlier) {
    return outcome_of([&] {
        out_.proved = earlier.file;
        // What the canary changes is a copy of it.
        if (family_of(earlier.library) == LibraryFamily::mpich)
            base_ = earlier.text;
        list();
        if (family_of(earlier.library) != out_.facts.family)
            throw measure::UsageError(
                fmt::format("'{}' is for {}, and this is {}", earlier.file, earlier.library, out_.facts.library));
        if (earlier.ranks != out_.facts.run.ranks)
            throw measure::UsageError(fmt::format("'{}' is for {}, and the launcher starts {}", earlier.file,
                                                  counted(static_cast<std::size_t>(earlier.ranks), "rank", "ranks"),
                                                  out_.facts.run.ranks));
        if (earlier.library != out_.facts.library)
            session_.warn(fmt::format("'{}' was made with {}, and this is {}", earlier.file, earlier.library,
                                      out_.facts.library));
        out_.segments = earlier.segments;
        look_for_effect(earlier.screened);
        out_.has_slower = !prove_once(rules_of(out_.segments), earlier.file);
        for (auto& one : out_.segments)
            if (one.proof)
                one.default_time = one.proof->a;
    });
}

void Campaign::next(std::string const& what) {
    step_ = what;
    session_.next(what);
    session_.done();
}

void Campaign::list() {
    next("what the library offers");
    auto const& launched = launches_.run({.phase = Phase::list});
    if (!launched.failure.empty())
        throw std::runtime_error(fmt::format("a start of the ranks {}", launched.failure));
    out_.facts = facts_of(launched.record);
    start_ = launched.seconds;  // where the machine is busy, more than others will take
    keep(out_.facts, o_.collectives);
    if (out_.facts.family != LibraryFamily::mpich && !o_.base.empty())
        throw measure::UsageError(
            fmt::format("--base: files of {} hold what is changed, and nothing else", out_.facts.library));
    if (base_.empty())
        base_ = out_.facts.tree;
    if (out_.facts.family == LibraryFamily::mpich && base_.empty())
        throw measure::UsageError(fmt::format("the file of {} ({}) has no tree of choices to build on: name one by "
                                              "--base",
                                              out_.facts.library, out_.facts.file));
    out_.via = o_.via.value_or(acts(out_.facts) ? Via::mpi_t : Via::environment);
    // A base that cannot be used is refused before anything is measured.
    if (out_.facts.family == LibraryFamily::mpich) {
        std::vector<std::string> names;
        for (auto const& one : out_.facts.collectives)
            names.push_back(one.name);
        check_tree(base_, names);
    }
    auto const world = out_.facts.run.ranks;
    auto const& ranks = o_.ranks;
    if (!ranks.empty() && ranks.back() > world)
        throw measure::UsageError(fmt::format("--ranks {}: the launcher starts {}", ranks.back(), world));
    if (!ranks.empty() && ranks.front() < world && out_.facts.run.hosts.size() > 1)
        session_.warn(fmt::format("the first {} of {} ranks may lie on hosts otherwise than {} that are started alone",
                                  ranks.front(), world, ranks.front()));
    for (auto const& one : out_.facts.collectives)
        for (int const number : ranks.empty() ? std::vector{world} : ranks)
            places_.push_back({one.name, number});
    for (auto const& text : unknown_names(out_.facts))
        session_.warn(text);
    for (auto& one : out_.facts.collectives) {
        std::erase_if(one.algorithms, [&](Algorithm const& algorithm) {
            bool const is_nameless = algorithm.name != default_name && !can_be_in_file(one.name, algorithm.name);
            if (is_nameless)
                out_.excluded.push_back({{one.name}, algorithm.name, "files of the library have no name for it"});
            return is_nameless;
        });
        for (auto const& algorithm : one.algorithms)
            if (out_.via == Via::mpi_t && !algorithm.is_writable)
                out_.excluded.push_back({{one.name}, algorithm.name, "the library does not take the value"});
    }
}

void Campaign::exclude(Item const& item, measure::Record const& record) {
    exclude(item, record.message, record.status == measure::PointStatus::skipped);
}

void Campaign::exclude(Item const& item, std::string reason, bool at_this_size) {
    if (is_default(item.algorithm))
        throw std::runtime_error(fmt::format("{}{}: the library's own choice fails: {}", item.place.collective,
                                             size_text(item.bytes), reason));
    auto const bytes = at_this_size ? std::optional{item.bytes} : std::nullopt;
    if (std::none_of(out_.excluded.begin(), out_.excluded.end(), [&](auto const& e) {
            return e.place == item.place && e.algorithm == item.algorithm && e.bytes == bytes;
        }))
        out_.excluded.push_back({item.place, item.algorithm, std::move(reason), bytes});
}

std::vector<std::string> Campaign::usable(Place const& place) const {
    std::vector<std::string> names;
    for (auto const& one : out_.facts.collectives)
        if (one.name == place.collective)
            for (auto const& algorithm : one.algorithms)
                if (std::none_of(out_.excluded.begin(), out_.excluded.end(), [&](auto const& e) {
                        return !e.bytes && is_of(e, place) && e.algorithm == algorithm.name;
                    }))
                    names.push_back(algorithm.name);
    return names;
}

std::vector<WorkerPlan> Campaign::launches_of(WorkerPlan plan) const {
    plan.via = out_.via;
    if (plan.via == Via::mpi_t)
        return {std::move(plan)};
    // The library's own choice of all collectives in one launch: there nothing is set.
    std::vector<WorkerPlan> plans;
    std::map<std::pair<std::string, std::string>, std::size_t> places;
    for (auto const& point : plan.points)
        for (auto const& algorithm : point.algorithms) {
            auto const [place, is_new] =
                places.try_emplace({is_default(algorithm) ? "" : point.place.collective, algorithm}, plans.size());
            if (is_new) {
                plans.push_back(plan);
                plans.back().points.clear();
            }
            plans[place->second].points.push_back({point.place, point.bytes, {algorithm}});
        }
    std::mt19937_64 random{plan.seed};
    measure::shuffle(std::span{plans}, random);
    return plans;
}

Launched const& Campaign::run(WorkerPlan const& plan) {
    auto const& point = plan.points.front();
    auto const& algorithm = point.algorithms.front();
    auto const family = out_.facts.family;
    if (plan.via == Via::mpi_t)
        return launches_.run(plan, of_writing(family));
    return launches_.run(plan, is_default(algorithm) ? Settings{} : forcing(family, point.place.collective, algorithm));
}

/// Values that the ranks could not measure, of a launch that is over.
void Campaign::note_missing(Launched const& launched, Phase phase) {
    for (auto const& record : launched.record.points)
        if (record.status == measure::PointStatus::no_valid_samples) {
            auto& gap = out_.gaps[phase];
            ++gap.values;
            gap.example = fmt::format("{} {}: {}", record.benchmark, record.at.text(), record.message);
        }
}

void Campaign::check() {
    std::vector<Item> pending;
    for (auto const& place : places_) {
        auto const sizes = sizes_of(o_.sizes, place.collective);
        for (auto const bytes : std::set{sizes.front(), sizes.back()})
            for (auto const& algorithm : usable(place))
                pending.push_back({place, bytes, algorithm});
    }
    if (out_.via == Via::mpi_t) {
        check(pending);
    } else {
        std::map<std::pair<std::string, std::string>, std::vector<Item>> groups;
        for (auto const& item : pending)
            groups[{is_default(item.algorithm) ? "" : item.place.collective, item.algorithm}].push_back(item);
        for (auto const& [key, items] : groups)
            check(items);
    }
    // What cannot be used at either end is not tried in between.
    for (auto const& item : pending) {
        auto const is_it = [&](auto const& one) { return one.place == item.place && one.algorithm == item.algorithm; };
        auto& excluded = out_.excluded;
        auto const first = std::find_if(excluded.begin(), excluded.end(), is_it);
        if (first == excluded.end() || !first->bytes ||
            std::count_if(excluded.begin(), excluded.end(), is_it) !=
                std::count_if(pending.begin(), pending.end(), is_it))
            continue;
        auto whole = *first;
        whole.bytes.reset();
        std::erase_if(excluded, is_it);
        excluded.push_back(std::move(whole));
    }
}

/// What is pending, in as few launches as what misbehaves allows.
void Campaign::check(std::vector<Item> pending) {
    while (!pending.empty()) {
        next("data of all algorithms");
        WorkerPlan plan{.phase = Phase::check, .via = out_.via};
        for (auto const& item : pending) {
            if (plan.points.empty() || plan.points.back().place != item.place || plan.points.back().bytes != item.bytes)
                plan.points.push_back({.place = item.place, .bytes = item.bytes});
            plan.points.back().algorithms.push_back(item.algorithm);
        }
        auto const& launched = run(plan);
        auto const& points = launched.record.points;
        start_ = std::min(start_, idle_time(launched));
        std::set<std::pair<Place, std::string>> gone;
        for (std::size_t i = 0; i < points.size() && i < pending.size(); ++i) {
            if (is_excluded(points[i])) {
                exclude(pending[i], points[i]);
                if (points[i].status != measure::PointStatus::skipped)
                    gone.emplace(pending[i].place, pending[i].algorithm);
            } else {
                costs_[{pending[i].place, pending[i].bytes, pending[i].algorithm}] = block_cost(points[i]);
            }
        }
        if (!launched.failure.empty() && points.size() < pending.size()) {
            auto const& item = pending[points.size()];
            exclude(item, fmt::format("the ranks did not survive it{}: a start {}",
                                      item.bytes == 0 ? "" : " at" + size_text(item.bytes), launched.failure));
            gone.emplace(item.place, item.algorithm);
        }
        auto const done = std::min(pending.size(), points.size());
        pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(done));
        std::erase_if(pending, [&](Item const& item) { return gone.contains({item.place, item.algorithm}); });
    }
}

void Campaign::say_what_is_expected() {
    std::vector<PlaceCost> all;
    for (auto const& place : places_) {
        PlaceCost one{.sizes = sizes_of(o_.sizes, place.collective),
                      .is_sized = is_sized(out_.facts.family, place.collective)};
        auto const cost = [&](measure::Bytes bytes, std::string const& algorithm) -> std::optional<BlockCost> {
            auto const found = costs_.find({place, bytes, algorithm});
            return found == costs_.end() ? std::nullopt : std::optional{found->second};
        };
        for (auto const& algorithm : usable(place)) {
            one.low.push_back(cost(one.sizes.front(), algorithm));
            one.high.push_back(cost(one.sizes.back(), algorithm));
        }
        all.push_back(std::move(one));
    }
    out_.expected = estimate(all, o_, out_.via, decision_blocks, start_);
    auto& text = o_.json == "-" ? std::cerr : session_.text();
    text << fmt::format("# expected: {}, {:.0f} s\n",
                        counted(static_cast<std::size_t>(out_.expected.launches), "launch", "launches"),
                        out_.expected.seconds)
         << std::flush;
    if (o_.budget.count() > 0 && out_.expected.seconds > o_.budget.count())
        session_.warn(fmt::format("that is more than the budget of {:.0f} s: it will end before the proof is over",
                                  o_.budget.count()));
}

void Campaign::note_screened(measure::RunRecord const& record, WorkerPlan const& plan) {
    std::int64_t measured = 0;
    for (auto const& point : record.points) {
        if (is_excluded(point)) {
            exclude({place_of(point), point.at.bytes("bytes"), point.at.text("algorithm")}, point);
        } else if (auto const time = screened_time(point)) {
            out_.screened[place_of(point)].push_back(*time);
            measured += point.kept;
        }
    }
    if (plan.via == Via::environment)
        return;
    for (auto const& point : plan.points)
        out_.spared += static_cast<std::int64_t>(point.algorithms.size()) * plan.blocks;
    out_.spared -= measured;
}

void Campaign::screen_sizes(std::map<Place, std::vector<measure::Bytes>> const& sizes) {
    // One after another, algorithms differ by what launches differ by: that drops none.
    WorkerPlan plan{.phase = Phase::screen, .blocks = out_.via == Via::mpi_t ? o_.blocks : decision_blocks};
    for (auto const& [place, wanted] : sizes)
        for (auto const bytes : wanted)
            if (auto names = usable(place); names.size() > 1)
                plan.points.push_back({place, bytes, std::move(names)});
    if (plan.points.empty())
        return;
    next(fmt::format("screen {}", counted(plan.points.size(), "point", "points")));
    for (auto const& one : launches_of(std::move(plan))) {
        auto const& launched = run(one);
        if (!launched.failure.empty())
            throw std::runtime_error(fmt::format("a start of the ranks {} while screening", launched.failure));
        note_screened(launched.record, one);
        note_missing(launched, Phase::screen);
    }
}

std::map<Place, std::vector<ScreenedSize>> Campaign::screened_sizes() const {
    std::map<Place, std::vector<ScreenedSize>> result;
    for (auto const& [place, times] : out_.screened) {
        auto const names = usable(place);
        std::map<measure::Bytes, ScreenedSize> by_size;
        for (auto const& name : names)  // in the order of the library, the default first
            for (auto const& one : times)
                if (one.algorithm == name && !one.is_dropped) {
                    auto& size = by_size[one.bytes];
                    size.bytes = one.bytes;
                    size.algorithms.push_back(name);
                    size.times.push_back(one.time);
                }
        for (auto& [bytes, size] : by_size)
            if (size.algorithms.front() == default_name)
                result[place].push_back(std::move(size));
    }
    return result;
}

void Campaign::screen() {
    std::map<Place, std::vector<measure::Bytes>> wanted;
    for (auto const& place : places_)
        wanted[place] = sizes_of(o_.sizes, place.collective);
    while (!wanted.empty()) {
        screen_sizes(wanted);
        wanted.clear();
        for (auto const& [place, sizes] : screened_sizes())
            if (is_sized(out_.facts.family, place.collective))
                if (auto between = sizes_between(sizes, o_.gain); !between.empty())
                    wanted.emplace(place, std::move(between));
    }
    auto const sizes = screened_sizes();
    for (auto const& place : places_) {
        auto const found = sizes.find(place);
        for (auto const bytes : sizes_of(o_.sizes, place.collective))
            if (usable(place).size() > 1 &&
                (found == sizes.end() || std::none_of(found->second.begin(), found->second.end(),
                                                      [&](auto const& size) { return size.bytes == bytes; })))
                out_.missing.push_back(
                    fmt::format("{}{}: the screen has no value of the default", text_of(place), size_text(bytes)));
        if (found != sizes.end())
            for (auto& segment : segments_of(found->second, o_.gain, is_sized(out_.facts.family, place.collective)))
                out_.segments.push_back({.place = place, .segment = std::move(segment)});
    }
}

WorkerPlan Campaign::decision_plan(int launch) const {
    WorkerPlan plan{.phase = Phase::decide, .seed = static_cast<std::uint64_t>(launch), .blocks = decision_blocks};
    for (auto const& one : out_.segments) {
        if (one.segment.algorithms.size() < 2)
            continue;
        auto names = one.segment.algorithms;
        names.insert(names.begin() + 1, std::string{default_again});
        for (auto const bytes : one.segment.sizes)
            plan.points.push_back({one.place, bytes, names});
    }
    return plan;
}

void Campaign::decide_all() {
    // [segment][algorithm] of each launch
    std::vector<SegmentLaunches> all;
    std::vector<std::vector<double>> default_times(out_.segments.size());
    for (auto const& one : out_.segments) {
        SegmentLaunches launches{.collective = text_of(one.place)};
        for (std::size_t i = 1; i < one.segment.algorithms.size(); ++i)
            launches.rivals.push_back({.algorithm = one.segment.algorithms[i]});
        all.push_back(std::move(launches));
    }
    for (int launch = 1; launch <= o_.launches; ++launch) {
        auto const plan = decision_plan(launch);
        if (plan.points.empty())
            break;
        next(fmt::format("decide {}/{}", launch, o_.launches));
        std::map<std::tuple<Place, measure::Bytes, std::string>, double> times;
        for (auto const& each : launches_of(plan)) {
            auto const& launched = run(each);
            if (!launched.failure.empty())
                throw std::runtime_error(fmt::format("a start of the ranks {} while deciding", launched.failure));
            note_missing(launched, Phase::decide);
            for (auto const& point : launched.record.points) {
                auto const& algorithm = point.at.text("algorithm");
                if (is_excluded(point))
                    exclude({place_of(point), point.at.bytes("bytes"), algorithm}, point);
                else if (auto const time = median_of(point))
                    times[{place_of(point), point.at.bytes("bytes"), algorithm}] = *time;
            }
        }
        for (std::size_t s = 0; s < all.size(); ++s) {
            auto const& one = out_.segments[s];
            // Mean over the sizes of log(default / algorithm); nothing where a size has no value.
            auto const gain = [&](std::string const& algorithm) -> std::optional<double> {
                double sum = 0;
                for (auto const bytes : one.segment.sizes) {
                    auto const mine = times.find({one.place, bytes, algorithm});
                    auto const its = times.find({one.place, bytes, std::string{default_name}});
                    if (mine == times.end() || its == times.end())
                        return std::nullopt;
                    sum += std::log(its->second / mine->second);
                }
                return sum / static_cast<double>(one.segment.sizes.size());
            };
            for (auto& rival : all[s].rivals)
                if (auto const value = gain(rival.algorithm))
                    rival.gains.push_back(*value);
            if (auto const value = gain(std::string{default_again}))
                all[s].noise.push_back(*value);
            std::vector<double> its;
            for (auto const bytes : one.segment.sizes)
                if (auto const found = times.find({one.place, bytes, std::string{default_name}}); found != times.end())
                    its.push_back(found->second);
            if (its.size() == one.segment.sizes.size())
                default_times[s].push_back(measure::log_mean(its));
        }
    }
    // What turned out to be wrong meanwhile is no rival.
    for (std::size_t s = 0; s < all.size(); ++s)
        std::erase_if(all[s].rivals, [&](Rival const& rival) {
            return std::any_of(out_.excluded.begin(), out_.excluded.end(), [&](auto const& e) {
                return is_of(e, out_.segments[s].place) && e.algorithm == rival.algorithm;
            });
        });
    auto const choices = decide(all, {.gain = o_.gain, .fdr = o_.fdr});
    for (std::size_t s = 0; s < all.size(); ++s) {
        out_.segments[s].choice = choices[s];
        out_.segments[s].launches = default_times[s].size();
        if (!default_times[s].empty())
            out_.segments[s].default_time = measure::median(default_times[s]);
        bool const is_measured = out_.segments[s].segment.algorithms.size() > 1;
        if (is_measured && 2 * out_.segments[s].launches < static_cast<std::size_t>(o_.launches))
            out_.missing.push_back(fmt::format("{}{}: all sizes have values in {} of {} launches",
                                               text_of(out_.segments[s].place), size_text(out_.segments[s].segment.low),
                                               out_.segments[s].launches, o_.launches));
    }
    note_power(all);
    dissolve_islands(out_.segments);
}

/// Whether so many launches can show anything.
void Campaign::note_power(std::vector<SegmentLaunches> const& all) {
    std::size_t tests = 0;
    for (auto const& one : all)
        tests += one.rivals.size();
    double const needed = std::ceil(std::log2(static_cast<double>(std::max<std::size_t>(tests, 1)) / o_.fdr));
    if (tests > 0 && needed > o_.launches)
        out_.notes.push_back(fmt::format("{} launches cannot show a single gain among {} tests: --launches {:.0f}",
                                         o_.launches, tests, needed));
}

std::string Campaign::file_text(std::vector<TunedCollective> const& rules) const {
    auto const& facts = out_.facts;
    return facts.family == LibraryFamily::mpich ? tuned_tree(base_, facts.leaves, rules)
                                                : rule_file(rules, facts.collectives);
}

bool Campaign::can_be_in_file(std::string const& collective, std::string const& algorithm) const {
    if (out_.facts.family == LibraryFamily::mpich)
        return leaf_of(out_.facts.leaves, collective, algorithm).has_value();
    return rule_collective(collective).has_value();
}

std::string Campaign::write_file(std::string const& name, std::string const& text) const {
    auto const path = std::filesystem::absolute(folder_.file(name)).string();
    program::write_file(session_.world(), path, text);
    return path;
}

void Campaign::look_for_effect(std::map<Place, std::vector<ScreenedTime>> const& screened) {
    // The algorithm that is slowest beside the default, at any size of any collective of the file.
    ScreenedTime const* slowest = nullptr;
    Place place;
    double factor = canary_factor;
    for (auto const& [its_place, times] : screened) {
        auto const names = usable(its_place);
        for (auto const& one : times)
            for (auto const& own : times)
                if (own.bytes == one.bytes && own.algorithm == default_name && one.time >= factor * own.time &&
                    std::find(names.begin(), names.end(), one.algorithm) != names.end()) {
                    slowest = &one;
                    place = its_place;
                    factor = one.time / own.time;
                }
    }
    if (slowest == nullptr) {
        out_.notes.emplace_back("whether the library reads the file could not be shown: no algorithm takes twice as "
                                "long as the default");
        return;
    }
    // In launches of its own: a disturbance of the screen may look like a slow algorithm.
    std::vector<double> factors;
    for (int launch = 1; launch <= canary_launches; ++launch) {
        next(fmt::format("slow algorithm {}/{}", launch, canary_launches));
        std::map<std::string, double> times;
        for (auto const& each : launches_of({.phase = Phase::screen,
                                .seed = static_cast<std::uint64_t>(launch),
                                .blocks = decision_blocks,
                                .side = "canary",
                                .points = {{place, slowest->bytes, {std::string{default_name}, slowest->algorithm}}}}))
            for (auto const& point : run(each).record.points)
                if (auto const time = median_of(point))
                    times[point.at.text("algorithm")] = *time;
        if (times.size() == 2)
            factors.push_back(times[slowest->algorithm] / times[std::string{default_name}]);
    }
    factor = factors.empty() ? 0 : measure::median(factors);
    if (factor < canary_factor) {
        out_.notes.push_back(
            fmt::format("whether the library reads the file could not be shown: {} for {}{} is not twice as "
                        "slow when it is measured again",
                        slowest->algorithm, text_of(place), size_text(slowest->bytes)));
        return;
    }
    std::vector<TunedCollective> const canary{{place, {{slowest->bytes, slowest->bytes, slowest->algorithm}}}};
    auto const path = write_file("canary", file_text(canary));
    auto const settings = of_file(out_.facts.family, path);
    std::vector<double> with;
    std::vector<double> without;
    for (int launch = 1; launch <= canary_launches; ++launch)
        for (bool const has_file : {false, true}) {
            next(fmt::format("canary {}/{}", launch, canary_launches));
            auto const& launched = launches_.run({.phase = Phase::canary,
                                                  .seed = static_cast<std::uint64_t>(launch),
                                                  .blocks = decision_blocks,
                                                  .side = has_file ? word_of(canary) : "",
                                                  .points = {{place, slowest->bytes, {std::string{default_name}}}}},
                                                 has_file ? settings : Settings{});
            if (!launched.failure.empty())
                throw std::runtime_error(fmt::format("a start of the ranks {}{}", launched.failure,
                                                     has_file ? fmt::format(" with the file '{}'", path) : ""));
            for (auto const& point : launched.record.points)
                if (auto const time = median_of(point))
                    (has_file ? with : without).push_back(*time);
        }
    if (with.empty() || without.empty())
        throw std::runtime_error("the canary has no value: whether the file has an effect is not known");
    double const seen = measure::median(with) / measure::median(without);
    if (seen < std::sqrt(factor))
        throw std::runtime_error(fmt::format(
            "the file has no effect: with {} for {}{} the default is {:.2f} times as slow, not about {:.1f}; look "
            "whether "
            "the launcher passes {} on, whether all hosts see '{}', and that no other variable chooses algorithms",
            slowest->algorithm, text_of(place), size_text(slowest->bytes), seen, factor, settings.back().first, path));
    std::filesystem::remove(path);
    out_.canary = fmt::format("a file with {} for {}{} made the default {:.1f} times as slow ({:.1f} expected)",
                              slowest->algorithm, text_of(place), size_text(slowest->bytes), seen, factor);
}

namespace {

/// What a segment is called in the proof, and what the sizes without one.
std::string name_of(Place const& place, Segment const* segment) {
    return fmt::format("{}:{}:{}", place.collective, place.ranks, segment == nullptr ? -1 : segment->low);
}

/// A launch of the proof whose points are called after their segment, so that a segment is an operation.
Launch named_by_segment(Launched const& launched, std::vector<TunedSegment> const& segments) {
    Launch launch{.name = launched.record.run.started, .record = launched.record};
    for (auto& point : launch.record.points) {
        auto const place = place_of(point);
        auto const* const found = segment_with(segments, place, point.at.bytes("bytes"));
        point.benchmark = name_of(place, found);
    }
    return launch;
}

}  // namespace

namespace {

/// Whether a proof speaks against a segment. What launches of one side differ by is no excuse here: in doubt the
/// default stays.
bool is_against(ComparedPoint const& proof) {
    return proof.verdict == Verdict::slower || (proof.interval && proof.interval->first > 1 + proof_threshold);
}

}  // namespace

bool Campaign::prove_once(std::vector<TunedCollective> const& rules, std::string const& path) {
    WorkerPlan plan{.phase = Phase::prove, .blocks = decision_blocks};
    for (auto const& one : out_.segments)
        if (std::any_of(rules.begin(), rules.end(), [&](auto const& r) { return r.place == one.place; }))
            for (auto const bytes : one.segment.sizes)
                plan.points.push_back({one.place, bytes, {std::string{default_name}}});
    std::vector<TunedSegment> in_file;
    for (auto const& one : out_.segments)
        if (is_in_file(one))
            in_file.push_back(one);
    std::vector<Launch> plain;
    std::vector<Launch> tuned;
    std::mt19937_64 random{1};
    auto const word = word_of(rules);
    for (int launch = 1; launch <= o_.proof; ++launch) {
        bool const tuned_first = measure::draw_below(random, 2) == 1;
        for (bool const has_file : {tuned_first, !tuned_first}) {
            next(fmt::format("prove {}/{}", launch, o_.proof));
            plan.seed = static_cast<std::uint64_t>(launch);
            // The default of an earlier proof is none of this one: the machine was another.
            plan.side = (has_file ? "tuned:" : "default:") + word;
            auto const& launched = launches_.run(plan, has_file ? of_file(out_.facts.family, path) : Settings{});
            if (!launched.failure.empty())
                throw std::runtime_error(fmt::format("a start of the ranks {} in the proof", launched.failure));
            note_missing(launched, Phase::prove);
            (has_file ? tuned : plain).push_back(named_by_segment(launched, in_file));
        }
    }
    auto const comparison = compare_sides(plain, tuned, {.threshold = proof_threshold, .own_noise = true});
    out_.outside.clear();
    bool is_slower = false;
    for (auto const& operation : comparison.operations) {
        auto const& name = operation.point.benchmark;
        auto const found = std::find_if(out_.segments.begin(), out_.segments.end(), [&](auto const& one) {
            return is_in_file(one) && name == name_of(one.place, &one.segment);
        });
        if (found == out_.segments.end()) {
            auto const one = std::find_if(out_.segments.begin(), out_.segments.end(),
                                          [&](auto const& segment) { return name == name_of(segment.place, nullptr); });
            out_.outside.push_back({one->place, operation});
            is_slower = is_slower || operation.verdict == Verdict::slower;
        } else {
            found->proof = operation;
            if (is_against(operation))
                found->proof->verdict = Verdict::slower;
        }
    }
    // A single size that is slower makes its segment so.
    for (auto const& point : comparison.points)
        for (auto& one : out_.segments)
            if (one.proof && is_in_file(one) && is_against(point) &&
                point.point.benchmark == name_of(one.place, &one.segment))
                one.proof->verdict = Verdict::slower;
    for (auto const& one : out_.segments)
        is_slower = is_slower || (is_in_file(one) && one.proof && one.proof->verdict == Verdict::slower);
    return !is_slower;
}

bool Campaign::is_shown_to_act() const {
    return !out_.canary.empty() || std::any_of(out_.segments.begin(), out_.segments.end(), [](auto const& one) {
        return is_in_file(one) && one.proof && one.proof->verdict == Verdict::faster;
    });
}

void Campaign::prove_all() {
    auto rules = rules_of(out_.segments);
    if (rules.empty())
        return;
    look_for_effect(out_.screened);
    for (int proof = 1; proof <= most_proofs; ++proof) {
        auto const text = file_text(rules);
        auto const path = write_file("unproved-" + std::string{file_name(out_.facts.family)}, text);
        bool const is_good = prove_once(rules, path);
        std::filesystem::remove(path);
        if (is_good && is_shown_to_act()) {
            out_.file = text;
            return;
        }
        if (is_good) {
            for (auto& one : out_.segments)
                if (is_in_file(one))
                    one.returned = "nothing shows that the library reads the file";
            return;
        }
        out_.has_slower = true;
        bool is_changed = false;
        for (auto& one : out_.segments)
            if (is_in_file(one) && one.proof && one.proof->verdict == Verdict::slower) {
                one.returned = "slower in the proof";
                is_changed = true;
            }
        // What is slower outside of all segments is not the file's doing that could be taken back.
        if (!is_changed)
            return;
        rules = rules_of(out_.segments);
        if (rules.empty()) {
            out_.has_slower = false;
            return;
        }
        out_.has_slower = proof == most_proofs;
    }
}

}  // namespace measure_tool::tune
