// SPDX-License-Identifier: BSD-3-Clause
/// Convert: turns output files of other programs into records. Pure, local.
#pragma once

#include "converters/source.hpp"
#include "program/cli/parse.hpp"

#include <optional>
#include <string>

namespace measure::tool::convert {

/// The supported sources, as text.
inline constexpr char const* sources = "skampi.out, OSU Micro-Benchmarks, IMB, PMB";

/// Whether facts are given that a record already contains. The machine does not count: a record's may be renamed.
[[nodiscard]] inline bool says_of_text(Given const& given) noexcept {
    return given.ranks || given.library || given.date;
}

/// Declares the options for facts that a text lacks.
void declare(program::Parser& parser, Given& given);

/// Converts a text to a record in JSON Lines, with one run for each run or table of the text. Returns nullopt if the
/// text is a record or not a known output file. \throws program::ParseErrors if the text is damaged or empty, the
/// number of processes is unknown, or the text contradicts the user
[[nodiscard]] std::optional<std::string> converted(std::string const& text, std::string const& path,
                                                   Given const& given = {});

/// The error message for a text that is neither a record nor a known output file.
[[nodiscard]] std::string unknown_text();

}  // namespace measure::tool::convert
