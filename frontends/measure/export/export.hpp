// SPDX-License-Identifier: BSD-3-Clause
/// Export: what records say, in the formats that other tools read. Pure, local.
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

/// A text, and what it has no place for.
struct Exported {
    std::string text{};
    std::size_t carried = 0;                        ///< points
    std::map<std::string, std::size_t> left_out{};  ///< points by the reason why they are not in the text
};

using Exporter = Exported (*)(std::span<Series const> series);

/// The tables of the OSU micro-benchmarks: a block for each benchmark, number of processes and other coordinates.
[[nodiscard]] Exported export_osu(std::span<Series const> series);
/// The tables of the Intel MPI Benchmarks. The last line, by which harnesses know success, is there only where all runs
/// are complete.
[[nodiscard]] Exported export_imb(std::span<Series const> series);
/// JSON of google/benchmark: each launch, or each sample that was kept with --raw, is a repetition.
[[nodiscard]] Exported export_google_benchmark(std::span<Series const> series);
/// JUnit XML: a test suite for each run, a test case for each point and for the run itself.
[[nodiscard]] Exported export_junit(std::span<Series const> series);
/// A line "FOM BENCHMARK/KEY=VALUE,.../METRIC VALUE UNIT" for each number.
[[nodiscard]] Exported export_fom(std::span<Series const> series);

// For the exporters.

/// Why a record has no number to show; nothing where it has one.
[[nodiscard]] std::optional<std::string> why_without_number(measure::Record const& record);

/// What a point says several times, in its unit: the medians of its launches, or the valid samples of a single launch
/// as multiples of its value; otherwise the value alone. \param record  has a value
[[nodiscard]] std::vector<double> repetitions(measure::Record const& record);

/// The text on one line: control characters become "?", with `no_blanks` a blank becomes "_".
[[nodiscard]] std::string one_line(std::string_view text, bool no_blanks = false);

/// "Bcast/ranks:2/bytes:8": a point's name, with the series' label in front where there are several.
[[nodiscard]] std::string slashed_name(Series const& series, std::size_t all, measure::Record const& record);

/// "ranks=2,mode=aggregate": coordinates, but for the names left out.
[[nodiscard]] std::string coordinates_text(measure::Point const& at, std::span<std::string_view const> left_out);

/// A number within `derived`, by the names that lead to it.
[[nodiscard]] std::optional<double> derived_number(measure::Record const& record,
                                                   std::initializer_list<std::string_view> path);

/// The rows of a table over sizes, which stand in one block.
struct TableBlock {
    Series const* series = nullptr;
    measure::Record const* first = nullptr;  ///< of its records
    std::optional<Semantics> meaning{};      ///< nothing: a benchmark of MPI that nothing is known of
    std::multimap<measure::Bytes, measure::Record const*> rows{};  ///< by `block_size`; of a benchmark without sizes 0
};

/// A value of a block's record as the time of one operation, in microseconds; 0 where it is none.
[[nodiscard]] double in_microseconds(TableBlock const& block, measure::Record const& record, double value);

/// What all pairs of processes together move in a second, of a block of streams; 0 where the value is none.
[[nodiscard]] double bytes_per_second(TableBlock const& block, measure::Bytes size, measure::Record const& record);

/// What stands in tables over sizes: of programs with MPI times and bandwidths that have a size, and barriers. The
/// other points are left out. Blocks refer to the series.
[[nodiscard]] std::vector<TableBlock> blocks_of(std::span<Series const> series, Exported& exported);

}  // namespace measure::tool
