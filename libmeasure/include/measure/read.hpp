// SPDX-License-Identifier: BSD-3-Clause
/// Read: record files back into values. Pure, local. Reading is tolerant where writing is strict.
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

/// A line of a record file that is no line of a record.
struct OtherLine {
    int number = 0;      ///< in the file, from 1
    std::string text{};  ///< its first 60 bytes
};

/// One run of a record file.
struct RunRecord {
    Environment run{};                 ///< members of the run line that this version does not know stand in `more`
    std::vector<Record> points{};      ///< in the order of the file
    std::vector<Summary> summaries{};  ///< in the order of the file
    std::optional<EndRecord> end{};    ///< nothing: the run was killed, or is not over
    bool torn = false;                 ///< its last line was left out: it has no line end
    std::size_t begin = 0;             ///< where its run line stands in the text, bytes
    /// Lines that were left out: text between the lines of the run, or before the first one, which a launcher may have
    /// added to standard output, and records of a kind that this version does not know.
    std::vector<OtherLine> others{};
};

/// A text that is no record file, or is broken where a crash cannot have broken it.
class RecordFault : public UsageError {
public:
    /// \param line  that is wrong, from 1
    RecordFault(int line, std::string const& text) : UsageError{text}, line_{line} {}
    [[nodiscard]] int line() const noexcept { return line_; }  ///< from 1

private:
    int line_;
};

/// The runs of a record file, in order; at least one. Fields and kinds of lines that are not known are ignored, a
/// missing optional field is what it is by default, and so is null. A last line without line end is left out where it
/// cannot be read.
///
/// No line is dropped in silence. A line that does not begin with "{" but looks like a part of a record (it has a
/// member's name, ends with "}", or holds a zero byte) is a damaged one, and a fault. Other text (a launcher may add
/// some to standard output) stands in `others`. Blank lines mean nothing.
///
/// An Estimate is read as far as the record's `estimate` has it; what the writer put into `derived` stays there.
/// \throws RecordFault for a text without a run line, a point before the first one, a line that is no JSON or is
///         damaged, a member of the wrong type, an unknown quantity or status, what `json_excess` tells of, and
///         another schema than `record_schema`
[[nodiscard]] std::vector<RunRecord> read_records(std::string_view text);

/// By what a text of JSON would take more stack or time than its length says: "is nested more than 200 levels deep",
/// "has an object of more than 10000 members". Empty where it would not. What is wrong besides is a parser's matter.
[[nodiscard]] std::string json_excess(std::string_view text);

}  // namespace measure
#pragma GCC visibility pop
