// SPDX-License-Identifier: BSD-3-Clause
#include "archive/archive.hpp"
#include "archive/command.hpp"
#include "archive/named.hpp"
#include "shared/compare_suite.hpp"

#include <memory>
#include <string>

namespace measure::tool::archive {

program::Suite compare_command() {
    auto const path = std::make_shared<std::string>();
    return compare_suite({.program = "measure archive compare",
                          .summary = "Compares runs of an archive, as 'measure compare' does for files: either two "
                                     "runs, or the runs before -- with the runs after it. A run is named by " +
                                     std::string{named_help} + ".",
                          .words = "RUN...",
                          .declare = [path](program::Parser& parser) { declare_archive(parser, *path); },
                          .text_of =
                              [path](std::string const& word) {
                                  auto const archive = Archive::reading(*path);
                                  return contents(archive, runs_named(archive, word));
                              },
                          .holder = [path] { return *path; }});
}

}  // namespace measure::tool::archive
