// SPDX-License-Identifier: BSD-3-Clause
/// Sides: which launches are compared with which. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"

#include <span>
#include <string>
#include <vector>

namespace measure {

/// Names of files, by side.
struct SideFiles {
    std::vector<std::string> a{};
    std::vector<std::string> b{};
};

/// What stands before and behind "--"; or two files. \param words  the whole command line  \param files  its arguments
/// \throws UsageError where it is neither
[[nodiscard]] SideFiles files_by_side(std::vector<std::string> const& words, std::vector<std::string> const& files);

/// The two sides of a dimension, with their names for people.
struct Split {
    std::vector<Launch> a{};
    std::vector<Launch> b{};
    std::string value_a{};
    std::string value_b{};
};

/// Launches divided by the value that their points have in a dimension (dimension.hpp), the first that appears on side
/// A. A coordinate is then none of the points any more, and benchmarks are called by both names. Points without the
/// dimension are left out. \throws UsageError where there are not two values
[[nodiscard]] Split split_by(std::string const& dimension, std::span<Launch const> launches);

}  // namespace measure
