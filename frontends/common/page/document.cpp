// SPDX-License-Identifier: BSD-3-Clause
#include "page/document.hpp"

#include <algorithm>
#include <iterator>

namespace page {

void Document::add(Section section) {
    elements.emplace_back(Heading{1, std::move(section.title), section.fold});
    elements.insert(elements.end(), std::make_move_iterator(section.elements.begin()),
                    std::make_move_iterator(section.elements.end()));
}

std::size_t letters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool is_numeric(Table const& table, std::size_t column) {
    bool found = false;
    for (auto const& row : table.rows) {
        auto const& text = row[column].text;
        if (text.find_first_not_of("0123456789.+-eE") != std::string::npos)
            return false;
        found = found || !text.empty();
    }
    return found;
}

Table table_of(Tiles const& tiles) {
    struct Column {
        char const* name;
        std::string Tile::*text;
    };
    Table table{.row_headings = true};
    table.rows.resize(tiles.tiles.size());
    for (Column const& column :
         {Column{"", &Tile::label}, {"value", &Tile::number}, {"error", &Tile::error}, {"remark", &Tile::word}}) {
        auto const text = column.text;
        if (std::all_of(tiles.tiles.begin(), tiles.tiles.end(), [&](Tile const& t) { return (t.*text).empty(); }))
            continue;
        table.columns.emplace_back(column.name);
        for (std::size_t i = 0; i < tiles.tiles.size(); ++i) {
            auto const& tile = tiles.tiles[i];
            table.rows[i].emplace_back(tile.*text, text == &Tile::word && tile.tone == Tone::bad);
        }
    }
    return table;
}

std::vector<Plot> plots(Document const& document) {
    std::vector<Plot> result;
    for (Element const& element : document.elements)
        if (auto const* const figure = std::get_if<Figure>(&element); figure != nullptr)
            result.push_back(figure->plot);
    return result;
}

}  // namespace page
