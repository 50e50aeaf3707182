// SPDX-License-Identifier: BSD-3-Clause
/// Table: records as rows of columns: for people, for programs, for pages. Local; root only, as the records are.
#pragma once

#include "measure/callback.hpp"
#include "measure/record.hpp"

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// One column: what stands above it and how its cell follows from a record.
struct Column {
    std::string heading;                        ///< "t[usec]", "bytes"
    Callback<std::string(Record const&)> cell;  ///< empty: there is nothing to show
    int width = 10;                             ///< least width in a text; < 0: flush left; 0: as long as it is
    int gap = 1;                                ///< blanks in front of it in a text, unless it is the first
};

/// How rows are written.
enum class TableForm {
    text,      ///< columns of equal width; "-" where there is nothing
    dat,       ///< blanks between cells, as gnuplot reads them; "-" where there is nothing
    csv,       ///< RFC 4180; empty where there is nothing
    tsv,       ///< tabs between cells; empty where there is nothing
    markdown,  ///< a table of GitHub's Markdown
    html,      ///< a table element with a row group
};

/// A field of comma-separated values as RFC 4180 has it: in quotes where it holds a comma, a quote or a line end;
/// quotes doubled. A text that begins with = + - @, a tab or a carriage return gets a ' before it, so that a
/// spreadsheet does not take it for a formula; numbers stay, and texts without letters and digits.
[[nodiscard]] std::string csv_field(std::string_view text);

[[nodiscard]] std::string_view name(TableForm form) noexcept;  ///< as command lines have it: "csv"

/// A line with the headings of the columns, and the end of a table where the form has one.
/// \{
[[nodiscard]] std::string table_head(std::vector<Column> const& columns, TableForm form);
[[nodiscard]] std::string table_row(std::vector<Column> const& columns, TableForm form, Record const& record);
[[nodiscard]] std::string table_foot(TableForm form);
/// \}

/// Writes a table to a stream; every row is flushed, so that a run that is killed leaves whole ones.
class Table {
public:
    /// \param out  outlives the table
    Table(std::ostream& out, TableForm form, std::vector<Column> columns)
        : out_{&out}, form_{form}, columns_{std::move(columns)} {}
    void head();                       ///< the headings; before the first row, or where they are wanted again
    void write(Record const& record);  ///< one row

private:
    std::ostream* out_;
    TableForm form_;
    std::vector<Column> columns_;
};

}  // namespace measure
#pragma GCC visibility pop
