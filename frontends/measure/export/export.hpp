// SPDX-License-Identifier: BSD-3-Clause
/// Export: writes the contents of records in formats that other tools read. Pure, local.
#pragma once

#include "analysis/runs/meaning.hpp"
#include "analysis/runs/series.hpp"

#include <measure/record.hpp>

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool {

/// The exported text, and the points that it could not represent.
struct Exported {
    std::string text{};
    std::size_t carried = 0;                        ///< points in the text
    std::map<std::string, std::size_t> left_out{};  ///< points not in the text, counted by reason
};

using Exporter = Exported (*)(std::span<Series const> series);

/// The tables of the OSU micro-benchmarks: a block for each benchmark, number of processes and other coordinates.
[[nodiscard]] Exported export_osu(std::span<Series const> series);
/// The tables of the Intel MPI Benchmarks. The last line, from which test harnesses detect success, is written only if
/// all runs are complete.
[[nodiscard]] Exported export_imb(std::span<Series const> series);
/// JSON of google/benchmark. Each launch is a repetition; for a single launch with --raw, each sample that was kept.
[[nodiscard]] Exported export_google_benchmark(std::span<Series const> series);
/// JUnit XML: a test suite for each run, a test case for each point and for the run itself.
[[nodiscard]] Exported export_junit(std::span<Series const> series);
/// A line "FOM BENCHMARK/KEY=VALUE,.../METRIC VALUE UNIT" for each number.
[[nodiscard]] Exported export_fom(std::span<Series const> series);

// For the exporters.

/// The reason why a record has no number to show; nullopt if it has one.
[[nodiscard]] std::optional<std::string> why_without_number(measure::Record const& record);

/// The repeated values of a point, in its unit: the medians of its launches, or the valid samples of a single launch
/// scaled to its value; otherwise only the value. \param record  must have a value
[[nodiscard]] std::vector<double> repetitions(measure::Record const& record);

/// The text on one line. Control characters become "?". With `no_blanks`, spaces become "_".
[[nodiscard]] std::string one_line(std::string_view text, bool no_blanks = false);

/// "Bcast/ranks:2/bytes:8": the name of a point, preceded by the series' label if there are several series.
[[nodiscard]] std::string slashed_name(Series const& series, std::size_t all, measure::Record const& record);

/// "ranks=2,mode=aggregate": the coordinates except those in `left_out`.
[[nodiscard]] std::string coordinates_text(measure::Point const& at, std::span<std::string_view const> left_out);

/// A number inside `derived`, given by the path of names.
[[nodiscard]] std::optional<double> derived_number(measure::Record const& record,
                                                   std::initializer_list<std::string_view> path);

/// The rows of a table over sizes that form one block.
struct TableBlock {
    Series const* series = nullptr;
    measure::Record const* first = nullptr;  ///< first record of the block
    std::optional<Semantics> meaning{};      ///< nullopt for an MPI benchmark that is not known here
    std::multimap<measure::Bytes, measure::Record const*>
        rows{};  ///< records by `block_size`; 0 for a benchmark without sizes
};

/// A value of one of the block's records as the time of one operation, in microseconds; 0 if it cannot be converted.
[[nodiscard]] double in_microseconds(TableBlock const& block, measure::Record const& record, double value);

/// Bytes per second that all pairs of processes move together, for a block of streams; 0 if it cannot be computed.
[[nodiscard]] double bytes_per_second(TableBlock const& block, measure::Bytes size, measure::Record const& record);

/// The blocks of tables over sizes. They contain barriers, and times and bandwidths with a size, from programs with
/// MPI. Other points are counted as left out. The blocks refer to the series.
[[nodiscard]] std::vector<TableBlock> blocks_of(std::span<Series const> series, Exported& exported);

}  // namespace measure::tool
