// SPDX-License-Identifier: BSD-3-Clause
#include "osu/table.hpp"

#include "program/cli/values.hpp"
#include "program/runtime/stderr_line.hpp"

#include <measure/measurement.hpp>
#include <measure/units.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace osu {

namespace {

using measure::Column;
using measure::Record;

constexpr int number_width = 18;

/// The value as the table shows it: times in microseconds, bandwidths in MB/s.
double shown(Record const& record, double value) {
    return record.quantity == measure::Quantity::bandwidth ? value / measure::mega : value * 1e6;
}

std::string fixed(std::optional<double> const& value) { return value ? fmt::format("{:.2f}", *value) : std::string{}; }

Column number(std::string heading, measure::Callback<std::optional<double>(Record const&)> value) {
    return {std::move(heading), [value = std::move(value)](Record const& r) { return fixed(value(r)); }, number_width,
            0};
}

/// A column for a number of `derived`. \param heading  one of `derived_columns`
Column derived(std::string_view heading) {
    auto const& column = *std::find_if(derived_columns.begin(), derived_columns.end(),
                                       [&](DerivedColumn const& each) { return each.heading == heading; });
    return number(std::string{heading}, [&column](Record const& r) {
        auto const value = r.derived.number({column.key});
        return value ? std::optional{*value * column.factor} : std::nullopt;
    });
}

Column headline(std::string heading) {
    return number(std::move(heading),
                  [](Record const& r) { return r.value ? std::optional{shown(r, *r.value)} : std::nullopt; });
}

Column over_ranks(std::string heading, double measure::RankSpread::*member) {
    return number(std::move(heading), [member](Record const& r) {
        return r.over_ranks ? std::optional{shown(r, (*r.over_ranks).*member)} : std::nullopt;
    });
}

std::vector<Column> collective_columns(bool full) {
    std::vector<Column> columns{headline("Avg Latency(us)")};
    if (full) {
        columns.push_back(over_ranks("Min Latency(us)", &measure::RankSpread::min));
        columns.push_back(over_ranks("Max Latency(us)", &measure::RankSpread::max));
        columns.push_back({"Iterations",
                           [](Record const& r) {
                               return r.value ? fmt::format("{}", r.attempts * r.iterations_per_sample.value_or(1))
                                              : std::string{};
                           },
                           12, 0});
    }
    return columns;
}

std::vector<Column> overlap_columns(Options const& o) {
    std::vector<Column> columns{headline("Overall(us)"), derived("Compute(us)")};
    if (o.full) {
        columns.push_back(derived("Coll. Init(us)"));
        columns.push_back(derived("MPI_Test(us)"));
        columns.push_back(derived("MPI_Wait(us)"));
    }
    columns.push_back(derived("Pure Comm.(us)"));
    if (o.full && o.keeps_7_4()) {
        columns.push_back(derived("Min Comm.(us)"));
        columns.push_back(derived("Max Comm.(us)"));
    }
    columns.push_back(derived("Overlap(%)"));
    return columns;
}

std::vector<Column> number_columns(Row const& row, Options const& o) {
    if (row.is_nonblocking())
        return overlap_columns(o);
    if (row.collective != nullptr)
        return collective_columns(o.full);
    if (row.is(bandwidth) && row.is(pairs)) {
        std::vector<Column> columns{headline("MB/s")};
        if (o.rate)
            columns.push_back(derived("Messages/s"));
        return columns;
    }
    if (row.is(bandwidth))
        return {headline("Bandwidth (MB/s)")};
    return {headline(row.operation != nullptr || !o.keeps_7_4() ? "Latency (us)" : "Avg Latency(us)")};
}

/// The percentile as its column shows it.
std::optional<double> tail_of(Record const& record, int percent) {
    auto const value = record.derived.number({"percentiles", fmt::format("{}", percent)});
    return value ? std::optional{shown(record, *value)} : std::nullopt;
}

/// Without sizes the first column has the width of its heading, after a '#'.
void without_size(Row const& row, Options const& o, std::vector<Column>& columns) {
    auto& first = columns.front();
    if (row.is_nonblocking() && !o.keeps_7_4())
        return;
    first.heading = "# " + first.heading;
    first.width = static_cast<int>(first.heading.size());
}

/// The title and the lines that belong to it.
std::string opening(Row const& row, Options const& o, RunFacts const& facts) {
    std::string text;
    if (row.pattern == Pattern::threads)
        text = fmt::format("# Number of Sender threads: {} \n# Number of Receiver threads: {}\n", o.teams.sender,
                           o.teams.receiver);
    if (row.is(forks))
        text = fmt::format("# Number of forked processes in sender: {}\n# Number of forked processes in receiver: {}\n",
                           o.teams.sender, o.teams.receiver);
    if (row.has_neighbours())
        text = fmt::format("{}# Time took to create topology graph:{:.2f} us.\n",
                           o.neighbourhood.file.empty()
                               ? fmt::format("# Dimensions size = {} \n", fmt::join(facts.sides, " "))
                               : std::string{},
                           facts.topology_time);
    bool const is_two_sided = row.is_two_sided() && o.keeps_7_4();
    if ((is_two_sided || row.collective != nullptr) && !(row.is(pairs) && row.is(bandwidth)))
        text += '\n';
    text += title(row, o.format);
    if (row.is(pairs) && row.is(bandwidth))
        text += fmt::format("# [ pairs: {} ] [ window size: {} ]\n", facts.pairs,
                            o.vary_window ? "varied" : fmt::format("{}", o.window));
    if (row.is_nonblocking())
        text += "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n";
    if (row.operation != nullptr)
        text += fmt::format("# Window creation: {}\n# Synchronization: {}\n", window_creation(o.window_kind),
                            synchronisation(o.sync_name(row)));
    return text;
}

std::string list_of(std::vector<std::string> const& flags) {
    return flags.empty() ? std::string{} : fmt::format(" flags={}", fmt::join(flags, ","));
}

std::string low_to_high(Record const& r, measure::Interval const& interval) {
    double const low = shown(r, interval.first);
    double const high = shown(r, interval.second);
    return fmt::format("{:.2f}..{:.2f}", low, high);
}

/// Further facts about one row.
std::string remark(Record const& r) {
    bool const is_rate = r.quantity == measure::Quantity::bandwidth;
    char const* const unit = is_rate ? "MB/s" : "us";
    std::string text = r.at.has("bytes") ? fmt::format("#+ bytes={}", r.at.bytes("bytes")) : "#+";
    if (!r.estimate || !r.value)
        return fmt::format("{} status={}{}{}\n", text, name(r.status), r.message.empty() ? "" : ": ",
                           program::printable(r.message));
    text += fmt::format(" median={:.2f}{}", shown(r, r.estimate->median), unit);
    if (r.estimate->median_interval)
        text += fmt::format(" interval={}{}", low_to_high(r, *r.estimate->median_interval), unit);
    if (auto const slowest = r.derived.number({"slowest", "median"}))
        text += fmt::format(" slowest={:.2f}us", *slowest * 1e6);
    if (auto const& s = r.over_ranks; s && r.derived.find("slowest") != nullptr && s->min > 0)
        text += fmt::format(" spread={:.1f}", s->max / s->min);
    auto const* const beside = r.derived.find("synchronised");
    if (auto const value = r.derived.number({"synchronised", "value"})) {
        text += fmt::format(" synchronised={:.2f}us", *value * 1e6);
        if (auto const error = beside->number({"standard_error"}))
            text += fmt::format(" error={:.2f}us", *error * 1e6);
        text += fmt::format(" of={:.0f}/{:.0f} stop={}", beside->number({"valid"}).value_or(0),
                            beside->number({"attempts"}).value_or(0), beside->text("stop_reason"));
        // A nonblocking row compares the time of the call alone. Without valid clocks the ratio would show their
        // difference.
        bool const has_clocks = std::none_of(r.flags.begin(), r.flags.end(), measure::is_clock_flag);
        if (double const published = r.derived.number({"pure"}).value_or(*r.value); published > 0 && has_clocks)
            text += fmt::format(" ratio={:.2f}", *value / published);
    } else if (beside != nullptr) {
        text += fmt::format(" synchronised=- status={}", beside->text("status"));
    }
    return fmt::format("{} valid={}/{}{}\n", text, r.valid, r.attempts, list_of(r.flags));
}

std::string method_remark(Row const& row, Options const& o) {
    if (o.method == Method::sync)
        return "#+ method=sync\n";
    char const* const joined = row.collective != nullptr ? "mean over iterations, then over ranks"
                               : row.is(pairs)           ? "mean over iterations, then over senders"
                                                         : "mean over iterations, of rank 0";
    std::string text = fmt::format("#+ method={}: {}; {}\n", o.method == Method::both ? "both" : "osu", joined,
                                   row.meets() ? "barrier before each" : "one after the other");
    if (o.method == Method::both && row.collective == nullptr)
        text += "#+ these processes synchronise themselves, so there is no other method to compare with\n";
    if (row.is(bandwidth) && !o.tails.empty())
        text += "#+ percentiles of a bandwidth ascend: the last column is the best value\n";
    return text;
}

}  // namespace

