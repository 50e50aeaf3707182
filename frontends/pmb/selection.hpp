// SPDX-License-Identifier: BSD-3-Clause
/// Selection: the benchmarks to run, from the names on the command line and in files. Pure, no MPI.
#pragma once

#include "pmb/catalogue.hpp"
#include "pmb/options.hpp"

#include <functional>
#include <string>
#include <vector>

namespace pmb {

/// Returns the text of a file.
using ReadFile = std::function<std::string(std::string const& path)>;

/// The benchmarks of names and files, in the order of the command line. \throws measure::UsageError,
/// program::ParseErrors
[[nodiscard]] std::vector<Benchmark const*> selected(Options const& options, ReadFile const& read);

/// A word of an input file. Lines and columns count from 1.
struct Word {
    std::string text;
    int line = 1;
    int column = 1;
    bool is_alone = true;  ///< only a comment follows in its line
};

/// The first word of each line, except empty lines and lines that begin with '#'.
[[nodiscard]] std::vector<Word> first_words(std::string const& text);

}  // namespace pmb
