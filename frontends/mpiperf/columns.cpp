// SPDX-License-Identifier: BSD-3-Clause
#include "columns.hpp"

#include "nonblocking.hpp"
#include "result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <variant>

namespace mpiperf {

namespace {

using measure::Record;
using measure::Value;

/// A number inside nested objects; nothing where it is missing or null.
std::optional<double> number_at(Value const* value, std::initializer_list<std::string_view> path) {
    for (auto const key : path)
        if (value != nullptr)
            value = value->find(key);
    auto const* const number = value != nullptr ? std::get_if<double>(&value->data()) : nullptr;
    return number != nullptr ? std::optional{*number} : std::nullopt;
}

std::optional<double> phase_mean(Record const& record, std::string_view phase) {
    return number_at(&record.derived, {"phases", phase, "mean"});
}

/// The longest titles need a little more than seconds do.
int phase_width(Line const& line) { return std::max(line.time_width(), 15); }

void add_phase(Line& line, std::optional<double> const& time) { line.time(time, phase_width(line)); }

/// What the record says of one rank; nothing where it does not.
Value const* of_rank(Record const& record, int rank) {
    auto const* const found = record.derived.find("by_rank");
    auto const* const array = found != nullptr ? std::get_if<Value::Array>(&found->data()) : nullptr;
    auto const i = static_cast<std::size_t>(rank);
    return array != nullptr && i < array->size() ? &(*array)[i] : nullptr;
}

double compute_time(Record const& record) {
    return record.at.has(compute_coordinate) ? record.at.number(compute_coordinate) : 0;
}

constexpr std::array<std::string_view, 3> over_ranks_titles{"OvlMin", "OvlMean", "OvlErr"};
constexpr std::array<std::string_view, 3> over_ranks_names{"min", "mean", "standard_error"};

}  // namespace

Rows rows_of(Test const& test, Options const& options) {
    switch (test.kind) {
    case Kind::collective:
        return Rows::collective;
    case Kind::message:
        return Rows::message;
    case Kind::nonblocking:
        return options.blocking_mode ? Rows::blocking : Rows::overlap;
    }
    return Rows::collective;
}

bool has_phases(Style const& style) { return style.rows == Rows::blocking || style.rows == Rows::overlap; }

void add_phase_titles(Line& line, Style const& style, bool per_process) {
    bool const overlaps = style.rows == Rows::overlap;
    auto const times = [&](std::initializer_list<std::string_view> names) {
        for (auto const name : names)
            line.cell(title(name, style), phase_width(line));
    };
    if (overlaps)
        times({"BlockingTime", "CompTime"});
    line.cell(title("TRuns", style), runs_width).cell(title("CRuns", style), runs_width);
    line.cell(title("RSE", style), line.ratio_cell());
    times({"Init", "Wait"});
    if (overlaps)
        times({"CompTimeReal"});
    times({"Total"});
    if (overlaps)
        line.cell(title("Overlap", style), line.ratio_cell());
    if (overlaps && !per_process)
        for (auto const name : over_ranks_titles)
            line.cell(title(name, style), line.ratio_cell());
    if (style.format == Format::csv && !per_process)
        line.cell("Verdict", 0).cell("Flags", 0);
}

void add_phases(Line& line, Record const& record, Style const& style) {
    bool const overlaps = style.rows == Rows::overlap;
    Row const r = row(record);
    if (overlaps) {
        add_phase(line, number_at(&record.derived, {"blocking_time"}));
        add_phase(line, compute_time(record));
    }
    line.number(r.attempts, runs_width).number(r.valid, runs_width).ratio(r.relative_standard_error());
    add_phase(line, phase_mean(record, "issue"));
    add_phase(line, phase_mean(record, "wait"));
    if (overlaps)
        add_phase(line, phase_mean(record, "compute"));
    add_phase(line, r.mean);
    if (overlaps) {
        line.ratio(number_at(&record.derived, {"overlap", "max"}));
        for (auto const name : over_ranks_names)
            line.ratio(number_at(&record.derived, {"overlap", name}));
    }
    if (style.format == Format::csv)
        line.cell(measure::name(record.outcome), 0).cell(fmt::format("{}", fmt::join(record.flags, " ")), 0);
}

void add_phases(Line& line, Record const& record, measure::RankSummary const& rank, Style const& style) {
    bool const overlaps = style.rows == Rows::overlap;
    auto const* const known = of_rank(record, rank.rank);
    if (overlaps) {
        add_phase(line, number_at(known, {"blocking_time"}));
        add_phase(line, compute_time(record));
    }
    line.number(record.attempts, runs_width).number(rank.valid, runs_width);
    Row const r = row(rank, record.attempts, 0.95);
    line.ratio(r.relative_standard_error());
    auto const phase = [&](std::size_t p) { return rank.valid > 0 ? std::optional{rank.phases[p]} : std::nullopt; };
    // issue, wait; with computing issue, compute, wait
    add_phase(line, phase(0));
    add_phase(line, phase(overlaps ? 2 : 1));
    if (overlaps)
        add_phase(line, phase(1));
    add_phase(line, r.mean);
    if (overlaps)
        line.ratio(number_at(known, {"overlap"}));
}

void add_message_titles(Line& line, Style const& style) {
    for (auto const* const name : {"Slower", "Span", "SpanErr"})
        line.cell(title(name, style), line.time_width());
}

void add_message(Line& line, Record const& record) {
    line.time(record.over_ranks ? std::optional{record.over_ranks->max} : std::nullopt);
    line.time(number_at(&record.derived, {"one_way", "time"}));
    line.time(number_at(&record.derived, {"one_way", "uncertainty"}));
}

namespace {

constexpr std::string_view blocking_legend =
    R"(# Of non-blocking tests, over all valid runs, each by its slowest process:
# Init    time of the call that starts the operation
# Wait    time of MPI_Wait
# Total   time of all
)";

constexpr std::string_view overlap_legend =
    R"(# BlockingTime  time of the operation when it is waited for at once, of the slowest process
# CompTime      time to compute between start and wait, CompTimeReal what that took
# Overlap       1 - (Total - CompTime) / BlockingTime of the process that hides most of it: 1 all, 0 none
# OvlMin        of the process that hides least, OvlMean mean over processes, OvlErr standard error
)";

constexpr std::string_view message_legend = R"(# Of messages Mean is the time of process 0:
# Slower  mean time of the slower process of both
# Span    from the first begin to the last end on the global clock: one way; known to SpanErr
)";

}  // namespace

std::string further_legend(std::span<Test const* const> tests, Options const& options) {
    auto const has = [&](Rows rows) {
        return std::any_of(tests.begin(), tests.end(),
                           [&](Test const* test) { return rows_of(*test, options) == rows; });
    };
    std::string text;
    if (has(Rows::blocking) || has(Rows::overlap))
        text += blocking_legend;
    if (has(Rows::overlap))
        text += overlap_legend;
    if (has(Rows::message))
        text += message_legend;
    return text;
}

}  // namespace mpiperf
