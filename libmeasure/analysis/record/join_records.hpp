// SPDX-License-Identifier: BSD-3-Clause
/// What every joining of records does: sums what can be summed, and drops what describes one measurement only.
#pragma once

#include "measure/record.hpp"

namespace measure::detail {

/// What describes one measurement says nothing about several.
void drop_details(Record& record);

/// Adds counts, invalid samples, flags and elapsed time of another record.
void add_counts(Record& joined, Record const& more);

}  // namespace measure::detail
