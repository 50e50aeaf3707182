// SPDX-License-Identifier: BSD-3-Clause
/// Selection: which benchmarks are run, by the names of a command line and of files. Pure, no MPI.
#pragma once

#include "pmb/catalogue.hpp"
#include "pmb/options.hpp"

#include <functional>
#include <string>
#include <vector>

namespace pmb {

/// Gives the text of a file.
using ReadFile = std::function<std::string(std::string const& path)>;

/// Names and files in the order of the command line. \throws measure::UsageError, program::ParseErrors
[[nodiscard]] std::vector<Benchmark const*> selected(Options const& options, ReadFile const& read);

/// A word of an input file; lines and columns count from 1.
struct Word {
    std::string text;
    int line = 1;
    int column = 1;
    bool is_alone = true;  ///< nothing but a comment follows in its line
};

/// The first word of each line that is neither empty nor begins with '#'.
[[nodiscard]] std::vector<Word> first_words(std::string const& text);

}  // namespace pmb
