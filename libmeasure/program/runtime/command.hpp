// SPDX-License-Identifier: BSD-3-Clause
/// Command: a program's command line, read, and the lines that refuse it. Pure and local.
#pragma once

#include "program/cli/options.hpp"
#include "program/cli/parse.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/main.hpp"

#include <string>
#include <vector>

namespace program {

/// The parser and the options that it fills live here; the suite must outlive it.
class Command {
public:
    /// \param words  without the program's name  \throws measure::UsageError with one line on the first fault
    Command(Suite const& suite, std::vector<std::string> const& words);
    Command(Command const&) = delete;
    Command& operator=(Command const&) = delete;

    /// "--help" or "--version" where it is asked; empty otherwise.
    [[nodiscard]] std::string const& question() const noexcept { return question_; }
    /// The text that answers the question.
    [[nodiscard]] std::string answer() const;
    /// Refuses what is wrong with the options, on the command line or in a configuration file. \throws
    /// measure::UsageError
    void check(Supposed const& supposed) const;

    [[nodiscard]] Parser& parser() noexcept { return parser_; }
    [[nodiscard]] CommonOptions& common() noexcept { return common_; }
    [[nodiscard]] Prepared const& prepared() const noexcept { return prepared_; }

private:
    Suite const& suite_;
    CommonOptions common_;
    Parser parser_;
    Prepared prepared_;
    std::string question_;
};

/// "PROGRAM: error: TEXT", printable and of limited length: a longer line would mix with lines of other ranks.
[[nodiscard]] std::string error_line(Suite const& suite, std::string const& text);

/// A line for each of the first faults of an input file.
[[nodiscard]] std::vector<std::string> error_lines(Suite const& suite, ParseErrors const& faults);

}  // namespace program
