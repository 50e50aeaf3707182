// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/report/columns.hpp"

#include "mpiperf/operations/memory_test.hpp"
#include "mpiperf/operations/nonblocking.hpp"
#include "mpiperf/report/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

namespace mpiperf {

namespace {

using measure::Record;
using measure::Value;

/// Widths of the columns as in MPIPerf 0.0.3: Procs, Count, the three numbers of runs, times, ratios.
constexpr int procs_width = 7;
constexpr int count_width = 11;
constexpr int runs_width = 7;
constexpr int ratio_width = 10;
constexpr int usec_width = 14;
constexpr int sec_width = 12;
/// The titles of phases are wider than a time in seconds.
constexpr int phase_width = 15;

/// One rank's part of the record, or null.
Value const* of_rank(Record const& record, int rank) {
    auto const* const array = record.derived.get<Value::Array>("by_rank");
    auto const i = static_cast<std::size_t>(rank);
    return array != nullptr && i < array->size() ? &(*array)[i] : nullptr;
}

bool is_csv(Style const& style) { return style.format == Format::csv; }

std::string real_text(std::optional<double> x, int digits, Style const& style) {
    if (!x)
        return {};
    return is_csv(style) ? fmt::format("{}", *x) : fmt::format("{:.{}f}", *x, digits);
}

std::optional<double> scaled(std::optional<double> time, Style const& style) {
    if (time && style.scale == TimeScale::usec)
        *time *= 1e6;
    return time;
}

/// Collects columns, left-aligned and as wide as in MPIPerf 0.0.3.
class Builder {
public:
    explicit Builder(Style const& style) : style_{style} {}

    template <class Cell>
    void text(std::string_view title, int width, Cell cell) {
        auto heading = is_csv(style_) ? std::string{title} : fmt::format("[{}]", title);
        columns_.push_back({.heading = std::move(heading), .cell = std::move(cell), .width = -width, .gap = 0});
    }
    /// \param of  returns a whole number of the record
    template <class Of>
    void number(std::string_view title, int width, Of of) {
        text(title, width, [of](Record const& record) { return fmt::format("{}", of(record)); });
    }
    /// \param of  returns seconds, or no value
    template <class Of>
    void time(std::string_view title, Of of) {
        time(title, time_width(), of);
    }
    template <class Of>
    void time(std::string_view title, int width, Of of) {
        text(title, width, [of, style = style_](Record const& record) {
            return real_text(scaled(of(record), style), style.time_digits, style);
        });
    }
    template <class Of>
    void phase(std::string_view title, Of of) {
        time(title, std::max(time_width(), phase_width), of);
    }
    template <class Of>
    void ratio(std::string_view title, Of of) {
        text(title, ratio_width + style_.ratio_digits - 2,
             [of, style = style_](Record const& record) { return real_text(of(record), style.ratio_digits, style); });
    }

    template <class Of>
    void rate(std::string_view title, Of of, double unit) {
        text(title, usec_width, [of, unit, style = style_](Record const& record) {
            auto const rate = of(record);
            return real_text(rate ? std::optional{*rate * unit} : std::nullopt, 2, style);
        });
    }

    [[nodiscard]] std::vector<measure::Column> take() { return std::move(columns_); }

private:
    [[nodiscard]] int time_width() const {
        return style_.scale == TimeScale::usec ? usec_width + style_.time_digits - 2
                                               : sec_width + style_.time_digits - 6;
    }

