// SPDX-License-Identifier: BSD-3-Clause
/// Reports: sinks for records. Sinks are used on the root only and do not communicate.
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

/// Formats numbers of one quantity in a common unit with the same number of decimals, so that a value and its errors
/// can be compared. MB/s and GB/s are powers of ten, MiB and GiB powers of two.
class UnitText {
public:
    /// \param value  chooses the unit and the decimals; it gets at least three significant digits
    UnitText(Quantity quantity, double value);
    /// A number in the chosen unit; "-" if it is not finite.
    [[nodiscard]] std::string text(double value) const;
    /// An error in the chosen unit, with more decimals if its first significant digit needs them: "0.0004".
    [[nodiscard]] std::string error_text(double error) const;
    [[nodiscard]] std::string_view unit() const noexcept { return unit_; }  ///< "us", "GB/s"

private:
    double size_;
    std::string_view unit_;
    int digits_;
};

/// Prints a table for readers, one line per record: benchmark, coordinates, value in a suitable unit with its standard
/// error and interval in the same unit, valid samples and samples tried, status with the stop reason, message, flags.
/// A new heading is printed whenever the coordinates change.
class TableSink {
public:
    /// \param out  must outlive the sink
    explicit TableSink(std::ostream& out, TableForm form = TableForm::text) : out_{&out}, form_{form} {}
    void write(Record const& record);  ///< prints a line, and a heading if the coordinates have changed

private:
    std::ostream* out_;
    TableForm form_;
    std::vector<std::string> coordinates_;  ///< coordinates of the last heading
    std::vector<Column> columns_;
    bool has_heading_ = false;
};

/// Prints comma-separated values, quoted as in RFC 4180, with a single line feed at the end of a line. The first line
/// is the heading. Each record has one line, with full precision, in the record's unit. The coordinates of the first
/// record and the coordinates passed to the constructor have their own columns. Other coordinates are in the column
/// `other` as "name=value name=value". Missing values are empty.
class CsvSink {
public:
    /// \param out          must outlive the sink
    /// \param coordinates  names of coordinates that later records have
    explicit CsvSink(std::ostream& out, TableForm form = TableForm::csv, std::vector<std::string> coordinates = {})
        : out_{&out}, form_{form}, coordinates_{std::move(coordinates)} {}
    void write(Record const& record);  ///< prints a line, and before the first line the heading

private:
    std::ostream* out_;
    TableForm form_;
    std::vector<std::string> coordinates_;
    std::vector<Column> columns_;
};

/// The last line of a record file.
struct EndRecord {
    std::string status = "complete";                  ///< complete, interrupted, failed
    int exit_code = 0;                                ///< exit code of the program; 0: success
    std::optional<double> elapsed{};                  ///< time since the start of the program, s
    std::optional<double> clock_sync_residual{};      ///< largest over ranks, s
    std::optional<double> clock_sync_residual_rms{};  ///< root mean square over ranks, s
    std::string message{};                            ///< error message of a failed program; otherwise empty
};

/// Version of the JSON Lines format: `schema` of the run line.
inline constexpr int record_schema = 2;

/// The first line of a record file: machine and settings of the launch. This and the next four functions return one
/// line in the JSON Lines format (docs/records.md), without line end. NaN is never written.
[[nodiscard]] std::string json_line(Environment const& run);
/// The line of a point. \param with_samples  whether to include the samples, if the record has them
[[nodiscard]] std::string json_line(Record const& point, bool with_samples = true);
[[nodiscard]] std::string json_line(Summary const& summary);  ///< the line of a summary
[[nodiscard]] std::string json_line(EndRecord const& end);    ///< the last line
[[nodiscard]] std::string json_text(Value const& value);      ///< any value; non-finite numbers become null

/// Writes JSON Lines to a file descriptor. Each line is one unbuffered write(2), so that a crash loses at most the
/// point that is being measured. Does not own the descriptor.
class JsonLinesSink {
public:
    /// \param descriptor  open for writing; must stay open while the sink exists
    explicit JsonLinesSink(int descriptor) : descriptor_{descriptor} {}
    void begin(Environment const& run) { line(json_line(run)); }  ///< the first line: machine and settings
    /// The line of a point. \param with_samples  whether to include the samples, if the record has them
    void write(Record const& record, bool with_samples = true) { line(json_line(record, with_samples)); }
    void write(Summary const& summary) { line(json_line(summary)); }  ///< the line of a summary
    void end(EndRecord const& end) { line(json_line(end)); }          ///< the last line

private:
    /// \throws std::system_error if the line cannot be written completely
    void line(std::string text) const;
    int descriptor_;
};

}  // namespace measure
#pragma GCC visibility pop
