// SPDX-License-Identifier: BSD-3-Clause
/// Table: the text blocks that the LLCBench programs write for gnuplot, and their CSV form. Local.
///
///     # cachebench test=read type=double w=8 unit=MB/s (1 MB = 1048576 bytes)
///     # host=kiwi os=Linux arch=x86_64
///     # columns: bytes MB/s ns
///     256 33400.500000 0.2284
///     # note: 384: too short for the timer
///     384 - -
///     # unsettled: 256 bytes: memory was touched for the first time while this row was measured
#pragma once

#include <measure/record.hpp>
#include <measure/table.hpp>

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace llcbench {

enum class Format {
    dat,    ///< comments and columns; two blank lines between blocks
    csv,    ///< commas, an additional first column, one header line for all blocks; no comments
    plain,  ///< the first two columns of dat; no comments
};

/// Keys and values of a comment line, in order.
using Fields = std::vector<std::pair<std::string, std::string>>;

/// Columns of a block; see `fixed` and `significant` for their cells.
using Columns = std::vector<measure::Column>;

/// The lines above the rows of a block.
struct Block {
    std::string program;  ///< start of the first line
    Fields title;         ///< the rest of the first line
    std::vector<Fields> head{};
    std::vector<std::string> columns{};
    std::pair<std::string, std::string> label{};  ///< name and value of the additional column of csv: "test", "read"
};

/// The unit MB/s with its definition.
inline constexpr std::string_view megabyte_unit = "MB/s (1 MB = 1048576 bytes)";

/// Writes blocks. Every line is flushed, so that a killed run leaves complete rows.
class Table {
public:
    Table(std::ostream& out, Format format) : out_{&out}, format_{format} {}

    /// Declares further csv columns that the first block lacks. Call it before the first block. Cells without number
    /// are empty, and so are cells of blocks that lack the column.
    void declare(Columns const& columns);
    /// \throws std::logic_error for a csv column that is missing in the header line
    void begin(Block block);
    /// Overload for rows that are records. \param columns  replace the block's titles
    void begin(Block block, Columns columns);
    void row(measure::Record const& record, std::string_view note = {});
    /// \param cells  one per column; see `fixed`, `significant`
    /// \param note   comment before the row, for values that could not be measured; may be empty
    void row(std::vector<std::string> const& cells, std::string_view note = {});
    /// Writes a comment below the rows of a block, unless the text is empty or the format has no comments.
    void remark(std::string_view text);

private:
    void line(std::string const& text);
    std::ostream* out_;
    Format format_;
    std::pair<std::string, std::string> label_;
    std::vector<std::string> declared_{};  ///< column names of csv
    std::vector<std::string> columns_{};   ///< column names of the block
    Columns cells_{};
    bool first_ = true;
};

/// "a=1 b=two words"
[[nodiscard]] std::string text(Fields const& fields);

/// The number with a fixed number of decimals; "-" if it is empty or not finite.
[[nodiscard]] std::string fixed(std::optional<double> number, int decimals = 6);

/// The number with a number of significant digits, never with an exponent; "-" if it is empty or not finite.
[[nodiscard]] std::string significant(std::optional<double> number, int digits = 4);

}  // namespace llcbench
