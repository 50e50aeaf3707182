// SPDX-License-Identifier: BSD-3-Clause
/// Read: parses record files. Pure functions, local. Reading is tolerant, writing is strict.
#pragma once

#include "measure/environment_info.hpp"
#include "measure/error.hpp"
#include "measure/record.hpp"
#include "measure/report.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// A line of a record file that is not part of a record.
struct OtherLine {
    int number = 0;      ///< line number in the file, from 1
    std::string text{};  ///< first 60 bytes of the line
};

/// One launch in a record file: its run line and the lines that follow.
struct RunRecord {
    Environment run{};                 ///< unknown members of the run line are in `more`
    std::vector<Record> points{};      ///< in the order of the file
    std::vector<Summary> summaries{};  ///< in the order of the file
    std::optional<EndRecord> end{};    ///< empty: the program was killed or has not finished
    bool torn = false;                 ///< the last line was incomplete (no line end) and was skipped
    std::size_t begin = 0;             ///< position of the run line in the text, bytes
    /// Skipped lines: records of a kind that this version does not know, and other text between the lines of the launch
    /// or before the first one, which a launcher may have added to standard output.
    std::vector<OtherLine> others{};
};

/// Error for a text that is not a record file, or that is damaged in a way that a crash cannot explain.
class RecordFault : public UsageError {
public:
    /// \param line  number of the faulty line, from 1
    RecordFault(int line, std::string const& text) : UsageError{text}, line_{line} {}
    [[nodiscard]] int line() const noexcept { return line_; }  ///< number of the faulty line, from 1

private:
    int line_;
};

/// Parses a record file. Returns its launches in order, at least one. Unknown members and unknown kinds of lines are
/// ignored. Missing or null optional members have their default. A last line without line end is skipped if it cannot
/// be parsed.
///
/// No other line is skipped silently. A line that does not begin with "{" but looks like a part of a record (it
/// contains the name of a member, ends with "}", or contains a zero byte) is damaged and causes an error. Other text,
/// which a launcher may have added to standard output, is reported in `others`. Blank lines are ignored.
///
/// An Estimate has only the members that the record's `estimate` contains. Members that the writer put into `derived`
/// stay there.
/// \throws RecordFault for a text without a run line, a point before the first run line, a line that is damaged or not
///         JSON, a member of the wrong type, an unknown quantity or status, an excess found by `json_excess`, and a
///         schema other than `record_schema`
[[nodiscard]] std::vector<RunRecord> read_records(std::string_view text);

/// Reason why a JSON text would need more stack or time than its length suggests: "is nested more than 200 levels
/// deep", "has an object of more than 10000 members". Empty if there is no such reason. Other errors are not found.
[[nodiscard]] std::string json_excess(std::string_view text);

}  // namespace measure
#pragma GCC visibility pop
