// SPDX-License-Identifier: BSD-3-Clause
#include "command.hpp"

#include <measure/environment.hpp>

#include <fmt/format.h>

#include <string_view>

namespace {

using measure_tool::Command;

std::string overview() {
    std::string text =
        "Usage: measure COMMAND [options] ...\n\nJoins what the programs of this project have recorded.\n\n"
        "Commands:\n";
    for (Command const& command : measure_tool::commands())
        text += fmt::format("  {:<10}{}\n", command.name, command.text);
    return text + "\nmeasure COMMAND --help has more.\n";
}

int refuse(std::string const& what) {
    fmt::print(stderr, "measure: error: {} (see measure --help)\n", what);
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2)
        return refuse("no command is named");
    std::string_view const name = argv[1];
    if (name == "--help" || name == "-h") {
        fmt::print("{}", overview());
        return 0;
    }
    if (name == "--version") {
        fmt::print("measure {}\n", measure::version());
        return 0;
    }
    for (Command const& command : measure_tool::commands())
        if (name == command.name)
            return frontend::run_main(argc - 1, argv + 1, command.suite());
    return refuse(fmt::format("'{}' is no command", name));
}
