// SPDX-License-Identifier: BSD-3-Clause
#include "run/expect.hpp"

#include "analysis/runs/control_names.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"

#include <measure/statistics.hpp>
#include <measure/units.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace measure::tool::runs {

namespace {

constexpr double least_room = 0.1;

std::string machine_name(Answer const& answer) {
    auto const& hosts = answer.used.front().record.run.hosts;
    return hosts.empty() ? "*" : hosts.front().name;
}

std::vector<std::string> words_in(std::string const& text) {
    std::vector<std::string> words;
    for (auto const& word : program::split(text, ' '))
        if (!program::trimmed(word).empty())
            words.emplace_back(program::trimmed(word));
    return words;
}

/// "-5%" or "+10%", as a share without sign.
double room(std::string const& word, char sign) {
    if (word.empty() || word.front() != sign)
        throw measure::UsageError(fmt::format("'{}' is not a limit of the form {}PCT%", word, sign));
    return program::as::Percentage{.high = 1e6}({"limit", word.substr(1)});
}

/// "vm: Bcast 8 = 0.5us -5% +10%"
LimitLine line_from(std::string const& text) {
    auto const colon = text.find(": ");
    auto const words = colon == std::string::npos ? std::vector<std::string>{} : words_in(text.substr(colon + 2));
    if (words.size() != 6 || words[2] != "=")
        throw measure::UsageError("not of the form MACHINE: OPERATION SIZE = TIME -PCT% +PCT%");
    return {.machine = std::string{program::trimmed(text.substr(0, colon))},
            .operation = words[0],
            .bytes = program::as::Size{}({"size", words[1]}),
            .value = program::as::Duration{.above_zero = true}({"time", words[3]}).count(),
            .low = room(words[4], '-'),
            .high = room(words[5], '+')};
}

/// All rows, including the windows of messages that the rates come from.
std::vector<AnswerRow> limited_rows(Answer const& answer) {
    auto rows = answer.rows;
    if (answer.stream)
        rows.push_back(*answer.stream);
    return rows;
}

AnswerCell const* cell_at(std::vector<AnswerRow> const& rows, LimitLine const& limit) {
    for (auto const& row : rows)
        if (row.operation == limit.operation)
            for (auto const& cell : row.cells)
                if (cell.bytes == limit.bytes)
                    return &cell;
    return nullptr;
}

constexpr char const* limit_option = "--expect";

GateResult failed(std::string name, std::string text) {
    return {.check = limit_option, .name = std::move(name), .kind = GateResult::Kind::failed, .text = std::move(text)};
}

std::string time_text(double t) { return measure::text(measure::seconds{t}); }

measure::Interval allowed_by(LimitLine const& limit) {
    return {limit.value * (1 - limit.low), limit.value * (1 + limit.high)};
}

GateResult result_of(LimitLine const& limit, AnswerCell const* cell) {
    auto what = fmt::format("{} {}", limit.operation, measure::text_bytes(limit.bytes));
    if (cell == nullptr || !cell->estimate)
        return failed(what, what + " has no value");
    auto const& e = *cell->estimate;
    auto const [low, high] = e.interval.value_or(measure::Interval{e.value, e.value});
    auto const [least, most] = allowed_by(limit);
    if (high >= least && low <= most)
        return {.check = limit_option, .name = std::move(what)};
    auto text = fmt::format("{} takes {} ({} .. {}), expected {} .. {}", what, time_text(e.value), time_text(low),
                            time_text(high), time_text(least), time_text(most));
    return failed(std::move(what), std::move(text));
}

/// Controls without a size. Their values show the state of the machine.
constexpr std::array controls_with_limits{line_control, work_control};
/// Limit for controls, as a share. The centres of two states usually differ by more.
constexpr double room_of_control = 0.25;

/// Mean of a control over the beginning and the end of the launches; nothing if it was not measured.
std::optional<double> value_of_control(Answer const& answer, std::string_view control) {
    std::vector<double> values;
    for (auto const& record : answer.merged)
        if (record.benchmark == control && record.value && *record.value > 0)
            values.push_back(*record.value);
    return values.empty() ? std::nullopt : std::optional{measure::log_mean(values)};
}

bool is_of_control(LimitLine const& limit) {
    return std::find(controls_with_limits.begin(), controls_with_limits.end(), limit.operation) !=
           controls_with_limits.end();
}

/// The reason why no limit applies to this run: a control is outside its limits, so the machine is in another state.
std::optional<std::string> other_machine(std::vector<LimitLine> const& limits, Answer const& answer) {
    for (auto const& limit : limits) {
        auto const value = is_of_control(limit) ? value_of_control(answer, limit.operation) : std::nullopt;
        auto const [least, most] = allowed_by(limit);
        if (!value || (*value >= least && *value <= most))
            continue;
        return fmt::format(
            "no limit is checked, because the machine is in another state: {} takes {}, expected {} .. {}",
            control_name(limit.operation), time_text(*value), time_text(least), time_text(most));
    }
    return std::nullopt;
}

bool has_limit(AnswerCell const& cell) { return cell.estimate && cell.estimate->interval; }

/// At least four digits, without an exponent, because --expect does not read exponents.
std::string microseconds_text(double us) {
    double const before = std::floor(std::log10(us)) + 1;
    return fmt::format("{:.{}f}us", us, static_cast<int>(std::clamp(4 - before, 0.0, 12.0)));
}

}  // namespace

