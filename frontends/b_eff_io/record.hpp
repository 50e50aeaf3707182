// SPDX-License-Identifier: BSD-3-Clause
/// Record: results as points and summaries of the record. Pure. Rates are in bytes/s.
#pragma once

#include "b_eff_io/result.hpp"

#include <measure/record.hpp>

#include <optional>
#include <string>

namespace b_eff_io {

/// The point of a pattern that was begun. \param trouble  error text if calls failed; empty: no call failed
[[nodiscard]] measure::Record point(int processes, Access access, Pattern const& pattern, PatternResult const& result,
                                    std::string const& trouble);
/// The point of a pattern that was not measured. \param result  has its lengths
[[nodiscard]] measure::Record skipped_point(int processes, Access access, Pattern const& pattern,
                                            PatternResult const& result, std::string const& reason);

/// The summary of a type that was completely measured.
[[nodiscard]] measure::Summary type_summary(PartitionResult const& partition, Access access, Type type);
/// Missing if the access method has no value.
[[nodiscard]] std::optional<measure::Summary> access_summary(PartitionResult const& partition, Access access,
                                                             Setting const& setting);
/// Missing if the partition has no value.
[[nodiscard]] std::optional<measure::Summary> partition_summary(PartitionResult const& partition,
                                                                Setting const& setting);
/// The summary of the best partition.
[[nodiscard]] measure::Summary system_summary(PartitionResult const& best, Setting const& setting);

}  // namespace b_eff_io
