// SPDX-License-Identifier: BSD-3-Clause
/// Notes: what the tables of `measure show` have in common. Pure, local.
#pragma once

#include "page/document.hpp"
#include "shared/plain_text.hpp"

#include <measure/record.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace measure_tool {

inline constexpr std::size_t terminal_columns = 80;

/// Texts below a table, each with a number.
class Notes {
public:
    /// The number of a text, which is a new one if the text is; empty for an empty text.
    std::string number(std::string const& text) {
        if (text.empty())
            return {};
        auto const found = std::find(texts_.begin(), texts_.end(), text);
        auto const place = found - texts_.begin();
        if (found == texts_.end())
            texts_.push_back(text);
        return std::to_string(place + 1);
    }
    [[nodiscard]] std::string text() const {
        std::string lines;
        for (std::size_t i = 0; i < texts_.size(); ++i) {
            auto const number = fmt::format("# {}: ", i + 1);
            auto const gap = fmt::format("\n#{:{}}", "", number.size() - 1);
            lines += fmt::format("{}{}\n", number,
                                 fmt::join(text_lines(printable(texts_[i]), terminal_columns - number.size()), gap));
        }
        return lines;
    }

private:
    std::vector<std::string> texts_{};
};

/// Flags and message of a point.
[[nodiscard]] inline std::string shown_note(measure::Record const& record) {
    auto parts = record.flags;
    if (!record.message.empty())
        parts.push_back(record.message);
    return fmt::format("{}", fmt::join(parts, ", "));
}

inline void drop_empty_columns(page::Table& table) {
    for (std::size_t i = table.columns.size(); i-- > 0;) {
        auto const at = static_cast<std::ptrdiff_t>(i);
        if (std::any_of(table.rows.begin(), table.rows.end(), [&](auto const& row) { return !row[i].text.empty(); }))
            continue;
        table.columns.erase(table.columns.begin() + at);
        for (auto& row : table.rows)
            row.erase(row.begin() + at);
    }
}

}  // namespace measure_tool
