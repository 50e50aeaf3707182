// SPDX-License-Identifier: BSD-3-Clause
#include "shared/dispatch.hpp"

#include "program/cli/values.hpp"
#include "shared/command.hpp"
#include "shared/plain_text.hpp"

#include <measure/environment_info.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>

namespace measure::tool {

namespace {

/// `measure` itself or a group of its commands.
struct CommandGroup {
    std::string name;  ///< "measure archive"
    std::string_view about;
    std::span<Command const> commands;
    bool takes_files = false;   ///< a record file may take the place of a command
    std::string_view option{};  ///< see `Command`
};

constexpr char const* next_commands = R"(
Likely next:
  measure run            how fast is MPI here, and is it slower than last time?
  measure doctor         what will disturb measurements on this machine?
  measure FILE.jsonl     show the values of a record as tables
)";

std::string overview(CommandGroup const& group) {
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
    if (!group.option.empty())
        text += fmt::format("\nThe option {} FILE may precede COMMAND.\n", group.option);
    return text + fmt::format("\nSee {} COMMAND --help for the options of a command.\n", group.name);
}

std::string refusal_of(CommandGroup const& group, std::string const& word) {
    std::vector<std::string> names;
    for (Command const& command : group.commands)
        if (!command.is_internal)
            names.emplace_back(command.name);
    auto const near = program::closest(word, names);
    return fmt::format("{0}: error: '{1}' is {2}{3} (see {0} --help)\n", group.name, printable(word),
                       group.takes_files ? "neither a command nor a file" : "not a command",
                       near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

/// Whether a word is meant as a record file, so that a missing file is reported as such.
bool names_file(std::string_view word) { return word == "-" || word.ends_with(".jsonl") || word.ends_with(".json"); }

/// The number of words that the group's option takes before the command: 0, 1 or 2.
std::size_t words_of_option(CommandGroup const& group, std::vector<std::string> const& words, std::size_t taken) {
    if (group.option.empty() || taken == words.size())
        return 0;
    auto const& word = words[taken];
    for (auto const& name : program::split(group.option, ',')) {
        if (word == name)
            return std::min<std::size_t>(2, words.size() - taken);
        if (name.starts_with("--") && word.starts_with(name + "="))
            return 1;
    }
    return 0;
}

/// Dispatches on the next word. Without a word, shows the overview.
Dispatched dispatched_in(CommandGroup const& group, std::vector<std::string> const& words, std::size_t taken,
                         std::function<bool(std::string_view)> const& exists) {
    auto const moved = words_of_option(group, words, taken);
    bool const is_over = taken + moved == words.size();
    std::string const word = is_over ? "--help" : words[taken + moved];
    if (word == "--help" || word == "-h")
        return {.answer = overview(group) + (is_over && group.takes_files ? next_commands : "")};
    if (word == "--version")
        return {.answer = fmt::format("{} {}\n", group.name, measure::version())};
    for (Command const& command : group.commands)
        if (word == command.name)
            return command.commands == nullptr
                       ? Dispatched{.suite = command.suite(), .taken = taken + 1, .moved = moved}
                       : dispatched_in({.name = fmt::format("{} {}", group.name, word),
                                        .about = command.text,
                                        .commands = command.commands(),
                                        .option = command.option},
                                       words, taken + 1, exists);
    if (group.takes_files && (names_file(word) || exists(word)))
        return {.suite = show_command(), .taken = taken};
    return {.code = 2, .answer = refusal_of(group, word)};
}

}  // namespace

Dispatched dispatched(std::vector<std::string> const& words, std::function<bool(std::string_view)> const& exists) {
    return dispatched_in({.name = "measure",
                          .about = "measures MPI, and shows, merges and compares the records of programs",
                          .commands = commands(),
                          .takes_files = true},
                         words, 0, exists);
}

}  // namespace measure::tool
