// SPDX-License-Identifier: BSD-3-Clause
/// Parse errors: all errors in input files, with their lines. Pure and local.
#pragma once

#include <measure/error.hpp>

#include <functional>
#include <string>
#include <vector>

namespace program {

/// An error in an input file; lines and columns count from 1.
struct ParseError {
    std::string file;
    int line = 1;
    int column = 1;
    std::string text;
};

/// All errors in an input file. `run_main` prints one line for each of the first 20, "PROGRAM: FILE:LINE:COL: error:
/// TEXT", and then the number of further errors.
class ParseErrors : public measure::UsageError {
public:
    /// \param faults  at least one
    explicit ParseErrors(std::vector<ParseError> faults);
    [[nodiscard]] std::vector<ParseError> const& faults() const noexcept { return faults_; }

private:
    std::vector<ParseError> faults_;
};

/// \throws ParseErrors unless `faults` is empty
void throw_any(std::vector<ParseError> faults);

/// Calls `read` and collects the errors of a ParseErrors that it throws, so that errors in further files are reported
/// too.
void gather(std::vector<ParseError>& faults, std::function<void()> const& read);

/// Calls `read` for each line, without comment ('#' to the end) and surrounding space. Empty lines are skipped.
/// \throws ParseErrors with all lines for which `read` throws measure::UsageError
void read_lines(std::string const& text, std::string const& file,
                std::function<void(std::string const& line)> const& read);

}  // namespace program