std::string synchronisation(std::string const& name) {
    if (name == "pscw")
        return "MPI_Win_post/start/complete/wait";
    return name.starts_with("lock") ? fmt::format("MPI_Win_{0}/un{0}", name) : "MPI_Win_" + name;
}

std::string window_creation(bodies::WindowKind kind) {
    return std::string{"MPI_Win_"} + (kind == bodies::WindowKind::dynamic ? "create_" : "") + window_name(kind);
}

void complete_point(measure::Point& at, Row const& row, Options const& o, Block const& block, int pair_count) {
    if (row.is(pairs) || row.pattern == Pattern::fan)
        at.set("pairs", std::int64_t{pair_count});
    if (row.is(bandwidth))
        at.set("window", std::int64_t{block.window});
    if (row.pattern == Pattern::threads)
        at.set("threads", fmt::format("{}:{}", o.teams.sender, o.teams.receiver));
    if (!row.is_barrier())
        at.set("type", program::lower(mpi(block.type).name));
    if (o.derivation.is_on())
        at.set("ddt", option_text(o.derivation));
    if (row.is_rooted())
        at.set("root", o.root.rotates ? "rotate" : fmt::format("{}", o.root.rank));
    if (row.operation != nullptr) {
        at.set("window_creation", window_name(o.window_kind));
        at.set("synchronization", o.sync_name(row));
    }
}

