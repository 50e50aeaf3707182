// SPDX-License-Identifier: BSD-3-Clause
#include "run/screen.hpp"

#include "analysis/runs/states.hpp"
#include "run/sweep.hpp"
#include "run/switches.hpp"
#include "shared/plain_text.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace measure::tool::runs {

namespace {

constexpr std::size_t least_name_width = 11;
constexpr std::size_t cell_width = 12;
/// "unclear +2 (-1..4)%"
constexpr std::size_t change_width = 21;
constexpr std::size_t label_width = 12;
constexpr std::size_t most_sizes = 6;
constexpr std::size_t most_rows = 10;
constexpr std::size_t most_lines = 25;

/// The terminal that lines are fitted to.
struct Room {
    std::size_t columns = 80;
    bool colours = false;
};

std::string cut(std::string text, std::size_t width) {
    if (page::letters(text) <= width)
        return text;
    while (page::letters(text) > width - 2)
        text.pop_back();
    return text + "..";
}

/// "label  text", wrapped between words. Words longer than a line are cut.
std::string line(Room const& room, std::string_view label, std::string text) {
    auto const columns = room.columns - label_width;
    std::string lines;
    for (auto const& part : text_lines(printable(std::move(text)), columns))
        lines += fmt::format("{:<{}}{}\n", lines.empty() ? label : "", label_width, cut(part, columns));
    return lines;
}

/// A wrapped text without a label. Continuation lines are indented by two columns.
std::string heading(Room const& room, std::string text) {
    constexpr std::size_t indent = 2;
    text = printable(std::move(text));
    if (page::letters(text) <= room.columns)
        return text + "\n";
    std::string lines;
    for (auto const& part : text_lines(text, room.columns - indent))
        lines += fmt::format("{}{}\n", lines.empty() ? "" : "  ", cut(part, room.columns - indent));
    return lines;
}

/// Two digits and a unit: "9.1GB/s".
std::string short_rate(double bytes_per_second) {
    constexpr std::array<std::string_view, 5> units{"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
    double value = bytes_per_second;
    std::size_t unit = 0;
    for (; unit + 1 < units.size() && value >= 999.5; ++unit)
        value /= 1000;
    return fmt::format("{:.{}f}{}", value, value < 9.95 ? 1 : 0, units[unit]);
}

/// Bytes that all ranks together move in one call.
double moved(AnswerCell const& cell, int ranks) { return static_cast<double>(cell.bytes) * ranks; }

/// " 2%"; " ?" if there are too few launches for an interval; "!" at the end if launches disagree. At most five
/// characters, because a column has no more room; hence " >99!".
std::string error_text(AnswerCell const& cell) {
    auto const& e = *cell.estimate;
    std::string text;
    if (e.interval) {
        double const percent = margin(e.value, *e.interval) / e.value * 100;
        if (percent >= (cell.disagrees ? 99.5 : 999.5))
            text = cell.disagrees ? " >99" : " >999";
        else if (percent >= 0.95)
            text = fmt::format(" {:.0f}%", percent);
        else
            text = cell.disagrees ? " 1%" : fmt::format(" {:.1f}%", percent);
    } else {
        text = " ?";
    }
    return cell.disagrees ? text + "!" : text;
}

/// Deviation of a ratio from 1, in per cent: "+3.1", "-12".
std::string ratio_text(double ratio) {
    double const share = (ratio - 1) * 100;
    return std::abs(share) < 9.95 ? fmt::format("{:+.1f}", share) : fmt::format("{:+.0f}", share);
}

/// The same without decimals.
std::string whole_text(double ratio) { return fmt::format("{:+.0f}", std::round((ratio - 1) * 100) + 0.0); }

/// "+3.1 (-2..8)%". \param value  in per cent
std::string change_with(std::string_view value, measure::Interval const& interval) {
    // Rounds outwards, so that an interval that contains 0 never seems to exclude it, and the value stays inside. The
    // first rounding removes floating-point noise from whole numbers.
    auto const per_cent = [](double ratio) { return std::round((ratio - 1) * 1e8) / 1e6; };
    return fmt::format("{} ({:.0f}..{:.0f})%", value, std::floor(per_cent(interval.first)) + 0.0,
                       std::ceil(per_cent(interval.second)) + 0.0);
}

/// The column of a size: the smallest size of another operation that this operation rounds to the given size, otherwise
/// the size itself. Mem_triad of 16368 bytes is in the column of 16384.
measure::Bytes column_of(Answer const& answer, AnswerRow const& row, measure::Bytes size) {
    std::optional<measure::Bytes> column;
    for (auto const& other : answer.rows)
        for (auto const& cell : other.cells)
            if (&other != &row && cell.bytes >= size && rounded_size(row.operation, cell.bytes) == size)
                column = std::min(column.value_or(cell.bytes), cell.bytes);
    return column.value_or(size);
}

/// The sizes that most operations have. Among equally frequent sizes, the smallest and the largest are chosen first.
std::vector<measure::Bytes> shown_sizes(Answer const& answer, std::size_t most_shown) {
    std::map<measure::Bytes, std::size_t> rows;
    for (auto const& row : answer.rows)
        for (auto const& cell : row.cells)
            if (cell.bytes > 0 && has_size(row.operation))
                ++rows[column_of(answer, row, cell.bytes)];
    std::size_t most = 0;
    for (auto const& [bytes, number] : rows)
        most = std::max(most, number);
    std::vector<measure::Bytes> sizes;
    for (std::size_t number = most; number > 0 && sizes.size() < most_shown; --number) {
        std::vector<measure::Bytes> alike;
        for (auto const& [bytes, of] : rows)
            if (of == number)
                alike.push_back(bytes);
        auto const room = std::min(most_shown - sizes.size(), alike.size());
        for (std::size_t i = 0; i < room; ++i)
            sizes.push_back(alike[room == 1 ? 0 : i * (alike.size() - 1) / (room - 1)]);
    }
    std::sort(sizes.begin(), sizes.end());
    return sizes;
}

std::string_view colour_of(Verdict verdict) {
    if (verdict == Verdict::slower)
        return "31";
    return verdict == Verdict::faster ? "32" : "";
}

std::string coloured(std::string text, std::string_view colour) {
    return colour.empty() ? text : fmt::format("\x1b[{}m{}\x1b[0m", colour, text);
}

/// A value for the first column: of an operation without a size, or the smallest size of an operation whose sizes have
/// no column. The latter is followed by the size.
std::string beside_columns(AnswerRow const& row, std::string text) {
    if (has_size(row.operation) && row.cells.front().bytes > 0)
        text += " with " + measure::text_bytes(row.cells.front().bytes);
    return text;
}

/// The columns of the table.
struct TableShape {
    std::size_t name_width = least_name_width;
    std::vector<measure::Bytes> sizes{};
};

/// Names are shown whole if that leaves room for two sizes.
TableShape shape_of(Room const& room, Answer const& answer) {
    TableShape shape;
    // "Bcast A"
    std::size_t const side_width = answer.is_beside ? 2 : 0;
    for (auto const& row : answer.rows)
        shape.name_width = std::max(shape.name_width, row.operation.size() + 1 + side_width);
    auto const rest = room.columns - (answer.comparison ? change_width : 0);
    shape.name_width = std::min(shape.name_width, rest - std::min(rest, 2 * cell_width));
    auto const sizes = (rest - std::min(rest, shape.name_width)) / cell_width;
    shape.sizes = shown_sizes(answer, std::clamp<std::size_t>(sizes, 1, most_sizes));
    return shape;
}

/// The cells of a row, each as wide as a column. \param text_of  gives the text of a cell
template <class TextOf>
std::string cells_text(Answer const& answer, AnswerRow const& row, TableShape const& shape, TextOf text_of) {
    std::string cells;
    for (auto const bytes : shape.sizes) {
        auto const found = std::find_if(row.cells.begin(), row.cells.end(), [&](AnswerCell const& cell) {
            return column_of(answer, row, cell.bytes) == bytes;
        });
        bool const is_shown = found != row.cells.end() && has_size(row.operation);
        cells += fmt::format("{:<{}} ", is_shown ? text_of(*found) : "", cell_width - 1);
    }
    bool const is_empty = cells.find_first_not_of(' ') == std::string::npos;
    if (is_empty && !row.cells.empty())
        cells = fmt::format("{:<{}}", beside_columns(row, text_of(row.cells.front())),
                            std::max<std::size_t>(shape.sizes.size(), 1) * cell_width);
    return cells;
}

/// Verdict, change and interval. The interval is dropped if the line is too long; the page has it.
std::string row_change(Room const& room, AnswerRow const& row, std::size_t used) {
    auto const change = has_bandwidth(row.operation) ? of_rates(*row.change) : *row.change;
    auto const verdict = word(change);
    auto text = fmt::format("{} {}", verdict, change_text(change));
    // The decimal is dropped first, then the interval.
    if (text.size() + used > room.columns && change.interval)
        text = fmt::format("{} {}", verdict, change_with(whole_text(change.ratio), *change.interval));
    if (text.size() + used > room.columns)
        text = fmt::format("{} {}%", verdict, ratio_text(change.ratio));
    return coloured(std::move(text), room.colours ? colour_of(change.verdict) : "");
}

/// "231ns +11%": the value of side B, and its change relative to A.
std::string other_cell_text(AnswerRow const& row, AnswerCell const& cell, int ranks) {
    if (!cell.change)
        return {};
    bool const is_rate = has_bandwidth(row.operation);
    return fmt::format("{} {}%", other_value_text(row.operation, cell, ranks),
                       ratio_text(is_rate ? 1 / cell.change->ratio : cell.change->ratio));
}

/// One line for a run; one line for each side of a comparison.
std::string row_text(Room const& room, AnswerRow const& row, TableShape const& shape, Answer const& answer) {
    int const ranks = ranks_of(answer);
    auto const named = [&](std::string_view side) {
        auto const name = cut(row.operation, shape.name_width - 1 - side.size());
        return fmt::format("{:<{}}{}", name, shape.name_width - side.size(), side);
    };
    auto text = named(answer.is_beside ? "A " : "") + cells_text(answer, row, shape, [&](AnswerCell const& cell) {
                    return has_bandwidth(row.operation) ? bandwidth_text(cell, ranks) : cell_text(cell);
                });
    auto const ended = [](std::string one) {
        one.erase(one.find_last_not_of(' ') + 1);
        return one + "\n";
    };
    std::string lines;
    if (answer.is_beside && row.change) {
        lines = ended(std::move(text));
        text =
            fmt::format("{:>{}}", "B ", shape.name_width) +
            cells_text(answer, row, shape, [&](AnswerCell const& cell) { return other_cell_text(row, cell, ranks); });
    }
    if (row.change)
        text += row_change(room, row, text.size());
    return lines + ended(std::move(text));
}

std::string table(Room const& room, Answer const& answer) {
    if (answer.rows.empty())
        return {};
    auto const shape = shape_of(room, answer);
    std::string text = fmt::format("{:<{}}", "", shape.name_width);
    for (auto const bytes : shape.sizes)
        text += fmt::format("{:<{}}", measure::text_bytes(bytes), cell_width);
    if (shape.sizes.empty())
        text += fmt::format("{:<{}}", "", cell_width);
    if (answer.comparison)
        text += answer.is_beside ? "B over A" : "change";
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
    for (std::size_t i = 0; i < std::min(answer.rows.size(), most_rows); ++i)
        text += row_text(room, answer.rows[i], shape, answer);
    if (answer.rows.size() > most_rows)
        text += fmt::format("{} more operations on the page\n", answer.rows.size() - most_rows);
    return text;
}

std::string rate_text(AnswerRate const& rate, std::string_view unit, double size) {
    return fmt::format("{:.3g} {}{} with {}", rate.value / size, unit,
                       rate.margin ? fmt::format(" +- {:.1f} %", *rate.margin * 100) : "",
                       measure::text_bytes(rate.bytes));
}

/// ": unclear +3.1 (-2..8)%": the change of the rate of windows of messages, from the comparison of their times.
std::string stream_change(Answer const& answer) {
    if (!answer.stream_change)
        return {};
    auto const change = of_rates(*answer.stream_change);
    return fmt::format(": {} {}", word(change), change_text(change));
}

std::string rates_text(Room const& room, Answer const& answer) {
    std::string text;
    constexpr double giga = 1e9;
    constexpr double mega = 1e6;
    // Bandwidth and rate come from one test, so the change is shown only once.
    auto change = stream_change(answer);
    if (answer.bandwidth)
        text += line(room, "Bandwidth", rate_text(*answer.bandwidth, "GB/s", giga) + std::exchange(change, {}));
    if (answer.message_rate)
        text += line(room, "Rate", rate_text(*answer.message_rate, "M messages/s", mega) + change);
    return text;
}

std::string overlap_text(AnswerOverlap const& overlap) {
    // Adding 0.0 turns -0 into 0.
    return fmt::format("{} {} {:.0f} %{}", overlap.operation, measure::text_bytes(overlap.bytes),
                       std::round(overlap.share * 100) + 0.0,
                       overlap.margin ? fmt::format(" +- {:.0f}", *overlap.margin * 100) : "");
}

std::string overlaps_text(Room const& room, Answer const& answer) {
    if (answer.overlaps.empty())
        return {};
    std::vector<std::string> texts;
    for (auto const& overlap : answer.overlaps)
        texts.push_back(overlap_text(overlap));
    return line(room, "Overlap", fmt::format("{}", fmt::join(texts, ", ")));
}

std::string control_text(Room const& room, Answer const& answer) {
    auto const changes = controls_text(answer.controls);
    if (changes.empty())
        return {};
    return line(room, "Control", changes) +
           (answer.machine_changed && have_shared_state(answer.comparison->states)
                ? line(room, "", "the machine has changed: check it before blaming MPI")
                : "");
}

std::string guidelines_text(Room const& room, Answer const& answer) {
    if (answer.guidelines_checked == 0)
        return {};
    if (answer.guidelines.empty())
        return line(room, "Guidelines", fmt::format("{} checked, none violated", answer.guidelines_checked));
    return line(room, "Guidelines",
                fmt::format("{} of {} violated; {}", answer.guidelines.size(), answer.guidelines_checked,
                            answer.guidelines.front()));
}

/// One line, cut if necessary. The page lists all switch points.
std::string switches_text(Room const& room, Answer const& answer) {
    std::vector<std::string> texts;
    for (auto const& point : switch_points(answer))
        texts.push_back(point.text);
    if (texts.empty())
        return {};
    return fmt::format("{:<{}}{}\n", "Switches", label_width,
                       cut(printable(fmt::format("{}", fmt::join(texts, ", "))), room.columns - label_width));
}

/// "second" and "Pingpong x3.5, Barrier x2.6": the slowdown of operations in the other states of the machine.
std::vector<std::pair<std::string_view, std::string>> other_states(Answer const& answer) {
    constexpr std::array<std::string_view, 5> ordinals{"first", "second", "third", "fourth", "last"};
    std::vector<std::pair<std::string_view, std::string>> lines;
    for (auto const& [state, ratios] : answer.other_states) {
        std::vector<std::string> parts;
        for (auto const& [operation, ratio] : ratios)
            parts.push_back(fmt::format("{} x{:.{}f}", operation, ratio, ratio < 9.95 ? 1 : 0));
        lines.emplace_back(ordinals[std::min(state, ordinals.size() - 1)], fmt::format("{}", fmt::join(parts, ", ")));
    }
    return lines;
}

/// The machine states that one side did not see: "B has no launch with cache line 4 us or 158 ns".
std::vector<std::string> lacking_states(Answer const& answer) {
    std::vector<std::string> lines;
    if (!answer.comparison)
        return lines;
    auto const& states = answer.comparison->states;
    constexpr std::array<std::string_view, 2> names{"A", "B"};
    for (std::size_t side = 0; side < names.size(); ++side) {
        std::vector<std::string> lacking;
        for (std::size_t state = 0; state < states.found.states.size(); ++state)
            if (states.count(side, state) == 0)
                lacking.push_back(state_text(states.found, state, lacking.empty()));
        if (!lacking.empty())
            lines.push_back(fmt::format("{} has no launch with {}", names[side], fmt::join(lacking, " or ")));
    }
    auto const of_a = states.most_frequent(0);
    if (!answer.is_beside && of_a != states.most_frequent(1))
        lines.push_back(fmt::format("A was mostly in the state with {}; its screen shows that state",
                                    state_text(states.found, of_a, true)));
    return lines;
}

std::string states_lines(Room const& room, Answer const& answer) {
    std::string text;
    if (answer.states.are_several())
        text = line(room, "States",
                    fmt::format("{}: {}; values are for the first", answer.states.states.size(),
                                states_text(answer.states, "launches")));
    for (auto const& [state, ratios] : other_states(answer))
        text += line(room, "", fmt::format("{}: {}", state, ratios));
    for (auto const& each : lacking_states(answer))
        text += line(room, text.empty() ? "States" : "", each);
    return text;
}

std::string resolution_text(Answer const& answer) {
    auto const percent = fmt::format("{:.{}f} %", answer.resolution * 100, answer.resolution < 0.0995 ? 1 : 0);
    return fmt::format("{} above {}", answer.comparison ? "detects changes" : "--against detects changes", percent);
}

std::string launches_text(Room const& room, Answer const& answer) {
    auto text = counted(answer.all_launches, "launch", "launches") + (answer.is_beside ? " of each side" : "");
    if (answer.resolution > 0)
        text += "; " + resolution_text(answer);
    if (auto const disturbed = answer.disturbed.size() + answer.disturbed_b.size(); disturbed > 0)
        text += fmt::format("; {} disturbed, {} left out", disturbed, answer.left_out + answer.left_out_b);
    return line(room, "Launches", text);
}

/// The difference between earlier runs.
std::string runs_text(Answer const& answer) {
    auto const& runs = *answer.runs_differ;
    return fmt::format("{} earlier runs differ by {:.{}f} % (standard deviation)", runs.runs, runs.share * 100,
                       runs.share < 0.0995 ? 1 : 0);
}

std::string runs_line(Room const& room, Answer const& answer) {
    return answer.runs_differ ? line(room, "Runs", runs_text(answer)) : "";
}

/// The undecided operations, grouped by reason.
std::vector<std::string> undecided_lines(Answer const& answer) {
    if (!answer.comparison || !have_shared_state(answer.comparison->states))
        return {};
    auto operations = answer.comparison->operations;
    for (auto& operation : operations)
        operation.point.benchmark = shown_name(answer, operation.point.benchmark);
    return undecided_texts(operations);
}

std::string undecided_text(Room const& room, Answer const& answer) {
    std::string text;
    for (auto const& each : undecided_lines(answer))
        text += line(room, text.empty() ? "Undecided" : "", each);
    return text;
}

std::string trust_text(Room const& room, Answer const& answer) {
    auto text = std::string{name(answer.trust)};
    if (!answer.doubts.empty())
        text += fmt::format(": {}", fmt::join(answer.doubts, "; "));
    return line(room, "Trust", text);
}

/// "Bcast +20 (18..22)%", as in the table: for memory and files the change of the rate, otherwise of the time.
std::string operation_change(Answer const& answer, ComparedPoint const& operation) {
    auto const& test = operation.point.benchmark;
    bool const has_rate = has_bandwidth(test) || test == stream_test;
    return fmt::format("{} {}{}", shown_name(answer, test), change_text(has_rate ? of_rates(operation) : operation),
                       operation.only_with.empty() ? "" : " with " + operation.only_with);
}

/// The result of the comparison in one sentence: which operations are slower or faster.
std::string verdict_text(Answer const& answer) {
    std::vector<std::string> slower;
    std::vector<std::string> faster;
    std::size_t unclear = 0;
    std::size_t explained = 0;
    for (auto const& operation : answer.comparison->operations) {
        auto const text = operation_change(answer, operation);
        if (operation.verdict == Verdict::slower)
            slower.push_back(text);
        else if (operation.verdict == Verdict::faster)
            faster.push_back(text);
        else if (operation.verdict == Verdict::machine)
            ++explained;
        else if (operation.verdict != Verdict::same)
            ++unclear;
    }
    if (!have_shared_state(answer.comparison->states))
        return fmt::format("no comparison: the machine was never in the same state in both {}",
                           answer.is_beside ? "sides" : "runs");
    std::vector<std::string> parts;
    std::string_view const subject = answer.is_beside ? "B is " : "";
    auto const all = answer.comparison->operations.size();
    if (explained > 0)
        parts.push_back(fmt::format("the machine has changed, which may explain the change of {}",
                                    counted(explained, "operation", "operations")));
    else if (answer.machine_changed)
        parts.emplace_back("the machine has changed");
    if (!slower.empty())
        parts.push_back(fmt::format("{}slower: {}", subject, fmt::join(slower, ", ")));
    if (!faster.empty())
        parts.push_back(fmt::format("{}faster: {}", subject, fmt::join(faster, ", ")));
    if (unclear > 0 && unclear == all)
        parts.push_back(fmt::format("no result: {} unclear", counted(all, "operation is", "operations are")));
    else if (unclear > 0)
        parts.push_back(fmt::format("{} of {} operations {} unclear", unclear, all, unclear == 1 ? "is" : "are"));
    else if (slower.empty() && faster.empty() && explained == 0)
        parts.emplace_back("no operation is slower or faster");
    return fmt::format("{}", fmt::join(parts, "; "));
}

/// "with run X of DATE", "2 of 3 operations with run X of DATE".
std::string compared_text(Answer const& answer) {
    if (answer.is_beside)
        return fmt::format("B: {}, with A: the command unchanged", answer.opponent);
    auto const all = answer.rows.size() + (answer.stream ? 1 : 0);
    auto const compared = answer.comparison->operations.size();
    return fmt::format("{}with {}", compared < all ? fmt::format("{} of {} operations ", compared, all) : "",
                       answer.opponent);
}

std::string headline(Room const& room, Answer const& answer) {
    if (!answer.comparison)
        return {};
    return line(room, "Compared", compared_text(answer)) + line(room, "", verdict_text(answer));
}

std::string differences_text(Room const& room, Answer const& answer) {
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(answer.differs.size(), 2); ++i)
        text += line(room, i == 0 ? "Differs" : "", answer.differs[i]);
    return text;
}

/// Some lines. Parts with a higher rank are shortened to one line first, and then left out.
struct Part {
    int rank = 0;  ///< 0: never shortened; 1: shortened only after all parts with a higher rank
    std::string text{};
};

std::size_t lines_in(std::string const& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Removes the last of several lines, and marks the cut with "..".
void shorten(Room const& room, std::string& text) {
    text.pop_back();
    text.erase(text.rfind('\n'));
    auto const begin = text.rfind('\n') + 1;
    text = text.substr(0, begin) + cut(text.substr(begin) + " ..", room.columns) + "\n";
}

/// All parts, shortened to the lines of a screen. The page has the rest.
std::string fitted(Room const& room, std::vector<Part> parts, std::size_t lines_of_screen) {
    auto const lines = [&] {
        std::size_t sum = 0;
        for (auto const& part : parts)
            sum += lines_in(part.text);
        return sum;
    };
    auto const last_with = [&](std::size_t least) {
        Part* found = nullptr;
        for (auto& part : parts)
            if (part.rank > 0 && lines_in(part.text) >= least && (found == nullptr || part.rank >= found->rank))
                found = &part;
        return found;
    };
    while (lines() > lines_of_screen) {
        auto* const long_one = last_with(2);
        auto* const any = last_with(1);
        if (any == nullptr)
            break;
        if (long_one != nullptr && (long_one->rank > 1 || any->rank == 1))
            shorten(room, long_one->text);
        else
            any->text.clear();
    }
    std::string text;
    for (auto const& part : parts)
        text += part.text;
    return text;
}

}  // namespace

std::string cell_text(AnswerCell const& cell) {
    if (!cell.estimate)
        return "-";
    return short_time(cell.estimate->value) + error_text(cell);
}

std::string bandwidth_text(AnswerCell const& cell, int ranks) {
    return cell.estimate ? short_rate(moved(cell, ranks) / cell.estimate->value) + error_text(cell) : "-";
}

int ranks_of(Answer const& answer) { return answer.used.front().record.run.ranks; }

ShownValue shown_value(std::string_view operation, AnswerCell const& cell, int ranks) {
    auto const& e = *cell.estimate;
    if (!has_bandwidth(operation))
        return {.value = e.value, .interval = e.interval};
    double const bytes = moved(cell, ranks);
    ShownValue rate{.quantity = measure::Quantity::bandwidth, .value = bytes / e.value};
    if (e.interval)
        rate.interval = measure::Interval{bytes / e.interval->second, bytes / e.interval->first};
    return rate;
}

ComparedPoint of_rates(ComparedPoint change) {
    change.ratio = 1 / change.ratio;
    if (change.interval)
        change.interval = measure::Interval{1 / change.interval->second, 1 / change.interval->first};
    return change;
}

std::string change_text(ComparedPoint const& change) {
    if (!change.interval)
        return ratio_text(change.ratio) + "%";
    return change_with(ratio_text(change.ratio), *change.interval);
}

std::string shown_name(Answer const& answer, std::string const& operation) {
    if (operation != stream_test)
        return operation;
    return answer.bandwidth ? "Bandwidth" : "Rate";
}

std::string other_value_text(std::string_view operation, AnswerCell const& cell, int ranks) {
    double const b = cell.change->b;
    return has_bandwidth(operation) ? short_rate(moved(cell, ranks) / b) : short_time(b);
}

std::vector<std::string> findings_of(Answer const& answer) {
    std::vector<std::string> findings;
    if (answer.comparison)
        findings.push_back(fmt::format("Compared {}: {}.", compared_text(answer), verdict_text(answer)));
    for (auto const& each : undecided_lines(answer))
        findings.push_back(fmt::format("Undecided: {}.", each));
    if (answer.runs_differ)
        findings.push_back(runs_text(answer) + ".");
    findings.insert(findings.end(), answer.differs.begin(), answer.differs.end());
    for (auto const& guideline : answer.guidelines)
        findings.push_back("Guideline violated: " + guideline);
    if (answer.guidelines.empty() && answer.guidelines_checked > 0)
        findings.push_back(
            fmt::format("{}, none is violated.",
                        counted(answer.guidelines_checked, "guideline was checked", "guidelines were checked")));
    for (auto const& overlap : answer.overlaps)
        findings.push_back(
            fmt::format("Overlap when computing for twice the time of the operation: {}.", overlap_text(overlap)));
    if (answer.states.are_several())
        findings.push_back(fmt::format("The machine was in {} states: {}. Values are for the first.",
                                       answer.states.states.size(), states_text(answer.states, "launches")));
    for (auto const& [state, ratios] : other_states(answer))
        findings.push_back(fmt::format("In the {} state: {}.", state, ratios));
    for (auto const& each : lacking_states(answer))
        findings.push_back(each + ".");
    for (auto const& point : switch_points(answer))
        findings.push_back(fmt::format("Switch point: {} ({}).", point.text, point.reason));
    if (answer.resolution > 0)
        findings.push_back(
            fmt::format("{}; {}.", counted(answer.all_launches, "launch", "launches"), resolution_text(answer)));
    return findings;
}

std::vector<std::string> page_cache_notes(std::span<Launch const> launches) {
    std::set<std::string> tests;
    for (auto const& launch : launches)
        for (auto const& point : launch.record.points)
            if (point.has_flag("page_cache"))
                tests.insert(point.benchmark);
    std::vector<std::string> notes;
    for (auto const& test : tests)
        notes.push_back(test + ": from the page cache");
    return notes;
}

std::string screen(Answer const& answer, ScreenNotes const& notes) {
    Room const room{.columns = notes.columns, .colours = notes.colours};
    std::vector<Part> parts{{2, heading(room, answer.machine)},
                            {1, headline(room, answer)},
                            {3, undecided_text(room, answer)},
                            {6, differences_text(room, answer)},
                            {9, "\n"},
                            {0, table(room, answer)},
                            {9, answer.rows.empty() ? "" : "\n"},
                            {2, rates_text(room, answer)},
                            {2, overlaps_text(room, answer)},
                            {3, control_text(room, answer)},
                            {5, guidelines_text(room, answer)},
                            {6, switches_text(room, answer)},
                            {2, states_lines(room, answer)},
                            {3, runs_line(room, answer)},
                            {4, launches_text(room, answer)},
                            {2, trust_text(room, answer)}};
    if (!notes.warnings.empty())
        parts.push_back({7, line(room, "Disturbing", fmt::format("{}", fmt::join(notes.warnings, "; ")))});
    for (auto const& note : notes.notes)
        parts.push_back({7, line(room, "Note", note)});
    int rank = 3;
    for (auto const& [what, place] : notes.places)
        parts.push_back({rank++, fmt::format("{:<{}}{}\n", what, label_width, printable(place))});
    auto const of_sides = answer.is_beside ? std::min(answer.rows.size(), most_rows) : 0;
    return fitted(room, std::move(parts), most_lines + of_sides);
}

}  // namespace measure::tool::runs
