// SPDX-License-Identifier: BSD-3-Clause
#include "run/answer.hpp"

#include "analysis/guidelines/guidelines.hpp"
#include "analysis/runs/merged.hpp"
#include "analysis/runs/points.hpp"
#include "run/between_runs.hpp"
#include "run/sweep.hpp"
#include "shared/plain_text.hpp"

#include <measure/launches.hpp>
#include <measure/two_samples.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

namespace measure::tool::runs {

namespace {

using measure::Record;

/// Messages of this size and more give the bandwidth, shorter messages the message rate.
constexpr measure::Bytes long_message = 4096;

/// " (bound: 0|1)": the processing units of each rank. " (not bound: 0-1)": the units that the ranks of a host share.
std::string binding_text(measure::Environment const& run) {
    if (!run.mpi_settings)
        return {};
    auto const found = std::find_if(run.mpi_settings->begin(), run.mpi_settings->end(),
                                    [](measure::Setting const& setting) { return setting.name == "binding"; });
    if (found == run.mpi_settings->end())
        return {};
    auto const& units = found->value;
    bool const is_bound = units.find('|') != std::string::npos;
    // A rank that is alone on its host shares its units with no other rank.
    if (!is_bound && static_cast<std::size_t>(run.ranks) <= run.hosts.size())
        return {};
    constexpr std::size_t longest = 16;
    return fmt::format(" ({}{})", is_bound ? "bound" : "not bound", units.size() <= longest ? ": " + units : "");
}

std::string machine_of(Launch const& launch) {
    auto const& run = launch.record.run;
    std::string const library = run.mpi_library.value_or("no MPI");
    auto const ranks = counted(static_cast<std::size_t>(run.ranks), "rank", "ranks") + binding_text(run);
    if (run.hosts.empty())
        return fmt::format("{}, {}", library, ranks);
    auto const& first = run.hosts.front();
    auto const cores = counted(static_cast<std::size_t>(first.cores), "core", "cores");
    return fmt::format("{}, {} on {}{}{}", library, ranks, first.name,
                       run.hosts.size() > 1 ? " and " + counted(run.hosts.size() - 1, "more host", "more hosts")
                                            : std::string{},
                       first.cpu ? fmt::format(" ({}, {})", *first.cpu, cores) : std::string{});
}

/// A number of an object that merge_launches wrote; 0 if it is missing.
double number_in(measure::Value const& object, std::string_view name) { return object.number({name}).value_or(0); }

/// Times of the operations in the other states, relative to their times in the most frequent state.
std::vector<OtherState> other_states_of(std::vector<Record> const& merged, std::size_t states) {
    std::vector<OtherState> result;
    for (std::size_t state = 1; state < states; ++state) {
        std::vector<std::string> order;
        std::map<std::string, std::vector<double>> ratios;
        for (auto const& record : merged) {
            auto const* const others = record.derived.get<measure::Value::Array>("other_states");
            if (is_control(record.benchmark) || others == nullptr || !record.value)
                continue;
            for (auto const& other : *others)
                if (number_in(other, "state") == static_cast<double>(state + 1) && *record.value > 0) {
                    program::add_once(order, record.benchmark);
                    ratios[record.benchmark].push_back(number_in(other, "value") / *record.value);
                }
        }
        OtherState other{.state = state};
        for (auto const& operation : order)
            other.ratios.emplace_back(operation, measure::median(ratios[operation]));
        std::stable_sort(other.ratios.begin(), other.ratios.end(), [](auto const& a, auto const& b) {
            return std::abs(std::log(a.second)) > std::abs(std::log(b.second));
        });
        if (!other.ratios.empty())
            result.push_back(std::move(other));
    }
    return result;
}

measure::Bytes size_of(measure::Point const& at) { return integer_at(at, "bytes").value_or(0); }

AnswerCell cell_of(Record const& record) {
    auto estimate = measure::estimate_of_value(record);
    if (estimate)
        estimate->interval = measure::own_interval(record);
    return {.bytes = size_of(record.at),
            .estimate = estimate,
            .launches = measure::launches_with_value(record),
            .disagrees = record.has_flag("launches_disagree"),
            .message = record.value ? "" : record.message};
}

/// All operations except the controls.
std::vector<AnswerRow> rows_of(std::vector<Record> const& merged) {
    std::vector<AnswerRow> rows;
    for (auto const& record : merged) {
        if (is_control(record.benchmark))
            continue;
        auto row = std::find_if(rows.begin(), rows.end(),
                                [&](AnswerRow const& each) { return each.operation == record.benchmark; });
        if (row == rows.end())
            row = rows.insert(rows.end(), {.operation = record.benchmark});
        row->cells.push_back(cell_of(record));
    }
    for (auto& row : rows)
        std::sort(row.cells.begin(), row.cells.end(),
                  [](AnswerCell const& a, AnswerCell const& b) { return a.bytes < b.bytes; });
    return rows;
}

/// Removes the row of windows of messages: their rates are shown, not their times.
std::optional<AnswerRow> take_stream(std::vector<AnswerRow>& rows) {
    auto const found =
        std::find_if(rows.begin(), rows.end(), [](AnswerRow const& row) { return row.operation == stream_test; });
    if (found == rows.end())
        return std::nullopt;
    auto stream = std::move(*found);
    rows.erase(found);
    return stream;
}

/// The rows that trust is judged by: the operations, or the windows of messages if nothing else was measured.
std::vector<AnswerRow> judged_rows(Answer const& answer) {
    return answer.rows.empty() && answer.stream ? std::vector{*answer.stream} : answer.rows;
}

double resolution_of(std::vector<AnswerRow> const& rows) {
    std::vector<double> shares;
    for (auto const& row : rows)
        for (auto const& cell : row.cells)
            if (auto const& e = cell.estimate; e && e->interval)
                shares.push_back(std::sqrt(2.0) * margin(e->value, *e->interval) / e->value);
    return shares.empty() ? 0 : measure::median(shares);
}

/// The smallest difference that the comparison can find, as a share; 0 if no difference counts.
/// \param limits  limit of each operation, see `judge_between_runs`; empty: no limits
double resolution_of(Comparison const& comparison, std::vector<std::optional<double>> const& limits) {
    std::vector<double> shares;
    for (std::size_t i = 0; i < comparison.operations.size(); ++i)
        if (auto const& interval = comparison.operations[i].interval) {
            double const half = std::sqrt(interval->second / interval->first) - 1;
            if (!limits.empty() && !limits[i])
                return 0;
            shares.push_back(limits.empty() ? half : std::max(half, *limits[i]));
        }
    return shares.empty() ? 0 : measure::median(shares);
}

/// Messages per second, from windows of messages. \param largest  use the largest message size, otherwise the smallest
std::optional<AnswerRate> rate_of(std::vector<Record> const& merged, bool largest) {
    Record const* found = nullptr;
    for (auto const& record : merged)
        if (record.benchmark == stream_test && record.value &&
            (found == nullptr || (record.at.bytes("bytes") > found->at.bytes("bytes")) == largest))
            found = &record;
    auto const e = found != nullptr ? measure::estimate_of_value(*found) : std::nullopt;
    if (!e || !(e->value > 0))
        return std::nullopt;
    auto const messages =
        static_cast<double>(found->at.ranks() / 2) * static_cast<double>(integer_at(found->at, "window").value_or(1));
    AnswerRate rate{.value = messages / e->value, .bytes = found->at.bytes("bytes")};
    if (auto const own = measure::own_interval(*found))
        rate.margin = margin(e->value, *own) / e->value;
    return rate;
}

void check_guidelines(Answer& answer) {
    if (answer.launches < static_cast<std::size_t>(fewest_starts))
        return;
    auto const result = measure::check_guidelines(operation_points(answer.used), {});
    answer.guidelines_checked = result.checks.size();
    std::vector<GuidelineCheck const*> violated;
    for (auto const& check : result.checks)
        if (check.verdict == GuidelineVerdict::violated)
            violated.push_back(&check);
    std::sort(violated.begin(), violated.end(), [](auto const* a, auto const* b) { return a->factor > b->factor; });
    for (auto const* const check : violated)
        answer.guidelines.push_back(fmt::format("{} fails by x{:.2f} at {}", check->guideline, check->factor,
                                                measure::text_bytes(check->size)));
}

// ---- comparison

/// For each operation, the ratios of its time in these launches to its time in each earlier run, within states of the
/// machine.
std::vector<std::vector<double>> ratios_to(std::vector<std::vector<Launch>> const& earlier,
                                           std::span<Launch const> launches, Comparison const& comparison) {
    std::vector<std::vector<double>> ratios(comparison.operations.size());
    for (auto const& run : earlier) {
        auto const other = compare_sides(run, launches, {});
        for (std::size_t i = 0; i < ratios.size(); ++i)
            for (auto const& operation : other.operations)
                if (operation.verdict != Verdict::machine &&
                    point_key(operation.point, 0) == point_key(comparison.operations[i].point, 0))
                    ratios[i].push_back(operation.ratio);
    }
    return ratios;
}

/// The scatter of an operation's ratios, as a share: the median over the operations.
double typical_spread(std::vector<std::vector<double>> const& ratios) {
    std::vector<double> spreads;
    for (auto const& of_one : ratios)
        if (of_one.size() >= runs_that_tell)
            spreads.push_back(measure::log_scale(of_one));
    return spreads.empty() ? 0 : std::expm1(measure::median(spreads));
}

/// The texts of the differences. If file names differ, the difference in content is omitted.
std::vector<std::string> texts_of(std::vector<Difference> const& differences) {
    std::set<std::string> fields;
    for (auto const& difference : differences)
        fields.insert(difference.field);
    std::vector<std::string> texts;
    for (auto const& [text, field, serious] : differences) {
        constexpr std::string_view content = " (content)";
        bool const follows =
            field.ends_with(content) && fields.contains(field.substr(0, field.size() - content.size()));
        if (!follows)
            texts.push_back(text);
    }
    return texts;
}

/// \param sides  the counted launches of this run and of the opponent
void compare_with(Answer& answer, std::array<CountingLaunches, 2> sides, Opponent const& opponent) {
    auto& [own, others] = sides;
    if (opponent.is_side) {
        answer.disturbed_b = std::move(others.disturbed);
        answer.left_out_b = others.left_out;
        answer.launches_b = opponent.launches.size();
    }
    // The earlier run is side A, so a ratio above 1 means that the time has grown. With two sides, A is this run.
    auto const& a = opponent.is_side ? own.all : others.all;
    auto const& b = opponent.is_side ? others.all : own.all;
    CompareRules const rules;
    auto comparison = compare_sides(a, b, rules);
    if (comparison.points.empty())
        return;
    answer.controls = control_changes(comparison);
    std::vector<std::optional<double>> limits;
    bool is_level_known = opponent.is_side;
    if (!opponent.is_side) {
        // Points that this run did not try are not missing: it may have been asked for fewer.
        std::erase_if(comparison.missing, [](MissingPoint const& point) { return point.in_a && !point.tried; });
        auto earlier = opponent.earlier;
        earlier.push_back(others.all);
        auto ratios = ratios_to(earlier, b, comparison);
        std::size_t known = 0;
        for (auto const& of_one : ratios)
            known = std::max(known, of_one.size());
        is_level_known = known >= runs_that_tell;
        if (is_level_known)
            answer.runs_differ = RunsDiffer{.runs = known, .share = typical_spread(ratios)};
        auto const before = counting_launches(opponent.launches);
        limits = judge_between_runs(comparison,
                                    {.before = before.main,
                                     .now = answer.used,
                                     .ratios = std::move(ratios),
                                     .is_unsteady = !comparison.states.found.are_several() &&
                                                    (!answer.unsteady.empty() || !others.unsteady.empty()),
                                     .of_controls = std::expm1(largest_change(answer.controls, false))},
                                    rules.alpha);
    }
    answer.resolution = resolution_of(comparison, limits);
    judge_by_controls(comparison, answer.controls, is_level_known ? 0 : share_of_two_runs);
    answer.machine_changed = std::any_of(answer.controls.begin(), answer.controls.end(),
                                         [](ControlChange const& change) { return change.differs; });
    answer.differs = texts_of(side_differences(a, b));
    answer.opponent = opponent.is_side ? fmt::format("'{}'", opponent.name)
                                       : fmt::format("run {} of {}", opponent.name, opponent.started);
    answer.comparison = std::move(comparison);
    answer.compared = std::move(own.all);
    answer.others = std::move(others.all);
    answer.is_beside = opponent.is_side;
}

/// The most frequent state of one side, among the states of both sides; nothing if the machine had one state.
std::optional<std::size_t> main_state(SideStates const& states, std::size_t side) {
    return states.found.are_several() ? std::optional{states.most_frequent(side)} : std::nullopt;
}

/// The merged points of an earlier run, with values only from launches in the most frequent state of this run. Points
/// without such launches have no value.
std::vector<Record> points_in_state_of(Launch const& earlier, std::span<Launch const> used) {
    std::span<Launch const> const one{&earlier, 1};
    auto const states = states_of(std::array{one, used});
    auto const state = main_state(states, 1);
    auto points = earlier.record.points;
    for (auto& point : points) {
        if (!state)
            break;
        std::vector<double> medians;
        auto const all = launch_values_in_all_states(point);
        for (std::size_t i = 0; i < all.size(); ++i)
            if (auto const found = states.of_side[0].find({0, i});
                all[i] && found != states.of_side[0].end() && found->second == *state)
                medians.push_back(*all[i]);
        auto const interval = measure::batched_median_interval(medians, 0.95);
        if (!interval || !point.estimate) {
            point.value.reset();
            point.estimate.reset();
            continue;
        }
        point.value = point.estimate->median = measure::median(medians);
        point.estimate->median_interval = interval;
    }
    return points;
}

void widen_by_earlier(Answer& answer, std::span<Launch const> earlier) {
    std::set<std::string> apart;
    if (answer.comparison)
        for (auto const& operation : answer.comparison->operations)
            if (is_difference(operation.verdict))
                apart.insert(operation.point.benchmark);
    std::vector<std::vector<Record>> runs;
    // Runs are visited from the latest. A point that was not widened itself ends the series, whatever state it was in.
    std::set<SweptPoint> ended;
    for (auto const& run : earlier) {
        auto& points = runs.emplace_back(points_in_state_of(run, answer.used));
        std::erase_if(points, [&](Record const& record) {
            return apart.contains(record.benchmark) || ended.contains(point_of(record));
        });
        for (auto const& record : run.record.points)
            if (record.estimate && record.estimate->median_interval && record.derived.find("runs") == nullptr)
                ended.insert(point_of(record));
    }
    measure::widen_by_runs(answer.merged, runs);
}

void note_changes(Answer& answer) {
    for (auto const& operation : answer.comparison->operations) {
        if (operation.point.benchmark == stream_test)
            answer.stream_change = operation;
        for (auto& row : answer.rows)
            if (operation.point.benchmark == row.operation)
                row.change = operation;
    }
    for (auto const& point : answer.comparison->points)
        for (auto& row : answer.rows)
            for (auto& cell : row.cells)
                if (point.point.benchmark == row.operation && size_of(point.point.at) == cell.bytes)
                    cell.change = point;
}

// ---- trust

/// The largest share of a core's time that was lost at the beginning of a launch: the median over the launches.
double lost_time(std::span<Launch const> launches) {
    std::vector<double> shares;
    for (auto const& launch : launches)
        for (auto const& [name, value] : launch.record.run.more)
            if (name == "noise")
                shares.push_back(value.number({"share"}).value_or(0));
    return shares.empty() ? 0 : measure::median(shares);
}

/// The share of invalid samples over all launches and all points except the controls.
double invalid_share(std::vector<Record> const& merged) {
    std::int64_t attempts = 0;
    std::int64_t valid = 0;
    for (auto const& record : merged)
        if (!is_control(record.benchmark)) {
            attempts += record.attempts;
            valid += record.valid;
        }
    return attempts > 0 ? 1 - static_cast<double>(valid) / static_cast<double>(attempts) : 0;
}

/// Fields in which launches differ from the first one. They should not differ: all have the same command. They do if a
/// run is resumed after an update or with other settings.
struct DifferingFields {
    std::vector<std::string> names{};
    bool is_serious = false;  ///< the numbers cannot be combined
};

DifferingFields differing_fields(std::span<Launch const> launches) {
    DifferingFields fields;
    for (auto const& difference : differences(launches)) {
        // This tool itself varies the options of a launch.
        if (difference.field.starts_with("options."))
            continue;
        fields.names.push_back(difference.field);
        fields.is_serious = fields.is_serious || difference.serious || difference.field == "mpi";
    }
    return fields;
}

/// A reason for less trust.
struct Doubt {
    Trust trust;
    std::string text;
};

std::vector<Doubt> doubts_of(Answer const& answer) {
    std::vector<Doubt> doubts;
    auto const doubt = [&](bool is_poor, bool is_fair, std::string text) {
        if (is_poor || is_fair)
            doubts.push_back({is_poor ? Trust::poor : Trust::fair, std::move(text)});
    };
    auto const share = [](std::size_t part, std::size_t whole) {
        return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
    };
    bool const is_full = is_crowded(answer.used);
    doubt(is_full, false, "more ranks than cores");
    auto const fields = differing_fields(answer.used);
    doubt(fields.is_serious, !fields.names.empty(),
          fmt::format("the launches differ in {}", fmt::join(fields.names, ", ")));
    doubt(answer.launches < static_cast<std::size_t>(fewest_starts), false,
          fmt::format("only {}: no 95 % interval", counted(answer.launches, "launch", "launches")));
    auto const disturbed_launches = answer.disturbed.size() + answer.disturbed_b.size();
    auto const all_launches = answer.all_launches + answer.launches_b;
    double const disturbed_share = share(disturbed_launches, all_launches);
    doubt(disturbed_share > 0.2, disturbed_share > 0.1,
          fmt::format("{} of {} launches were disturbed", disturbed_launches, all_launches));
    doubt(false, !answer.unsteady.empty(), fmt::format("controls vary ({})", fmt::join(answer.unsteady, ", ")));
    double const in_none = share(answer.states.launches_in_none(), answer.all_launches);
    doubt(false, in_none > 0.1,
          fmt::format("{} no state of the machine",
                      counted(answer.states.launches_in_none(), "launch fits", "launches fit")));
    double const lost = lost_time(answer.used);
    // Ranks that share a core take time from each other.
    doubt(!is_full && lost > 0.2, !is_full && lost > 0.05,
          fmt::format("{:.0f} % of a core's time was lost to other work", lost * 100));
    auto const rows = judged_rows(answer);
    std::vector<double> moved;
    for (auto const& row : rows)
        moved.push_back(drift(answer.used, row.operation));
    double const level = moved.empty() ? 0 : measure::median(moved);
    doubt(level > 0.3, level > 0.1, fmt::format("times changed by {:.0f} % during the run", level * 100));
    if (auto const& runs = answer.runs_differ)
        doubt(false, runs->share > 0.1,
              fmt::format("the {} earlier runs differ by {:.0f} %", runs->runs, runs->share * 100));
    std::size_t points = 0;
    std::size_t without_value = 0;
    std::size_t apart = 0;
    std::vector<double> halves;
    for (auto const& row : rows)
        for (auto const& cell : row.cells) {
            ++points;
            without_value += cell.estimate ? 0U : 1U;
            apart += cell.disagrees ? 1U : 0U;
            if (cell.estimate && cell.estimate->interval)
                halves.push_back((cell.estimate->interval->second - cell.estimate->interval->first) / 2 /
                                 cell.estimate->value);
        }
    doubt(share(without_value, points) > 0.2, without_value > 0,
          fmt::format("{} of {} points have no value", without_value, points));
    doubt(share(apart, points) > 0.5, share(apart, points) > 0.2,
          fmt::format("launches disagree at {} of {} points", apart, points));
    double const invalid = invalid_share(answer.merged);
    doubt(invalid > 0.5, invalid > 0.2, fmt::format("{:.0f} % of the samples were invalid", invalid * 100));
    double const half = halves.empty() ? 0 : measure::median(halves);
    doubt(half > 0.25, half > 0.1, fmt::format("half of the intervals are wider than +- {:.0f} %", half * 100));
    return doubts;
}

void judge_trust(Answer& answer) {
    auto doubts = doubts_of(answer);
    std::stable_sort(doubts.begin(), doubts.end(), [](Doubt const& a, Doubt const& b) { return a.trust > b.trust; });
    for (auto& [trust, text] : doubts) {
        answer.trust = std::max(answer.trust, trust);
        answer.doubts.push_back(std::move(text));
    }
}

}  // namespace

double margin(double value, measure::Interval const& interval) noexcept {
    return std::max(value - interval.first, interval.second - value);
}

std::string_view name(Trust trust) noexcept {
    static constexpr std::array<std::string_view, 3> names{"good", "fair", "poor"};
    return names[static_cast<std::size_t>(trust)];
}

Answer answer(std::span<Launch const> launches, std::optional<Opponent> const& opponent,
              std::span<Launch const> earlier) {
    Answer result{.machine = machine_of(launches.front())};
    bool const has_opponent = opponent && !opponent->launches.empty();
    auto sides = has_opponent ? counting_sides(launches, opponent->launches) : std::array<CountingLaunches, 2>{};
    // With two sides, the values come from the compared launches, unless none is in the most frequent state.
    bool const has_same = has_opponent && opponent->is_side && !sides[0].main.empty();
    auto counting = has_same ? sides[0] : counting_launches(launches);
    result.states = std::move(counting.states);
    result.states_of_merged = std::move(counting.states_of_all);
    result.used = std::move(counting.main);
    result.in_states = std::move(counting.all);
    result.disturbed = std::move(counting.disturbed);
    result.unsteady = std::move(counting.unsteady);
    result.all_launches = launches.size();
    result.launches = result.used.size();
    result.left_out = counting.left_out;
    result.merged = merged_launches(result.in_states, result.states_of_merged);
    result.other_states = other_states_of(result.merged, result.states.states.size());
    if (has_opponent)
        compare_with(result, std::move(sides), *opponent);
    widen_by_earlier(result, earlier);
    result.rows = rows_of(result.merged);
    result.stream = take_stream(result.rows);
    if (!result.comparison)
        result.resolution = resolution_of(judged_rows(result));
    result.bandwidth = rate_of(result.merged, true);
    result.message_rate = rate_of(result.merged, false);
    result.overlaps = overlaps_of(result.used);
    if (result.bandwidth && result.bandwidth->bytes < long_message)
        result.bandwidth.reset();
    if (result.message_rate && result.message_rate->bytes >= long_message)
        result.message_rate.reset();
    if (result.bandwidth)
        result.bandwidth->value *= static_cast<double>(result.bandwidth->bytes);
    check_guidelines(result);
    if (result.comparison)
        note_changes(result);
    judge_trust(result);
    return result;
}

std::string word(ComparedPoint const& change) {
    return change.verdict == Verdict::slower ? "SLOWER" : std::string{name(change.verdict)};
}

}  // namespace measure::tool::runs
