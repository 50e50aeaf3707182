// SPDX-License-Identifier: BSD-3-Clause
/// Table: the text blocks that the LLCBench programs write for gnuplot, and the same as CSV. Local.
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
    csv,    ///< commas, one more first column, one line of names for all blocks; no comments
    plain,  ///< the first two columns of dat; no comments
};

/// Keys and values of a comment line, in order.
using Fields = std::vector<std::pair<std::string, std::string>>;

/// Columns of a block; see `fixed` and `significant` for their cells.
using Columns = std::vector<measure::Column>;

/// What stands above the rows of a block.
struct Block {
    std::string program;  ///< opens the first line
    Fields title;         ///< the rest of the first line
    std::vector<Fields> head{};
    std::vector<std::string> columns{};
    std::pair<std::string, std::string> label{};  ///< name and value of the additional column of csv: "test", "read"
};

/// "1 MB = 1048576 bytes": what stands behind a unit of MB/s.
inline constexpr std::string_view megabyte_unit = "MB/s (1 MB = 1048576 bytes)";

/// Writes blocks; every line is flushed, so that a run that is killed leaves whole rows.
class Table {
public:
    Table(std::ostream& out, Format format) : out_{&out}, format_{format} {}

    /// Before the first block: names of columns of csv that it lacks. Cells of a block that has no such
    /// column are empty, as are those without a number.
    void declare(Columns const& columns);
    /// \throws std::logic_error for a column of csv that the line of names lacks
    void begin(Block block);
    /// The same for rows that are records. \param columns  in place of the block's titles
    void begin(Block block, Columns columns);
    void row(measure::Record const& record, std::string_view note = {});
    /// \param cells  one per column; see `fixed`, `significant`
    /// \param note   stands before the row where something could not be measured; empty: none
    void row(std::vector<std::string> const& cells, std::string_view note = {});
    /// What is said below the rows of a block; nothing where the text is empty or comments have no place.
    void remark(std::string_view text);

private:
    void line(std::string const& text);
    std::ostream* out_;
    Format format_;
    std::pair<std::string, std::string> label_;
    std::vector<std::string> declared_{};  ///< names of csv
    std::vector<std::string> columns_{};   ///< names of the block
    Columns cells_{};
    bool first_ = true;
};

/// "a=1 b=two words"
[[nodiscard]] std::string text(Fields const& fields);

/// The number with so many decimals; "-" where there is none (nothing, infinite, not a number).
[[nodiscard]] std::string fixed(std::optional<double> number, int decimals = 6);

/// The number with so many significant digits, never with an exponent; "-" where there is none.
[[nodiscard]] std::string significant(std::optional<double> number, int digits = 4);

}  // namespace llcbench
