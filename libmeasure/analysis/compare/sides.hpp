// SPDX-License-Identifier: BSD-3-Clause
/// Sides: assigns launches to the two sides of a comparison. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"

#include <span>
#include <string>
#include <vector>

namespace measure {

/// File names of each side.
struct SideFiles {
    std::vector<std::string> a{};
    std::vector<std::string> b{};
};

/// Files before and after "--", or exactly two files. \param words  the whole command line \param files  its arguments
/// \throws UsageError otherwise
[[nodiscard]] SideFiles files_by_side(std::vector<std::string> const& words, std::vector<std::string> const& files);

/// Launches of both values of a dimension. The values are the names of the sides in output.
struct Split {
    std::vector<Launch> a{};
    std::vector<Launch> b{};
    std::string value_a{};
    std::string value_b{};
};

/// Divides launches by the value of their points in a dimension (dimension.hpp). The first value that appears is side
/// A. If the dimension is a coordinate, it is removed from the points; if it is the benchmark, points are named after
/// both benchmarks. Points without the dimension are left out. \throws UsageError unless there are exactly two values
[[nodiscard]] Split split_by(std::string const& dimension, std::span<Launch const> launches);

}  // namespace measure
