// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include <measure/environment_info.hpp>

#include <fmt/format.h>

#include <cctype>
#include <span>
#include <string>
#include <string_view>

namespace {

using measure_tool::Command;

std::string overview(std::string const& name, std::string_view about, std::span<Command const> commands) {
    std::string sentence{about};
    sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
    std::string text = fmt::format("Usage: {} COMMAND [options] ...\n\n{}.\n\nCommands:\n", name, sentence);
    for (Command const& command : commands)
        text += fmt::format("  {:<12}{}\n", command.name, command.text);
    return text + fmt::format("\n{} COMMAND --help has more.\n", name);
}

int refuse(std::string const& name, std::string const& what) {
    fmt::print(stderr, "{0}: error: {1} (see {0} --help)\n", name, what);
    return 2;
}

/// Runs the command that the first argument names. \param name  what comes before it: "measure"
int dispatch(std::string const& name, std::string_view about, std::span<Command const> commands, int argc,
             char** argv) {
    if (argc < 2)
        return refuse(name, "no command is named");
    std::string_view const word = argv[1];
    if (word == "--help" || word == "-h") {
        fmt::print("{}", overview(name, about, commands));
        return 0;
    }
    if (word == "--version") {
        fmt::print("{} {}\n", name, measure::version());
        return 0;
    }
    for (Command const& command : commands)
        if (word == command.name)
            return command.commands == nullptr ? program::run_main(argc - 1, argv + 1, command.suite())
                                               : dispatch(fmt::format("{} {}", name, word), command.text,
                                                          command.commands(), argc - 1, argv + 1);
    return refuse(name, fmt::format("'{}' is no command", word));
}

}  // namespace

int main(int argc, char** argv) {
    return dispatch("measure", "Joins, shows and compares what the programs of this project have recorded",
                    measure_tool::commands(), argc, argv);
}