std::string title(Row const& row, Format format) {
    return fmt::format("# {} Test v{}\n", row.full_title(), format == Format::v7_4 ? "7.4" : "5.3");
}

std::string lines_before(Row const& row, Options const& o, RunFacts const& facts, std::string const& type_name,
                         bool first) {
    std::string text = first || row.operation != nullptr ? opening(row, o, facts) : std::string{};
    if (o.vary_window)
        text += "\n# Uni-directional Bandwidth (MB/sec)\n";
    if (!row.is_barrier() && o.keeps_7_4())
        text += fmt::format("# Datatype: {}.\n", type_name);
    return o.vary_window ? text : text + measure::table_head(columns(row, o), measure::TableForm::text);
}

std::vector<Column> columns(Row const& row, Options const& o) {
    auto columns = number_columns(row, o);
    if (o.validates())
        columns.push_back({"Validation",
                           [joins = row.operation != nullptr](Record const& r) -> std::string {
                               bool const passed = r.value.has_value();
                               return joins ? passed ? "passed" : "failed" : passed ? "Pass" : "Fail";
                           },
                           number_width, 0});
    for (int const percent : o.tails)
        columns.push_back(number(fmt::format("P{} Tail {}", percent, row.is(bandwidth) ? "BW(MB/s)" : "Lat(us)"),
                                 [percent](Record const& r) { return tail_of(r, percent); }));
    if (o.derivation.is_on())
        columns.push_back(
            {"Transmit Size",
             [](Record const& r) { return fmt::format("{:.0f}", r.derived.number({"transmitted"}).value_or(0)); },
             number_width, 0});
    if (row.is_barrier()) {
        without_size(row, o, columns);
        return columns;
    }
    columns.insert(columns.begin(),
                   {"# Size", [](Record const& r) { return fmt::format("{}", r.at.bytes("bytes")); }, -10, 0});
    return columns;
}

std::string varied_windows(Options const& o, std::span<Record const> records) {
    std::vector<std::int64_t> windows;
    std::vector<measure::Bytes> bytes;
    for (auto const& r : records) {
        program::add_once(windows, r.at.integer("window"));
        program::add_once(bytes, r.at.bytes("bytes"));
    }
    auto const table = [&](auto&& value) {
        std::string text = "#      ";
        for (auto const window : windows)
            text += fmt::format("  {:>10}", window);
        for (auto const size : bytes) {
            text += fmt::format("\n{:<7}", size);
            for (auto const& r : records)
                if (r.at.bytes("bytes") == size)
                    text += fmt::format("  {:>10}", fixed(value(r)));
        }
        return text + '\n';
    };
    auto text = table([](Record const& r) { return r.value ? std::optional{shown(r, *r.value)} : std::nullopt; });
    if (o.rate)
        text +=
            "\n# Message Rate Profile\n" + table([](Record const& r) { return r.derived.number({"message_rate"}); });
    return text;
}

std::string signature(Options const& o, std::string_view version) {
    return o.plain ? std::string{} : fmt::format("#+ libmeasure {}\n", version);
}

std::string remarks(Row const& row, Options const& o, std::span<Record const> records) {
    if (o.plain)
        return {};
    auto text = method_remark(row, o);
    for (auto const& record : records)
        text += remark(record);
    if (o.method == Method::osu && row.collective != nullptr)
        text += "#+ ranks leave a barrier at different times; --method both measures with synchronised starts "
                "(frontends/osu/README.md)\n";
    return text;
}

}  // namespace osu
