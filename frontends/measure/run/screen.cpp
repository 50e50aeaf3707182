// SPDX-License-Identifier: BSD-3-Clause
#include "run/screen.hpp"

#include "run/sweep.hpp"
#include "run/switches.hpp"
#include "shared/plain_text.hpp"
#include "shared/states.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

namespace measure_tool::runs {

namespace {

constexpr std::size_t columns = 80;
constexpr std::size_t name_width = 11;
constexpr std::size_t cell_width = 12;
constexpr std::size_t label_width = 12;
constexpr std::size_t most_sizes = 4;
constexpr std::size_t most_rows = 10;
constexpr std::size_t most_lines = 25;

std::string cut(std::string text, std::size_t width) {
    if (page::letters(text) <= width)
        return text;
    while (page::letters(text) > width - 2)
        text.pop_back();
    return text + "..";
}

/// "label  text" in as many lines as it needs, broken between words; a longer word is cut.
std::string line(std::string_view label, std::string text) {
    constexpr std::size_t room = columns - label_width;
    std::string lines;
    for (auto const& part : text_lines(printable(std::move(text)), room))
        lines += fmt::format("{:<{}}{}\n", lines.empty() ? label : "", label_width, cut(part, room));
    return lines;
}

/// Without a label, and the second line a little to the right.
std::string heading(std::string text) {
    constexpr std::size_t indent = 2;
    text = printable(std::move(text));
    if (page::letters(text) <= columns)
        return text + "\n";
    std::string lines;
    for (auto const& part : text_lines(text, columns - indent))
        lines += fmt::format("{}{}\n", lines.empty() ? "" : "  ", cut(part, columns - indent));
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

/// By all ranks together.
double moved(AnswerCell const& cell, int ranks) { return static_cast<double>(cell.bytes) * ranks; }

/// " 2%", " ?" where starts are too few for an interval, "!" where they are far apart: five letters at most, as a
/// column has room for, so " >99!".
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

/// Less 1, in per cent: "+3.1", "-12".
std::string ratio_text(double ratio) {
    double const share = (ratio - 1) * 100;
    return std::abs(share) < 9.95 ? fmt::format("{:+.1f}", share) : fmt::format("{:+.0f}", share);
}

/// The same without a digit behind the point.
std::string whole_text(double ratio) { return fmt::format("{:+.0f}", std::round((ratio - 1) * 100) + 0.0); }

/// "+3.1 (-2..8)%". \param value  in per cent
std::string change_with(std::string_view value, measure::Interval const& interval) {
    // Outwards: an interval without a difference never looks like one with, and the value lies in it.
    // What arithmetic leaves of a whole number is none.
    auto const per_cent = [](double ratio) { return std::round((ratio - 1) * 1e8) / 1e6; };
    return fmt::format("{} ({:.0f}..{:.0f})%", value, std::floor(per_cent(interval.first)) + 0.0,
                       std::ceil(per_cent(interval.second)) + 0.0);
}

/// Four sizes at most, those that most operations have, and of as many the smallest and the largest first.
std::vector<measure::Bytes> shown_sizes(Answer const& answer) {
    std::map<measure::Bytes, std::size_t> rows;
    for (auto const& row : answer.rows)
        for (auto const& cell : row.cells)
            if (cell.bytes > 0 && has_size(row.operation))
                ++rows[cell.bytes];
    std::size_t most = 0;
    for (auto const& [bytes, number] : rows)
        most = std::max(most, number);
    std::vector<measure::Bytes> sizes;
    for (std::size_t number = most; number > 0 && sizes.size() < most_sizes; --number) {
        std::vector<measure::Bytes> alike;
        for (auto const& [bytes, of] : rows)
            if (of == number)
                alike.push_back(bytes);
        auto const room = std::min(most_sizes - sizes.size(), alike.size());
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

/// What has no size stands in the first column, and so does the smallest of sizes that have no column, with its size.
std::string beside_columns(AnswerRow const& row, std::string text) {
    if (has_size(row.operation) && row.cells.front().bytes > 0)
        text += " with " + measure::text_bytes(row.cells.front().bytes);
    return text;
}

std::string row_text(AnswerRow const& row, std::vector<measure::Bytes> const& sizes, Answer const& answer,
                     bool colours) {
    bool const is_bandwidth = has_bandwidth(row.operation);
    auto const text_of = [&](AnswerCell const& cell) {
        return is_bandwidth ? bandwidth_text(cell, ranks_of(answer)) : cell_text(cell);
    };
    std::string text = fmt::format("{:<{}}", cut(row.operation, name_width - 1), name_width);
    std::string cells;
    for (auto const bytes : sizes) {
        auto const found = std::find_if(row.cells.begin(), row.cells.end(),
                                        [&](AnswerCell const& cell) { return cell.bytes == bytes; });
        bool const is_shown = found != row.cells.end() && has_size(row.operation);
        cells += fmt::format("{:<{}} ", is_shown ? text_of(*found) : "", cell_width - 1);
    }
    bool const is_empty = cells.find_first_not_of(' ') == std::string::npos;
    if (is_empty && !row.cells.empty())
        cells = fmt::format("{:<{}}", beside_columns(row, text_of(row.cells.front())),
                            std::max<std::size_t>(sizes.size(), 1) * cell_width);
    text += cells;
    if (row.change) {
        auto const change = is_bandwidth ? of_rates(*row.change) : *row.change;
        auto const verdict = word(change);
        auto what = fmt::format("{} {}", verdict, change_text(change));
        // The value does without a digit before the interval is left out.
        if (what.size() + text.size() > columns && change.interval)
            what = fmt::format("{} {}", verdict, change_with(whole_text(change.ratio), *change.interval));
        // The page has the interval.
        if (what.size() + text.size() > columns)
            what = fmt::format("{} {}%", verdict, ratio_text(change.ratio));
        text += coloured(what, colours ? colour_of(change.verdict) : "");
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
}

std::string table(Answer const& answer, bool colours) {
    if (answer.rows.empty())
        return {};
    auto const sizes = shown_sizes(answer);
    std::string text = fmt::format("{:<{}}", "", name_width);
    for (auto const bytes : sizes)
        text += fmt::format("{:<{}}", measure::text_bytes(bytes), cell_width);
    if (sizes.empty())
        text += fmt::format("{:<{}}", "", cell_width);
    if (answer.comparison)
        text += answer.is_beside ? "B over A" : "change";
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
    for (std::size_t i = 0; i < std::min(answer.rows.size(), most_rows); ++i)
        text += row_text(answer.rows[i], sizes, answer, colours);
    if (answer.rows.size() > most_rows)
        text += fmt::format("and {} more operations: see the page\n", answer.rows.size() - most_rows);
    return text;
}

std::string rate_text(AnswerRate const& rate, std::string_view unit, double size) {
    return fmt::format("{:.3g} {}{} with {}", rate.value / size, unit,
                       rate.margin ? fmt::format(" +- {:.1f} %", *rate.margin * 100) : "",
                       measure::text_bytes(rate.bytes));
}

/// ": unclear +3.1 (-2..8)%", of the rate of windows of messages, whose times were compared.
std::string stream_change(Answer const& answer) {
    if (!answer.stream_change)
        return {};
    auto const change = of_rates(*answer.stream_change);
    return fmt::format(": {} {}", word(change), change_text(change));
}

std::string rates_text(Answer const& answer) {
    std::string text;
    constexpr double giga = 1e9;
    constexpr double mega = 1e6;
    // One change is that of both.
    auto change = stream_change(answer);
    if (answer.bandwidth)
        text += line("Bandwidth", rate_text(*answer.bandwidth, "GB/s", giga) + std::exchange(change, {}));
    if (answer.message_rate)
        text += line("Rate", rate_text(*answer.message_rate, "M messages/s", mega) + change);
    return text;
}

std::string overlap_text(AnswerOverlap const& overlap) {
    // A little below nothing is no -0.
    return fmt::format("{} {} {:.0f} %{}", overlap.operation, measure::text_bytes(overlap.bytes),
                       std::round(overlap.share * 100) + 0.0,
                       overlap.margin ? fmt::format(" +- {:.0f}", *overlap.margin * 100) : "");
}

std::string overlaps_text(Answer const& answer) {
    if (answer.overlaps.empty())
        return {};
    std::vector<std::string> texts;
    for (auto const& overlap : answer.overlaps)
        texts.push_back(overlap_text(overlap));
    return line("Overlap", fmt::format("{}", fmt::join(texts, ", ")));
}

std::string control_text(Answer const& answer) {
    auto const changes = controls_text(answer.controls);
    if (changes.empty())
        return {};
    return line("Control", changes) + (answer.machine_changed && have_shared_state(answer.comparison->states)
                                           ? line("", "what MPI has no part in has changed: look at the machine first")
                                           : "");
}

std::string guidelines_text(Answer const& answer) {
    if (answer.guidelines_checked == 0)
        return {};
    if (answer.guidelines.empty())
        return line("Guidelines", fmt::format("{} checked, none violated", answer.guidelines_checked));
    return line("Guidelines", fmt::format("{} of {} violated: {}", answer.guidelines.size(), answer.guidelines_checked,
                                          answer.guidelines.front()));
}

/// One line: the page has all.
std::string switches_text(Answer const& answer) {
    std::vector<std::string> texts;
    for (auto const& point : switch_points(answer))
        texts.push_back(point.text);
    if (texts.empty())
        return {};
    return fmt::format("{:<{}}{}\n", "Switches", label_width,
                       cut(printable(fmt::format("{}", fmt::join(texts, ", "))), columns - label_width));
}

/// "second" and "Pingpong x3.5, Barrier x2.6": how much longer operations take in the other states.
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

/// The states of the machine that a run or side was not in, unlike the other: "this run has no start with cache line 4
/// us or 158 ns".
std::vector<std::string> lacking_states(Answer const& answer) {
    std::vector<std::string> lines;
    if (!answer.comparison)
        return lines;
    auto const& states = answer.comparison->states;
    std::array<std::string_view, 2> const names{answer.is_beside ? "A" : "the older run",
                                                answer.is_beside ? "B" : "this run"};
    for (std::size_t side = 0; side < names.size(); ++side) {
        std::vector<std::string> lacking;
        for (std::size_t state = 0; state < states.found.states.size(); ++state)
            if (states.count(side, state) == 0)
                lacking.push_back(state_text(states.found, state, lacking.empty()));
        if (!lacking.empty())
            lines.push_back(fmt::format("{} has no start with {}", names[side], fmt::join(lacking, " or ")));
    }
    return lines;
}

std::string states_lines(Answer const& answer) {
    std::string text;
    if (answer.states.are_several())
        text = line("States", fmt::format("{}: {}; values are for the first", answer.states.states.size(),
                                          states_text(answer.states, "starts")));
    for (auto const& [state, ratios] : other_states(answer))
        text += line("", fmt::format("{}: {}", state, ratios));
    for (auto const& each : lacking_states(answer))
        text += line(text.empty() ? "States" : "", each);
    return text;
}

std::string starts_text(Answer const& answer) {
    auto text = counted(answer.all_starts, "start", "starts");
    if (!answer.disturbed.empty())
        text += fmt::format(", {} disturbed, {} left out", answer.disturbed.size(), answer.left_out);
    if (answer.resolution > 0)
        text += fmt::format("; tells no difference below {:.{}f} %", answer.resolution * 100,
                            answer.resolution < 0.0995 ? 1 : 0);
    return line("Starts", text);
}

std::string trust_text(Answer const& answer) {
    auto text = std::string{name(answer.trust)};
    if (!answer.doubts.empty())
        text += fmt::format(": {}", fmt::join(answer.doubts, "; "));
    return line("Trust", text);
}

/// "Bcast +20 (18..22)%": as the table has it, where memory and files have the change of their rate.
std::string operation_change(ComparedPoint const& operation) {
    auto const& test = operation.point.benchmark;
    bool const has_rate = has_bandwidth(test) || test == stream_test;
    return fmt::format("{} {}{}", test, change_text(has_rate ? of_rates(operation) : operation),
                       operation.only_with.empty() ? "" : " with " + operation.only_with);
}

/// What the reader asks first: is it slower, and what.
std::string verdict_text(Answer const& answer) {
    std::vector<std::string> slower;
    std::vector<std::string> faster;
    std::size_t unclear = 0;
    std::size_t explained = 0;
    for (auto const& operation : answer.comparison->operations) {
        auto const text = operation_change(operation);
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
        return fmt::format("nothing is compared: the machine was never in the same state in both {}",
                           answer.is_beside ? "sides" : "runs");
    std::vector<std::string> parts;
    std::string_view const subject = answer.is_beside ? "B is " : "";
    auto const all = answer.comparison->operations.size();
    if (explained > 0)
        parts.push_back(fmt::format("the machine has changed, and {} with it, which says nothing of MPI",
                                    counted(explained, "operation", "operations")));
    else if (answer.machine_changed)
        parts.emplace_back("the machine has changed");
    if (!slower.empty())
        parts.push_back(fmt::format("{}slower: {}", subject, fmt::join(slower, ", ")));
    if (!faster.empty())
        parts.push_back(fmt::format("{}faster: {}", subject, fmt::join(faster, ", ")));
    if (unclear > 0 && unclear == all)
        parts.push_back(fmt::format("nothing is decided: {} unclear", counted(all, "operation is", "operations are")));
    else if (unclear > 0)
        parts.push_back(fmt::format("{} of {} operations are unclear", unclear, all));
    else if (slower.empty() && faster.empty() && explained == 0)
        parts.emplace_back("nothing is slower or faster");
    return fmt::format("{}", fmt::join(parts, "; "));
}

/// "with run X of DATE", "2 of 3 operations with run X of DATE".
std::string compared_text(Answer const& answer) {
    if (answer.is_beside)
        return fmt::format("B, {}, over A, the command as it is", answer.opponent);
    auto const all = answer.rows.size() + (answer.stream ? 1 : 0);
    auto const compared = answer.comparison->operations.size();
    return fmt::format("{}with {}", compared < all ? fmt::format("{} of {} operations ", compared, all) : "",
                       answer.opponent);
}

std::string headline(Answer const& answer) {
    if (!answer.comparison)
        return {};
    return line("Compared", compared_text(answer)) + line("", verdict_text(answer));
}

std::string differences_text(Answer const& answer) {
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(answer.differs.size(), 2); ++i)
        text += line(i == 0 ? "Differs" : "", answer.differs[i]);
    return text;
}

/// Some lines. Those with the highest rank are the first to be shortened to one line, and then left out.
struct Part {
    int rank = 0;  ///< 0: stays as it is; 1: only where nothing else is left to shorten
    std::string text{};
};

std::size_t lines_in(std::string const& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Takes the last of several lines away, and marks that there was more.
void shorten(std::string& text) {
    text.pop_back();
    text.erase(text.rfind('\n'));
    auto const begin = text.rfind('\n') + 1;
    text = text.substr(0, begin) + cut(text.substr(begin) + " ..", columns) + "\n";
}

/// All of it, as far as there is room on a screen; the page has the rest.
std::string fitted(std::vector<Part> parts) {
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
    while (lines() > most_lines) {
        auto* const long_one = last_with(2);
        auto* const any = last_with(1);
        if (any == nullptr)
            break;
        if (long_one != nullptr && (long_one->rank > 1 || any->rank == 1))
            shorten(long_one->text);
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

std::vector<std::string> findings_of(Answer const& answer) {
    std::vector<std::string> findings;
    if (answer.comparison)
        findings.push_back(fmt::format("Compared {}: {}.", compared_text(answer), verdict_text(answer)));
    findings.insert(findings.end(), answer.differs.begin(), answer.differs.end());
    for (auto const& guideline : answer.guidelines)
        findings.push_back("Guideline violated: " + guideline);
    if (answer.guidelines.empty() && answer.guidelines_checked > 0)
        findings.push_back(fmt::format("{}, none violated.", counted(answer.guidelines_checked, "guideline was checked",
                                                                     "guidelines were checked")));
    for (auto const& overlap : answer.overlaps)
        findings.push_back(fmt::format("Overlap with twice its time to compute: {}.", overlap_text(overlap)));
    if (answer.states.are_several())
        findings.push_back(fmt::format("The machine was in {} states: {}. Values are for the first.",
                                       answer.states.states.size(), states_text(answer.states, "starts")));
    for (auto const& [state, ratios] : other_states(answer))
        findings.push_back(fmt::format("In the {} state: {}.", state, ratios));
    for (auto const& each : lacking_states(answer))
        findings.push_back(each + ".");
    for (auto const& point : switch_points(answer))
        findings.push_back(fmt::format("Switch point: {} ({}).", point.text, point.reason));
    if (answer.resolution > 0)
        findings.push_back(fmt::format("Differences below {:.2g} % cannot be told apart.", answer.resolution * 100));
    return findings;
}

std::string screen(Answer const& answer, ScreenNotes const& notes) {
    std::vector<Part> parts{{2, heading(answer.machine)},      {1, headline(answer)},
                            {6, differences_text(answer)},     {9, "\n"},
                            {0, table(answer, notes.colours)}, {9, answer.rows.empty() ? "" : "\n"},
                            {2, rates_text(answer)},           {2, overlaps_text(answer)},
                            {3, control_text(answer)},         {5, guidelines_text(answer)},
                            {6, switches_text(answer)},        {2, states_lines(answer)},
                            {4, starts_text(answer)},          {2, trust_text(answer)}};
    if (!notes.warnings.empty())
        parts.push_back({7, line("Disturbing", fmt::format("{}", fmt::join(notes.warnings, "; ")))});
    for (auto const& note : notes.notes)
        parts.push_back({7, line("Note", note)});
    int rank = 3;
    for (auto const& [what, place] : notes.places)
        parts.push_back({rank++, fmt::format("{:<{}}{}\n", what, label_width, printable(place))});
    return fitted(std::move(parts));
}

}  // namespace measure_tool::runs
