// SPDX-License-Identifier: BSD-3-Clause
/// Resume: the command that began a run, parsed again when the run is resumed. Local.
#pragma once

#include "launching/folder.hpp"
#include "program/cli/options.hpp"
#include "program/cli/parse.hpp"

#include <string>

namespace measure::tool {

/// The options of the original command. Options given together with --resume are not applied.
/// \param program  "measure run"  \param declare  declares the options of the program
template <class Options>
[[nodiscard]] Options options_of(RunFolder const& folder, std::string const& program,
                                 void (*declare)(program::Parser&, Options&)) {
    Options options;
    program::CommonOptions common;
    program::Parser parser{program, ""};
    declare(parser, options);
    program::declare(parser, {.measures = false, .record = false}, common);
    static_cast<void>(parser.parse(folder.command()));
    return options;
}

}  // namespace measure::tool
