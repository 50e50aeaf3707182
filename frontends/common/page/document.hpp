// SPDX-License-Identifier: BSD-3-Clause
/// Document: the content of a report, independent of the output format. Values, local.
#pragma once

#include "page/plot.hpp"

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace page {

/// Whether the content under a heading can be folded, and its initial state.
enum class Fold { none, open, closed };

struct Heading {
    int level = 1;  ///< 1 to 3
    std::string text{};
    Fold fold = Fold::none;  ///< applies to the content up to the next heading of this or a higher level
};

struct Paragraph {
    std::string text{};
};

struct List {
    std::vector<std::string> items{};
    bool warning = false;  ///< shown prominently, for facts that the reader must know first
};

/// Whether a text is good or bad news. The text must express it too.
enum class Tone { plain, good, bad };

/// A cell of a table.
struct Cell {
    Cell() = default;
    Cell(std::string t) : text{std::move(t)} {}  // NOLINT(google-explicit-constructor)
    Cell(char const* t) : text{t} {}             // NOLINT(google-explicit-constructor)
    Cell(std::string t, bool is_marked) : text{std::move(t)}, marked{is_marked} {}
    std::string text{};
    bool marked = false;  ///< highlighted, because it differs from its neighbours or needs care
    Tone tone = Tone::plain;
    friend auto operator<=>(Cell const&, Cell const&) = default;
};

/// A table of texts. Numeric columns are right-aligned. Long texts may be wrapped.
struct Table {
    std::string caption{};
    std::vector<std::string> columns{};
    std::vector<std::vector<Cell>> rows{};  ///< [rows][columns]
    bool row_headings = false;              ///< whether the first column is the heading of each row
};

/// A plot with its numbers, which replace the plot if there is nothing to draw.
struct Figure {
    Plot plot{};
    std::string caption{};
    std::string notes{};  ///< explanation of the picture
    Table data{};         ///< the numbers; may be empty if they are shown elsewhere
};

/// A key number of the report. Label and number are required, the other texts may be empty.
struct Tile {
    std::string label{};   ///< name of the quantity
    std::string number{};  ///< value with its unit
    std::string error{};
    std::string word{};  ///< change or verdict
    Tone tone = Tone::plain;
};

/// Four to six key numbers, side by side.
struct Tiles {
    std::vector<Tile> tiles{};
};

/// A cell of a heat map.
struct Shade {
    std::optional<double> value{};  ///< -1 (far below) .. 0 .. 1 (far above), clamped to this range; empty: no value
    bool marked = false;            ///< drawn with a frame, for a finding
    std::string words{};            ///< tooltip
};

/// A square matrix of cells as a picture, one row and one column per name. Diagonal cells are drawn only if they have a
/// tooltip.
struct HeatMap {
    std::string caption{};
    std::string low{};                        ///< meaning of the colour for -1
    std::string high{};                       ///< meaning of the colour for 1
    std::vector<std::string> names{};         ///< names of the rows and, in the same order, of the columns
    std::vector<std::vector<Shade>> cells{};  ///< [row][column], one of each per name
};

using Element = std::variant<Heading, Paragraph, List, Table, Figure, Tiles, HeatMap>;

/// A part of a document under a heading of level 1.
struct Section {
    std::string title{};
    std::vector<Element> elements{};
    Fold fold = Fold::none;
};

struct Document {
    std::string title{};
    std::vector<Element> elements{};

    /// Adds the heading and the elements of a section.
    void add(Section section);
};

/// Number of characters of a UTF-8 text.
[[nodiscard]] std::size_t letters(std::string_view text);

/// Whether a column consists of numbers and empty cells.
[[nodiscard]] bool is_numeric(Table const& table, std::size_t column);

/// The tiles as a table, for formats without tiles. Empty columns are omitted.
[[nodiscard]] Table table_of(Tiles const& tiles);

/// The document's plots, in order.
[[nodiscard]] std::vector<Plot> plots(Document const& document);

}  // namespace page
