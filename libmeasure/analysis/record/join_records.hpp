// SPDX-License-Identifier: BSD-3-Clause
/// Helpers for joining records: add up counts, and drop details of single measurements.
#pragma once

#include "measure/record.hpp"

namespace measure::detail {

/// Drops members that describe a single measurement.
void drop_details(Record& record);

/// Adds counts, invalid samples, flags and elapsed time of another record.
void add_counts(Record& joined, Record const& more);

}  // namespace measure::detail
