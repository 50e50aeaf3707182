// SPDX-License-Identifier: BSD-3-Clause
/// Output: the options that say where a program's text goes and in what form. Pure.
#pragma once

#include "llcbench/table.hpp"
#include "program/cli/option_table.hpp"

#include <optional>
#include <string>

namespace llcbench {

/// As they were given.
struct OutputOptions {
    std::string file{};  ///< empty: the session's text
    std::optional<Format> format{};
    bool plain = false;
    bool timestamp = false;
    bool info = false;

    [[nodiscard]] Format form() const { return plain ? Format::plain : format.value_or(Format::dat); }
    /// The text is for people: it goes to a terminal, and no form was asked for.
    [[nodiscard]] bool for_people(bool terminal) const { return terminal && file.empty() && !format && !plain; }
};

/// How a suite has them.
struct OutputUse {
    std::string names = "-o,--output";  ///< of the option with the file
    std::string format_default = "dat";
};

[[nodiscard]] program::OptionTable<OutputOptions> output_options(OutputUse const& use);

/// \param name  of the option with the file: "-o"  \throws measure::UsageError where they contradict each other
void check(OutputOptions const& options, std::string const& name);

}  // namespace llcbench
