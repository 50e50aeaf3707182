// SPDX-License-Identifier: BSD-3-Clause
#include "program/engine/unsettled.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace program {

bool is_unsettled(measure::Record const& record) noexcept { return record.has_flag("unsettled"); }

std::string flagged_text(std::string_view flag, std::vector<std::string> rows, std::string_view unit,
                         std::string_view meaning) {
    // A row that is measured several times occurs several times in the table, in adjacent lines.
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (rows.empty())
        return {};
    return fmt::format("{}: {}{}{}: {}", flag, fmt::join(rows, ", "), unit.empty() ? "" : " ", unit, meaning);
}

std::string unsettled_text(std::vector<std::string> rows, std::string_view unit) {
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    auto const meaning = fmt::format("memory was touched for the first time while {} measured",
                                     rows.size() == 1 ? "this row was" : "these rows were");
    return flagged_text("unsettled", std::move(rows), unit, meaning);
}

}  // namespace program
