// SPDX-License-Identifier: BSD-3-Clause
#include "export/export.hpp"

#include <measure/environment_info.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace measure::tool {

namespace {

using measure::Bytes;
using measure::Quantity;
using measure::Record;

/// OSU's name of an operation that differs from MPI's.
struct OsuName {
    std::string_view operation;
    std::string_view title;
};
constexpr std::array osu_names{
    OsuName{"Bcast", "Broadcast"},
    OsuName{"Alltoall", "All-to-All Personalized Exchange"},
    OsuName{"Alltoallv", "All-to-Allv Personalized Exchange"},
    OsuName{"Alltoallw", "All-to-Allw Personalized Exchange"},
    OsuName{"Send stream", "Bandwidth"},
    OsuName{"Send streams", "Bi-Directional Bandwidth"},
};

std::string osu_name(std::string_view operation) {
    auto const found = std::find_if(osu_names.begin(), osu_names.end(),
                                    [&](OsuName const& name) { return name.operation == operation; });
    return std::string{found == osu_names.end() ? operation : found->title};
}

enum class OsuTable { latency, collective, nonblocking, bandwidth, barrier };

/// The computation that overlaps a non-blocking collective, as mpiperf and measure-osu record it.
struct Computed {
    double compute = 0;  ///< s
    double pure = 0;     ///< s
    double overlap = 0;  ///< share
};

std::optional<Computed> computed(Record const& record) {
    bool const is_osu = derived_number(record, {"pure"}).has_value();
    auto const compute =
        is_osu ? derived_number(record, {"compute"}) : derived_number(record, {"phases", "compute", "mean"});
    auto const pure = derived_number(record, {is_osu ? "pure" : "blocking_time"});
    auto const overlap = is_osu ? derived_number(record, {"overlap"}) : derived_number(record, {"overlap", "mean"});
    bool const has_name = record.benchmark.starts_with("I") || record.benchmark.starts_with("i");
    return has_name && compute && pure && overlap ? std::optional{Computed{*compute, *pure, *overlap}} : std::nullopt;
}

OsuTable table_of(TableBlock const& block) {
    if (!block.meaning)
        return block.first->quantity == Quantity::bandwidth ? OsuTable::bandwidth
               : computed(*block.first)                     ? OsuTable::nonblocking
                                                            : OsuTable::collective;
    switch (block.meaning->kind) {
    case OperationKind::barrier:
        return OsuTable::barrier;
    case OperationKind::stream:
    case OperationKind::streams:
        return OsuTable::bandwidth;
    case OperationKind::message:
        return OsuTable::latency;
    default:
        return OsuTable::collective;
    }
}

std::string osu_title(TableBlock const& block, OsuTable table) {
    if (table == OsuTable::nonblocking) {
        auto name = block.first->benchmark.substr(1);
        name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
        return "Non-blocking " + osu_name(name) + " Latency";
    }
    if (!block.meaning)
        return one_line(block.first->benchmark, true) + (table == OsuTable::bandwidth ? " Bandwidth" : " Latency");
    if (block.meaning->operation == "PingPong")
        return "Latency";
    auto const name = osu_name(block.meaning->operation);
    return table == OsuTable::bandwidth ? name : name + " Latency";
}

std::string osu_heading(OsuTable table) {
    switch (table) {
    case OsuTable::latency:
        return fmt::format("{:<10}{:>18}\n", "# Size", "Latency (us)");
    case OsuTable::collective:
        return fmt::format("{:<10}{:>18}\n", "# Size", "Avg Latency(us)");
    case OsuTable::nonblocking:
        return fmt::format("{:<10}{:>18}{:>18}{:>18}{:>18}\n", "# Size", "Overall(us)", "Compute(us)", "Pure Comm.(us)",
                           "Overlap(%)");
    case OsuTable::bandwidth:
        return fmt::format("{:<10}{:>18}\n", "# Size", "Bandwidth (MB/s)");
    case OsuTable::barrier:
        return "# Avg Latency(us)\n";
    }
    return {};
}

std::string osu_row(TableBlock const& block, OsuTable table, Bytes size, Record const& record) {
    switch (table) {
    case OsuTable::barrier:
        return fmt::format("{:>17.2f}\n", in_microseconds(block, record, *record.value));
    case OsuTable::bandwidth:
        return fmt::format("{:<10}{:>18.2f}\n", size, bytes_per_second(block, size, record) / measure::mega);
    case OsuTable::nonblocking: {
        auto const beside = computed(record).value_or(Computed{});
        return fmt::format("{:<10}{:>18.2f}{:>18.2f}{:>18.2f}{:>18.2f}\n", size, *record.value * 1e6,
                           beside.compute * 1e6, beside.pure * 1e6, beside.overlap * 100);
    }
    default:
        return fmt::format("{:<10}{:>18.2f}\n", size, in_microseconds(block, record, *record.value));
    }
}

}  // namespace

Exported export_osu(std::span<Series const> series) {
    Exported exported;
    constexpr std::array<std::string_view, 3> named{"bytes", "count", "repetition"};
    for (auto const& block : blocks_of(series, exported)) {
        auto const table = table_of(block);
        exported.text += fmt::format("\n# OSU MPI {} Test v7.4\n", osu_title(block, table));
        exported.text +=
            fmt::format("# {} of {}: {}; written by libmeasure {}\n", one_line(block.first->benchmark),
                        one_line(block.series->label), coordinates_text(block.first->at, named), measure::version());
        exported.text += osu_heading(table);
        for (auto const& [size, record] : block.rows)
            exported.text += osu_row(block, table, size, *record);
    }
    return exported;
}

}  // namespace measure::tool
