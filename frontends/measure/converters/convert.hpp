// SPDX-License-Identifier: BSD-3-Clause
/// Convert: output files of other programs become records of their source. Pure, local.
#pragma once

#include "converters/source.hpp"
#include "program/cli/parse.hpp"

#include <optional>
#include <string>

namespace measure::tool::convert {

/// The texts that are converted, for people.
inline constexpr char const* sources = "skampi.out, OSU Micro-Benchmarks, IMB, PMB";

/// Whether anything is given that a record says itself; its machine may have another name.
[[nodiscard]] inline bool says_of_text(Given const& given) noexcept {
    return given.ranks || given.library || given.date;
}

/// Declares the options for facts that a text lacks.
void declare(program::Parser& parser, Given& given);

/// The record of a text: JSON Lines, a run for each run or table of the text. Nothing for a text that is a record, or
/// not a known output file. \throws program::ParseErrors for a damaged or empty text, for one without a number of
/// processes, and where text and user contradict each other
[[nodiscard]] std::optional<std::string> converted(std::string const& text, std::string const& path,
                                                   Given const& given = {});

/// The message for a text that is neither a record nor a known output file.
[[nodiscard]] std::string unknown_text();

}  // namespace measure::tool::convert
