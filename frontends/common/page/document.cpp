// SPDX-License-Identifier: BSD-3-Clause
#include "page/document.hpp"

#include <iterator>

namespace page {

void Document::add(Section section) {
    elements.emplace_back(Heading{1, std::move(section.title)});
    elements.insert(elements.end(), std::make_move_iterator(section.elements.begin()),
                    std::make_move_iterator(section.elements.end()));
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

std::vector<Plot> plots(Document const& document) {
    std::vector<Plot> result;
    for (Element const& element : document.elements)
        if (auto const* const figure = std::get_if<Figure>(&element); figure != nullptr)
            result.push_back(figure->plot);
    return result;
}

}  // namespace page
