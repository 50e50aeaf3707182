// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/report/table.hpp"

#include "pmb/operations/partners.hpp"
#include "program/cli/values.hpp"
#include "program/engine/unsettled.hpp"

#include <measure/statistics.hpp>
#include <measure/table.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <span>
#include <utility>

namespace pmb {

namespace {

using measure::Record;
using Cell = measure::Callback<std::string(Record const&)>;

constexpr std::size_t column_width = 13;

std::string rule(std::size_t length) { return '#' + std::string(length - 1, '-') + '\n'; }

std::string throughput_head(double megabyte, Part part) {
    if (megabyte == Options{part}.megabyte)
        return "Mbytes/sec";
    return megabyte == 1e6 ? "MB/s(10^6)" : "MB/s(2^20)";
}

// Missing values are empty cells.
/// \{
std::string decimals(std::optional<double> x, double scale = 1) { return x ? fmt::format("{:.2f}", *x * scale) : ""; }
std::string coordinate(Record const& r, char const* name) {
    return r.at.has(name) ? fmt::format("{}", r.at.integer(name)) : "";
}
/// \}

/// Formats a number of the record's `derived`.
Cell derived(char const* name, double scale = 1) {
    return [=](Record const& r) { return decimals(r.derived.number({name}), scale); };
}

/// The number of rounds in which the row has a time.
std::string rounds(Record const& r) {
    auto const* const times = r.derived.find("rounds");
    return times != nullptr ? fmt::format("{}", std::get<measure::Value::Array>(times->data()).size()) : "";
}

constexpr double usec = 1e6;
constexpr double percent = 100;

/// The columns of a table. With `csv`, the columns of all tables, which are empty where a table has no values.
std::vector<measure::Column> columns(Shape const& shape, double megabyte, Part part, bool csv) {
    std::vector<measure::Column> result;
    /// \param in_text  whether the table has the column  \param known  whether csv has values in it
    auto const add = [&](char const* heading, bool in_text, char const* csv_heading, bool known, Cell cell) {
        if (!csv && !in_text)
            return;
        if (csv && !known)
            cell = [](Record const&) { return std::string{}; };
        auto const width = static_cast<int>(column_width);
        bool const first = result.empty();
        result.push_back({csv ? csv_heading : heading, std::move(cell), first ? width : width - 1, 1});
    };
    bool const three = shape.times == Shape::Times::three;
    bool const overlap = shape.times == Shape::Times::overlap;
    bool const passive = shape.times == Shape::Times::passive;
    char const* const slowest = overlap || passive                  ? "t_ovrl[usec]"
                                : shape.times == Shape::Times::mean ? "t_avg[usec]"
                                : three                             ? "t_max[usec]"
                                                                    : "t[usec]";
    auto const throughput = throughput_head(megabyte, part);

    add("", false, "benchmark", true, [](Record const& r) { return r.benchmark; });
    add("", false, "processes", true, [](Record const& r) { return coordinate(r, "ranks"); });
    add("", false, "groups", true, [](Record const& r) { return r.at.has("groups") ? coordinate(r, "groups") : "1"; });
    add("Group", shape.group, "group", true, [](Record const& r) { return coordinate(r, "group"); });
    add("", false, "mode", true, [](Record const& r) { return r.at.has("mode") ? r.at.text("mode") : ""; });
    add("#bytes", shape.length, "bytes", true, [](Record const& r) { return coordinate(r, "bytes"); });
    add("#repetitions", true, "repetitions", true, [calls = shape.calls](Record const& r) {
        return fmt::format("{}", calls ? r.valid : r.iterations_per_sample.value_or(0));
    });
    add("t_min[usec]", three, "t_min[usec]", !overlap,
        [](Record const& r) { return decimals(r.over_ranks->min, usec); });
    if (passive && !csv)
        add("t_pure[usec]", true, "", true, derived("t_pure", usec));
    add(slowest, shape.times != Shape::Times::none, "t_max[usec]", true, [](Record const& r) {
        auto const shown = r.derived.number({"t"});
        return decimals(shown ? shown : r.value, usec);
    });
    add("t_avg[usec]", three, "t_avg[usec]", !overlap,
        [](Record const& r) { return decimals(r.over_ranks->mean, usec); });
    add("t_pure[usec]", overlap, "t_pure[usec]", overlap || passive, derived("t_pure", usec));
    add("t_CPU[usec]", overlap, "t_CPU[usec]", overlap, derived("t_cpu", usec));
    add("overlap[%]", overlap, "overlap[%]", overlap, derived("overlap", percent));
    add(throughput.c_str(), shape.throughput, throughput.c_str(), true, [megabyte](Record const& r) {
        auto const bandwidth = r.derived.number({"bandwidth"});
        return bandwidth ? decimals(*bandwidth / megabyte) : "";
    });
    if (csv ? is_imb(part) : shape.rate)
        add("Msg/sec", true, "Msg/sec", true, [part](Record const& r) {
            auto const rate = r.derived.number({"message_rate"});
            return rate ? fmt::format("{:.0f}", part == Part::imb_mt ? std::trunc(*rate) : *rate) : "";
        });
    add("stderr[%]", shape.error, "stderr[%]", true, derived("relative_error", percent));
    add("discarded", shape.error, "discarded", shape.error,
        [](Record const& r) { return fmt::format("{}", r.attempts - r.valid); });
    add("defects", shape.defects, "defects", true, derived("defects"));
    if (shape.rounds) {
        add("#rounds", true, "rounds", true, rounds);
        add("min[usec]", true, "min[usec]", true, derived("rounds_min", usec));
        add("median[usec]", true, "median[usec]", true, derived("rounds_median", usec));
        add("spread[%]", true, "spread[%]", true, derived("rounds_spread", percent));
    }
    return result;
}

std::string now() {
    std::time_t const t = std::time(nullptr);
    std::tm local{};
    localtime_r(&t, &local);
    char text[64];
    return {text, std::strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &local)};
}

std::string machine(measure::Environment const& run) {
    utsname system{};
    uname(&system);
    std::string const library = run.mpi_library.value_or("none");
    return fmt::format("# Date       : {}\n# Machine    : {}\n# System     : {}\n# Release    : {}\n# Version    : {}\n"
                       "# MPI        : {}\n# Timer      : {}, resolution {:.1e} s ({} {:.1e} s)\n# Command    : {}\n\n",
                       now(), system.machine, system.sysname, system.release, system.version, library, run.timer.name,
                       run.timer.resolution.count(), run.timer.name == "mpi_wtime" ? "MPI_Wtick" : "nominal",
                       run.timer.nominal.count(), fmt::join(run.command, " "));
}

/// IMB's description of the run, line by line.
std::string imb_machine(measure::Environment const& run) {
    utsname system{};
    uname(&system);
    std::string text;
    auto const line = [&](std::string_view label, std::string_view value) {
        text += fmt::format("# {:<22}: {}\n", label, value);
    };
    line("Date", now());
    line("Machine", system.machine);
    line("System", system.sysname);
    line("Release", system.release);
    line("Version", system.version);
    line("MPI Version", run.mpi_library.value_or("none"));
    line("MPI Thread Environment", "");
    line("Timer", run.timer.name);
    auto const words = std::vector<std::string>(run.command.begin() + (run.command.empty() ? 0 : 1), run.command.end());
    return text + fmt::format("\n\n# Calling sequence was: \n\n# {}\n\n", fmt::join(words, " "));
}

std::string imb_title(measure::Environment const& run, Part part) {
    return fmt::format("#    libmeasure {}, layout of Intel(R) MPI Benchmarks 2021.11, {}\n", run.version,
                       part_text(part));
}

/// The smallest and the largest length of the run.
std::pair<measure::Bytes, measure::Bytes> range(Setup const& setup) {
    auto const all = setup.lengths ? *setup.lengths : lengths(1, setup.parameters);
    auto const [low, high] = std::minmax_element(all.begin(), all.end());
    return {*low, *high};
}

std::string_view mpi_name(ElementType type) {
    static constexpr std::array<std::string_view, 5> names{"MPI_BYTE", "MPI_CHAR", "MPI_INT", "MPI_FLOAT",
                                                           "MPI_DOUBLE"};
    return names[static_cast<std::size_t>(type)];
}

std::string types_text(Setup const& setup) {
    Part const part = setup.part;
    if (is_io(part))
        return is_imb(part) ? "#\n#\n" : "#\n";
    char const* const blank = part == Part::imb_mpi1 ? " " : "";
    return fmt::format("# MPI_Datatype                   :   {2}\n"
                       "# MPI_Datatype for reductions    :   {3}{0}\n"
                       "# MPI_Op                         :   MPI_SUM\n#{1}\n#{1}\n",
                       blank, part == Part::imb_rma ? " " : blank, mpi_name(setup.parameters.moved),
                       mpi_name(setup.parameters.reduced));
}

std::string limits(Setup const& setup) {
    auto const [low, high] = range(setup);
    char const* const what = is_io(setup.part) ? "io portion" : "message length";
    if (is_imb(setup.part) && setup.lengths)
        return "#\n# Message lengths were user defined\n#\n" + types_text(setup);
    auto text = fmt::format("#\n# Minimum {0} in bytes:   {1}\n# Maximum {0} in bytes:   {2}\n#\n", what, low, high);
    return text + types_text(setup);
}

/// In this header lines have no trailing blank, and no line is empty.
std::string p2p_header(measure::Environment const& run, Setup const& setup) {
    auto text = imb_machine(run) + "# List of Benchmarks to run:\n\n";
    for (Benchmark const* const b : setup.benchmarks)
        text += fmt::format("# {}\n", b->name);
    auto const [low, high] = range(setup);
    text +=
        fmt::format("\n# Minimum message length in bytes:   {}\n# Maximum message length in bytes:   {}\n", low, high);
    auto const line = rule(61);
    std::string result = line + imb_title(run, setup.part) + line;
    for (auto each : program::split(text.substr(0, text.size() - 1), '\n')) {
        each.resize(each.find_last_not_of(' ') + 1);
        result += (each.empty() ? "#" : each) + '\n';
    }
    return result;
}

std::string several(Head const& head) {
    return fmt::format("# ( {} groups of {} processes each running simultaneous ) \n", head.groups.size(),
                       head.groups.front().size());
}

std::string pmb_processes(Head const& head) {
    if (head.groups.size() == 1)
        return fmt::format("# ( #processes = {} ) \n", head.groups.front().size());
    auto text = several(head);
    for (std::size_t g = 0; g < head.groups.size(); ++g)
        text += fmt::format("# Group {:4}                     : {}\n", g, fmt::join(head.groups[g], " "));
    return text;
}

/// Lists ranks after a label, 16 per line.
std::string rank_lines(std::string const& label, std::span<int const> ranks) {
    constexpr std::size_t in_line = 16;
    std::string text = label;
    for (std::size_t i = 0; i < ranks.size(); ++i)
        text += fmt::format("{} {:4}", i > 0 && i % in_line == 0 ? "\n# " : "", ranks[i]);
    return text + "\n";
}

std::string imb_processes(Head const& head) {
    if (head.groups.size() > 1) {
        auto text = several(head);
        for (std::size_t g = 0; g < head.groups.size(); ++g)
            text += rank_lines(fmt::format("# Group {:2}: ", g), head.groups[g]) + "# \n";
        return text;
    }
    std::span<int const> ranks = head.groups.front();
    if (head.columns == 0)
        return fmt::format("# #processes = {} \n", ranks.size());
    auto text = fmt::format("# #processes = {}; rank order (rowwise): \n", ranks.size());
    auto const columns = static_cast<std::size_t>(head.columns);
    for (; !ranks.empty(); ranks = ranks.subspan(std::min(columns, ranks.size())))
        text += rank_lines("# ", ranks.first(std::min(columns, ranks.size())));
    return text + "# \n";
}

/// The head for all processes of the world, without trailing blanks.
std::string of_world(Head const& head) {
    auto const processes = static_cast<int>(head.groups.front().size());
    auto const& b = head.benchmark;
    auto text = fmt::format(
        "# Benchmarking {}{}\n# #processes = {}", b.name,
        b.dimensions > 0 ? fmt::format(" ({})", fmt::join(sides(processes, b.dimensions), " x ")) : "", processes);
    if (!head.threads)
        return text + '\n';
    text += fmt::format(" (threads: {})\n", head.threads->threads);
    return b.kind == Class::rate ? text + fmt::format("# window_size = {}\n", head.window) : text;
}

/// The rule around a table head: as long as the table, or always the same length for IMB-MT.
std::string own_rule(Part part, std::string const& line) { return part == Part::imb_mt ? rule(78) : line; }

std::string optional_mode(Setup const& setup) {
    if (!setup.optional_mode())
        return {};
    std::string text = "\n# !! Attention: results obtained in optional mode, may differ from the standard case !!\n#\n";
    for (auto const& change : setup.changes)
        text += fmt::format("#    {} : {} (standard: {})\n", change.flag, change.value, change.standard);
    if (setup.check)
        text += "#\n# Checking mode: each repetition is timed separately, and its data are checked before the next "
                "one.\n"
                "# If one fence or sync completes all repetitions, the data are checked after it.\n"
                "# Times are not comparable with other modes.\n";
    return text;
}

}  // namespace

