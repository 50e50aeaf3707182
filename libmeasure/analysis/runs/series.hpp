// SPDX-License-Identifier: BSD-3-Clause
/// Series: runs combined into series, and their points as curves over size, ranks or another coordinate. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"

#include <measure/record.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

/// One run, or several launches of one program with the same options, joined point by point.
struct Series {
    std::string label{};
    std::string of{};                       ///< label of its file; other series of the file have the same
    std::vector<Launch const*> launches{};  ///< at least one; points into the sources, which must outlive the series
    std::vector<Record> points{};
    std::string states{};  ///< states of the machine (`states_text`) if there are several; points are of the first
    [[nodiscard]] Environment const& run() const noexcept { return launches.front()->record.run; }
};

/// \param labels  one for each file, or none  \throws UsageError if their number differs from the number of files
void check_labels(std::span<std::string const> labels, std::size_t files);

/// The series of all sources, in order. Runs of one file that are compatible (`are_alike`) are launches of one program
/// and form one series; runs of different files are never joined. \param join  also join launches of different
/// campaigns and days
/// \param labels  one for each file; if empty, file names without their common folders and without ".jsonl". Further
///     series of a file get the suffix ":2" and so on
/// \throws UsageError if the number of labels differs from the number of files
[[nodiscard]] std::vector<Series> series_of(std::span<Source const> sources, std::span<std::string const> labels = {},
                                            double confidence = 0.95, bool join = false);

/// The interval that belongs to a point's value (`estimate_of_value`), if it is finite and can be shown
/// (`interval_to_show`).
[[nodiscard]] std::optional<Interval> interval_of(Record const& record);

/// A coordinate as a number; empty for texts and booleans.
[[nodiscard]] std::optional<double> number(Record const& record, std::string_view coordinate);

/// A coordinate as text; empty if the point does not have it.
[[nodiscard]] std::string coordinate_at(Record const& record, std::string_view name);

/// A coordinate as part of a label: "ranks=4", "64 KiB", "ring".
[[nodiscard]] std::string coordinate_label(std::string_view name, Point::Coordinate const& value);

struct CurvePoint {
    double x = 0;
    Record const* record = nullptr;  ///< never null; has a value
};

struct RecordCurve {
    std::string label{};               ///< how it differs from the other curves of the family
    std::size_t series = 0;            ///< index of the series of its first point
    std::vector<CurvePoint> points{};  ///< ascending x; points with equal x in the order measured
};

/// Curves of one plot: a benchmark and a quantity over one coordinate.
struct Family {
    std::string benchmark{};
    Quantity quantity = Quantity::time;
    std::string x{};       ///< name of the coordinate: "bytes", "ranks", ...
    std::string common{};  ///< coordinates that are the same for all points: "ranks=4, root=0"; may be empty
    /// How runs with a shared curve over `ranks` differ, apart from the number of ranks: "mpi", "options.start".
    std::vector<std::string> differing{};
    std::vector<RecordCurve> curves{};
};

/// A family over `bytes` and one over `ranks` for each benchmark and quantity, if these coordinates vary. If neither
/// varies, one family over the first numeric coordinate that varies. Points without a value are left out.
///
/// A curve has one series and one value of each further coordinate that varies, except coordinates that follow from
/// others (`count` from `bytes`). Over `ranks`, series with the same label form one curve. All series do if each has a
/// single, different number of ranks.
/// \param series  must outlive the result
[[nodiscard]] std::vector<Family> families(std::span<Series const> series);

/// A family of all points over one coordinate, whether or not it varies. All points must be of one benchmark and
/// quantity. \param groups  for each series the first one that it shares curves with \param series  must outlive the
/// result
[[nodiscard]] Family family_over(std::span<Series const> series, std::string const& x,
                                 std::span<std::size_t const> groups);

}  // namespace measure
