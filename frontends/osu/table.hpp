// SPDX-License-Identifier: BSD-3-Clause
/// Table: the output of a program, byte for byte. Pure.
#pragma once

#include "osu/options.hpp"

#include <measure/record.hpp>
#include <measure/table.hpp>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace osu {

/// Rows under one heading.
struct Block {
    Type type = Type::mpi_char;
    int window = 64;
};

/// Sets the coordinates of a point except `ranks` and `bytes`. \param pair_count  number of pairs of processes, if
/// there are pairs
void complete_point(measure::Point& at, Row const& row, Options const& o, Block const& block, int pair_count);

/// The names of a synchronisation ("flush") and of a way to create a window, as the table prints them.
[[nodiscard]] std::string synchronisation(std::string const& name);
[[nodiscard]] std::string window_creation(bodies::WindowKind kind);

/// A column that shows a number of the point's `derived`.
struct DerivedColumn {
    std::string_view heading;
    std::string_view key;
    double factor = 1e6;  ///< multiplies the number for the table
};
inline constexpr std::array derived_columns{
    DerivedColumn{"Compute(us)", "compute"},        DerivedColumn{"Coll. Init(us)", "init"},
    DerivedColumn{"MPI_Test(us)", "test"},          DerivedColumn{"MPI_Wait(us)", "wait"},
    DerivedColumn{"Pure Comm.(us)", "pure"},        DerivedColumn{"Min Comm.(us)", "pure_min"},
    DerivedColumn{"Max Comm.(us)", "pure_max"},     DerivedColumn{"Overlap(%)", "overlap", 100},
    DerivedColumn{"Messages/s", "message_rate", 1},
};

/// Facts about a run for the lines before the rows.
struct RunFacts {
    int pairs = 1;             ///< pairs of processes
    std::vector<int> sides{};  ///< sides of the grid of neighbours
    double topology_time = 0;  ///< time to create the topology in us, mean over ranks
};

/// "# OSU MPI Latency Test v7.4" and a line end. Nothing follows the version.
[[nodiscard]] std::string title(Row const& row, Format format);

/// The lines before the rows of a block. \param type_name  MPI's name \param first  whether this is the first block
[[nodiscard]] std::string lines_before(Row const& row, Options const& options, RunFacts const& facts,
                                       std::string const& type_name, bool first);

/// The columns of a record's row.
[[nodiscard]] std::vector<measure::Column> columns(Row const& row, Options const& options);

/// Windows side by side: a table of bandwidths and a table of rates. \param records  for all sizes, ordered by window
[[nodiscard]] std::string varied_windows(Options const& options, std::span<measure::Record const> records);

// Lines that the original does not print. They begin with #+ and go to stderr, so that scripts find only the original's
// lines on stdout. --plain omits them.

/// The line that names the program that wrote the table: "#+ libmeasure 0.1.0".
[[nodiscard]] std::string signature(Options const& options, std::string_view version);

/// The lines about the rows of a block: further statistics and the quality of each number.
[[nodiscard]] std::string remarks(Row const& row, Options const& options, std::span<measure::Record const> records);

}  // namespace osu