std::string_view part_text(Part part) {
    static constexpr std::array<char const*, 10> names{
        "MPI-1 part",  "MPI-2 one-sided part", "MPI-2 I/O part", "MPI-1 part",   "MPI-2 part",
        "MPI-IO part", "MPI-NBC part",         "MPI-RMA part",   "IMB-P2P part", "MT part    "};
    return names[static_cast<std::size_t>(part)];
}

std::string program_name(Part part) {
    static constexpr std::array<char const*, 10> names{"PMB-MPI1", "PMB-EXT", "PMB-IO",  "IMB-MPI1", "IMB-EXT",
                                                       "IMB-IO",   "IMB-NBC", "IMB-RMA", "IMB-P2P",  "IMB-MT"};
    return names[static_cast<std::size_t>(part)];
}

Shape shape(Benchmark const& b, Setup const& setup) {
    Shape s{.group = setup.multi == 1,
            .length = b.kind != Class::sync,
            .throughput = b.messages > 0 && !b.non_blocking,
            .rate = b.kind == Class::rate || b.kind == Class::world,
            .error = setup.by_plan(),
            .defects = setup.check && b.checked,
            .rounds = setup.rounds > 1,
            .calls = setup.start.has_value()};
    if (b.non_blocking)
        s.times = Shape::Times::overlap;
    else if (b.kind == Class::rate)
        s.times = setup.part == Part::imb_mt ? Shape::Times::mean : Shape::Times::none;
    else if (b.target_computes)
        s.times = Shape::Times::passive;
    else if (b.kind == Class::one_to_all || b.kind == Class::world || (b.kind == Class::single && setup.multi != 0))
        s.times = Shape::Times::one;
    else
        s.times = Shape::Times::three;
    return s;
}

