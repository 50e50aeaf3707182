// SPDX-License-Identifier: BSD-3-Clause
/// Options: a parser with every kind of option, for the command line and for a file.
#pragma once

#include "program/cli/options.hpp"
#include "program/cli/parse.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fuzz {

struct Options {
    std::int64_t count = 1;
    int fewest = 2;
    bool cold = false;
    std::string file;
    std::string tail;
    double share = 0;
    std::vector<int> sizes{7};
    std::vector<std::string> words{};
    program::CommonOptions common{};
};

/// \param is_command  the words after the options are the command of another program
inline program::Parser make_parser(Options& o, bool is_command = false) {
    namespace as = program::as;
    program::Parser parser{"prog", "Does something."};
    parser.option("-x,--min-count", "SIZE", "smallest", o.count, as::Size{});
    parser.option("-npmin", "N", "fewest ranks", o.fewest, as::Int{.low = 1});
    parser.flag("-d,--cold", "cold", o.cold);
    parser.option("-o,--output", "FILE", "a file", o.file, as::Text{});
    parser.option("-z,--tail", "N", "the end", o.tail, as::Text{});
    parser.implied("--tail", "50");
    parser.option("--share", "PCT", "a share", o.share, as::Percentage{});
    parser.last_wins("--share");
    parser.list("--size", "N", "sizes", o.sizes, as::Int{});
    if (is_command)
        parser.command("COMMAND...", "another program", o.words);
    else
        parser.arguments("WORD...", "words", o.words);
    program::declare(parser, {.sync_alg = true, .plan = true, .seed = true, .list = true, .config = true}, o.common);
    return parser;
}

}  // namespace fuzz
