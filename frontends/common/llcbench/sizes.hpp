// SPDX-License-Identifier: BSD-3-Clause
/// Sizes: the sizes and tests that the LLCBench programs measure. Pure and local.
#pragma once

#include "program/cli/values.hpp"

#include <measure/units.hpp>

#include <limits>
#include <string>
#include <vector>

namespace llcbench {

/// Powers of two, with `between` equidistant sizes between two of them.
struct Series {
    measure::Bytes smallest = 256;  ///< first size; it need not be a power of two
    int last_log = 24;              ///< the last size is 2^last_log
    int between = 0;
    measure::Bytes multiple = 1;  ///< sizes are rounded down to a multiple of this
};

/// With r = between + 1: 2^j + i floor(2^j / r) for i = 0 .. between, rounded down; last 2^last_log. Ascending, without
/// sizes that rounding makes equal or zero.
[[nodiscard]] std::vector<measure::Bytes> sizes(Series const& series);

/// "LOW:HIGH:STEP": LOW, LOW + STEP, .. up to HIGH.
struct SizeRange {
    measure::Bytes low = 1;
    measure::Bytes high = std::numeric_limits<measure::Bytes>::max();
    [[nodiscard]] std::vector<measure::Bytes> operator()(program::Argument const& argument) const;
};

/// "write,read,all": names in the order given, without duplicates. "all" selects all names.
struct NameList {
    std::vector<std::string> names{};
    [[nodiscard]] std::vector<std::string> operator()(program::Argument const& argument) const;
};

}  // namespace llcbench