std::string title(Head const& head) {
    return fmt::format("{}{}", head.groups.size() > 1 ? "Multi-" : "", head.benchmark.name);
}

std::string flagged_text(std::string_view flag, Head const& head, Shape const& shape,
                         std::vector<measure::Point> const& rows) {
    std::vector<std::string> names;
    for (auto const& at : rows) {
        auto const name = at.has("bytes") ? fmt::format("{}", at.integer("bytes")) : title(head);
        names.push_back(!at.has("group") ? name
                                         : fmt::format("{}{} in group {}", name, at.has("bytes") ? " bytes" : "",
                                                       at.integer("group")));
    }
    char const* const unit = shape.length && !shape.group ? "bytes" : "";
    if (flag == "unsettled")
        return program::unsettled_text(std::move(names), unit);
    return program::flagged_text(flag, std::move(names), unit,
                                 flag == "disturbed" ? "a process lost its core during the row"
                                 : flag == measure::near_timer_floor
                                     ? "less than ten clock readings or clock steps"
                                     : "fewer repetitions than -iter allows, because of -time");
}

std::string Table::header(measure::Environment const& run, Setup const& setup, std::optional<double> cpu_mflops) const {
    if (format_ == Format::csv)
        return measure::table_head(columns({.rounds = setup.rounds > 1}, megabyte_, part_, true),
                                   measure::TableForm::csv);
    if (setup.part == Part::imb_p2p)
        return p2p_header(run, setup);
    if (setup.part == Part::imb_mt)
        return setup.header ? rule(67) + imb_title(run, setup.part) + rule(67) + "#\n" : "";
    bool const imb = is_imb(setup.part);
    std::string const line = rule((imb ? 5 : 4) * column_width);
    std::string text = line;
    if (imb)
        text += imb_title(run, setup.part);
    else
        text += fmt::format("#    {} {} (PMB 2.2 method), {}\n", program_name(setup.part), run.version,
                            part_text(setup.part));
    text += line + (imb ? imb_machine(run) : machine(run)) + limits(setup) + optional_mode(setup);
    text += "\n# List of Benchmarks to run:\n\n";
    for (Benchmark const* const b : setup.benchmarks)
        text += fmt::format("# {}{}\n", setup.multi ? "(Multi-)" : "", b->name);
    if (cpu_mflops)
        text += fmt::format("\n# CPU loop of the non-blocking benchmarks: {:.2f} MFlop/s\n", *cpu_mflops);
    if (setup.keeps_times)
        text += "\n# Each repetition is timed individually (-show_tail, -dumpfile)\n";
    return text;
}

