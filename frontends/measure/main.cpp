// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/values.hpp"
#include "shared/command.hpp"
#include "shared/plain_text.hpp"

#include <measure/environment_info.hpp>

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

using measure_tool::Command;

/// A program or a group of commands, from here down.
struct Group {
    std::string name;  ///< "measure archive"
    std::string_view about;
    std::span<Command const> commands;
    bool takes_files = false;  ///< record files may stand in place of a command
};

constexpr char const* next_commands = R"(
Likely next:
  measure run            how good is MPI here, and is it slower than last time?
  measure doctor         what will disturb a measurement on this machine?
  measure FILE.jsonl     what was measured, as a table
)";

std::string overview(Group const& group) {
    std::string about{group.about};
    about.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(about.front())));
    std::string text = fmt::format("Usage: {} COMMAND [options] ...\n", group.name);
    if (group.takes_files)
        text += fmt::format("       {} FILE...\n", group.name);
    text += fmt::format("\n{}.\n", about);
    std::string_view purpose = "none yet";
    for (Command const& command : group.commands) {
        if (command.is_internal)
            continue;
        if (purpose != command.purpose)
            text += fmt::format("\nCommands{}{}:\n", *command.purpose != '\0' ? " " : "", command.purpose);
        purpose = command.purpose;
        text += fmt::format("  {:<12}{}\n", command.name, command.text);
    }
    return text + fmt::format("\n{} COMMAND --help has more.\n", group.name);
}

int refuse(Group const& group, std::string_view word) {
    std::vector<std::string> names;
    for (Command const& command : group.commands)
        if (!command.is_internal)
            names.emplace_back(command.name);
    auto const near = program::closest(word, names);
    fmt::print(stderr, "{0}: error: '{1}' is {2}{3} (see {0} --help)\n", group.name,
               measure_tool::printable(std::string{word}),
               group.takes_files ? "neither a command nor a file" : "no command",
               near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
    return 2;
}

/// Whether it is to be read: a file that there is, or the name of one. A folder is none.
bool is_file(std::string_view word) {
    std::error_code none;
    auto const status = std::filesystem::status(word, none);
    bool const has_name = word.ends_with(".jsonl") || word.ends_with(".json");
    return word == "-" || has_name || (std::filesystem::exists(status) && !std::filesystem::is_directory(status));
}

/// Runs the command that the first argument names; without one the overview is shown.
int dispatch(Group const& group, int argc, char** argv) {
    std::string_view const word = argc < 2 ? "--help" : argv[1];
    if (word == "--help" || word == "-h") {
        fmt::print("{}{}", overview(group), argc < 2 && group.takes_files ? next_commands : "");
        return 0;
    }
    if (word == "--version") {
        fmt::print("{} {}\n", group.name, measure::version());
        return 0;
    }
    for (Command const& command : group.commands)
        if (word == command.name)
            return command.commands == nullptr
                       ? program::run_main(argc - 1, argv + 1, command.suite())
                       : dispatch({fmt::format("{} {}", group.name, word), command.text, command.commands()}, argc - 1,
                                  argv + 1);
    if (group.takes_files && is_file(word))
        return program::run_main(argc, argv, measure_tool::show_command());
    return refuse(group, word);
}

}  // namespace

int main(int argc, char** argv) {
    return dispatch({.name = "measure",
                     .about = "measures MPI, and joins, shows and compares what programs have recorded",
                     .commands = measure_tool::commands(),
                     .takes_files = true},
                    argc, argv);
}
