// SPDX-License-Identifier: BSD-3-Clause
/// Number: how times stand in the output file, and the lines of a block's overhead. Pure and local.
#pragma once

#include "skampi/output/output.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skampi {

inline constexpr double microseconds_per_second = 1e6;  ///< what is written is in microseconds

/// At least so many decimals and never fewer than five significant digits (but at most twelve decimals), with '.' as
/// the decimal point: "41.2104", "0.0012346".
[[nodiscard]] std::string number_text(double number, int decimals = 4);

/// What an empty measurement took with that many processes: the value of a block's key `overhead`.
struct OverheadLine {
    int nodes = 1;
    double time = 0;     ///< microseconds
    double error = 0;    ///< its standard error
    std::string sync{};  ///< of the rows that it belongs to, where these are others than the block's: "barrier"
};

/// "2 0.045100 0.00030000", "2 4.5100 0.030000 barrier"
[[nodiscard]] std::string text(OverheadLine const& overhead);

/// \throws measure::UsageError where the text is no overhead
[[nodiscard]] OverheadLine overhead_from(std::string_view text);

/// All of a block, in its order. \throws measure::UsageError as above
[[nodiscard]] std::vector<OverheadLine> overheads(Block const& block);

/// The text's parts between blanks and tabs.
[[nodiscard]] std::vector<std::string> words(std::string_view text);

/// The texts with a separator between them.
[[nodiscard]] std::string joined(std::span<std::string const> texts, std::string_view separator);

}  // namespace skampi