    Style const& style_;
    std::vector<measure::Column> columns_;
};

/// Reads a number of the record's `derived` by its path.
auto derived(std::string_view a, std::string_view b = {}, std::string_view c = {}) {
    return [a, b, c](Record const& record) {
        return b.empty()   ? record.derived.number({a})
               : c.empty() ? record.derived.number({a, b})
                           : record.derived.number({a, b, c});
    };
}

/// Adds verdict, flags and stop reason.
void add_ending(Builder& to) {
    to.text("Verdict", 0, [](Record const& record) { return std::string{measure::name(record.status)}; });
    to.text("Flags", 0, [](Record const& record) { return fmt::format("{}", fmt::join(record.flags, " ")); });
    to.text("Stop", 0, [](Record const& record) { return record.stop_reason; });
}

void add_place(Builder& to, Style const& style, bool per_process) {
    if (is_csv(style))
        to.text("Benchmark", 0, [](Record const& record) { return record.benchmark; });
    if (is_csv(style) && style.datatype)
        to.text("Datatype", 0, [](Record const& record) {
            return record.at.has(datatype_axis) ? record.at.text(datatype_axis) : std::string{};
        });
    to.number("Procs", procs_width, [](Record const& record) { return record.at.integer("ranks"); });
    to.number("Count", count_width, [](Record const& record) { return record.at.integer("count"); });
    if (per_process)
        to.number("Rank", procs_width, [](Record const& record) { return record.at.integer("rank"); });
}

/// Adds all columns of a non-blocking test after its coordinates.
void add_phases(Builder& to, Style const& style, bool per_process) {
    bool const overlaps = style.rows == Rows::overlap;
    if (overlaps) {
        to.phase("BlockingTime", derived("blocking_time"));
        to.phase("CompTime", [](Record const& record) {
            return std::optional{record.at.has(compute_coordinate) ? record.at.number(compute_coordinate) : 0};
        });
    }
    to.number("TRuns", runs_width, [](Record const& record) { return record.attempts; });
    to.number("CRuns", runs_width, [](Record const& record) { return record.valid; });
    to.ratio("RSE", [](Record const& record) { return row(record).relative_standard_error(); });
    to.phase("Init", derived("phases", "issue", "mean"));
    to.phase("Wait", derived("phases", "wait", "mean"));
    if (overlaps)
        to.phase("CompTimeReal", derived("phases", "compute", "mean"));
    to.phase("Total", [](Record const& record) { return row(record).mean; });
    if (overlaps)
        to.ratio("Overlap", derived("overlap", "max"));
    if (overlaps && !per_process) {
        to.ratio("OvlMin", derived("overlap", "min"));
        to.ratio("OvlMean", derived("overlap", "mean"));
        to.ratio("OvlErr", derived("overlap", "standard_error"));
    }
    if (is_csv(style) && !per_process)
        add_ending(to);
}

/// Adds the paper's columns of a point, from the mean on. These columns stay as in MPIPerf; new ones go to
/// `add_extended`.
void add_values(Builder& to) {
    to.time("Mean", [](Record const& record) { return row(record).mean; });
    to.ratio("RSE", [](Record const& record) { return row(record).relative_standard_error(); });
    to.time("StdErr", [](Record const& record) { return row(record).standard_error; });
    to.time("Min", [](Record const& record) { return row(record).min; });
    to.time("Max", [](Record const& record) { return row(record).max; });
    to.time("Err", [](Record const& record) { return row(record).error; });
    to.time("CI LB", [](Record const& record) { return row(record).low(); });
    to.time("CI UB", [](Record const& record) { return row(record).high(); });
    to.ratio("RelErr", [](Record const& record) { return row(record).relative_error(); });
}

/// Adds columns of csv only: the standard errors that MPIPerf does not print, and the outcome of the point.
void add_extended(Builder& to) {
    auto const of = [](auto member) {
        return [member](Record const& record) -> std::optional<double> {
            if (!record.estimate)
                return std::nullopt;
            return *record.estimate.*member;
        };
    };
    using measure::Estimate;
    to.time("StdErr over_sqrt_n", of(&Estimate::standard_error_over_sqrt_n));
    to.time("StdErr winsorized", of(&Estimate::standard_error_winsorized));
    to.time("Median", of(&Estimate::median));
    add_ending(to);
    to.ratio("Faults", derived("settling", "faults_counted"));
}

/// Adds the columns of a message besides the time of rank 0.
void add_message(Builder& to) {
    to.time("Slower", [](Record const& record) {
        return record.over_ranks ? std::optional{record.over_ranks->max} : std::nullopt;
    });
    to.time("Span", derived("one_way", "time"));
    to.time("SpanErr", derived("one_way", "uncertainty"));
}

/// Adds the rates of a stream.
void add_rates(Builder& to) {
    to.rate("Msg/s", derived("message_rate"), 1);
    to.rate("MB/s", derived("bandwidth"), 1e-6);
}

/// Adds the ratio of a point with a datatype to the point with bytes that follows it.
void add_ratio(Builder& to) {
    for (auto const& [title, field] : {std::pair{"Ratio", "value"}, {"RatioErr", "standard_error"}})
        to.text(title, 0, [field = std::string_view{field}](Record const& record) {
            auto const number = record.derived.number({"ratio", field});
            return number ? fmt::format("{}", *number) : std::string{};
        });
}

}  // namespace

Rows rows_of(Test const& test, Options const& options) {
    switch (test.kind) {
    case Kind::collective:
        return Rows::collective;
    case Kind::message:
        return Rows::message;
    case Kind::nonblocking:
        return options.blocking_mode ? Rows::blocking : Rows::overlap;
    case Kind::stream:
        return Rows::stream;
    }
    return Rows::collective;
}

namespace {

/// The columns for which a test has numbers.
std::vector<measure::Column> own_columns(Style const& style, bool per_process) {
    Builder to{style};
    add_place(to, style, per_process);
    if (style.nosync) {
        to.number("TRuns", runs_width, calls);
        to.time("Mean", 0, [](Record const& record) { return row(record).mean; });
        return to.take();
    }
    if (style.rows == Rows::blocking || style.rows == Rows::overlap) {
        add_phases(to, style, per_process);
        return to.take();
    }
    if (!per_process)
        to.number("TRuns", runs_width, [](Record const& record) { return record.attempts; });
    to.number("CRuns", runs_width, [](Record const& record) { return record.valid; });
    if (!per_process)
        to.number("FRuns", runs_width, [](Record const& record) { return record.kept; });
    add_values(to);
    if (per_process)
        return to.take();
    if (is_csv(style))
        add_extended(to);
    if (style.rows == Rows::message)
        add_message(to);
    if (style.rows == Rows::stream)
        add_rates(to);
    if (is_csv(style) && style.datatype)
        add_ratio(to);
    return to.take();
}

}  // namespace

std::vector<measure::Column> columns(Style const& style, bool per_process) {
    auto own = own_columns(style, per_process);
    if (!is_csv(style))
        return own;
    std::vector<measure::Column> all;
    auto const place = [&all](std::string const& heading) {
        auto const found = std::ranges::find(all, heading, &measure::Column::heading);
        return found != all.end() ? found : all.insert(found, {heading, [](Record const&) { return std::string{}; }});
    };
    for (Rows const rows : style.of_run) {
        Style other = style;
        other.rows = rows;
        for (auto const& column : own_columns(other, per_process))
            place(column.heading);
    }
    for (auto& column : own)
        place(column.heading)->cell = std::move(column.cell);
    if (style.memory && !per_process)
        for (auto const& heading : memory_columns())
            place(heading);
    return all;
}

/// In a row of one process, a column that reads `derived` is empty unless this function fills it.
Record of_process(Record const& point, measure::RankSummary const& rank, Style const& style) {
    Record record{.benchmark = point.benchmark, .at = point.at, .attempts = point.attempts};
    record.at.set("rank", std::int64_t{rank.rank});
    record.iterations_per_sample = point.iterations_per_sample;
    record.valid = record.kept = rank.valid;
    auto const* const known = of_rank(point, rank.rank);
    if (known != nullptr) {
        record.derived["blocking_time"] = known->number({"blocking_time"});
        record.derived["overlap"]["max"] = known->number({"overlap"});
    }
    if (rank.valid == 0)
        return record;
    record.estimate = measure::Estimate{.value = rank.mean,
                                        .standard_error = rank.standard_error,
                                        .confidence = point.estimate ? point.estimate->confidence : 0.95,
                                        .kept_min = rank.min,
                                        .kept_max = rank.max,
                                        .standard_error_over_sqrt_kept = rank.standard_error};
    // Order of the phases: issue, wait; with computing: issue, compute, wait.
    bool const overlaps = style.rows == Rows::overlap;
    auto const phase = [&](char const* name, std::size_t place) {
        record.derived["phases"][name]["mean"] = rank.phases[place];
    };
    phase("issue", 0);
    phase("wait", overlaps ? 2 : 1);
    if (overlaps)
        phase("compute", 1);
    return record;
}

std::string time_text(std::optional<double> seconds, Style const& style) {
    return seconds ? real_text(scaled(seconds, style), style.time_digits, style) : "-";
}

namespace {

constexpr std::string_view usual_legend = R"(# Procs   number of processes
# Count   elements: bytes, or doubles for reductions
# TRuns   runs after the warm-up, valid or invalid
# CRuns   valid runs: every process began in time and ended within its slot
# FRuns   runs left after the removal of outliers; the mean is computed from them
# Mean    mean time of a run; the time of a run is that of its slowest process
# RSE     StdErr / Mean
# StdErr  standard error of the mean as in MPIPerf 0.0.3, which is too small if outliers are removed; the record has the
#         Winsorised standard error and its interval
# Min     shortest of these runs, Max the longest
# Err     half the width of the confidence interval from CI LB to CI UB, based on StdErr
# RelErr  Err / Mean
)";

constexpr std::string_view blocking_legend =
    R"(# Non-blocking tests: means over all valid runs, each by its slowest process
# Init    time of the call that starts the operation
# Wait    time of MPI_Wait
# Total   time of the whole run
)";