std::string Table::head(Head const& head, Shape const& shape) const {
    if (format_ == Format::csv)
        return {};
    auto const all = columns(shape, megabyte_, part_, false);
    std::string const line = rule(column_width * all.size());
    std::string text = '\n' + line;
    if (is_apart(part_)) {
        text = '\n' + own_rule(part_, line);
        return text + of_world(head) + own_rule(part_, line) + measure::table_head(all, measure::TableForm::text);
    }
    text += fmt::format("# Benchmarking {} \n", title(head));
    text += is_imb(part_) ? imb_processes(head) : pmb_processes(head);
    if (head.idle == 1)
        text += "# ( 1 additional process waiting in MPI_Barrier)\n";
    else if (head.idle > 1)
        text += fmt::format("# ( {} additional processes waiting in MPI_Barrier)\n", head.idle);
    text += line;
    if (head.mode != Mode::single)
        text += fmt::format("#\n#    MODE: {} \n#\n", head.mode == Mode::aggregate ? "AGGREGATE" : "NON-AGGREGATE");
    return text + measure::table_head(all, measure::TableForm::text);
}

std::string Table::rows(Shape const& shape, std::vector<measure::Record> const& rows) const {
    bool const csv = format_ == Format::csv;
    auto const all = columns(shape, megabyte_, part_, csv);
    std::string text = shape.group && !csv ? "\n" : "";
    for (auto const& row : rows)
        text += measure::table_row(all, csv ? measure::TableForm::csv : measure::TableForm::text, row);
    return text;
}

