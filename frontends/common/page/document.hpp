// SPDX-License-Identifier: BSD-3-Clause
/// Document: what a report says, before it is written in any language. Values, local.
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

/// Whether what stands under a heading can be folded away.
enum class Fold { none, open, closed };

struct Heading {
    int level = 1;  ///< 1 to 3
    std::string text{};
    Fold fold = Fold::none;  ///< of all up to the next heading of this level or a higher one
};

struct Paragraph {
    std::string text{};
};

struct List {
    std::vector<std::string> items{};
    bool warning = false;  ///< what the reader is to know before anything else
};

/// Whether a text is to please or to alarm; it says so in words too.
enum class Tone { plain, good, bad };

/// A cell of a table: a text, also where none is asked for.
struct Cell {
    Cell() = default;
    Cell(std::string t) : text{std::move(t)} {}  // NOLINT(google-explicit-constructor)
    Cell(char const* t) : text{t} {}             // NOLINT(google-explicit-constructor)
    Cell(std::string t, bool is_marked) : text{std::move(t)}, marked{is_marked} {}
    std::string text{};
    bool marked = false;  ///< stands out: differs from its neighbours, or is to be taken with care
    Tone tone = Tone::plain;
    friend auto operator<=>(Cell const&, Cell const&) = default;
};

/// A table of texts; columns of numbers are set to the right. Long texts may be broken into lines.
struct Table {
    std::string caption{};
    std::vector<std::string> columns{};
    std::vector<std::vector<Cell>> rows{};  ///< [rows][columns]
    bool row_headings = false;              ///< the first column says what each row is
};

/// A plot, and the numbers behind it, which stand in its place where there is nothing to draw.
struct Figure {
    Plot plot{};
    std::string caption{};
    std::string notes{};  ///< on what is to be seen in the picture
    Table data{};         ///< no rows: they stand elsewhere
};

/// A number that a reader looks for first. Texts may be empty, but for label and number.
struct Tile {
    std::string label{};   ///< what it is of
    std::string number{};  ///< with its unit
    std::string error{};
    std::string word{};  ///< how it has changed, or a verdict
    Tone tone = Tone::plain;
};

/// Four to six numbers that answer first, side by side.
struct Tiles {
    std::vector<Tile> tiles{};
};

/// One cell of a heat map.
struct Shade {
    std::optional<double> value{};  ///< -1 (far below) .. 0 .. 1 (far above), cut there; nothing: there is no value
    bool marked = false;            ///< has a frame: a finding
    std::string words{};            ///< shown where a pointer rests on it
};

/// Cells in rows and columns, as a picture: of everything with everything. A cell of one thing with itself is drawn
/// where it has words.
struct HeatMap {
    std::string caption{};
    std::string low{};                        ///< what the colour for -1 means
    std::string high{};                       ///< and for 1
    std::vector<std::string> names{};         ///< of rows, and of columns in the same order
    std::vector<std::vector<Shade>> cells{};  ///< [row][column], as many as names
};

using Element = std::variant<Heading, Paragraph, List, Table, Figure, Tiles, HeatMap>;

/// A part of a document that is made on its own: stands under a heading of level 1.
struct Section {
    std::string title{};
    std::vector<Element> elements{};
    Fold fold = Fold::none;
};

struct Document {
    std::string title{};
    std::vector<Element> elements{};

    /// Adds a heading and what stands under it.
    void add(Section section);
};

/// Characters, not bytes: what follows the first byte of a UTF-8 character takes no room.
[[nodiscard]] std::size_t letters(std::string_view text);

/// Whether a column has numbers and nothing else but empty cells.
[[nodiscard]] bool is_numeric(Table const& table, std::size_t column);

/// The tiles as a table, for where there are none; a column that nothing stands in is left out.
[[nodiscard]] Table table_of(Tiles const& tiles);

/// The document's plots, in order.
[[nodiscard]] std::vector<Plot> plots(Document const& document);

}  // namespace page
