// SPDX-License-Identifier: BSD-3-Clause
/// Formats: the supported texts, with a pair of functions for each. Pure.
#pragma once

#include "converters/source.hpp"

#include <measure/read.hpp>

#include <string_view>
#include <vector>

namespace measure::tool::convert {

// Whether a text has this format, judged by its titles.
[[nodiscard]] bool is_imb(std::string_view text);  ///< Intel MPI Benchmarks, and PMB, their predecessor
[[nodiscard]] bool is_osu(std::string_view text);
[[nodiscard]] bool is_skampi(std::string_view text);

// The runs of such a text. \throws program::ParseErrors
[[nodiscard]] std::vector<measure::RunRecord> imb_runs(Text const& text, Given const& given);
[[nodiscard]] std::vector<measure::RunRecord> osu_runs(Text const& text, Given const& given);
[[nodiscard]] std::vector<measure::RunRecord> skampi_runs(Text const& text, Given const& given);

}  // namespace measure::tool::convert
