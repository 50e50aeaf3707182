// SPDX-License-Identifier: BSD-3-Clause
/// Table: records as rows of columns, for readers, for programs and for web pages. Local; root only, like the records.
#pragma once

#include "measure/callback.hpp"
#include "measure/record.hpp"

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// One column: its heading and the function that gets its cell from a record.
struct Column {
    std::string heading;                        ///< heading such as "t[usec]" or "bytes"
    Callback<std::string(Record const&)> cell;  ///< returns the cell of a record; empty for missing values
    int width = 10;  ///< minimum width in a text; < 0: left-aligned; 0: width of the contents
    int gap = 1;     ///< number of blanks before the column in a text, unless it is the first
};

/// Format of a table.
enum class TableForm {
    text,      ///< columns of equal width; "-" for empty cells
    dat,       ///< cells separated by blanks, for gnuplot; "-" for empty cells
    csv,       ///< RFC 4180; empty cells stay empty
    tsv,       ///< cells separated by tabs; empty cells stay empty
    markdown,  ///< a table in GitHub's Markdown
    html,      ///< a table element with a row group
};

/// Quotes a field of comma-separated values by RFC 4180: a text with a comma, a quote or a line end is enclosed in
/// quotes, and its quotes are doubled. A text that begins with = + - @, a tab or a carriage return gets the prefix ',
/// so that spreadsheets do not treat it as a formula. Numbers, and texts without letters and digits, get no prefix.
[[nodiscard]] std::string csv_field(std::string_view text);

[[nodiscard]] std::string_view name(TableForm form) noexcept;  ///< name for command lines, "csv"

/// The line of headings, the line of a record, and the end of the table (empty if the format has no end).
/// \{
[[nodiscard]] std::string table_head(std::vector<Column> const& columns, TableForm form);
[[nodiscard]] std::string table_row(std::vector<Column> const& columns, TableForm form, Record const& record);
[[nodiscard]] std::string table_foot(TableForm form);
/// \}

/// Writes a table to a stream. Every row is flushed, so that a killed program leaves complete rows.
class Table {
public:
    /// \param out  must outlive the table
    Table(std::ostream& out, TableForm form, std::vector<Column> columns)
        : out_{&out}, form_{form}, columns_{std::move(columns)} {}
    void head();                       ///< writes the headings; call it before the first row, or to repeat them
    void write(Record const& record);  ///< writes one row

private:
    std::ostream* out_;
    TableForm form_;
    std::vector<Column> columns_;
};

}  // namespace measure
#pragma GCC visibility pop
