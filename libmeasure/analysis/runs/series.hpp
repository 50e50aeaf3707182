// SPDX-License-Identifier: BSD-3-Clause
/// Series: runs as series, and their points as curves over size, processes or another coordinate. Pure, local.
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

/// A run; or several starts of one program with the same options, joined point by point.
struct Series {
    std::string label{};
    std::string of{};                       ///< the label of its file, which other series may share
    std::vector<Launch const*> launches{};  ///< at least one; of the sources, which outlive this
    std::vector<Record> points{};
    std::string states{};  ///< of the machine (`states_text`), where there were several: points are for the first
    [[nodiscard]] Environment const& run() const noexcept { return launches.front()->record.run; }
};

/// \param labels  one for each file, or none  \throws UsageError where their number is another one
void check_labels(std::span<std::string const> labels, std::size_t files);

/// What the sources hold, in order. Runs of one file that are alike (`are_alike`) are starts of one program and become
/// one series; files are never joined. \param join  starts of different campaigns and days too
/// \param labels  one for each file; none: their names without the folders that all are in and without ".jsonl". Where
///                a file has several series, ":2" and so on follows
/// \throws UsageError where the number of labels is another one
[[nodiscard]] std::vector<Series> series_of(std::span<Source const> sources, std::span<std::string const> labels = {},
                                            double confidence = 0.95, bool join = false);

/// The interval that belongs to a point's value: that of `estimate_of_value`, where it is finite and can be
/// shown (`interval_to_show`).
[[nodiscard]] std::optional<Interval> interval_of(Record const& record);

/// A coordinate's value as a number; nothing for texts and booleans.
[[nodiscard]] std::optional<double> number(Record const& record, std::string_view coordinate);

/// A coordinate as text; empty where the point has none of that name.
[[nodiscard]] std::string coordinate_at(Record const& record, std::string_view name);

/// "ranks=4", "64 KiB", "ring": a coordinate in a label.
[[nodiscard]] std::string coordinate_label(std::string_view name, Point::Coordinate const& value);

struct CurvePoint {
    double x = 0;
    Record const* record = nullptr;  ///< has a value
};

struct RecordCurve {
    std::string label{};               ///< in what it differs from the others of its family
    std::size_t series = 0;            ///< that its first point is of
    std::vector<CurvePoint> points{};  ///< by x; those with one x in the order measured
};

/// Curves that belong into one plot: a benchmark and a quantity over one coordinate.
struct Family {
    std::string benchmark{};
    Quantity quantity = Quantity::time;
    std::string x{};       ///< name of the coordinate: "bytes", "ranks", ...
    std::string common{};  ///< coordinates that all points have in common: "ranks=4, root=0"; may be empty
    /// In what runs differ that share a curve over `ranks`, beside that number: "mpi", "options.start".
    std::vector<std::string> differing{};
    std::vector<RecordCurve> curves{};
};

/// A family over `bytes` and one over `ranks` for each benchmark and quantity where these vary; where neither does, one
/// over the first number that varies. Points without a value are left out.
///
/// A curve is a series and one value of every coordinate that varies besides, as far as these do not follow from the
/// others (`count` from `bytes`). Over `ranks`, series with the same label are one curve, and so are all series where
/// each has one number of ranks of its own.
/// \param series  outlives the result
[[nodiscard]] std::vector<Family> families(std::span<Series const> series);

/// All points, which are of one benchmark and quantity, over one coordinate, whether that varies or not.
/// \param groups  for each series the first one that it shares curves with \param series  outlives the result
[[nodiscard]] Family family_over(std::span<Series const> series, std::string const& x,
                                 std::span<std::size_t const> groups);

}  // namespace measure
