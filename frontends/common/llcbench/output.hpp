// SPDX-License-Identifier: BSD-3-Clause
/// Output: the options for the file and the format of a program's text. Pure.
#pragma once

#include "llcbench/table.hpp"
#include "program/cli/option_table.hpp"

#include <optional>
#include <string>

namespace llcbench {

/// The output options of the command line.
struct OutputOptions {
    std::string file{};  ///< empty: write to the session's text
    std::optional<Format> format{};
    bool plain = false;
    bool timestamp = false;
    bool info = false;

    [[nodiscard]] Format form() const { return plain ? Format::plain : format.value_or(Format::dat); }
    /// Whether to write readable text: the output is a terminal, and no format is requested.
    [[nodiscard]] bool for_people(bool terminal) const { return terminal && file.empty() && !format && !plain; }
};

/// Names and defaults of these options in a suite.
struct OutputUse {
    std::string names = "-o,--output";  ///< names of the option for the file
    std::string format_default = "dat";
};

[[nodiscard]] program::OptionTable<OutputOptions> output_options(OutputUse const& use);

/// \param name  name of the option for the file: "-o"  \throws measure::UsageError for conflicting options
void check(OutputOptions const& options, std::string const& name);

}  // namespace llcbench
