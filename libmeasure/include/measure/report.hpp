// SPDX-License-Identifier: BSD-3-Clause
/// Reports: sinks for records. They are called on the root only; none of them communicates.
#pragma once

#include "measure/environment_info.hpp"
#include "measure/record.hpp"
#include "measure/table.hpp"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Numbers of one quantity in the unit that fits one of them, with the same number of digits, so that a value and its
/// errors can be compared. MB/s and GB/s are powers of ten, MiB and GiB of two.
class UnitText {
public:
    /// \param value  that gets three digits or more
    UnitText(Quantity quantity, double value);
    /// "-" for what is not finite.
    [[nodiscard]] std::string text(double value) const;
    /// The same of an error, with further digits up to its first one: "0.0004" where a value has three.
    [[nodiscard]] std::string error_text(double error) const;
    [[nodiscard]] std::string_view unit() const noexcept { return unit_; }  ///< "us", "GB/s"

private:
    double size_;
    std::string_view unit_;
    int digits_;
};

/// A table for people, line by line: benchmark, coordinates, value in a fitting unit with its standard error and
/// interval in the same unit, valid samples of those tried, status with the stop reason, message, flags.
/// A new heading is printed when the coordinates change.
class TableSink {
public:
    /// \param out  outlives the sink
    explicit TableSink(std::ostream& out, TableForm form = TableForm::text) : out_{&out}, form_{form} {}
    void write(Record const& record);  ///< one line, and a heading where the coordinates change

private:
    std::ostream* out_;
    TableForm form_;
    std::vector<std::string> coordinates_;  ///< of the last heading
    std::vector<Column> columns_;
    bool has_heading_ = false;
};

/// Comma-separated values, quoted as in RFC 4180, lines ended by a single line feed; heading first, then one line per
/// record, with full precision in the record's unit. The coordinates of the first record, and those that are named,
/// have columns; what a later record has besides is in the column `other` as "name=value name=value". A missing value
/// is empty.
class CsvSink {
public:
    /// \param out          outlives the sink
    /// \param coordinates  of records to come
    explicit CsvSink(std::ostream& out, TableForm form = TableForm::csv, std::vector<std::string> coordinates = {})
        : out_{&out}, form_{form}, coordinates_{std::move(coordinates)} {}
    void write(Record const& record);  ///< one line, the first time after the heading

private:
    std::ostream* out_;
    TableForm form_;
    std::vector<std::string> coordinates_;
    std::vector<Column> columns_;
};

/// The last line of a run.
struct EndRecord {
    std::string status = "complete";                  ///< complete, interrupted, failed
    int exit_code = 0;                                ///< of the program: 0 done
    std::optional<double> elapsed{};                  ///< since the start, s
    std::optional<double> clock_sync_residual{};      ///< largest over ranks, s
    std::optional<double> clock_sync_residual_rms{};  ///< s
    std::string message{};                            ///< the error of a run that failed; else empty
};

/// Version of the JSON Lines format: `schema` of the run line.
inline constexpr int record_schema = 2;

/// The texts of the JSON Lines format (docs/records.md): one object without line end; never NaN.
/// The line of a run.
[[nodiscard]] std::string json_line(Environment const& run);
/// The line of a point. \param with_samples  where it has them
[[nodiscard]] std::string json_line(Record const& point, bool with_samples = true);
[[nodiscard]] std::string json_line(Summary const& summary);  ///< the line of a summary
[[nodiscard]] std::string json_line(EndRecord const& end);    ///< the last line of a run
[[nodiscard]] std::string json_text(Value const& value);      ///< any value as JSON; what is not finite is null

/// JSON Lines to a file descriptor, one write(2) per line and no buffer in this process, so that a crash costs at most
/// the point in flight. Does not own the descriptor.
class JsonLinesSink {
public:
    /// \param descriptor  open for writing, and as long as the sink lives
    explicit JsonLinesSink(int descriptor) : descriptor_{descriptor} {}
    void begin(Environment const& run) { line(json_line(run)); }  ///< the line of a run
    /// The line of a point. \param with_samples  where it has them
    void write(Record const& record, bool with_samples = true) { line(json_line(record, with_samples)); }
    void write(Summary const& summary) { line(json_line(summary)); }  ///< the line of a summary
    void end(EndRecord const& end) { line(json_line(end)); }          ///< the last line of a run

private:
    /// \throws std::system_error when the line cannot be written whole
    void line(std::string text) const;
    int descriptor_;
};

}  // namespace measure
#pragma GCC visibility pop
