// SPDX-License-Identifier: BSD-3-Clause
/// Record: results as points and summaries of the record. Pure. Rates in bytes/s.
#pragma once

#include "b_eff_io/result.hpp"

#include <measure/record.hpp>

#include <optional>
#include <string>

namespace b_eff_io {

/// A pattern that was begun. \param trouble  why calls failed; empty: none did
[[nodiscard]] measure::Record point(int processes, Access access, Pattern const& pattern, PatternResult const& result,
                                    std::string const& trouble);
/// A pattern that was not measured. \param result  its lengths
[[nodiscard]] measure::Record skipped_point(int processes, Access access, Pattern const& pattern,
                                            PatternResult const& result, std::string const& reason);

/// A type that was measured to its end.
[[nodiscard]] measure::Summary type_summary(PartitionResult const& partition, Access access, Type type);
/// Nothing where the access method has no value.
[[nodiscard]] std::optional<measure::Summary> access_summary(PartitionResult const& partition, Access access,
                                                             Setting const& setting);
/// Nothing where the partition has no value.
[[nodiscard]] std::optional<measure::Summary> partition_summary(PartitionResult const& partition,
                                                                Setting const& setting);
/// Of the best partition.
[[nodiscard]] measure::Summary system_summary(PartitionResult const& best, Setting const& setting);

}  // namespace b_eff_io
