// SPDX-License-Identifier: BSD-3-Clause
#include "export/export.hpp"

#include <measure/environment_info.hpp>
#include <measure/launches.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace measure::tool {

namespace {

using measure::Bytes;
using measure::Record;

constexpr std::string_view imb_rule = "#----------------------------------------------------------------\n";

enum class ImbTable { single, parallel, collective, rate, barrier };

ImbTable imb_table(TableBlock const& block) {
    if (!block.meaning)
        return ImbTable::collective;
    switch (block.meaning->kind) {
    case OperationKind::barrier:
        return ImbTable::barrier;
    case OperationKind::ping_pong:
    case OperationKind::message:
        return ImbTable::single;
    case OperationKind::parallel:
        return ImbTable::parallel;
    case OperationKind::stream:
    case OperationKind::streams:
        return ImbTable::rate;
    default:
        return ImbTable::collective;
    }
}

/// The name is the last word of its line.
std::string imb_name(TableBlock const& block) {
    if (!block.meaning || block.meaning->kind == OperationKind::by_hand)
        return one_line(block.first->benchmark, true);
    if (block.meaning->kind == OperationKind::stream)
        return "Uniband";
    return block.meaning->kind == OperationKind::streams ? "Biband" : std::string{block.meaning->operation};
}

std::string imb_heading(ImbTable table) {
    std::string const times = fmt::format("{:>13}{:>13}{:>13}", "t_min[usec]", "t_max[usec]", "t_avg[usec]");
    std::string const begin = fmt::format("{:>13}{:>13}", "#bytes", "#repetitions");
    switch (table) {
    case ImbTable::single:
        return fmt::format("{}{:>13}{:>13}\n", begin, "t[usec]", "Mbytes/sec");
    case ImbTable::parallel:
        return fmt::format("{}{}{:>13}\n", begin, times, "Mbytes/sec");
    case ImbTable::rate:
        return fmt::format("{}{:>13}{:>13}\n", begin, "Mbytes/sec", "Msg/sec");
    case ImbTable::barrier:
        return fmt::format("{:>13}{}\n", "#repetitions", times);
    case ImbTable::collective:
        break;
    }
    return begin + times + "\n";
}

/// Shortest, longest and mean time of the processes, in microseconds. If these are unknown, all three are the value.
struct RankTimes {
    double min = 0;
    double max = 0;
    double mean = 0;
};

RankTimes rank_times(TableBlock const& block, Record const& record) {
    auto const time = [&](double value) { return in_microseconds(block, record, value); };
    double const own = time(*record.value);
    auto const& over = record.over_ranks;
    if (!over || !std::isfinite(over->min + over->mean + over->max))
        return {own, own, own};
    // The value has the overhead subtracted, the processes' times have not.
    double const by = measure::moved_by(record).value_or(0);
    // The smallest rate corresponds to the longest time.
    double const one = time(over->min + by);
    double const other = time(over->max + by);
    return {std::min(one, other), std::max(one, other), time(over->mean + by)};
}

/// Number of samples times operations per sample.
double repetitions_of(Record const& record) {
    return static_cast<double>(std::max<std::int64_t>(1, record.valid)) *
           static_cast<double>(std::max<std::int64_t>(1, record.iterations_per_sample.value_or(1)));
}

double megabytes(double messages, Bytes size, double us) {
    return us > 0 ? messages * static_cast<double>(size) / us : 0;
}

std::string imb_row(TableBlock const& block, ImbTable table, Bytes size, Record const& record) {
    auto const t = rank_times(block, record);
    auto const times = fmt::format(" {:>12.2f} {:>12.2f} {:>12.2f}", t.min, t.max, t.mean);
    std::string const begin = fmt::format(" {:>12} {:>12.0f}", size, repetitions_of(record));
    double const own = in_microseconds(block, record, *record.value);
    double const messages = block.meaning ? block.meaning->messages : 0;
    switch (table) {
    case ImbTable::single:
        return fmt::format("{} {:>12.2f} {:>12.2f}\n", begin, own, megabytes(std::max(messages, 1.0), size, own));
    case ImbTable::parallel:
        return fmt::format("{}{} {:>12.2f}\n", begin, times, megabytes(messages, size, t.max));
    case ImbTable::rate: {
        double const rate = bytes_per_second(block, size, record);
        return fmt::format("{} {:>12.2f} {:>12.0f}\n", begin, rate / measure::mega,
                           size > 0 ? rate / static_cast<double>(size) : 0);
    }
    case ImbTable::barrier:
        return fmt::format(" {:>12.0f}{}\n", repetitions_of(record), times);
    case ImbTable::collective:
        break;
    }
    return begin + times + "\n";
}

bool is_whole(Launch const& launch) {
    return launch.record.end && launch.record.end->status == "complete" && launch.record.end->exit_code == 0;
}

}  // namespace

Exported export_imb(std::span<Series const> series) {
    Exported exported;
    exported.text = fmt::format("# Layout of the Intel(R) MPI Benchmarks, MPI-1 part, written by libmeasure {}\n"
                                "# Mbytes are 10^6 bytes\n\n",
                                measure::version());
    constexpr std::array<std::string_view, 4> named{"bytes", "count", "repetition", "ranks"};
    for (auto const& block : blocks_of(series, exported)) {
        auto const table = imb_table(block);
        auto const ranks = integer_at(block.first->at, "ranks").value_or(1);
        exported.text += fmt::format("{}# Benchmarking {} \n# #processes = {} \n", imb_rule, imb_name(block), ranks);
        if (auto const idle = block.series->run().ranks - ranks; idle > 0)
            exported.text +=
                fmt::format("# ( {} additional process{} waiting in MPI_Barrier)\n", idle, idle == 1 ? "" : "es");
        exported.text += imb_rule;
        if (auto const more = coordinates_text(block.first->at, named); !more.empty() || series.size() > 1)
            exported.text += fmt::format("# {} of {}{}{}\n", one_line(block.first->benchmark),
                                         one_line(block.series->label), more.empty() ? "" : ": ", more);
        exported.text += imb_heading(table);
        for (auto const& [size, record] : block.rows)
            exported.text += imb_row(block, table, size, *record);
        exported.text += "\n";
    }
    bool const is_complete = std::all_of(series.begin(), series.end(), [](Series const& one) {
        return std::all_of(one.launches.begin(), one.launches.end(),
                           [](auto const* launch) { return is_whole(*launch); });
    });
    exported.text += is_complete ? "\n# All processes entering MPI_Finalize\n\n" : "\n# A run is not complete\n\n";
    return exported;
}

}  // namespace measure::tool
