// SPDX-License-Identifier: BSD-3-Clause
/// Swept point: a test and its count, which identify a point in all launches of a run. Pure, local.
#pragma once

#include "analysis/runs/meaning.hpp"

#include <measure/record.hpp>

#include <compare>
#include <cstdint>
#include <string>

namespace measure {

struct SweptPoint {
    std::string test{};
    std::int64_t count = 0;
    friend auto operator<=>(SweptPoint const&, SweptPoint const&) = default;
};

[[nodiscard]] inline SweptPoint point_of(Record const& record) {
    return {record.benchmark, integer_at(record.at, "count").value_or(0)};
}

}  // namespace measure
