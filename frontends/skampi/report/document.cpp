// SPDX-License-Identifier: BSD-3-Clause
#include "report/document.hpp"

namespace skampi::report {

bool is_numeric(Table const& table, std::size_t column) {
    bool found = false;
    for (auto const& row : table.rows) {
        if (row[column].find_first_not_of("0123456789.+-eE") != std::string::npos)
            return false;
        found = found || !row[column].empty();
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

}  // namespace skampi::report