constexpr std::string_view overlap_legend =
    R"(# BlockingTime  time of the operation without computing, of the slowest process
# CompTime      requested time of computing between start and wait, CompTimeReal the actual time
# Overlap       1 - (Total - CompTime) / BlockingTime, of the process that hides most: 1 all hidden, 0 nothing hidden
# OvlMin        Overlap of the process that hides least, OvlMean mean over processes, OvlErr standard error
)";

constexpr std::string_view message_legend = R"(# Messages: Mean is the time of process 0
# Slower  mean time of the slower of the two processes
# Span    one-way time from the first begin to the last end on the global clock; uncertain by SpanErr
)";

constexpr std::string_view stream_legend = R"(# Streams: Mean is the time of a window on the slowest process
# Msg/s   messages of all pairs per second, MB/s their bandwidth in 10^6 bytes per second
)";

}  // namespace

std::string legend_text(std::span<Test const* const> tests, Options const& options) {
    auto const has = [&](Rows rows) {
        return std::any_of(tests.begin(), tests.end(),
                           [&](Test const* test) { return rows_of(*test, options) == rows; });
    };
    std::string text{usual_legend};
    if (has(Rows::blocking) || has(Rows::overlap))
        text += blocking_legend;
    if (has(Rows::overlap))
        text += overlap_legend;
    if (has(Rows::message))
        text += message_legend;
    if (has(Rows::stream))
        text += stream_legend;
    return text;
}

}  // namespace mpiperf
