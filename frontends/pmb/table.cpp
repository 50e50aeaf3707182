// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

#include "program/engine/unsettled.hpp"

#include <measure/statistics.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <utility>

namespace pmb {

namespace {

constexpr std::size_t width = 13;

std::string rule(std::size_t length) { return '#' + std::string(length - 1, '-') + '\n'; }

std::string column(std::string_view text) { return fmt::format("{:>13}", text); }
std::string column(std::int64_t n) { return fmt::format("{:13d}", n); }
std::string column(double x) { return fmt::format("{:13.2f}", x); }

double microseconds(double seconds) { return seconds * 1e6; }

std::string throughput_head(double megabyte) { return megabyte == 1e6 ? "MB/s(10^6)" : "Mbytes/sec"; }

struct Column {
    std::string head;
    std::string (*cell)(Row const& row, double megabyte);
};

std::vector<Column> columns(Shape const& shape, double megabyte) {
    std::vector<Column> result;
    auto const add = [&](std::string head, std::string (*cell)(Row const&, double)) {
        result.push_back({std::move(head), cell});
    };
    if (shape.group)
        add("Group", [](Row const& r, double) { return column(std::int64_t{r.group.value_or(0)}); });
    if (shape.length)
        add("#bytes", [](Row const& r, double) { return column(r.length.value_or(0)); });
    add("#repetitions", [](Row const& r, double) { return column(r.repetitions); });
    switch (shape.times) {
    case Shape::Times::one:
        add("t[usec]", [](Row const& r, double) { return column(microseconds(r.max)); });
        break;
    case Shape::Times::three:
        add("t_min[usec]", [](Row const& r, double) { return column(microseconds(r.min)); });
        add("t_max[usec]", [](Row const& r, double) { return column(microseconds(r.max)); });
        add("t_avg[usec]", [](Row const& r, double) { return column(microseconds(r.mean)); });
        break;
    case Shape::Times::overlap:
        add("t_ovrl[usec]", [](Row const& r, double) { return column(microseconds(r.max)); });
        add("t_pure[usec]", [](Row const& r, double) { return column(microseconds(r.pure)); });
        add("t_CPU[usec]", [](Row const& r, double) { return column(microseconds(r.cpu)); });
        add("overlap[%]", [](Row const& r, double) { return column(100 * r.overlap); });
        break;
    }
    if (shape.throughput)
        add(throughput_head(megabyte),
            [](Row const& r, double mega) { return column(r.throughput.value_or(0) / mega); });
    if (shape.error) {
        add("stderr[%]",
            [](Row const& r, double) { return r.relative_error ? column(100 * *r.relative_error) : column("-"); });
        add("discarded", [](Row const& r, double) { return column(r.discarded.value_or(0)); });
    }
    if (shape.defects)
        add("defects", [](Row const& r, double) { return column(r.defects.value_or(0)); });
    if (shape.rounds) {
        add("#rounds", [](Row const& r, double) { return column(std::ssize(r.rounds)); });
        add("min[usec]", [](Row const& r, double) { return column(microseconds(statistics_of(r.rounds).min)); });
        add("median[usec]", [](Row const& r, double) { return column(microseconds(statistics_of(r.rounds).median)); });
        add("spread[%]", [](Row const& r, double) { return column(100 * statistics_of(r.rounds).spread); });
    }
    return result;
}

char const* part_name(Part part) {
    switch (part) {
    case Part::mpi1:
        return "PMB-MPI1";
    case Part::ext:
        return "PMB-EXT";
    case Part::io:
        return "PMB-IO";
    }
    return "";
}

char const* part_text(Part part) {
    switch (part) {
    case Part::mpi1:
        return "MPI-1 part";
    case Part::ext:
        return "MPI-2 one-sided part";
    case Part::io:
        return "MPI-2 I/O part";
    }
    return "";
}

std::string mode_name(Mode mode) {
    switch (mode) {
    case Mode::single:
        return "";
    case Mode::aggregate:
        return "aggregate";
    case Mode::non_aggregate:
        return "non_aggregate";
    }
    return "";
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

/// The range of all lengths of the run.
std::pair<measure::Bytes, measure::Bytes> range(Setup const& setup) {
    auto const all = setup.lengths ? *setup.lengths : lengths(1, setup.parameters);
    auto const [low, high] = std::minmax_element(all.begin(), all.end());
    return {*low, *high};
}

std::string limits(Setup const& setup) {
    auto const [low, high] = range(setup);
    char const* const what = setup.part == Part::io ? "io portion" : "message length";
    auto text = fmt::format("#\n# Minimum {0} in bytes:   {1}\n# Maximum {0} in bytes:   {2}\n#\n", what, low, high);
    if (setup.part != Part::io)
        text += "# MPI_Datatype                   :   MPI_BYTE\n"
                "# MPI_Datatype for reductions    :   MPI_FLOAT\n"
                "# MPI_Op                         :   MPI_SUM\n#\n";
    return text + "#\n";
}

std::string optional_mode(Setup const& setup) {
    if (!setup.optional_mode())
        return {};
    std::string text = "\n# !! Attention: results obtained in optional mode, may differ from the standard case !!\n#\n";
    for (auto const& change : setup.changes)
        text += fmt::format("#    {} : {} (standard: {})\n", change.flag, change.value, change.standard);
    if (setup.check)
        text += "#\n# Checking mode: the clock is read around each repetition and the data are looked at in between; "
                "where\n"
                "# one fence or sync completes all repetitions, the data are looked at behind it.\n"
                "# Times are not comparable with those of other modes.\n";
    return text;
}

}  // namespace

RoundStatistics statistics_of(std::vector<double> const& times) {
    auto const [low, high] = std::minmax_element(times.begin(), times.end());
    double const middle = measure::median(times);
    return {*low, middle, middle > 0 ? (*high - *low) / middle : 0};
}

Shape shape(Benchmark const& b, std::optional<int> multi, bool by_plan, bool check, bool rounds) {
    Shape s{.group = multi == 1, .length = b.kind != Class::sync, .error = by_plan, .rounds = rounds};
    if (b.non_blocking)
        s.times = Shape::Times::overlap;
    else if (b.kind == Class::single && multi != 0)
        s.times = Shape::Times::one;
    else
        s.times = Shape::Times::three;
    s.throughput = b.messages > 0 && !b.non_blocking;
    s.defects = check && b.checked;
    return s;
}

std::string title(Head const& head) {
    return fmt::format("{}{}", head.groups.size() > 1 ? "Multi-" : "", head.benchmark.name);
}

std::string unsettled_text(Head const& head, Shape const& shape, std::vector<Row> const& rows) {
    std::vector<std::string> names;
    for (Row const& row : rows) {
        auto const name = row.length ? fmt::format("{}", *row.length) : title(head);
        names.push_back(!row.group ? name
                                   : fmt::format("{}{} in group {}", name, row.length ? " bytes" : "", *row.group));
    }
    return program::unsettled_text(std::move(names), shape.length && !shape.group ? "bytes" : "");
}

std::string Table::header(measure::Environment const& run, Setup const& setup, std::optional<double> cpu_mflops) const {
    if (format_ == Format::csv)
        return fmt::format("benchmark,processes,groups,group,mode,bytes,repetitions,t_min[usec],t_max[usec],"
                           "t_avg[usec],t_pure[usec],t_CPU[usec],overlap[%],{},stderr[%],discarded,defects{}\n",
                           throughput_head(megabyte_),
                           setup.rounds > 1 ? ",rounds,min[usec],median[usec],spread[%]" : "");
    std::string text = rule(4 * width);
    text += fmt::format("#    {} {} (PMB 2.2 method), {}\n", part_name(setup.part), run.version, part_text(setup.part));
    text += rule(4 * width) + machine(run) + limits(setup) + optional_mode(setup);
    text += "\n# List of Benchmarks to run:\n\n";
    for (Benchmark const* const b : setup.benchmarks)
        text += fmt::format("# {}{}\n", setup.multi ? "(Multi-)" : "", b->name);
    if (cpu_mflops)
        text += fmt::format("\n# CPU loop of the non-blocking benchmarks: {:.2f} MFlop/s\n", *cpu_mflops);
    return text;
}

std::string Table::head(Head const& head, Shape const& shape) const {
    if (format_ == Format::csv)
        return {};
    auto const all = columns(shape, megabyte_);
    std::string const line = rule(width * all.size());
    std::string text = '\n' + line + fmt::format("# Benchmarking {} \n", title(head));
    auto const processes = head.groups.front().size();
    if (head.groups.size() == 1) {
        text += fmt::format("# ( #processes = {} ) \n", processes);
    } else {
        text +=
            fmt::format("# ( {} groups of {} processes each running simultaneous ) \n", head.groups.size(), processes);
        for (std::size_t g = 0; g < head.groups.size(); ++g)
            text += fmt::format("# Group {:4}                     : {}\n", g, fmt::join(head.groups[g], " "));
    }
    if (head.idle == 1)
        text += "# ( 1 additional process waiting in MPI_Barrier)\n";
    else if (head.idle > 1)
        text += fmt::format("# ( {} additional processes waiting in MPI_Barrier)\n", head.idle);
    text += line;
    if (head.mode != Mode::single)
        text += fmt::format("#\n#    MODE: {} \n#\n", head.mode == Mode::aggregate ? "AGGREGATE" : "NON-AGGREGATE");
    for (auto const& c : all)
        text += column(c.head);
    return text + '\n';
}

std::string Table::rows(Head const& head, Shape const& shape, std::vector<Row> const& rows) const {
    std::string text = shape.group && format_ == Format::table ? "\n" : "";
    auto const all = columns(shape, megabyte_);
    for (Row const& row : rows) {
        if (format_ == Format::csv) {
            text += csv_row(head, row);
            continue;
        }
        for (auto const& c : all)
            text += c.cell(row, megabyte_);
        text += '\n';
    }
    return text;
}

/// The same numbers as in the table, in columns that are the same for all benchmarks.
std::string Table::csv_row(Head const& head, Row const& r) const {
    bool const overlap = head.benchmark.non_blocking;
    auto const if_has = [](auto const& x) { return x ? fmt::format("{}", *x) : std::string{}; };
    auto const fixed = [](bool has, double x) { return has ? fmt::format("{:.2f}", x) : std::string{}; };
    std::string rounds;
    if (!r.rounds.empty()) {
        auto const [min, median, spread] = statistics_of(r.rounds);
        rounds = fmt::format(",{},{:.2f},{:.2f},{:.2f}", r.rounds.size(), microseconds(min), microseconds(median),
                             100 * spread);
    }
    return fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}{}\n", title(head), head.groups.front().size(),
        head.groups.size(), if_has(r.group), mode_name(head.mode), if_has(r.length), r.repetitions,
        fixed(!overlap, microseconds(r.min)), fixed(true, microseconds(r.max)), fixed(!overlap, microseconds(r.mean)),
        fixed(overlap, microseconds(r.pure)), fixed(overlap, microseconds(r.cpu)), fixed(overlap, 100 * r.overlap),
        fixed(r.throughput.has_value(), r.throughput.value_or(0) / megabyte_),
        fixed(r.relative_error.has_value(), 100 * r.relative_error.value_or(0)), if_has(r.discarded),
        fixed(r.defects.has_value(), r.defects.value_or(0)), rounds);
}

std::string Table::comment(std::string_view text) const {
    return format_ == Format::csv ? std::string{} : fmt::format("# {}\n", text);
}

std::string Table::notice(std::string_view text) const {
    return format_ == Format::csv ? std::string{} : fmt::format("\n# {}\n\n", text);
}

std::string Table::closing(std::string_view program, int exit_code) const {
    std::string const end = exit_code == 0 ? "finished normally" : fmt::format("finished, exit {}", exit_code);
    return format_ == Format::csv ? std::string{} : fmt::format("\n#\n# {}: {}\n", program, end);
}

}  // namespace pmb