std::string Table::tail(std::span<double const> times) {
    std::vector<std::string> cells;
    for (double const share : {0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9999, 1.0})
        cells.push_back(fmt::format("{:.2f}", measure::quantile(times, share)));
    return fmt::format("[ {} ]\n", fmt::join(cells, ", "));
}

std::string Table::comment(std::string_view text) const {
    return format_ == Format::csv ? std::string{} : fmt::format("# {}\n", text);
}

std::string Table::notice(std::string_view text) const {
    return format_ == Format::csv ? std::string{} : fmt::format("\n# {}\n{}", text, part_ == Part::imb_p2p ? "" : "\n");
}

std::string Table::refusal(Benchmark const& benchmark, int processes) const {
    if (benchmark.kind == Class::world)
        return fmt::format("!! Benchmark {} {}invalid for {} {} !!", benchmark.name,
                           benchmark.name == "Unirandom" ? "" : "is ", processes,
                           benchmark.name == "SendRecv_Replace" ? "process" : "processes");
    return is_imb(part_) ? fmt::format("!! Benchmark {} invalid for 1 processes !! ", benchmark.name)
                         : fmt::format("!! Benchmark {} invalid for 1 process   !!", benchmark.name);
}

std::string Table::nobody(Head const& head) const {
    auto const line = own_rule(part_, {});
    return format_ == Format::csv ? std::string{}
                                  : '\n' + line + of_world(head) + "# NO SUCCESSFUL EXECUTIONS\n" + line + '\n';
}

std::string Table::closing(std::string_view program, int exit_code) const {
    return closing(program, exit_code == 0 ? "finished normally" : fmt::format("finished, exit {}", exit_code),
                   exit_code == 0 || exit_code == 4);
}

std::string Table::closing(std::string_view program, std::string const& end, bool whole) const {
    if (format_ == Format::csv)
        return {};
    if (!is_imb(part_))
        return fmt::format("\n#\n# {}: {}\n", program, end);
    // Readers treat the first line as the mark of a run that has measured everything it could.
    return fmt::format("\n\n{}# {}: {}\n", whole ? "# All processes entering MPI_Finalize\n\n" : "", program, end);
}

}  // namespace pmb
