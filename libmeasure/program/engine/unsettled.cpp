// SPDX-License-Identifier: BSD-3-Clause
#include "program/engine/unsettled.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace program {

bool is_unsettled(measure::Record const& record) noexcept { return record.has_flag("unsettled"); }

std::string unsettled_text(std::vector<std::string> rows, std::string_view unit) {
    // A row that is measured several times stands in a table several times, one below the other.
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (rows.empty())
        return {};
    return fmt::format("unsettled: {}{}{}: memory was touched for the first time while {} measured",
                       fmt::join(rows, ", "), unit.empty() ? "" : " ", unit,
                       rows.size() == 1 ? "this row was" : "these rows were");
}

}  // namespace program