Limits limits_from_text(std::string const& text, std::string const& file) {
    Limits limits;
    program::read_lines(text, file, [&](std::string const& line) { limits.push_back(line_from(line)); });
    if (std::all_of(limits.begin(), limits.end(), is_of_control))
        throw measure::UsageError(fmt::format("--expect: '{}' contains no limit", file));
    return limits;
}

Limits limits_from(std::string const& file) {
    program::note_input(file);
    return limits_from_text(program::file_text(file), file);
}

std::vector<GateResult> limit_results(Limits const& limits, Answer const& answer) {
    auto const machine = machine_name(answer);
    auto const rows = limited_rows(answer);
    auto here = limits;
    std::erase_if(here, [&](LimitLine const& limit) { return limit.machine != machine && limit.machine != "*"; });
    if (auto text = other_machine(here, answer))
        return {
            {.check = limit_option, .name = machine, .kind = GateResult::Kind::undecided, .text = std::move(*text)}};
    std::vector<GateResult> results;
    for (auto const& limit : here)
        if (!is_of_control(limit))
            results.push_back(result_of(limit, cell_at(rows, limit)));
    if (results.empty())
        results.push_back(failed(machine, fmt::format("there is no limit for '{}'", machine)));
    return results;
}

std::string limits_text(Answer const& answer) {
    std::string text = "# MACHINE: OPERATION SIZE = TIME -PCT% +PCT%\n";
    for (auto const control : controls_with_limits)
        if (auto const value = value_of_control(answer, control); value && has_limits(answer))
            text += fmt::format("{}: {} 0 = {} -{:.0f}% +{:.0f}%\n", machine_name(answer), control,
                                microseconds_text(*value * 1e6), room_of_control * 100, room_of_control * 100);
    for (auto const& row : limited_rows(answer))
        for (auto const& cell : row.cells) {
            if (!has_limit(cell)) {
                text += fmt::format("# no limit for {} {}: no interval is known\n", row.operation, cell.bytes);
                continue;
            }
            auto const& e = *cell.estimate;
            double const half = (e.interval->second - e.interval->first) / 2 / e.value;
            double const allowed = std::ceil(std::max(2 * half, least_room) * 100);
            text += fmt::format("{}: {} {} = {} -{:.0f}% +{:.0f}%\n", machine_name(answer), row.operation, cell.bytes,
                                microseconds_text(e.value * 1e6), std::min(allowed, 100.0), allowed);
        }
    return text;
}

bool has_limits(Answer const& answer) {
    auto const rows = limited_rows(answer);
    return std::any_of(rows.begin(), rows.end(),
                       [](AnswerRow const& row) { return std::any_of(row.cells.begin(), row.cells.end(), has_limit); });
}

}  // namespace measure::tool::runs
