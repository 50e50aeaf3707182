// SPDX-License-Identifier: BSD-3-Clause
/// Command: a parsed command line, and the lines for its errors. Pure and local.
#pragma once

#include "program/cli/options.hpp"
#include "program/cli/parse.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/main.hpp"

#include <string>
#include <vector>

namespace program {

/// Owns the parser and the options that it fills. The suite must outlive it.
class Command {
public:
    /// \param words  without the program's name  \throws measure::UsageError with one line for the first error
    Command(Suite const& suite, std::vector<std::string> const& words);
    Command(Command const&) = delete;
    Command& operator=(Command const&) = delete;

    /// "--help" or "--version" if it was given; empty otherwise.
    [[nodiscard]] std::string const& question() const noexcept { return question_; }
    /// The text of --help or --version.
    [[nodiscard]] std::string answer() const;
    /// Refuses invalid options of the command line or a configuration file. \throws measure::UsageError
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

/// "PROGRAM: error: TEXT", printable and limited to 4000 bytes: longer lines could mix with lines of other ranks.
[[nodiscard]] std::string error_line(Suite const& suite, std::string const& text);

/// One line for each of the first 20 errors in an input file, and one for the number of further errors.
[[nodiscard]] std::vector<std::string> error_lines(Suite const& suite, ParseErrors const& faults);

}  // namespace program
