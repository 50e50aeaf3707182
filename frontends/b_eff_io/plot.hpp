// SPDX-License-Identifier: BSD-3-Clause
/// Plot: the diagrams of the partitions, as data and as a script for gnuplot. Pure.
#pragma once

#include "b_eff_io/result.hpp"

#include <span>
#include <string>

namespace b_eff_io {

/// Returns one block for each access method of each partition, separated by two blank lines. Columns: place of the
/// chunk on the axis, length of the chunk in bytes, then MB/s (10^6 bytes/s) of each type, with random access on
/// request. "-" marks a missing value.
[[nodiscard]] std::string plot_data(std::span<PartitionResult const> partitions, bool random = false);

/// Returns a script with three diagrams for each partition. Each has one curve for each type: MB/s, logarithmic, over
/// the pseudo-logarithmic places of the chunks. \param prefix  of the data file PREFIX.plot and of the pictures
[[nodiscard]] std::string plot_script(std::span<PartitionResult const> partitions, std::string const& prefix,
                                      bool random = false);

}  // namespace b_eff_io
