// SPDX-License-Identifier: BSD-3-Clause
/// Parse errors: all faults of input files, with their lines. Pure and local.
#pragma once

#include <measure/error.hpp>

#include <functional>
#include <string>
#include <vector>

namespace program {

/// A fault in an input file; lines and columns count from 1.
struct ParseError {
    std::string file;
    int line = 1;
    int column = 1;
    std::string text;
};

/// All faults of an input file. `run_main` prints one line for each of the first 20: "PROGRAM: FILE:LINE:COL: error:
/// TEXT", and how many more there are.
class ParseErrors : public measure::UsageError {
public:
    /// \param faults  at least one
    explicit ParseErrors(std::vector<ParseError> faults);
    [[nodiscard]] std::vector<ParseError> const& faults() const noexcept { return faults_; }

private:
    std::vector<ParseError> faults_;
};

/// \throws ParseErrors where there are faults
void throw_any(std::vector<ParseError> faults);

/// Keeps the faults for which `read` throws ParseErrors, so that the faults of further files are reported too.
void gather(std::vector<ParseError>& faults, std::function<void()> const& read);

/// Gives `read` each line without what a '#' begins and without space around it, where anything is left.
/// \throws ParseErrors of all lines for which `read` throws measure::UsageError
void read_lines(std::string const& text, std::string const& file,
                std::function<void(std::string const& line)> const& read);

}  // namespace program
