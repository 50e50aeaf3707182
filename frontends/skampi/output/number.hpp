// SPDX-License-Identifier: BSD-3-Clause
/// Number: the format of times in the output file, and the overhead lines of a block. Pure and local.
#pragma once

#include "skampi/output/output.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skampi {

inline constexpr double microseconds_per_second = 1e6;  ///< output files use microseconds

/// Formats a number with at least `decimals` decimals and at least five significant digits, but at most twelve
/// decimals. The decimal point is '.': "41.2104", "0.0012346".
[[nodiscard]] std::string number_text(double number, int decimals = 4);

/// The time of an empty measurement with this number of processes: a value of the block's key `overhead`.
struct OverheadLine {
    int nodes = 1;
    double time = 0;     ///< microseconds
    double error = 0;    ///< standard error in microseconds
    std::string sync{};  ///< synchronisation of its rows, if it differs from the block's: "barrier"
};

/// "2 0.045100 0.00030000", "2 4.5100 0.030000 barrier"
[[nodiscard]] std::string text(OverheadLine const& overhead);

/// \throws measure::UsageError if the text is not an overhead
[[nodiscard]] OverheadLine overhead_from(std::string_view text);

/// All overheads of a block, in its order. \throws measure::UsageError as above
[[nodiscard]] std::vector<OverheadLine> overheads(Block const& block);

/// Splits a text at blanks and tabs.
[[nodiscard]] std::vector<std::string> words(std::string_view text);

/// Joins texts with a separator.
[[nodiscard]] std::string joined(std::span<std::string const> texts, std::string_view separator);

}  // namespace skampi
